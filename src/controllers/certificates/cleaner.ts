import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { CertificateSigningRequest } from '../../resources/index.js';
import type { Controller } from '../controller.js';
import { hasReason } from '../failures.js';
import { WorkQueue } from '../work-queue.js';
import type { CertificateSigningRequestObject, RequestInformer } from './request-controller.js';
import { keptUntil } from './retention.js';

/** Time between two sweeps, as in Kubernetes. */
const SWEEP_INTERVAL_MS = 3_600_000;
/** The only key of the queue: a sweep looks at all requests. */
const SWEEP = 'sweep';

/** What the cleaner needs. */
export interface RequestCleanerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** When the controllers of the server started, in milliseconds since the epoch: sweeps are whole hours after it. */
  readonly startedMs: number;
  /** Follows the requests; shared with others. */
  readonly informer: RequestInformer;
  readonly onError: (error: unknown) => void;
}

/**
 * Deletes certificate signing requests that are kept no longer (see {@link keptUntil}), once an hour. The first sweep comes
 * an hour after the start: the one that Kubernetes makes at its start finds no requests, since none have been listed by then.
 */
export function requestCleaner({ client, clock, startedMs, informer, onError }: RequestCleanerOptions): Controller {
  const requests = client.resource(CertificateSigningRequest);
  const queue = new WorkQueue<string>({ clock, process: sweep, onError: (_key, error) => onError(error) });
  planSweep();

  function planSweep(): void {
    queue.addAfter(SWEEP, SWEEP_INTERVAL_MS - ((clock.now() - startedMs) % SWEEP_INTERVAL_MS));
  }

  async function sweep(): Promise<void> {
    planSweep();
    const now = clock.now();
    for (const object of [...informer.values()])
      if (object.metadata.deletionTimestamp === undefined && keptUntil(object) < now) await remove(object);
  }

  /** What cannot be deleted is left to the next sweep. */
  async function remove({ metadata: { name = '', uid } }: CertificateSigningRequestObject): Promise<void> {
    try {
      await requests.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      // Deleted by somebody else, or replaced by a new request of that name.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) onError(error);
    }
  }

  return { name: 'csrcleaner', informers: () => [informer], queues: [queue] };
}
