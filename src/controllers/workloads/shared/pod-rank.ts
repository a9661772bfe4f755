import { greatest, parseTime, sortedSteps, type Dialect, type Steps, type Work } from '../../../foundation/index.js';
import type { PodObject } from './kinds.js';
import { isReady, readySince } from './pod-state.js';

const NANOSECONDS_PER_MS = 1_000_000;
const PHASES = ['Pending', 'Unknown', 'Running'];

/** The facts of a pod that decide when it is deleted. */
interface Ranked {
  readonly pod: PodObject;
  readonly uid: string;
  readonly scheduled: number;
  readonly phase: number;
  readonly ready: number;
  readonly cost: number;
  /** Number of related pods on the same node. */
  readonly doubled: number;
  readonly readySince: number | undefined;
  readonly restarts: number;
  readonly created: number | undefined;
}

/** The facts that the order depends on besides the pods. */
export interface DeletionContext {
  /** Active pods that count for the crowding of a node, such as those of all replica sets of a deployment. */
  readonly related: readonly PodObject[];
  readonly nowMs: number;
  readonly dialect: Dialect;
}

/** Units of work to look at a pod, and to find its rank. */
const POD_UNITS = 2;
const RANK_UNITS = 30;

/**
 * Returns the pods in the order in which a scale-down deletes them: unscheduled ones first, then by phase, readiness,
 * deletion cost, crowding of the node, time of readiness, restarts, and age. Times that are of the same order of
 * magnitude count as equal, and the uid decides: the choice between them is arbitrary, but stable. Source: the ranking
 * of active pods of release 1.31.
 */
export function* inDeletionOrder(
  pods: readonly PodObject[],
  { related, nowMs, dialect }: DeletionContext,
  work: Work,
): Steps<PodObject[]> {
  const crowds = new Map<string, number>();
  for (const { spec } of related) {
    if (work.spend(POD_UNITS)) yield;
    if (spec?.nodeName) crowds.set(spec.nodeName, (crowds.get(spec.nodeName) ?? 0) + 1);
  }
  const costAnnotation = `controller.${dialect.labelDomain}/pod-deletion-cost`;
  const ranked: Ranked[] = [];
  for (const pod of pods) {
    if (work.spend(RANK_UNITS)) yield;
    ranked.push(rankedOf(pod, crowds, costAnnotation));
  }
  return (yield* sortedSteps(ranked, (a, b) => compare(a, b, nowMs), work)).map(({ pod }) => pod);
}

function rankedOf(pod: PodObject, crowds: ReadonlyMap<string, number>, costAnnotation: string): Ranked {
  const { metadata, spec, status } = pod;
  return {
    pod,
    uid: metadata.uid ?? '',
    scheduled: spec?.nodeName ? 1 : 0,
    phase: PHASES.indexOf(status?.phase ?? ''),
    ready: isReady(pod) ? 1 : 0,
    cost: deletionCost(metadata.annotations?.[costAnnotation]),
    doubled: crowds.get(spec?.nodeName ?? '') ?? 0,
    readySince: readySince(pod),
    restarts: greatest(
      (status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0),
      0,
    ),
    created: metadata.creationTimestamp ? parseTime(metadata.creationTimestamp) : undefined,
  };
}

/** Returns the cost of deleting a pod; an invalid cost counts as zero. */
function deletionCost(text: string | undefined): number {
  return text !== undefined && /^(0|-?[1-9]\d{0,9})$/.test(text) ? Number(text) : 0;
}

function compare(a: Ranked, b: Ranked, nowMs: number): number {
  return (
    a.scheduled - b.scheduled ||
    a.phase - b.phase ||
    a.ready - b.ready ||
    a.cost - b.cost ||
    b.doubled - a.doubled ||
    (a.ready === 1 && b.ready === 1 ? compareTimes(a.readySince, b.readySince, a, b, nowMs) : 0) ||
    b.restarts - a.restarts ||
    compareTimes(a.created, b.created, a, b, nowMs)
  );
}

/** Puts unknown times first, then recent ones. */
function compareTimes(
  a: number | undefined,
  b: number | undefined,
  first: Ranked,
  second: Ranked,
  nowMs: number,
): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return magnitude(a, nowMs) - magnitude(b, nowMs) || (first.uid < second.uid ? -1 : 1);
}

/** Returns the binary order of magnitude of the time since then, in nanoseconds; -1 when it has not passed. */
function magnitude(timeMs: number, nowMs: number): number {
  const passed = (nowMs - timeMs) * NANOSECONDS_PER_MS;
  return passed > 0 ? Math.floor(Math.log2(passed)) : -1;
}
