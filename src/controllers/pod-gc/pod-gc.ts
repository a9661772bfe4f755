import { compareText, inSlices, parseTime, SharedWork, sortedSteps } from '../../foundation/index.js';
import { Node, Pod } from '../../kinds/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import { joined, type Controller } from '../runtime/controller.js';
import { isNotFound, orAbsent, retryingConflicts } from '../runtime/failures.js';
import { objectKey, type IndexFunction } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import type { Run } from '../runtime/keyed-runner.js';
import { reconciler } from '../runtime/reconciler.js';
import { routine } from '../runtime/routine.js';
import { watched } from '../runtime/watch.js';
import type { WorkResult } from '../runtime/work-queue.js';
import type { NodeObject, PodObject } from '../workloads/shared/kinds.js';
import { hasEnded, isTerminating } from '../workloads/shared/pod-state.js';
import { markPod } from './mark-pod.js';

/** Options of {@link podGarbageCollector}. */
export interface PodGcOptions extends ControllerHost {
  /** Number of pods that have ended and are kept; 0 keeps all. */
  readonly terminatedPodThreshold: number;
}

const NAME = 'podgc';
/** Time for which a node may be missing before its pods are deleted, in milliseconds. */
const QUARANTINE_MS = 40_000;
/** Time between two looks at pods that have ended, and before deleted ones without a node are looked at, in milliseconds. */
const PERIOD_MS = 20_000;

const BY_NODE = 'byNode';
const byNode: IndexFunction<PodObject> = ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []);

/**
 * Deletes pods that no node agent ends: those of nodes that do not exist, deleted ones that were never scheduled,
 * deleted ones of a node that is out of service; and the oldest of too many that have ended. A pod that has not ended
 * becomes Failed first, so that its controller knows.
 *
 * @see release 1.31, `pkg/controller/podgc`, which looks at all pods every twenty seconds; here events tell
 */
export function podGarbageCollector(host: PodGcOptions): Controller {
  const { dialect, informers } = host;
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  pods.addIndex(BY_NODE, byNode);
  const orphans = new Orphans(host);
  const podsOf = ({ metadata }: NodeObject): string[] => Array.from(pods.findKeys(BY_NODE, metadata.name ?? ''));
  const outOfService = `node.${dialect.labelDomain}/out-of-service`;
  const nodeChanged = (node: NodeObject): string[] => {
    orphans.nodeSeen(node);
    return isOutOfService(node, outOfService) ? podsOf(node) : [];
  };
  const orphaned = reconciler(host, {
    name: NAME,
    queue: 'orphaned_pods_nodes',
    kind: Pod,
    runsOn(pod) {
      const { nodeName = '' } = pod.spec ?? {};
      return isTerminating(pod) || (nodeName !== '' && nodes.get(nodeName) === undefined);
    },
    deleted: (pod) => orphans.podGone(pod),
    watches: [
      watched(Node, {
        changes: {
          added: nodeChanged,
          updated: nodeChanged,
          deleted(node) {
            orphans.nodeGone(node);
            return podsOf(node);
          },
        },
      }),
    ],
    reconcile: (pod, run) => orphans.reconcile(pod, run),
  });
  return joined(NAME, orphaned, endedPods(host));
}

/** Returns the controller that deletes the pods that have ended beyond the limit: evicted ones first, then the oldest. */
function endedPods(host: PodGcOptions): Controller {
  const { informers, terminatedPodThreshold } = host;
  const pods = informers.of(Pod);
  const ended = new Set<string>();
  const collection = routine(host, { name: NAME, firstMs: Infinity, watches: [watched(Pod)], run: deleteEnded });
  const changed = (pod: PodObject): void => {
    const key = objectKey(pod);
    if (!hasEnded(pod)) ended.delete(key);
    else if (!ended.has(key)) {
      ended.add(key);
      if (terminatedPodThreshold > 0 && ended.size > terminatedPodThreshold) collection.runAfter(PERIOD_MS);
    }
  };
  pods.subscribe({ added: changed, updated: changed, deleted: (pod) => void ended.delete(objectKey(pod)) });

  async function deleteEnded(): Promise<void> {
    const surplus = ended.size - terminatedPodThreshold;
    if (surplus <= 0) return;
    const work = new SharedWork();
    const ranked = await inSlices(work, sortedSteps(Array.from(ended, rankOf), compareText, work));
    for (const rank of ranked.slice(0, surplus)) {
      const pod = pods.get(rank.slice(rank.lastIndexOf('\n') + 1));
      if (pod !== undefined) await failAndDelete(host, pod);
    }
  }

  function rankOf(key: string): string {
    const { metadata, status } = pods.get(key) ?? {};
    const isEvicted = status?.phase === 'Failed' && status.reason === 'Evicted';
    return [isEvicted ? 0 : 1, metadata?.creationTimestamp, metadata?.name, key].join('\n');
  }

  return collection;
}

