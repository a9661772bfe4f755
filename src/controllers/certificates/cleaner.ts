import type { Client } from '../../client/index.js';
import type { Clock } from '../../foundation/index.js';
import { CertificateSigningRequest } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { WorkQueue } from '../runtime/work-queue.js';
import type { CertificateSigningRequestObject, RequestInformer } from './request-controller.js';
import { retainedUntil } from './retention.js';

/** Time between two sweeps, as in Kubernetes. */
const SWEEP_INTERVAL_MS = 3_600_000;
/** The only key of the queue: a sweep covers all requests. */
const SWEEP = 'sweep';

/** Options of {@link requestCleaner}. */
export interface RequestCleanerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /**
   * When the controllers of the server started, in milliseconds since the epoch. Sweeps follow at whole hours after it.
   */
  readonly startedMs: number;
  /** Informer of the requests; shared with other controllers. */
  readonly informer: RequestInformer;
  readonly onError: (error: unknown) => void;
}

/**
 * Deletes expired certificate signing requests (see {@link retainedUntil}) once an hour. The first sweep runs one hour
 * after the start: Kubernetes sweeps at its start as well, but before its first list, so that sweep finds nothing.
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
      if (object.metadata.deletionTimestamp === undefined && retainedUntil(object) < now) await remove(object);
  }

  /** Deletes a request. A failure is reported and left to the next sweep. */
  async function remove({ metadata: { name = '', uid } }: CertificateSigningRequestObject): Promise<void> {
    try {
      await requests.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      // The request was deleted or replaced meanwhile.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) onError(error);
    }
  }

  return { name: 'csrcleaner', informers: () => [informer], queues: [queue] };
}
