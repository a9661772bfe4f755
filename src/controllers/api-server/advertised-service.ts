import type { Client } from '../../client/index.js';
import { appendTo, equalJson, parseTime, type Dialect } from '../../foundation/index.js';
import { Endpoints, EndpointSlice, Lease, Service, type coreV1, type discoveryV1 } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { sliceNames } from '../endpoints/slices.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, orAbsent } from '../runtime/failures.js';
import type { Informer } from '../runtime/informer.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { routine, runs } from '../runtime/routine.js';
import { view } from '../runtime/sources.js';
import { watched } from '../runtime/watch.js';
import type { WorkResult } from '../runtime/work-queue.js';
import { apiServerNames, parseEndpoint, reachable, type AddressAndPort, type ListenerSource } from './listeners.js';

/** Options of {@link advertisedServiceController}. */
export interface AdvertisedServiceOptions extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly listeners: ListenerSource;
}

const PORT_NAME = 'https';
const SERVICE_PORT = 443;
/** Time without a sign of life after which a server is taken from the endpoints, in milliseconds. */
const LIFE_MS = 30_000;
const SYNC_MS = 10_000;

type LeaseObject = ObjectOf<typeof Lease>;

/**
 * Keeps the Service by which programs in a cluster reach the server, with its Endpoints and EndpointSlices. They have
 * the listeners of all servers that share the store, as their Leases tell.
 *
 * @see release 1.31, `pkg/controlplane/controller/kubernetesservice`; its servers all have one port
 */
export function advertisedServiceController(options: AdvertisedServiceOptions): Controller {
  const { dialect, informers, listeners } = options;
  const { namespaces, product, apiServerName } = dialect;
  const identities = view(Lease, {
    namespace: namespaces.system,
    labelSelector: `${apiServerNames(dialect).identity}=${apiServerName}`,
  });
  const advertised = new AdvertisedService(options, informers.of(identities));
  const place = { namespace: namespaces.default, fieldSelector: `metadata.name=${product}` };
  const controller = routine(options, {
    name: 'apiserver-service',
    watches: [
      watched(identities, {
        changes: {
          added: runs,
          deleted: runs,
          updated: (lease, old) => (equalJson(lease.metadata.annotations, old.metadata.annotations) ? [] : runs()),
        },
      }),
      ...[Service, Endpoints, EndpointSlice].map((kind) => watched(view(kind, place), { changes: { deleted: runs } })),
    ],
    run({ requeueAfter }) {
      requeueAfter(SYNC_MS);
      return advertised.write();
    },
  });
  listeners.onChange(() => controller.run());
  return controller;
}

/** Returns the clients of the three objects, and the names that they need. */
function partsOf(client: Client, dialect: Dialect) {
  const { namespaces, product, apiServerName: fieldManager } = dialect;
  return {
    ...{ product, fieldManager, labels: sliceNames(dialect) },
    inDefault: { name: product, namespace: namespaces.default },
    services: client.resource(Service).namespace(namespaces.default),
    endpoints: client.resource(Endpoints).namespace(namespaces.default),
    slices: client.resource(EndpointSlice).namespace(namespaces.default),
  };
}

/** The renewal of a Lease, and the time by the clock of this server at which it was there at the latest. */
interface Renewal {
  readonly time: string;
  readonly seenMs: number;
}

/**
 * Returns the last renewal of a Lease. Clocks of servers differ, so the time of a change counts by which it was seen. Of
 * the first sight nobody knows how old it is: then the time in the Lease is believed.
 */
function renewalOf(time: string, known: Renewal | undefined, nowMs: number): Renewal {
  if (known?.time === time) return known;
  return { time, seenMs: known === undefined ? Math.min(parseTime(time) ?? 0, nowMs) : nowMs };
}

/** Writes the Service, its Endpoints and its EndpointSlices. */
class AdvertisedService {
  readonly #options: AdvertisedServiceOptions;
  readonly #leases: Informer<LeaseObject>;
  readonly #parts: ReturnType<typeof partsOf>;
  /** The renewals of the Leases, and when they were seen. */
  #renewals = new Map<string, Renewal>();

  constructor(options: AdvertisedServiceOptions, leases: Informer<LeaseObject>) {
    this.#options = options;
    this.#leases = leases;
    this.#parts = partsOf(options.client, options.dialect);
  }

