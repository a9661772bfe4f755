import { Pod } from '../../../kinds/index.js';
import type { Controller } from '../../runtime/controller.js';
import { hasReason } from '../../runtime/failures.js';
import { objectKey } from '../../runtime/informer-cache.js';
import { WorkQueue, type WorkResult } from '../../runtime/work-queue.js';
import { claimRequests } from '../shared/claim-requests.js';
import { claim } from '../shared/claims.js';
import { BY_CONTROLLER, byController } from '../shared/controller-ref.js';
import type { PodObject } from '../shared/kinds.js';
import { PodControl } from '../shared/pod-control.js';
import { inDeletionOrder } from '../shared/pod-rank.js';
import { isActive, nextAvailable } from '../shared/pod-state.js';
import { sameStatus } from '../shared/same-status.js';
import { slowStart } from '../shared/slow-start.js';
import { UNSEEN_TIMEOUT_MS, UnseenWrites } from '../shared/unseen-writes.js';
import { watchDependents } from '../shared/watch-dependents.js';
import type { WorkloadOptions } from '../shared/workload-options.js';
import type { ReplicaKind, ReplicaOwner } from './replica-kind.js';
import { replicaStatus, type Managed } from './status.js';

/** Maximum number of pods that one run creates or deletes. */
const BURST = 500;

/**
 * Keeps the number of pods of each owner at `spec.replicas`, and its status up to date. The controllers `replicaset` and
 * `replicationcontroller` differ in the kind of the owner only.
 */
export function replicaController<Item extends ReplicaOwner>(
  kind: ReplicaKind<Item>,
  { client, clock, dialect, informers, recorder, onError }: WorkloadOptions,
): Controller {
  const owners = kind.informer;
  const pods = informers.of(Pod);
  pods.addIndex(BY_CONTROLLER, byController);
  const podControl = new PodControl(client, recorder.of(kind.component));
  const podClient = client.resource(Pod);
  const unseen = new UnseenWrites();
  const queue = new WorkQueue<string>({
    name: kind.queue,
    clock,
    process,
    gathers: true,
    onError: (_key, error) => onError(error),
  });
  const enqueue = (owner: Item): void => void queue.add(objectKey(owner));
  owners.subscribe({ added: enqueue, updated: enqueue, deleted: enqueue });
  watchDependents(pods, { kind: kind.kind, owners, selectorOf: kind.selectorOf, enqueue });

  async function process(key: string): Promise<WorkResult> {
    const owner = owners.get(key);
    if (owner === undefined) {
      unseen.forget(key);
      return;
    }
    if (!unseen.allSeen(key)) {
      queue.addAfter(key, UNSEEN_TIMEOUT_MS);
      return;
    }
    const active = await claimPods(key, owner);
    const managed = owner.metadata.deletionTimestamp === undefined ? await manage(key, owner, active) : {};
    const conflict = (await writeStatus(key, owner, active, managed)) === 'conflict';
    if (managed.error !== undefined) throw managed.error;
    if (conflict) return 'retry';
    wakeForAvailability(key, owner, active);
  }

  function claimPods(key: string, owner: Item): Promise<PodObject[]> {
    const { namespace = '', name = '' } = owner.metadata;
    return claim({
      owner,
      selector: kind.selectorOf(owner),
      // Pods that have ended are neither adopted nor released.
      dependents: { find: (index, value) => pods.find(index, value).filter(isActive) },
      ...claimRequests(key, kind.client.namespace(namespace), name, {
        client: podClient.namespace(namespace),
        informer: pods,
        unseen,
      }),
    });
  }

  async function manage(key: string, owner: Item, active: readonly PodObject[]): Promise<Managed> {
    const missing = (owner.spec?.replicas ?? 1) - active.length;
    if (missing > 0) return createPods(key, owner, Math.min(missing, BURST));
    if (missing < 0) return deletePods(key, owner, active, Math.min(-missing, BURST));
    return {};
  }

  function createPods(key: string, owner: Item, count: number): Promise<Managed> {
    return slowStart(count, 1, async () => {
      const pod = await podControl.create(owner, owner.spec?.template);
      if (pod !== undefined) unseen.written(key, pods, pod);
    });
  }

  async function deletePods(key: string, owner: Item, active: readonly PodObject[], count: number): Promise<Managed> {
    const related = kind.relatedPods(owner, active).filter(isActive);
    const surplus = inDeletionOrder(active, related, clock.now(), dialect).slice(0, count);
    return slowStart(surplus.length, surplus.length, async (index) => {
      const pod = surplus[index];
      if (pod === undefined) return;
      if (await podControl.delete(owner, pod)) unseen.deleted(key, pods, pod);
    });
  }

  async function writeStatus(
    key: string,
    owner: Item,
    active: readonly PodObject[],
    managed: Managed,
  ): Promise<'conflict' | undefined> {
    const status = replicaStatus(owner, active, managed, clock.now());
    if (sameStatus(owner.status, status)) return;
    try {
      const changed = await kind.client.namespace(owner.metadata.namespace ?? '').updateStatus({ ...owner, status });
      unseen.written(key, owners, changed);
    } catch (error) {
      // The event of the change that this one conflicts with enqueues the owner again.
      if (hasReason(error, 'Conflict')) return 'conflict';
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  function wakeForAvailability(key: string, { spec }: Item, active: readonly PodObject[]): void {
    const now = clock.now();
    const next = nextAvailable(active, spec?.minReadySeconds ?? 0, now);
    if (next < Infinity) queue.addAfter(key, next - now);
  }

  return { name: kind.name, informers: () => [owners, pods], queues: [queue] };
}
