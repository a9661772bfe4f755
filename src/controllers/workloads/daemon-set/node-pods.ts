/**
 * The pods of a daemon set by node, and which of them have to go. A set may have pods on thousands of nodes, and a node
 * thousands of pods of a set, so all of it is done in steps.
 *
 * @module
 */
import { sortedSteps, type Steps, type Work } from '../../../foundation/index.js';
import type { PodObject } from '../shared/kinds.js';
import { hasEnded, isAvailable, isReady, isTerminating } from '../shared/pod-state.js';
import { REVISION_LABEL } from '../shared/revisions.js';
import { scaledValue } from '../shared/scaled-value.js';
import { nodeOf } from './daemon-pod.js';
import type { DaemonSetObject } from './types.js';

/** Pods by the name of their node. */
export type NodePods = ReadonlyMap<string, readonly PodObject[]>;

/** Units of work to look at a pod or a node. */
const LOOK_UNITS = 6;

/** Returns the pods by node. Pods that have ended and are being deleted are left out. */
export function* podsByNode(pods: readonly PodObject[], work: Work): Steps<Map<string, PodObject[]>> {
  const byNode = new Map<string, PodObject[]>();
  for (const pod of pods) {
    if (work.spend(LOOK_UNITS)) yield;
    if (hasEnded(pod) && isTerminating(pod)) continue;
    const node = nodeOf(pod);
    if (node === undefined) continue;
    const present = byNode.get(node);
    if (present === undefined) byNode.set(node, [pod]);
    else present.push(pod);
  }
  return byNode;
}

/** Returns the first pod: a bound one rather than another, then the oldest. */
export function* seniorOf(pods: readonly PodObject[], work: Work): Steps<PodObject | undefined> {
  let senior: PodObject | undefined;
  for (const pod of pods) {
    if (work.spend(LOOK_UNITS)) yield;
    if (senior === undefined || bySeniority(pod, senior) < 0) senior = pod;
  }
  return senior;
}

/** Sorts pods: bound ones first, then the oldest. */
function bySeniority(a: PodObject, b: PodObject): number {
  const [boundA, boundB] = [a.spec?.nodeName ? 0 : 1, b.spec?.nodeName ? 0 : 1];
  const [createdA, createdB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  const [nameA, nameB] = [a.metadata.name ?? '', b.metadata.name ?? ''];
  return boundA - boundB || (createdA < createdB ? -1 : createdA > createdB ? 1 : nameA < nameB ? -1 : 1);
}

/** Returns whether a pod has the current template. */
export const isUpToDate = ({ metadata }: PodObject, hash: string): boolean =>
  metadata.labels?.[REVISION_LABEL] === hash;

/** Returns whether a set creates new pods beside the old ones. */
export const allowsSurge = (set: DaemonSetObject): boolean => limitsOf(set, 1).surge > 0;

/** Returns how many nodes may have no available pod, or two pods, during an update. */
export function limitsOf({ spec }: DaemonSetObject, nodes: number): { surge: number; unavailable: number } {
  const { type = 'RollingUpdate', rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { surge: 0, unavailable: 0 };
  const { maxSurge = 0, maxUnavailable = 1 } = rollingUpdate ?? {};
  return { surge: scaledValue(maxSurge, nodes, 'up'), unavailable: scaledValue(maxUnavailable, nodes, 'up') };
}

/** The facts that the surplus of a node depends on. */
export interface NodeContext {
  readonly set: DaemonSetObject;
  readonly hash: string;
  readonly nowMs: number;
}

const isLive = (pod: PodObject, { set, nowMs }: NodeContext): boolean =>
  isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs);

/** Returns the pods that a node has too many: all but the oldest, or all but the oldest old and the oldest new one. */
export function* surplusOf(running: readonly PodObject[], context: NodeContext, work: Work): Steps<PodObject[]> {
  if (running.length < 2) return [];
  const sorted = yield* sortedSteps([...running], bySeniority, work);
  if (!allowsSurge(context.set)) return sorted.slice(1);
  const [newest, ...otherNew] = sorted.filter((pod) => isUpToDate(pod, context.hash));
  const [old, ...otherOld] = sorted.filter((pod) => !isUpToDate(pod, context.hash));
  const replaced = newest !== undefined && old !== undefined && (!isReady(old) || isLive(newest, context)) ? [old] : [];
  return [...otherNew, ...otherOld, ...replaced];
}

/** The old and the new pod of a node; undefined when it has two of a kind. */
function pairOn(
  pods: readonly PodObject[],
  hash: string,
): { old?: PodObject | undefined; current?: PodObject | undefined } | undefined {
  const alive = pods.filter((pod) => !isTerminating(pod));
  const [current, otherCurrent] = alive.filter((pod) => isUpToDate(pod, hash));
  const [old, otherOld] = alive.filter((pod) => !isUpToDate(pod, hash));
  if (otherCurrent !== undefined || otherOld !== undefined) return undefined;
  return { ...(old && { old }), ...(current && { current }) };
}

/** The changes of a step of a rolling update. */
export interface UpdateStep {
  readonly remove: readonly PodObject[];
  /** Names of nodes that get a new pod beside the old one. */
  readonly add: readonly string[];
}

/**
 * Returns the next step of a rolling update.
 *
 * @param pods pods by node, with an entry for every node that should have one
 * @param desired number of nodes that should have a pod
 */
export function* updateStep(pods: NodePods, desired: number, context: NodeContext, work: Work): Steps<UpdateStep> {
  const { surge, unavailable } = limitsOf(context.set, desired);
  if (surge > 0) return yield* surgingStep(pods, surge, context, work);
  return yield* replacingStep(pods, unavailable === 0 ? 1 : unavailable, context, work);
}

/** Unavailable old pods are replaced at once; available ones as far as the limit allows. */
function* replacingStep(pods: NodePods, limit: number, context: NodeContext, work: Work): Steps<UpdateStep> {
  let unavailable = 0;
  const broken: PodObject[] = [];
  const candidates: PodObject[] = [];
  for (const onNode of pods.values()) {
    if (work.spend(LOOK_UNITS * (1 + onNode.length))) yield;
    const pair = pairOn(onNode, context.hash);
    const { old, current } = pair ?? {};
    if (pair === undefined || (old === undefined) === (current === undefined)) unavailable += 1;
    else if (current !== undefined) unavailable += isLive(current, context) ? 0 : 1;
    else if (old !== undefined) (isLive(old, context) ? candidates : broken).push(old);
  }
  return { remove: [...broken, ...candidates.slice(0, Math.max(0, limit - unavailable))], add: [] };
}

/** Nodes with an unavailable old pod get a new one at once; others as far as the limit allows. */
function* surgingStep(pods: NodePods, limit: number, context: NodeContext, work: Work): Steps<UpdateStep> {
  let surging = 0;
  const remove: PodObject[] = [];
  const broken: string[] = [];
  const candidates: string[] = [];
  for (const [node, onNode] of pods) {
    if (work.spend(LOOK_UNITS * (1 + onNode.length))) yield;
    const pair = pairOn(onNode, context.hash);
    if (pair === undefined) surging += 1;
    else if (pair.old !== undefined && pair.current === undefined)
      (isLive(pair.old, context) ? candidates : broken).push(node);
    else if (pair.old !== undefined && pair.current !== undefined) {
      surging += 1;
      if (isLive(pair.current, context)) remove.push(pair.old);
    }
  }
  return { remove, add: [...broken, ...candidates.slice(0, Math.max(0, limit - surging))] };
}
