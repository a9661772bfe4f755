import type { Client, ResourceClient } from '../../client/index.js';
import { formatMicroTime, parseTime, type Clock, type Dialect } from '../../foundation/index.js';
import { Lease } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { apiServerNames, endpointText, reachable, type ListenerSource } from './listeners.js';

/** Options of {@link identityLeaseController}. */
export interface IdentityLeaseOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly listeners: ListenerSource;
  readonly onError: (error: unknown) => void;
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
  const { client, clock, dialect, listeners, onError } = options;
  const names = apiServerNames(dialect);
  const leases: ResourceClient<ObjectOf<typeof Lease>, InputOf<typeof Lease>> = client
    .resource(Lease)
    .namespace(dialect.namespaces.system);
  const queue = new WorkQueue<'renew' | 'collect'>({
    clock,
    process: (key) => (key === 'renew' ? renew() : collect()),
    onError: (_key, error) => onError(error),
  });
  listeners.onChange(() => queue.add('renew'));
  queue.add('renew');
  queue.add('collect');

  async function renew(): Promise<void> {
    const listener = listeners.current();
    if (listener === undefined) return giveUp();
    queue.addAfter('renew', RENEW_MS);
    const { name, holder: holderIdentity } = listeners;
    const renewTime = formatMicroTime(clock.now());
    const endpoint = reachable(listener);
    const metadata = {
      labels: { [names.identity]: dialect.apiServerName },
      annotations: { [names.endpoint]: endpoint === undefined ? '' : endpointText(endpoint) },
    };
    const spec = { holderIdentity, leaseDurationSeconds: DURATION_SECONDS, renewTime };
    try {
      await leases.patch(name, { metadata, spec }, { type: 'merge', fieldManager: dialect.apiServerName });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await leases.create({ metadata: { name, ...metadata }, spec }, { fieldManager: dialect.apiServerName });
    }
  }

  async function giveUp(): Promise<void> {
    await remove(listeners.name);
  }

  async function collect(): Promise<void> {
    queue.addAfter('collect', COLLECT_MS);
    const { items } = await leases.list({ labelSelector: `${names.identity}=${dialect.apiServerName}` });
    for (const { metadata, spec } of items) {
      const endMs = (parseTime(spec?.renewTime ?? '') ?? 0) + (spec?.leaseDurationSeconds ?? 0) * 1000;
      if (endMs < clock.now()) await remove(metadata.name ?? '');
    }
  }

  async function remove(name: string): Promise<void> {
    try {
      await leases.delete(name);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  return { name: 'apiserver-identity-lease', informers: () => [], queues: [queue] };
}
