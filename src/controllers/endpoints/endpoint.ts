import {
  definedOnly,
  equalJson,
  equalSteps,
  formatTime,
  inSlices,
  messageOf,
  parseTime,
  type Dialect,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { Endpoints, Pod, Service, sortSubsets, type coreV1 } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import type { EventSink } from '../runtime/event-recorder.js';
import { hasReason, isNamespaceTerminating, orAbsent } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { Run } from '../runtime/keyed-runner.js';
import { reconciler } from '../runtime/reconciler.js';
import { UnseenWrites } from '../runtime/unseen-writes.js';
import { watched } from '../runtime/watch.js';
import { HeldKeys } from './held-keys.js';
import { SERVICE_LIMITS, type EndpointHost } from './host.js';
import { Members } from './members.js';
import { LimitedWork } from './limited-work.js';
import type { EndpointsObject, PodObject, ServiceObject } from './objects.js';
import { podChanges } from './pod-changes.js';
import { addressesOfFamily, hostnameIn, isEndpoint, isReady } from './pods.js';
import { portGroups } from './port-groups.js';
import { TriggerTimes } from './trigger-times.js';
import { truncated } from './truncate.js';

type Subset = coreV1.EndpointSubset;

/**
 * Keeps the Endpoints of every service with a selector: the addresses of its pods, and their ports. An Endpoints object
 * holds at most 1,000 addresses.
 *
 * @see release 1.31, pkg/controller/endpoint
 */
export function endpointController(host: EndpointHost): Controller {
  const { informers, startedMs } = host;
  const services = informers.of(Service);
  const pods = informers.of(Pod);
  const endpoints = informers.of(Endpoints);
  const members = new Members(pods, services);
  const writer = new EndpointsWriter(host, members);
  const isOfEarlierRun = ({ metadata }: EndpointsObject): boolean =>
    (parseTime(metadata.creationTimestamp ?? '') ?? 0) < Math.floor(startedMs / 1000) * 1000;
  let isSubscribing = true;
  const controller = reconciler(host, {
    name: 'endpoint',
    queue: 'endpoint',
    ...SERVICE_LIMITS,
    kind: Service,
    watches: [
      podChanges(members),
      watched(Endpoints, {
        changes: {
          added(object) {
            const key = objectKey(object);
            // Endpoints of an earlier run may have lost their service. Later ones may come before their service,
            // although this controller starts with the first service only.
            const mayBeLeft = (isSubscribing || endpoints.revision < 0) && isOfEarlierRun(object);
            return mayBeLeft ? [key] : writer.held.delivered(key);
          },
          updated: (object) => writer.held.delivered(objectKey(object)),
          deleted: (object) => [objectKey(object)],
        },
      }),
    ],
    reconcile: (service, run) => writer.reconcile(service, run),
    gone: (key) => writer.removeOf(key),
  });
  isSubscribing = false;
  return controller;
}

/** Names of the labels and annotations of Endpoints. */
const endpointNames = ({ labelDomain }: Dialect) => ({
  capacity: `endpoints.${labelDomain}/over-capacity`,
  trigger: `endpoints.${labelDomain}/last-change-trigger-time`,
  headless: `service.${labelDomain}/headless`,
  leader: `control-plane.alpha.${labelDomain}/leader`,
});

/** Writes the Endpoints of services. */
class EndpointsWriter {
  readonly #host: EndpointHost;
  readonly #members: Members;
  readonly #endpoints: Informer<EndpointsObject>;
  readonly #names: ReturnType<typeof endpointNames>;
  readonly #events: EventSink;
  readonly #triggers = new TriggerTimes();
  readonly #unseen = new UnseenWrites();
  /** Services whose Endpoints are written, and not delivered yet. */
  readonly held = new HeldKeys(this.#unseen);

  constructor(host: EndpointHost, members: Members) {
    this.#host = host;
    this.#members = members;
    this.#endpoints = host.informers.of(Endpoints);
    this.#names = endpointNames(host.dialect);
    this.#events = host.recorder.of('endpoint-controller');
  }

  async reconcile(service: ServiceObject, { key, requeueAfter }: Run): Promise<void> {
    if (!this.held.isFree(key)) return;
    if (service.spec?.type === 'ExternalName' || service.spec?.selector === undefined) return;
    const work = new LimitedWork(MAX_BYTES);
    const selected = await inSlices(work, this.#members.podsOf(service, work));
    const trigger = await inSlices(work, this.#triggers.next(service, selected, work));
    const subsets = await this.#subsetsOf(service, selected, work);
    const current = this.#endpoints.get(key);
    if (current !== undefined && (await inSlices(work, this.#isCurrent(current, service, subsets, work)))) return;
    const desired = this.#desired(service, subsets, current, trigger);
    if ((await this.#store(key, current, desired)) === 'again') requeueAfter(0);
  }

  /** Removes the Endpoints of a service that is gone. */
  async removeOf(key: string): Promise<void> {
    if (!this.held.isFree(key)) return;
    this.#triggers.forget(key);
    this.#unseen.forget(key);
    const current = this.#endpoints.get(key);
    if (current === undefined || current.metadata.annotations?.[this.#names.leader] !== undefined) return;
    const { namespace = '', name = '' } = current.metadata;
    await orAbsent(this.#host.client.resource(Endpoints).namespace(namespace).delete(name));
  }

  /** @throws Error when there are too many ports or addresses, which is reported like a write that is refused */
  async #subsetsOf(service: ServiceObject, selected: readonly PodObject[], work: Work): Promise<Subset[]> {
    try {
      return await inSlices(work, subsetsOf(service, selected, work));
    } catch (error) {
      const { namespace = '', name = '' } = service.metadata;
      this.#reportFailure({ metadata: { namespace, name } }, this.#endpoints.get(`${namespace}/${name}`), error);
      throw error;
    }
  }

  /** Returns whether stored endpoints need no change. */
  *#isCurrent(
    current: EndpointsObject,
    { metadata }: ServiceObject,
    subsets: readonly Subset[],
    work: Work,
  ): Steps<boolean> {
    const { [this.#names.headless]: _headless, ...labels } = current.metadata.labels ?? {};
    return (
      (yield* equalSteps(work, current.subsets ?? [], subsets)) &&
      equalJson(labels, metadata.labels ?? {}) &&
      current.metadata.annotations?.[this.#names.capacity] === undefined
    );
  }

  /** Returns the endpoints of a service; other clients' annotations stay. */
  #desired(
    service: ServiceObject,
    subsets: readonly Subset[],
    current: EndpointsObject | undefined,
    trigger: number | undefined,
  ): Omit<EndpointsObject, 'apiVersion' | 'kind'> {
    const { namespace = '', name = '', labels } = service.metadata;
    const {
      [this.#names.trigger]: _trigger,
      [this.#names.capacity]: _capacity,
      ...others
    } = current?.metadata.annotations ?? {};
    const fitting = truncated(subsets);
    const annotations = {
      ...others,
      ...(trigger === undefined ? {} : { [this.#names.trigger]: formatTime(trigger) }),
      ...(fitting === undefined ? {} : { [this.#names.capacity]: 'truncated' }),
    };
    const ip = service.spec?.clusterIP ?? '';
    const isHeadless = ip === '' || ip === 'None';
    return {
      metadata: {
        ...(current?.metadata ?? { namespace, name }),
        annotations,
        labels: { ...labels, ...(isHeadless ? { [this.#names.headless]: '' } : {}) },
      },
      subsets: fitting ?? [...subsets],
    };
  }

  /** Writes Endpoints. Returns `again` when another client has written them, and its event has come already. */
  async #store(
    key: string,
    current: EndpointsObject | undefined,
    object: Omit<EndpointsObject, 'apiVersion' | 'kind'>,
  ): Promise<'again' | undefined> {
    const { namespace = '' } = object.metadata;
    const inNamespace = this.#host.client.resource(Endpoints).namespace(namespace);
    try {
      const written = await (current === undefined ? inNamespace.create(object) : inNamespace.update(object));
      this.#unseen.written(key, this.#endpoints, written);
      return undefined;
    } catch (error) {
      if (current === undefined && isNamespaceTerminating(error)) return undefined;
      if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists') || hasReason(error, 'NotFound')) {
        // Another client has written them. Its event may have come already.
        if (this.#endpoints.get(key) !== current) return 'again';
        this.held.hold(key);
        return undefined;
      }
      this.#reportFailure(object, current, error);
      throw error;
    }
  }

  #reportFailure(
    object: Pick<EndpointsObject, 'metadata'>,
    current: EndpointsObject | undefined,
    error: unknown,
  ): void {
    const { namespace = '', name = '' } = object.metadata;
    this.#events.event(
      { apiVersion: 'v1', kind: 'Endpoints', metadata: object.metadata },
      'Warning',
      current === undefined ? 'FailedToCreateEndpoint' : 'FailedToUpdateEndpoint',
      `Failed to ${current === undefined ? 'create endpoint for service' : 'update endpoint'} ${namespace}/${name}: ${messageOf(error)}`,
    );
  }
}

/** Memory of the places of addresses: those of subsets that an object can have fit. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Units of work to make an address. */
const ADDRESS_UNITS = 20;

/**
 * Returns the subsets of a service, in the canonical form.
 *
 * @throws Error when they take too much memory
 */
function* subsetsOf(service: ServiceObject, pods: readonly PodObject[], work: Work): Steps<Subset[]> {
  const { ports = [], publishNotReadyAddresses: publishes = false, clusterIP } = service.spec ?? {};
  const addresses = new Map<PodObject, coreV1.EndpointAddress>();
  for (const pod of pods) {
    if (work.spend(ADDRESS_UNITS)) yield;
    const address = isEndpoint(pod, publishes) ? addressOf(pod, service) : undefined;
    if (address !== undefined) addresses.set(pod, address);
  }
  const subsets: Subset[] = [];
  const isWithoutPorts = ports.length === 0 && clusterIP === 'None';
  for (const group of yield* portGroups(service, [...addresses.keys()], work)) {
    if (group.ports.length === 0 && !isWithoutPorts) continue;
    const ready: coreV1.EndpointAddress[] = [];
    const notReady: coreV1.EndpointAddress[] = [];
    for (const pod of group.pods) {
      if (work.spend(1)) yield;
      const address = addresses.get(pod);
      if (address !== undefined) (publishes || isReady(pod) ? ready : notReady).push(address);
    }
    // The names of ports without one are left out.
    const named = group.ports.map(({ name, ...port }) => ({ ...definedOnly({ name: name || undefined }), ...port }));
    subsets.push({ addresses: ready, notReadyAddresses: notReady, ports: named });
  }
  return yield* sortSubsets(subsets, work);
}

function addressOf(pod: PodObject, service: ServiceObject): coreV1.EndpointAddress | undefined {
  const [ip] = addressesOfFamily(pod, service.spec?.ipFamilies?.[0] ?? 'IPv4');
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return {
    ip,
    ...definedOnly({ hostname: hostnameIn(pod, service), nodeName: pod.spec?.nodeName || undefined }),
    targetRef: { kind: 'Pod', ...definedOnly({ namespace, name, uid }) },
  };
}
