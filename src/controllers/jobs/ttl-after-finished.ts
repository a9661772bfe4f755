import type { Client } from '../../client/index.js';
import { parseTime, type Clock } from '../../foundation/index.js';
import { Job } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { WorkQueue } from '../runtime/work-queue.js';

type JobObject = ObjectOf<typeof Job>;

/** Options of {@link ttlAfterFinishedController}. */
export interface TtlAfterFinishedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly informers: SharedInformers;
  readonly onError: (error: unknown) => void;
}

const FINISHED: ReadonlySet<string> = new Set(['Complete', 'Failed']);

/**
 * Returns the time at which a job is to be deleted, in milliseconds since the epoch; undefined while it runs, and for a
 * job without `spec.ttlSecondsAfterFinished`.
 */
function expiryOf({ metadata, spec, status }: JobObject): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = spec ?? {};
  if (seconds === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const condition = status?.conditions?.find(({ type, status: value }) => FINISHED.has(type) && value === 'True');
  const finished = parseTime(condition?.lastTransitionTime ?? '');
  return finished === undefined ? undefined : finished + seconds * 1000;
}

/** Deletes finished jobs, with their pods, after the time that they ask for (KEP-592). */
export function ttlAfterFinishedController(options: TtlAfterFinishedOptions): Controller {
  const { client, clock, informers, onError } = options;
  const jobs = informers.of(Job);
  const queue = new WorkQueue<string>({
    name: 'ttl_jobs_to_delete',
    clock,
    process,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (job: JobObject): void => {
    if (expiryOf(job) !== undefined) queue.add(objectKey(job));
  };
  jobs.subscribe({ added: enqueue, updated: enqueue });

  async function process(key: string): Promise<void> {
    const job = jobs.get(key);
    const expiry = job === undefined ? undefined : expiryOf(job);
    if (job === undefined || expiry === undefined) return;
    const leftMs = expiry - clock.now();
    if (leftMs > 0) queue.addAfter(key, leftMs);
    else await remove(job);
  }

  /** Deletes a job, unless it has changed since: its owner may have extended its time. */
  async function remove({ metadata: { namespace = '', name = '', uid, resourceVersion } }: JobObject): Promise<void> {
    const preconditions =
      uid === undefined ? {} : { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    try {
      await client.resource(Job).namespace(namespace).delete(name, { propagationPolicy: 'Foreground', preconditions });
    } catch (error) {
      // The event of the change or deletion follows.
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
    }
  }

  return { name: 'ttl-after-finished', informers: () => [jobs], queues: [queue] };
}
