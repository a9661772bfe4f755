import type { Client } from '../../client/index.js';
import { parseTime } from '../../foundation/index.js';
import { Job } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { ignoring } from '../runtime/failures.js';
import { reconciler } from '../runtime/reconciler.js';

type JobObject = ObjectOf<typeof Job>;

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
export function ttlAfterFinishedController(host: ControllerHost): Controller {
  const { client, clock } = host;
  return reconciler(host, {
    name: 'ttl-after-finished',
    queue: 'ttl_jobs_to_delete',
    kind: Job,
    runsOn: (job) => expiryOf(job) !== undefined,
    async reconcile(job, run) {
      const expiry = expiryOf(job);
      if (expiry === undefined) return;
      const leftMs = expiry - clock.now();
      if (leftMs > 0) run.requeueAfter(leftMs);
      else await remove(client, job);
    },
  });
}

/** Deletes a job, unless it has changed since: its owner may have extended its time. */
async function remove(client: Client, { metadata }: JobObject): Promise<void> {
  const { namespace = '', name = '', uid, resourceVersion } = metadata;
  const preconditions = uid === undefined ? {} : { uid, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
  const removal = client
    .resource(Job)
    .namespace(namespace)
    .delete(name, { propagationPolicy: 'Foreground', preconditions });
  // The event of the change or deletion follows.
  await ignoring(removal, 'NotFound', 'Conflict');
}
