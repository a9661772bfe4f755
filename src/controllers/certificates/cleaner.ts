import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { CertificateSigningRequest } from '../../resources/index.js';
import type { Controller } from '../controller.js';
import { hasReason } from '../failures.js';
import { objectKey } from '../informer-cache.js';
import { WorkQueue } from '../work-queue.js';
import type { CertificateSigningRequestObject, RequestInformer } from './request-controller.js';
import { keptUntil, lookedAtFrom } from './retention.js';

/** What the cleaner needs. */
export interface RequestCleanerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Follows the requests; shared with others. */
  readonly informer: RequestInformer;
  readonly onError: (error: unknown) => void;
}

/** Deletes certificate signing requests when they are of no more use: see {@link keptUntil}. */
export function requestCleaner({ client, clock, informer, onError }: RequestCleanerOptions): Controller {
  const requests = client.resource(CertificateSigningRequest);
  const queue = new WorkQueue<string>({ clock, process: look, onError: (_key, error) => onError(error) });
  const changed = (object: CertificateSigningRequestObject): void => lookAfter(object, lookedAtFrom(object, clock.now()));
  informer.subscribe({ added: changed, updated: changed });

  async function look(key: string): Promise<void> {
    const object = informer.get(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
    const end = keptUntil(object);
    if (end < clock.now()) await remove(object);
    else lookAfter(object, end);
  }

  /** Its last moment is still its own. */
  function lookAfter(object: CertificateSigningRequestObject, end: number): void {
    if (end < Infinity) queue.addAfter(objectKey(object), end + 1 - clock.now());
  }

  async function remove({ metadata: { name = '', uid } }: CertificateSigningRequestObject): Promise<void> {
    try {
      await requests.delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      // Deleted by somebody else, or made anew: then its event brings us back.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  return { name: 'csrcleaner', informers: () => [informer], queues: [queue] };
}