  /** Returns where the servers are reached that are alive, by port. */
  #servers(): Map<number, string[]> {
    const { clock, dialect, listeners } = this.#options;
    const names = apiServerNames(dialect);
    const found = new Map<string, AddressAndPort>();
    const add = (server: AddressAndPort | undefined): void => {
      if (server !== undefined) found.set(`${server.port}/${server.address}`, server);
    };
    const own = listeners.current();
    add(own && reachable(own));
    const renewals = new Map<string, Renewal>();
    for (const { metadata, spec } of this.#leases.values()) {
      const { name = '', annotations } = metadata;
      const renewal = renewalOf(spec?.renewTime ?? '', this.#renewals.get(name), clock.now());
      renewals.set(name, renewal);
      if (name !== listeners.name && renewal.seenMs + LIFE_MS >= clock.now())
        add(parseEndpoint(annotations?.[names.endpoint] ?? ''));
    }
    this.#renewals = renewals;
    const byPort = new Map<number, string[]>();
    for (const [, { address, port }] of [...found].sort(([a], [b]) => (a < b ? -1 : 1)))
      appendTo(byPort, port, address);
    return byPort;
  }

  async write(): Promise<WorkResult> {
    const byPort = this.#servers();
    try {
      await this.#ensureService();
      await this.#writeEndpoints(byPort);
      await this.#writeSlices(byPort);
    } catch (error) {
      // Another server has written the same, or somebody has removed it: the next run tells.
      if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists') || hasReason(error, 'NotFound'))
        return 'retry';
      throw error;
    }
  }

  async #ensureService(): Promise<void> {
    const { services, product, fieldManager, inDefault } = this.#parts;
    const { listeners } = this.#options;
    const own = listeners.current();
    if (own === undefined || (await orAbsent(services.get(product))) !== undefined) return;
    const targetPort = reachable(own)?.port ?? Number(new URL(own.url).port || SERVICE_PORT);
    await services.create(
      {
        metadata: { ...inDefault, labels: { component: 'apiserver', provider: product } },
        spec: {
          type: 'ClusterIP',
          clusterIP: listeners.serviceIP,
          ipFamilyPolicy: 'SingleStack',
          sessionAffinity: 'None',
          ports: [{ name: PORT_NAME, protocol: 'TCP', port: SERVICE_PORT, targetPort }],
        },
      },
      { fieldManager },
    );
  }

  async #writeEndpoints(byPort: ReadonlyMap<number, readonly string[]>): Promise<void> {
    const { endpoints, product, fieldManager, inDefault, labels } = this.#parts;
    const subsets = Array.from(byPort, ([port, addresses]): coreV1.EndpointSubset => ({
      addresses: addresses.map((ip) => ({ ip })),
      ports: [{ name: PORT_NAME, port, protocol: 'TCP' }],
    }));
    const old = await orAbsent(endpoints.get(product));
    if (old === undefined) {
      if (subsets.length === 0) return;
      const metadata = { ...inDefault, labels: { [labels.skipMirror]: 'true' } };
      await endpoints.create({ metadata, subsets }, { fieldManager });
    } else if (!equalJson(old.subsets ?? [], subsets)) await endpoints.update({ ...old, subsets }, { fieldManager });
  }

  async #writeSlices(byPort: ReadonlyMap<number, readonly string[]>): Promise<void> {
    const { slices, product, fieldManager, inDefault, labels } = this.#parts;
    const { items } = await slices.list({ labelSelector: `${labels.service}=${product}` });
    const wanted = new Map(Array.from(byPort).flatMap(([port, all], index) => this.#slicesOf(port, all, index)));
    for (const old of items) if (!wanted.has(old.metadata.name ?? '')) await slices.delete(old.metadata.name ?? '');
    for (const [name, { addressType, endpoints: list, ports }] of wanted) {
      const old = items.find(({ metadata }) => metadata.name === name);
      const metadata = { ...inDefault, name, labels: { [labels.service]: product } };
      if (old === undefined) await slices.create({ metadata, addressType, endpoints: list, ports }, { fieldManager });
      else if (!equalJson(old.endpoints, list) || !equalJson(old.ports, ports))
        await slices.update({ ...old, endpoints: list, ports }, { fieldManager });
    }
  }

  /** Returns the slices of a port by their names: one for each family of addresses. */
  #slicesOf(port: number, addresses: readonly string[], index: number) {
    const { product } = this.#parts;
    return ['IPv4', 'IPv6'].flatMap((addressType) => {
      const own = addresses.filter((address) => address.includes(':') === (addressType === 'IPv6'));
      if (own.length === 0) return [];
      const isFirst = index === 0 && (addressType === 'IPv4' || own.length === addresses.length);
      const name = isFirst ? product : `${product}-${addressType.toLowerCase()}-${port}`;
      const list = own.map((address) => ({ addresses: [address], conditions: { ready: true } }));
      const ports: discoveryV1.EndpointPort[] = [{ name: PORT_NAME, port, protocol: 'TCP' }];
      return [[name, { addressType, endpoints: list, ports }] as const];
    });
  }
}
