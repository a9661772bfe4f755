import type { Client } from '../../client/index.js';
import { CertificateSigningRequest } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { routine } from '../runtime/routine.js';
import { watched } from '../runtime/watch.js';
import type { CertificateSigningRequestObject } from './request-controller.js';
import { retainedUntil } from './retention.js';

/** Time between two sweeps, as in Kubernetes. */
const SWEEP_INTERVAL_MS = 3_600_000;

/** Options of {@link requestCleaner}. */
export interface RequestCleanerOptions extends ReconcilerHost {
  readonly client: Client;
  /**
   * When the controllers of the server started, in milliseconds since the epoch. Sweeps follow at whole hours after it.
   */
  readonly startedMs: number;
}

/**
 * Deletes expired certificate signing requests (see {@link retainedUntil}) once an hour. The first sweep runs one hour
 * after the start: Kubernetes sweeps at its start as well, but before its first list, so that sweep finds nothing.
 */
export function requestCleaner(options: RequestCleanerOptions): Controller {
  const { client, clock, startedMs, informers, onError } = options;
  const known = informers.of(CertificateSigningRequest);
  const requests = client.resource(CertificateSigningRequest);
  const untilNextSweep = (): number => SWEEP_INTERVAL_MS - ((clock.now() - startedMs) % SWEEP_INTERVAL_MS);

  /** Deletes a request. A failure is reported and left to the next sweep. */
  async function remove({ metadata: { name = '', uid } }: CertificateSigningRequestObject): Promise<void> {
    const removal = requests.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    // The request may have been deleted or replaced meanwhile.
    await ignoring(removal, 'NotFound', 'Conflict').catch((error: unknown) => onError(error, name));
  }

  return routine(options, {
    name: 'csrcleaner',
    watches: [watched(CertificateSigningRequest)],
    firstMs: untilNextSweep(),
    async run({ requeueAfter }) {
      requeueAfter(untilNextSweep());
      const now = clock.now();
      for (const object of [...known.values()])
        if (object.metadata.deletionTimestamp === undefined && retainedUntil(object) < now) await remove(object);
    },
  });
}
