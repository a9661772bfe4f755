/**
 * How many pods a metric asks for. Pure functions, which take steps: a target may have tens of thousands of pods.
 *
 * @see release 1.31, `pkg/controller/podautoscaler/replica_calculator.go`
 * @module
 */
import { parseTime, type Steps, type Work } from '../../foundation/index.js';
import type { PodObject } from '../workloads/shared/kinds.js';

/** A change below this share of the target changes nothing. */
const TOLERANCE = 0.1;
/** Time after its start in which a pod's processor use may be that of its start, in milliseconds. */
const INITIALIZATION_MS = 300_000;
/** Time after its start until which a pod that is not ready has never been ready, in milliseconds. */
const FIRST_READINESS_MS = 30_000;

/** The usage of a resource by pods, in thousandths, by their names. */
export interface Measurement {
  readonly used: ReadonlyMap<string, number>;
  /** When it was measured, in milliseconds since the epoch, and over which time before. */
  readonly atMs: number;
  readonly windowMs: number;
}

/** The target of a metric. */
export interface Target {
  /** The request of each pod, in thousandths: the target is a share of it. Undefined for a target that is an amount. */
  readonly requests: ReadonlyMap<string, number> | undefined;
  /** Percent of the requests, or thousandths. */
  readonly value: number;
}

/** The number of pods, and what they use now. */
export interface Recommendation {
  readonly replicas: number;
  /** Percent of the requests; undefined for a target that is an amount. */
  readonly utilization: number | undefined;
  /** Thousandths for each pod. */
  readonly average: number;
}

interface Groups {
  readonly ready: Map<string, number>;
  readonly unready: string[];
  readonly missing: string[];
}

/** The facts besides the pods that a number depends on. */
interface CountContext {
  readonly isCpu: boolean;
  readonly nowMs: number;
  readonly work: Work;
}

/** Units of work to look at a pod, and at a measurement. */
const POD_UNITS = 16;
const MEASUREMENT_UNITS = 2;

/** Divides pods into those that count, those that may not serve yet, and those without a measurement. */
function* grouped(
  pods: readonly PodObject[],
  measurement: Measurement,
  { isCpu, nowMs, work }: CountContext,
): Steps<Groups> {
  const groups: Groups = { ready: new Map(), unready: [], missing: [] };
  for (const pod of pods) {
    if (work.spend(POD_UNITS)) yield;
    const { name = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') continue;
    const used = measurement.used.get(name);
    if (pod.status?.phase === 'Pending') groups.unready.push(name);
    else if (used === undefined) groups.missing.push(name);
    else if (isCpu && !isSettled(pod, measurement, nowMs)) groups.unready.push(name);
    else groups.ready.set(name, used);
  }
  return groups;
}

/** Returns whether the processor use of a pod is that of its work, not that of its start. */
function isSettled({ status }: PodObject, { atMs, windowMs }: Measurement, nowMs: number): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready');
  const startMs = parseTime(status?.startTime ?? '');
  if (condition === undefined || startMs === undefined) return false;
  const changedMs = parseTime(condition.lastTransitionTime ?? '') ?? 0;
  if (startMs + INITIALIZATION_MS > nowMs) return condition.status === 'True' && atMs >= changedMs + windowMs;
  return condition.status === 'True' || startMs + FIRST_READINESS_MS <= changedMs;
}

interface Ratio {
  readonly ratio: number;
  readonly utilization: number | undefined;
  readonly average: number;
}

function* ratioOf(used: ReadonlyMap<string, number>, { requests, value }: Target, work: Work): Steps<Ratio> {
  let sum = 0;
  let requested = 0;
  for (const [name, amount] of used) {
    if (work.spend(MEASUREMENT_UNITS)) yield;
    sum += amount;
    requested += requests?.get(name) ?? 0;
  }
  const average = Math.trunc(sum / Math.max(used.size, 1));
  if (requests === undefined) return { ratio: average / value, utilization: undefined, average };
  const utilization = Math.trunc((sum * 100) / requested);
  return { ratio: utilization / value, utilization, average };
}

const isTolerated = (ratio: number): boolean => Math.abs(1 - ratio) <= TOLERANCE;

/**
 * Returns the number of pods that a metric asks for.
 *
 * @throws Error when no pod was measured
 */
export function* recommendedReplicas(
  current: number,
  pods: readonly PodObject[],
  measurement: Measurement,
  target: Target,
  context: CountContext,
): Steps<Recommendation> {
  const { work } = context;
  const { ready, unready, missing } = yield* grouped(pods, measurement, context);
  if (ready.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const { ratio, utilization, average } = yield* ratioOf(ready, target, work);
  const of = (replicas: number): Recommendation => ({ replicas, utilization, average });
  const assumesUnready = unready.length > 0 && ratio > 1;
  if (!assumesUnready && missing.length === 0) return of(isTolerated(ratio) ? current : Math.ceil(ratio * ready.size));
  // Pods without a measurement are assumed to use what changes the number least.
  if (work.spend(MEASUREMENT_UNITS * pods.length)) yield;
  const assumed = new Map(ready);
  for (const name of missing) assumed.set(name, ratio < 1 ? fullUse(name, target) : 0);
  if (assumesUnready) for (const name of unready) assumed.set(name, 0);
  const { ratio: newRatio } = yield* ratioOf(assumed, target, work);
  if (isTolerated(newRatio) || ratio < 1 !== newRatio < 1) return of(current);
  const replicas = Math.ceil(newRatio * assumed.size);
  return of(newRatio < 1 ? Math.min(replicas, current) : Math.max(replicas, current));
}

const fullUse = (name: string, { requests, value }: Target): number =>
  requests === undefined ? value : ((requests.get(name) ?? 0) * Math.max(100, value)) / 100;
