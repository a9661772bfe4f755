import type { Client } from '../client/index.js';
import type { Clock } from '../meta/clock.js';
import { parseTime } from '../meta/time.js';
import type { ObjectOf } from '../registry/definition.js';
import { Job } from '../resources/index.js';
import type { Controller } from './controller.js';
import { hasReason } from './failures.js';
import { objectKey } from './informer-cache.js';
import type { SharedInformers } from './shared-informers.js';
import { WorkQueue } from './work-queue.js';

/** Options of {@link ttlAfterFinished}. */
export interface TtlAfterFinishedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly informers: SharedInformers;
  readonly onError: (error: unknown) => void;
}

type AnyJob = ObjectOf<typeof Job>;

/** Returns when a job ended, in milliseconds since the epoch; undefined while it runs. */
function endOf({ status }: AnyJob): number | undefined {
  const end = status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
  return typeof end?.lastTransitionTime === 'string' ? parseTime(end.lastTransitionTime) : undefined;
}

/** Returns when a job expires, in milliseconds since the epoch; undefined when it does not. */
function expiryOf(job: AnyJob): number | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  const endMs = endOf(job);
  if (job.metadata.deletionTimestamp !== undefined || seconds === undefined || endMs === undefined) return undefined;
  return endMs + seconds * 1000;
}

/** Deletes jobs, with their pods, when their time to live after their end is over. */
export function ttlAfterFinished({ client, clock, informers, onError }: TtlAfterFinishedOptions): Controller {
  const jobs = informers.of(Job);
  const queue = new WorkQueue<string>({ clock, process, onError: (_key, error) => onError(error) });
  const enqueue = (job: AnyJob): void => {
    if (expiryOf(job) !== undefined) queue.add(objectKey(job));
  };
  jobs.subscribe({ added: enqueue, updated: enqueue });

  async function process(key: string): Promise<void> {
    const known = jobs.get(key);
    if (known === undefined || !hasExpired(key, known)) return;
    const { name = '', namespace = '' } = known.metadata;
    const inNamespace = client.resource(Job).namespace(namespace);
    try {
      // The informer may not know yet that the time to live was extended.
      const job = await inNamespace.get(name);
      if (!hasExpired(key, job)) return;
      const { uid } = job.metadata;
      await inNamespace.delete(name, {
        propagationPolicy: 'Foreground',
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      });
    } catch (error) {
      // The job was deleted or replaced meanwhile: the event of a replacement enqueues it again.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  /** Returns whether a job has expired; plans its next check when it will expire later. */
  function hasExpired(key: string, job: AnyJob): boolean {
    const expiryMs = expiryOf(job);
    if (expiryMs === undefined) return false;
    const leftMs = expiryMs - clock.now();
    if (leftMs > 0) queue.addAfter(key, leftMs);
    return leftMs <= 0;
  }

  return { name: 'ttl-after-finished', informers: () => [jobs], queues: [queue] };
}
