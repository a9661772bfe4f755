import { compareText, inSlices, parseTime, SharedWork, sortedSteps, type Dialect } from '../../foundation/index.js';
import { Node, Pod } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import { hasReason, orAbsent } from '../runtime/failures.js';
import { objectKey, type IndexFunction } from '../runtime/informer-cache.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { WorkQueue, type WorkResult } from '../runtime/work-queue.js';
import type { NodeObject, PodObject } from '../workloads/shared/kinds.js';
import { hasEnded, isTerminating } from '../workloads/shared/pod-state.js';
import { markPod, type MarkOptions } from './mark-pod.js';

/** Options of {@link podGarbageCollector}. */
export interface PodGcOptions extends MarkOptions {
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  /** Number of pods that have ended and are kept; 0 keeps all. */
  readonly terminatedPodThreshold: number;
  readonly onError: (error: unknown) => void;
}

/** Time for which a node may be missing before its pods are deleted, in milliseconds. */
const QUARANTINE_MS = 40_000;
/** Time between two looks at pods that have ended, and before deleted ones without a node are looked at, in milliseconds. */
const PERIOD_MS = 20_000;
/** The key of the work on pods that have ended. */
const ENDED = '';

const BY_NODE = 'byNode';
const byNode: IndexFunction<PodObject> = ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []);

/**
 * Deletes pods that no node agent ends: those of nodes that do not exist, deleted ones that were never scheduled,
 * deleted ones of a node that is out of service; and the oldest of too many that have ended. A pod that has not ended
 * becomes Failed first, so that its controller knows.
 *
 * @see release 1.31, `pkg/controller/podgc`, which looks at all pods every twenty seconds; here events tell
 */
export function podGarbageCollector(options: PodGcOptions): Controller {
  const { client, clock, dialect, informers, terminatedPodThreshold, onError } = options;
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  pods.addIndex(BY_NODE, byNode);
  const outOfService = `node.${dialect.labelDomain}/out-of-service`;
  /** Since when nodes that pods name are missing, in milliseconds since the epoch. */
  const missing = new Map<string, number>();
  const ended = new Set<string>();
  const queue = new WorkQueue<string>({
    name: 'orphaned_pods_nodes',
    clock,
    process: (key) => (key === ENDED ? deleteEnded() : process(key)),
    onError: (_key, error) => onError(error),
  });

  const changed = (pod: PodObject): void => {
    const key = objectKey(pod);
    if (!hasEnded(pod)) ended.delete(key);
    else if (!ended.has(key)) {
      ended.add(key);
      if (terminatedPodThreshold > 0 && ended.size > terminatedPodThreshold) queue.addAfter(ENDED, PERIOD_MS);
    }
    const nodeName = pod.spec?.nodeName ?? '';
    if (nodeName === '' ? isTerminating(pod) : isTerminating(pod) || nodes.get(nodeName) === undefined) queue.add(key);
  };

  const nodeChanged = (node: NodeObject): void => {
    missing.delete(node.metadata.name ?? '');
    if (isOutOfService(node)) enqueuePodsOf(node);
  };

  const nodeDeleted = (node: NodeObject): void => {
    missing.set(node.metadata.name ?? '', clock.now());
    enqueuePodsOf(node);
  };

  pods.subscribe({
    added: changed,
    updated: changed,
    deleted(pod) {
      ended.delete(objectKey(pod));
      const { nodeName = '' } = pod.spec ?? {};
      const others = pods.findKeys(BY_NODE, nodeName)[Symbol.iterator]().next();
      if (others.done === true) missing.delete(nodeName);
    },
  });
  nodes.subscribe({ added: nodeChanged, updated: nodeChanged, deleted: nodeDeleted });

  function enqueuePodsOf({ metadata }: NodeObject): void {
    for (const key of pods.findKeys(BY_NODE, metadata.name ?? '')) queue.add(key);
  }

  /** Nobody ends the pods of a node that is not ready and that somebody has declared out of service. */
  function isOutOfService({ spec, status }: NodeObject): boolean {
    const isReady =
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
    return !isReady && spec?.taints?.some(({ key }) => key === outOfService) === true;
  }

  async function process(key: string): Promise<WorkResult> {
    const pod = pods.get(key);
    if (pod === undefined) return;
    const nodeName = pod.spec?.nodeName ?? '';
    const node = nodes.get(nodeName);
    if (nodeName !== '' && node === undefined) return processOrphan(key, pod, nodeName);
    if (!isTerminating(pod)) return;
    if (node !== undefined) return isOutOfService(node) ? failAndDelete(pod) : undefined;
    // Its deletion may complete on its own meanwhile.
    const leftMs = (parseTime(pod.metadata.deletionTimestamp ?? '') ?? 0) + PERIOD_MS - clock.now();
    if (leftMs <= 0) return failAndDelete(pod);
    queue.addAfter(key, leftMs);
  }

  async function processOrphan(key: string, pod: PodObject, nodeName: string): Promise<WorkResult> {
    const since = missing.get(nodeName) ?? clock.now();
    missing.set(nodeName, since);
    const leftMs = since + QUARANTINE_MS - clock.now();
    if (leftMs > 0) queue.addAfter(key, leftMs);
    else if (!(await nodeExists(nodeName))) return failAndDelete(pod, 'PodGC: node no longer exists');
  }

  async function nodeExists(name: string): Promise<boolean> {
    return (await orAbsent(client.resource(Node).get(name))) !== undefined;
  }

  /** Deletes the pods that have ended beyond the limit: evicted ones first, then the oldest. */
  async function deleteEnded(): Promise<void> {
    const surplus = ended.size - terminatedPodThreshold;
    if (surplus <= 0) return;
    const work = new SharedWork();
    const ranked = await inSlices(work, sortedSteps(Array.from(ended, rankOf), compareText, work));
    for (const rank of ranked.slice(0, surplus)) {
      const pod = pods.get(rank.slice(rank.lastIndexOf('\n') + 1));
      if (pod !== undefined) await failAndDelete(pod);
    }
  }

  function rankOf(key: string): string {
    const { metadata, status } = pods.get(key) ?? {};
    const isEvicted = status?.phase === 'Failed' && status.reason === 'Evicted';
    return [isEvicted ? 0 : 1, metadata?.creationTimestamp, metadata?.name, key].join('\n');
  }

  async function failAndDelete(pod: PodObject, message?: string): Promise<WorkResult> {
    const { namespace = '', name = '', uid } = pod.metadata;
    const condition = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message };
    try {
      if (!hasEnded(pod))
        await markPod(options, pod, { phase: 'Failed', condition: message === undefined ? undefined : condition });
      if (isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0) return;
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      await client
        .resource(Pod)
        .namespace(namespace)
        .delete(name, { gracePeriodSeconds: 0, ...preconditions });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      if (hasReason(error, 'Conflict')) return 'retry';
      throw error;
    }
  }

  return { name: 'podgc', informers: () => [pods, nodes], queues: [queue] };
}
