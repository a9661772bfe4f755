import type { Client, ResourceClient } from '../../client/index.js';
import { formatMicroTime, labelValue, parseTime, type Dialect } from '../../foundation/index.js';
import { Lease } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import { joined, type Controller } from '../runtime/controller.js';
import { orAbsent } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import type { Run } from '../runtime/keyed-runner.js';
import { routine } from '../runtime/routine.js';
import { apiServerNames, endpointText, reachable, type AdvertisedListener, type ListenerSource } from './listeners.js';

/** Options of {@link identityLeaseController}. */
export interface IdentityLeaseOptions extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly listeners: ListenerSource;
}

const RENEW_MS = 10_000;
const DURATION_SECONDS = 3600;
const COLLECT_MS = DURATION_SECONDS * 1000;

/**
 * Keeps the Lease by which a server with listeners shows that it is alive, and deletes those of servers that are gone
 * for an hour. A server whose listeners have closed gives its Lease up.
 *
 * @see release 1.31, the feature APIServerIdentity
 */
export function identityLeaseController(options: IdentityLeaseOptions): Controller {
  const { client, clock, dialect, listeners } = options;
  const names = apiServerNames(dialect);
  const leases: ResourceClient<ObjectOf<typeof Lease>, InputOf<typeof Lease>> = client
    .resource(Lease)
    .namespace(dialect.namespaces.system);

  async function renew({ requeueAfter }: Run): Promise<void> {
    const listener = listeners.current();
    if (listener === undefined) return remove(listeners.name);
    requeueAfter(RENEW_MS);
    const { name, holder: holderIdentity } = listeners;
    const renewTime = formatMicroTime(clock.now());
    const endpoint = reachable(listener);
    const metadata = {
      labels: { [names.identity]: dialect.apiServerName, ...hostnameLabel(dialect, listener) },
      annotations: { [names.endpoint]: endpoint === undefined ? '' : endpointText(endpoint) },
    };
    const spec = { holderIdentity, leaseDurationSeconds: DURATION_SECONDS, renewTime };
    const fieldManager = dialect.apiServerName;
    const renewed = await orAbsent(leases.patch(name, { metadata, spec }, { type: 'merge', fieldManager }));
    if (renewed === undefined) await leases.create({ metadata: { name, ...metadata }, spec }, { fieldManager });
  }

  async function collect({ requeueAfter }: Run): Promise<void> {
    requeueAfter(COLLECT_MS);
    const { items } = await leases.list({ labelSelector: `${names.identity}=${dialect.apiServerName}` });
    for (const { metadata, spec } of items) {
      const endMs = (parseTime(spec?.renewTime ?? '') ?? 0) + (spec?.leaseDurationSeconds ?? 0) * 1000;
      if (endMs < clock.now()) await remove(metadata.name ?? '');
    }
  }

  async function remove(name: string): Promise<void> {
    await orAbsent(leases.delete(name));
  }

  const name = 'apiserver-identity-lease';
  const renewal = routine(options, { name, run: renew });
  listeners.onChange(() => renewal.run());
  const controller = joined(name, renewal, routine(options, { name, run: collect }));
  return { ...controller, release: () => remove(listeners.name) };
}

/** Returns the label with the name of the server's host; none for a name that no label can have. */
function hostnameLabel({ labelDomain }: Dialect, { hostname }: AdvertisedListener): Readonly<Record<string, string>> {
  const isValid = hostname !== undefined && labelValue(hostname).length === 0;
  return isValid ? { [`${labelDomain}/hostname`]: hostname } : {};
}
