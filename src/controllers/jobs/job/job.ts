import type { Client } from '../../../client/index.js';
import type { JsonObject } from '../../../foundation/index.js';
import { Job, Pod } from '../../../kinds/index.js';
import type { RecordingHost } from '../../runtime/controller-host.js';
import { BY_CONTROLLER, controllerOf } from '../../runtime/controller-ref.js';
import { joined, type Controller } from '../../runtime/controller.js';
import type { EventSink } from '../../runtime/event-recorder.js';
import { ignoring, isNotFound, retryingConflicts } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import type { Informer } from '../../runtime/informer.js';
import type { Run } from '../../runtime/keyed-runner.js';
import { owned, ownerIn } from '../../runtime/owned.js';
import { specSelectors, type SelectorOf } from '../../runtime/owner-selectors.js';
import { reconciler } from '../../runtime/reconciler.js';
import { UnseenWrites } from '../../runtime/unseen-writes.js';
import { watched } from '../../runtime/watch.js';
import type { WorkResult } from '../../runtime/work-queue.js';
import { claiming, type Claims } from '../../workloads/shared/claiming.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import { PodControl, type PodChanges } from '../../workloads/shared/pod-control.js';
import { NO_BACKOFF, type Backoff } from './backoff.js';
import { isFinished } from './conditions.js';
import { isTracked } from './job-pods.js';
import { runJob, type JobRunContext } from './job-run.js';
import type { PodRequests } from './pod-work.js';
import { jobNames, type JobNames, type JobObject } from './types.js';

const COMPONENT = 'job-controller';

/** Failures of a Job, which end with it. */
interface KnownBackoff {
  readonly uid: string;
  readonly backoff: Backoff;
}

/** Runs Jobs: creates their pods, counts how they end, and decides how the Jobs end. */
export function jobController(host: RecordingHost): Controller {
  const { dialect, informers } = host;
  const names = jobNames(dialect);
  const jobs = informers.of(Job);
  const selectorOf = specSelectors<JobObject>();
  const worker = new JobWorker(host, names, selectorOf);
  const isForeign = ({ spec }: JobObject): boolean => spec?.managedBy !== undefined && spec.managedBy !== names.manager;
  const running = reconciler(host, {
    name: 'job',
    queue: 'job',
    kind: Job,
    owns: [owned(Pod, { selectorOf })],
    writes: worker.unseen,
    isDone: ({ status }) => isFinished(status),
    reconcile: async (job, run) => (isForeign(job) ? undefined : worker.reconcile(job, run)),
    gone: (key) => worker.forget(key),
  });
  return joined('job', running, orphanedPods(host, jobs, names));
}

/** Returns the controller that removes the finalizer of pods without a Job that would do it. */
function orphanedPods(host: RecordingHost, jobs: Informer<JobObject>, names: JobNames): Controller {
  const pods = host.informers.of(Pod);
  const hasJob = (pod: PodObject): boolean => ownerIn(pod, { kind: 'Job', owners: jobs }) !== undefined;
  return reconciler(host, {
    name: 'job',
    queue: 'job_orphan_pod',
    kind: Pod,
    runsOn: (pod) => isTracked(pod, names) && !hasJob(pod),
    watches: [
      watched(Job, {
        changes: { deleted: ({ metadata }) => pods.find(BY_CONTROLLER, metadata.uid ?? '').map(objectKey) },
      }),
    ],
    async reconcile(pod) {
      if (hasJob(pod)) return;
      const kind = controllerOf(pod)?.kind;
      if (kind === undefined || kind === 'Job') await release(host.client, pod, names);
    },
  });
}

class JobWorker {
  readonly unseen = new UnseenWrites();
  readonly #host: RecordingHost;
  readonly #names: JobNames;
  readonly #jobs: Informer<JobObject>;
  readonly #pods: Informer<PodObject>;
  readonly #events: EventSink;
  readonly #podControl: PodControl;
  readonly #backoffs = new Map<string, KnownBackoff>();
  readonly #claimPods: Claims<JobObject, PodObject>;

  constructor(host: RecordingHost, names: JobNames, selectorOf: SelectorOf<JobObject>) {
    this.#host = host;
    this.#names = names;
    this.#jobs = host.informers.of(Job);
    this.#pods = host.informers.of(Pod);
    this.#events = host.recorder.of(COMPONENT);
    this.#podControl = new PodControl(host.client, this.#events);
    this.#claimPods = claiming({
      ...{ selectorOf, informer: this.#pods, unseen: this.unseen },
      owners: host.client.resource(Job),
      dependents: host.client.resource(Pod),
    });
  }

  forget(key: string): void {
    this.#backoffs.delete(key);
  }

  reconcile(job: JobObject, run: Run): Promise<WorkResult> {
    return retryingConflicts(this.#run(job, run), isNotFound);
  }

  async #run(job: JobObject, run: Run): Promise<void> {
    const { againMs } = await runJob(job, await this.#claimPods(run.key, job), this.#contextOf(run.key, job));
    run.requeueAfter(againMs);
  }

  #contextOf(key: string, job: JobObject): JobRunContext {
    const { client, clock, dialect } = this.#host;
    const { uid = '', namespace = '' } = job.metadata;
    const known = this.#backoffs.get(key);
    return {
      ...{ clock, dialect, names: this.#names, events: this.#events, requests: this.#requestsOf(key, job) },
      backoff: known?.uid === uid ? known.backoff : NO_BACKOFF,
      remember: (backoff) => void this.#backoffs.set(key, { uid, backoff }),
      write: async (changed) => {
        const stored = await client.resource(Job).namespace(namespace).updateStatus(changed);
        this.unseen.written(key, this.#jobs, stored);
        return stored;
      },
    };
  }

  #requestsOf(key: string, job: JobObject): PodRequests {
    return {
      create: async (changes: PodChanges) => {
        const pod = await this.#podControl.create(job, job.spec?.template, changes);
        if (pod !== undefined) this.unseen.written(key, this.#pods, pod);
      },
      delete: async (pod) => {
        if (await this.#podControl.delete(job, pod)) this.unseen.deleted(key, this.#pods, pod);
      },
      release: async (pod) => {
        const changed = await release(this.#host.client, pod, this.#names);
        // The last finalizer of a deleted pod removes it.
        if (changed === undefined || isRemoved(changed)) this.unseen.gone(key, this.#pods, pod);
        else this.unseen.written(key, this.#pods, changed);
      },
    };
  }
}

/** Removes the finalizer of a pod. Returns undefined when the pod is gone. */
async function release(client: Client, pod: PodObject, names: JobNames): Promise<PodObject | undefined> {
  if (!isTracked(pod, names)) return pod;
  const { namespace = '', name = '', uid } = pod.metadata;
  const patch: JsonObject = { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [names.finalizer] } };
  // A conflict means that another pod has the name now.
  return ignoring(
    client.resource(Pod).namespace(namespace).patch(name, patch, { type: 'strategic' }),
    ...['NotFound', 'Conflict'],
  );
}

const isRemoved = ({ metadata }: PodObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  metadata.deletionGracePeriodSeconds === 0 &&
  (metadata.finalizers ?? []).length === 0;
