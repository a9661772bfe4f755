/**
 * How fast the number of pods may change.
 *
 * @see release 1.31, `normalizeDesiredReplicas` and `normalizeDesiredReplicasWithBehaviors` of
 * `pkg/controller/podautoscaler/horizontal.go`
 * @module
 */
import { greatest, least } from '../../foundation/index.js';
import type { autoscalingV2 } from '../../kinds/index.js';

type Rules = autoscalingV2.HPAScalingRules;

/** Time for which the highest recommendation counts when the number shrinks, in milliseconds. */
const DOWN_WINDOW_MS = 300_000;
/** Without a behaviour, the number at most doubles, from four on. */
const LEAST_LIMIT = 4;

/** The changes of the number of pods of a target. */
export class ScalingHistory {
  #recommendations: { readonly atMs: number; readonly replicas: number }[] = [];
  #changes: { readonly atMs: number; readonly by: number }[] = [];

  /** Takes the number that a target has when it is first seen as a recommendation. */
  begin(replicas: number, nowMs: number): void {
    if (this.#recommendations.length === 0) this.#recommendations.push({ atMs: nowMs, replicas });
  }

  /** Adds a recommendation, and forgets those that count no more. */
  recommend(replicas: number, nowMs: number, keptMs: number): void {
    this.#recommendations = this.#recommendations.filter(({ atMs }) => atMs > nowMs - keptMs);
    this.#recommendations.push({ atMs: nowMs, replicas });
  }

  /** Adds a change of the number. */
  changed(by: number, nowMs: number, keptMs: number): void {
    this.#changes = this.#changes.filter(({ atMs }) => atMs > nowMs - keptMs);
    this.#changes.push({ atMs: nowMs, by });
  }

  since(afterMs: number): number[] {
    return this.#recommendations.filter(({ atMs }) => atMs > afterMs).map(({ replicas }) => replicas);
  }

  /** Returns by how much the number has grown since a time. */
  grownSince(afterMs: number): number {
    return this.#changes.reduce((sum, { atMs, by }) => (atMs > afterMs ? sum + by : sum), 0);
  }
}

/** A number of pods, and what limits it. */
export interface Paced {
  readonly replicas: number;
  /** Whether recent recommendations changed it. */
  readonly stabilized: 'up' | 'down' | undefined;
  /** Reason and message of the condition ScalingLimited, and whether it holds. */
  readonly limited: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The bounds of a target. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly behavior: autoscalingV2.HorizontalPodAutoscalerBehavior | undefined;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['TooFewReplicas', 'the desired replica count is less than the minimum replica count'],
  ['TooManyReplicas', 'the desired replica count is more than the maximum replica count'],
  ['ScaleUpLimit', 'the desired replica count is increasing faster than the maximum scale rate'],
  ['ScaleDownLimit', 'the desired replica count is decreasing faster than the maximum scale rate'],
  ['DesiredWithinRange', 'the desired count is within the acceptable range'],
]);

/** Returns the number that may follow the current one. */
export function paced(
  current: number,
  desired: number,
  { min, max, behavior }: Bounds,
  history: ScalingHistory,
  nowMs: number,
): Paced {
  const upMs = (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
  const downSeconds = behavior?.scaleDown?.stabilizationWindowSeconds;
  const downMs = downSeconds === undefined ? DOWN_WINDOW_MS : downSeconds * 1000;
  history.recommend(desired, nowMs, Math.max(upMs, downMs, 1));
  const up = Math.min(least([...history.since(nowMs - upMs), desired]), desired);
  const down = Math.max(greatest(history.since(nowMs - downMs), desired), desired);
  const stable = current < up ? up : current > down ? down : current;
  const wanted = behavior === undefined ? down : stable;
  const stabilized = wanted === desired ? undefined : desired > current ? 'up' : 'down';
  const limits = behavior === undefined ? simpleLimits(current) : ruledLimits(current, behavior, history, nowMs);
  const highest = Math.min(max, limits.up);
  const lowest = Math.max(min, limits.down);
  const of = (replicas: number, reason: string): Paced => {
    const limited = reason !== 'DesiredWithinRange';
    return { replicas, stabilized, limited, reason, message: REASONS.get(reason) ?? '' };
  };
  if (wanted > highest) return of(highest, max > limits.up ? 'ScaleUpLimit' : 'TooManyReplicas');
  if (wanted < lowest) return of(lowest, min < limits.down ? 'ScaleDownLimit' : 'TooFewReplicas');
  return of(wanted, 'DesiredWithinRange');
}

interface Limits {
  readonly up: number;
  readonly down: number;
}

const simpleLimits = (current: number): Limits => ({ up: Math.max(2 * current, LEAST_LIMIT), down: 0 });

function ruledLimits(
  current: number,
  { scaleUp, scaleDown }: autoscalingV2.HorizontalPodAutoscalerBehavior,
  history: ScalingHistory,
  nowMs: number,
): Limits {
  /** The number at the beginning of a period, by its length: many policies may have the same. */
  const starts = new Map<number, number>();
  const startOf = (seconds: number): number => {
    const start = starts.get(seconds) ?? current - history.grownSince(nowMs - seconds * 1000);
    starts.set(seconds, start);
    return start;
  };
  const up = limitsOf(scaleUp, (type, value, seconds) => {
    const start = startOf(seconds);
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100));
  });
  const down = limitsOf(scaleDown, (type, value, seconds) => {
    const start = startOf(seconds);
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return {
    up:
      up === 'none' ? current : Math.max(current, scaleUp?.selectPolicy === 'Min' ? least(up) : greatest(up, current)),
    down:
      down === 'none'
        ? current
        : Math.min(current, scaleDown?.selectPolicy === 'Min' ? greatest(down, 0) : least(down)),
  };
}

type Limit = (type: string, value: number, periodSeconds: number) => number;

function limitsOf({ selectPolicy, policies = [] }: Rules = {}, limit: Limit): number[] | 'none' {
  if (selectPolicy === 'Disabled') return 'none';
  return policies.map(({ type, value, periodSeconds }) => limit(type, value, periodSeconds));
}