/** Ends pods that no node agent ends. */
class Orphans {
  readonly #host: PodGcOptions;
  readonly #pods: Informer<PodObject>;
  readonly #nodes: Informer<NodeObject>;
  readonly #outOfService: string;
  /** Since when nodes that pods name are missing, in milliseconds since the epoch. */
  readonly #missing = new Map<string, number>();

  constructor(host: PodGcOptions) {
    this.#host = host;
    this.#pods = host.informers.of(Pod);
    this.#nodes = host.informers.of(Node);
    this.#outOfService = `node.${host.dialect.labelDomain}/out-of-service`;
  }

  nodeSeen({ metadata }: NodeObject): void {
    this.#missing.delete(metadata.name ?? '');
  }

  nodeGone({ metadata }: NodeObject): void {
    this.#missing.set(metadata.name ?? '', this.#host.clock.now());
  }

  /** Forgets a missing node when its last pod is gone. */
  podGone({ spec }: PodObject): void {
    const { nodeName = '' } = spec ?? {};
    const others = this.#pods.findKeys(BY_NODE, nodeName)[Symbol.iterator]().next();
    if (others.done === true) this.#missing.delete(nodeName);
  }

  async reconcile(pod: PodObject, run: Run): Promise<WorkResult> {
    const { nodeName = '' } = pod.spec ?? {};
    const node = this.#nodes.get(nodeName);
    if (nodeName !== '' && node === undefined) return this.#reconcileOrphan(pod, nodeName, run);
    if (!isTerminating(pod)) return;
    if (node !== undefined)
      return isOutOfService(node, this.#outOfService) ? failAndDelete(this.#host, pod) : undefined;
    // Its deletion may complete on its own meanwhile.
    const leftMs = (parseTime(pod.metadata.deletionTimestamp ?? '') ?? 0) + PERIOD_MS - this.#host.clock.now();
    if (leftMs <= 0) return failAndDelete(this.#host, pod);
    run.requeueAfter(leftMs);
  }

  async #reconcileOrphan(pod: PodObject, nodeName: string, run: Run): Promise<WorkResult> {
    const { client, clock } = this.#host;
    const since = this.#missing.get(nodeName) ?? clock.now();
    this.#missing.set(nodeName, since);
    const leftMs = since + QUARANTINE_MS - clock.now();
    if (leftMs > 0) run.requeueAfter(leftMs);
    else if ((await orAbsent(client.resource(Node).get(nodeName))) === undefined)
      return failAndDelete(this.#host, pod, 'PodGC: node no longer exists');
  }
}

/** Nobody ends the pods of a node that is not ready and that somebody has declared out of service. */
function isOutOfService({ spec, status }: NodeObject, taint: string): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  return !isReady && spec?.taints?.some(({ key }) => key === taint) === true;
}

const failAndDelete = (host: PodGcOptions, pod: PodObject, message?: string): Promise<WorkResult> =>
  retryingConflicts(failThenDelete(host, pod, message), isNotFound);

async function failThenDelete(host: PodGcOptions, pod: PodObject, message?: string): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message };
  if (!hasEnded(pod))
    await markPod(host, pod, { phase: 'Failed', condition: message === undefined ? undefined : condition });
  if (isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0) return;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  await host.client
    .resource(Pod)
    .namespace(namespace)
    .delete(name, { gracePeriodSeconds: 0, ...preconditions });
}
