import type { JsonObject } from '../../../foundation/index.js';
import { Job, Pod } from '../../../kinds/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Controller } from '../../runtime/controller.js';
import { hasReason } from '../../runtime/failures.js';
import { byNamespace, objectKey } from '../../runtime/informer-cache.js';
import { WorkQueue, type WorkResult } from '../../runtime/work-queue.js';
import { claimRequests } from '../../workloads/shared/claim-requests.js';
import { claim } from '../../workloads/shared/claims.js';
import { BY_CONTROLLER, byController, controllerOf } from '../../workloads/shared/controller-ref.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import { PodControl, type PodChanges } from '../../workloads/shared/pod-control.js';
import { UNSEEN_TIMEOUT_MS, UnseenWrites } from '../../workloads/shared/unseen-writes.js';
import type { WorkloadOptions } from '../../workloads/shared/workload-options.js';
import { NO_BACKOFF, type Backoff } from './backoff.js';
import { isFinished } from './conditions.js';
import { isTracked } from './job-pods.js';
import { runJob, type JobRunContext } from './job-run.js';
import type { PodRequests } from './pod-work.js';
import { jobNames, type JobObject } from './types.js';

const COMPONENT = 'job-controller';

/** Failures of a Job, which end with it. */
interface KnownBackoff {
  readonly uid: string;
  readonly backoff: Backoff;
}

/** Runs Jobs: creates their pods, counts how they end, and decides how the Jobs end. */
export function jobController(options: WorkloadOptions): Controller {
  const { client, clock, dialect, informers, recorder, onError } = options;
  const names = jobNames(dialect);
  const events = recorder.of(COMPONENT);
  const podControl = new PodControl(client, events);
  const jobs = informers.of(Job);
  const pods = informers.of(Pod);
  jobs.addIndex('byNamespace', byNamespace);
  pods.addIndex(BY_CONTROLLER, byController);
  const unseen = new UnseenWrites();
  const backoffs = new Map<string, KnownBackoff>();
  const queue = new WorkQueue<string>({ name: 'job', clock, process, onError: (_key, error) => onError(error) });
  /** Pods with a finalizer, but without a Job that would remove it. */
  const orphans = new WorkQueue<string>({
    name: 'job_orphan_pod',
    clock,
    process: freeOrphan,
    onError: (_key, error) => onError(error),
  });

  const enqueue = (job: JobObject): void => void queue.add(objectKey(job));
  jobs.subscribe({
    added: enqueue,
    updated: enqueue,
    deleted: (job) => {
      enqueue(job);
      for (const pod of pods.find(BY_CONTROLLER, job.metadata.uid ?? '')) orphans.add(objectKey(pod));
    },
  });
  pods.subscribe({
    added: podChanged,
    updated: (pod, old) => {
      if (controllerOf(old)?.uid !== controllerOf(pod)?.uid) enqueueOwner(old);
      podChanged(pod);
    },
    deleted: enqueueOwner,
  });

  function podChanged(pod: PodObject): void {
    if (isTracked(pod, names) && jobOf(pod) === undefined) orphans.add(objectKey(pod));
    if (controllerOf(pod) !== undefined) {
      enqueueOwner(pod);
      return;
    }
    for (const job of jobs.find('byNamespace', pod.metadata.namespace ?? ''))
      if (selectorOf(job).matches(pod.metadata.labels)) enqueue(job);
  }

  /** Returns the Job that controls a pod. */
  function jobOf(pod: PodObject): JobObject | undefined {
    const reference = controllerOf(pod);
    if (reference?.kind !== 'Job') return undefined;
    const job = jobs.get(`${pod.metadata.namespace ?? ''}/${reference.name}`);
    return job?.metadata.uid === reference.uid ? job : undefined;
  }

  function enqueueOwner(pod: PodObject): void {
    const job = jobOf(pod);
    if (job !== undefined) enqueue(job);
  }

  const isForeign = ({ spec }: JobObject): boolean => spec?.managedBy !== undefined && spec.managedBy !== names.manager;

  async function process(key: string): Promise<WorkResult> {
    const job = jobs.get(key);
    if (job === undefined || isFinished(job.status)) {
      unseen.forget(key);
      backoffs.delete(key);
      return;
    }
    if (isForeign(job)) return;
    if (!unseen.allSeen(key)) {
      queue.addAfter(key, UNSEEN_TIMEOUT_MS);
      return;
    }
    try {
      const { againMs } = await runJob(job, await claimPods(key, job), contextOf(key, job));
      if (againMs < Infinity) queue.addAfter(key, againMs);
    } catch (error) {
      // The Job has changed, and its event enqueues it; or it is gone.
      if (hasReason(error, 'Conflict')) return 'retry';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  function claimPods(key: string, job: JobObject): Promise<PodObject[]> {
    const { namespace = '', name = '' } = job.metadata;
    return claim({
      owner: job,
      selector: selectorOf(job),
      dependents: pods,
      ...claimRequests(key, client.resource(Job).namespace(namespace), name, {
        client: client.resource(Pod).namespace(namespace),
        informer: pods,
        unseen,
      }),
    });
  }

  function contextOf(key: string, job: JobObject): JobRunContext {
    const { uid = '', namespace = '' } = job.metadata;
    const known = backoffs.get(key);
    return {
      ...{ clock, dialect, names, events, requests: requestsOf(key, job) },
      backoff: known?.uid === uid ? known.backoff : NO_BACKOFF,
      remember: (backoff) => void backoffs.set(key, { uid, backoff }),
      write: async (changed) => {
        const stored = await client.resource(Job).namespace(namespace).updateStatus(changed);
        unseen.written(key, jobs, stored);
        return stored;
      },
    };
  }

  function requestsOf(key: string, job: JobObject): PodRequests {
    return {
      async create(changes: PodChanges) {
        const pod = await podControl.create(job, job.spec?.template, changes);
        if (pod !== undefined) unseen.written(key, pods, pod);
      },
      async delete(pod) {
        if (await podControl.delete(job, pod)) unseen.deleted(key, pods, pod);
      },
      release: async (pod) => {
        const changed = await release(pod);
        // The last finalizer of a deleted pod removes it.
        if (changed === undefined || isRemoved(changed)) unseen.gone(key, pods, pod);
        else unseen.written(key, pods, changed);
      },
    };
  }

  /** Removes the finalizer of a pod. Returns undefined when the pod is gone. */
  async function release(pod: PodObject): Promise<PodObject | undefined> {
    if (!isTracked(pod, names)) return pod;
    const { namespace = '', name = '', uid } = pod.metadata;
    const patch: JsonObject = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [names.finalizer] } };
    try {
      return await client.resource(Pod).namespace(namespace).patch(name, patch, { type: 'strategic' });
    } catch (error) {
      // A conflict means that another pod has the name now.
      if (hasReason(error, 'NotFound') || hasReason(error, 'Conflict')) return undefined;
      throw error;
    }
  }

  async function freeOrphan(key: string): Promise<void> {
    const pod = pods.get(key);
    if (pod === undefined || jobOf(pod) !== undefined) return;
    const kind = controllerOf(pod)?.kind;
    if (kind === undefined || kind === 'Job') await release(pod);
  }

  return { name: 'job', informers: () => [jobs, pods], queues: [queue, orphans] };
}

const isRemoved = ({ metadata }: PodObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  metadata.deletionGracePeriodSeconds === 0 &&
  (metadata.finalizers ?? []).length === 0;

const selectorOf = ({ spec }: JobObject): LabelSelector => LabelSelector.fromObject(spec?.selector);
