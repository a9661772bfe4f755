import { baselineChecks } from './baseline.js';
import type { Check, CheckedPod, CheckPod } from './check.js';
import type { LevelVersion } from './policy.js';
import { restrictedChecks } from './restricted.js';

/** The reasons for which a policy forbids a pod. */
export interface Verdict {
  /** The reasons: `privileged, hostPort`. */
  readonly reasons: string;
  /** The reasons with their details. */
  readonly details: string;
}

const inForce = ({ versions }: Check, minor: number) => versions.findLast((version) => version.minor <= minor);

/** Returns the checks of a policy. */
function checksOf({ level, minor }: LevelVersion): CheckPod[] {
  if (level === 'privileged') return [];
  const restricted = level === 'baseline' ? [] : restrictedChecks.flatMap((check) => inForce(check, minor) ?? []);
  const replaced = new Set(restricted.map(({ replaces }) => replaces));
  const baseline = baselineChecks.filter(({ id }) => !replaced.has(id)).flatMap((check) => inForce(check, minor) ?? []);
  return [...baseline, ...restricted].map(({ check }) => check);
}

/** Returns what a policy forbids a pod; undefined when it allows the pod. */
export function evaluate(policy: LevelVersion, pod: CheckedPod): Verdict | undefined {
  const violations = checksOf(policy).flatMap((check) => check(pod) ?? []);
  if (violations.length === 0) return undefined;
  return {
    reasons: violations.map(({ reason }) => reason).join(', '),
    details: violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', '),
  };
}
