import { ControllerRevision, Pod, StatefulSet } from '../../../kinds/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Controller } from '../../runtime/controller.js';
import { hasReason, isNamespaceTerminating } from '../../runtime/failures.js';
import { byNamespace, objectKey } from '../../runtime/informer-cache.js';
import { WorkQueue, type WorkResult } from '../../runtime/work-queue.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import { BY_CONTROLLER, byController } from '../shared/controller-ref.js';
import type { PodObject } from '../shared/kinds.js';
import { nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { UNSEEN_TIMEOUT_MS, UnseenWrites } from '../shared/unseen-writes.js';
import { watchDependents } from '../shared/watch-dependents.js';
import type { WorkloadOptions } from '../shared/workload-options.js';
import { PodClaims } from './claims.js';
import { SetHistory } from './history.js';
import { claimTemplates, ordinalOf } from './identity.js';
import { StatefulPods } from './stateful-pods.js';
import type { ClaimObject, StatefulSetObject, StatefulSetStatus } from './types.js';
import { SetStep } from './update.js';

/** Keeps the pods of stateful sets, one by one and in order. */
export function statefulSetController(options: WorkloadOptions): Controller {
  const { client, clock, dialect, informers, recorder, onError } = options;
  const sets = informers.of(StatefulSet);
  const pods = informers.of(Pod);
  const revisions = informers.of(ControllerRevision);
  sets.addIndex('byNamespace', byNamespace);
  pods.addIndex(BY_CONTROLLER, byController);
  revisions.addIndex(BY_CONTROLLER, byController);
  const events = recorder.of('statefulset-controller');
  const unseen = new UnseenWrites();
  const claims = new PodClaims(options, events, unseen);
  const control = new StatefulPods(options, events, unseen, claims);
  const history = new SetHistory(client, dialect, revisions, unseen);
  const queue = new WorkQueue<string>({
    name: 'statefulset',
    clock,
    process,
    gathers: true,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (set: StatefulSetObject): void => void queue.add(objectKey(set));
  sets.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  watchDependents(pods, { kind: 'StatefulSet', owners: sets, selectorOf, enqueue });
  watchDependents(revisions, { kind: 'StatefulSet', owners: sets, selectorOf, enqueue });
  claims.informer.subscribe({ added: claimChanged, updated: claimChanged, deleted: claimChanged });

  /** A set may wait for its own change of a claim, or until an old claim is gone. */
  function claimChanged({ metadata }: ClaimObject): void {
    for (const set of sets.find('byNamespace', metadata.namespace ?? '')) {
      const mine = claimTemplates(set).some((template) =>
        metadata.name?.startsWith(`${template.metadata?.name ?? ''}-${set.metadata.name ?? ''}-`),
      );
      if (mine) enqueue(set);
    }
  }

  async function process(key: string): Promise<WorkResult> {
    const set = sets.get(key);
    if (set === undefined) {
      unseen.forget(key);
      return;
    }
    if (!unseen.allSeen(key)) {
      queue.addAfter(key, UNSEEN_TIMEOUT_MS);
      return;
    }
    try {
      await sync(key, set);
    } catch (error) {
      if (hasReason(error, 'Conflict') || hasReason(error, 'AlreadyExists')) return 'retry';
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  async function sync(key: string, set: StatefulSetObject): Promise<void> {
    const selected = await claimPods(key, set);
    const known = await history.revisionsOf(key, set);
    const nowMs = clock.now();
    const step = new SetStep({ key, set, ...known, pods: selected, nowMs, dialect, control, events });
    let failure: { readonly error: unknown } | undefined;
    try {
      await step.run();
    } catch (error) {
      failure = { error };
    }
    await writeStatus(key, set, step.status);
    if (failure !== undefined) throw failure.error;
    await history.truncate(key, set, known, selected);
    const next = nextAvailable(selected, set.spec?.minReadySeconds ?? 0, nowMs);
    if (next < Infinity) queue.addAfter(key, next - nowMs);
  }

  function claimPods(key: string, set: StatefulSetObject): Promise<PodObject[]> {
    const { namespace = '', name = '' } = set.metadata;
    const dependents = { client: client.resource(Pod).namespace(namespace), informer: pods, unseen };
    return claim({
      owner: set,
      selector: selectorOf(set),
      dependents: pods,
      accepts: (pod) => ordinalOf(set, pod) !== undefined,
      ...claimRequests(key, client.resource(StatefulSet).namespace(namespace), name, dependents),
    });
  }

  async function writeStatus(key: string, set: StatefulSetObject, status: StatefulSetStatus): Promise<void> {
    if (sameStatus(set.status, status)) return;
    const written = await client.resource(StatefulSet).updateStatus({ ...set, status });
    unseen.written(key, sets, written);
  }

  const informed = [sets, pods, revisions, claims.informer];
  return { name: 'statefulset', informers: () => informed, queues: [queue] };
}

const selectorOf = ({ spec }: StatefulSetObject): LabelSelector => LabelSelector.fromObject(spec?.selector);
