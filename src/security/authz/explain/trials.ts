import { definedOnly, type Steps, type Work } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import type { BoundRole } from '../rbac/policy/grant.js';
import type { RbacPolicy } from '../rbac/policy/policy.js';
import type { PolicyRule, Subject } from '../rbac/types.js';
import { distancesFrom } from './closeness.js';
import type { BindingTrial, ExplainedBinding } from './explanation.js';
import type { MeasuredMiss, MissDimension } from './misses.js';
import { candidateOf, Nearest, type Candidate } from './nearest.js';
import { ruleMeasure, type MeasuredTrial, type RuleTrial } from './rule-misses.js';
import { SubjectMeasure } from './subject-misses.js';

const MAX_MISSES = 5;
const MAX_TRIED = 1_000;

/** The result of trying every binding on a request. */
export interface Trials {
  readonly tried: readonly BindingTrial[];
  readonly omitted: number;
  /** Nearest first. */
  readonly nearest: readonly Candidate[];
}

/** Limits of an explanation. */
export interface TrialLimits {
  /** Maximum number of near misses; default 5. */
  readonly maxMisses?: number | undefined;
  /** Maximum number of tried rules; default 1,000. */
  readonly maxTried?: number | undefined;
}

/** Units of a rule that is tried, and of a binding: about 5 microseconds. */
const UNITS_PER_TRIAL = 100;
/** Units of a subject that is compared with a user. */
const UNITS_PER_SUBJECT = 4;

/** Tries every binding of a policy on a request, including those of other users and namespaces, in steps. */
export function* tryAll(
  attributes: Attributes,
  policy: RbacPolicy,
  { maxMisses = MAX_MISSES, maxTried = MAX_TRIED }: TrialLimits,
  work: Work,
): Steps<Trials> {
  const measure = ruleMeasure(attributes);
  const subjects = new SubjectMeasure(attributes.user);
  const nearest = new Nearest(maxMisses);
  const best = bestOfRoles(measure, work);
  const misplaced = namespaceMeasure(attributes);
  const applying: { readonly bound: BoundRole; readonly subject: Subject }[] = [];
  for (const bound of policy.bindings()) {
    const subject = subjects.applying(bound.subjects, bound.namespace);
    const missed = misplaced(bound);
    if (subject !== undefined && missed === undefined) applying.push({ bound, subject });
    const who = subject === undefined ? [yield* subjects.miss(bound.subjects, bound.namespace, work)] : [];
    nearest.add(
      candidateOf(
        bound,
        [...who, ...(missed === undefined ? [] : [missed]), ...roleMisses(bound)],
        yield* best(bound.role?.rules),
      ),
    );
    if (work.spend(UNITS_PER_TRIAL + UNITS_PER_SUBJECT * bound.subjects.length)) yield;
  }
  let left = maxTried;
  let omitted = 0;
  const tried: BindingTrial[] = [];
  for (const { bound, subject } of applying.sort((a, b) => (orderOf(a.bound) < orderOf(b.bound) ? -1 : 1))) {
    const rules = bound.role?.rules;
    const shown: RuleTrial[] = [];
    for (const rule of rules?.slice(0, left) ?? []) {
      shown.push(measure(rule).trial);
      if (work.spend(UNITS_PER_TRIAL)) yield;
    }
    left -= shown.length;
    omitted += (rules?.length ?? 0) - shown.length;
    tried.push(definedOnly({ binding: named(bound), subject, rules: rules === undefined ? undefined : shown }));
    if (work.spend(UNITS_PER_TRIAL)) yield;
  }
  return { tried, omitted, nearest: nearest.values() };
}

/** Sorts bindings of the cluster before those of a namespace. */
const orderOf = ({ kind, name }: BoundRole): string => `${kind}\0${name}`;

/** Returns the part of a binding that explanations show. */
export const named = ({ kind, namespace, name, roleRef }: BoundRole): ExplainedBinding => ({
  kind,
  namespace,
  name,
  roleRef,
});

/** Returns the nearest rule of a role. Bindings share roles, so each role is tried once. */
function bestOfRoles(
  measure: (rule: PolicyRule) => MeasuredTrial,
  work: Work,
): (rules: readonly PolicyRule[] | undefined) => Steps<MeasuredTrial | undefined> {
  const known = new Map<readonly PolicyRule[], MeasuredTrial | undefined>();
  return function* (rules) {
    if (rules === undefined || known.has(rules)) return rules && known.get(rules);
    let best: MeasuredTrial | undefined;
    for (const rule of rules) {
      const trial = measure(rule);
      if (
        best === undefined ||
        trial.weight < best.weight ||
        (trial.weight === best.weight && trial.distance < best.distance)
      )
        best = trial;
      if (work.spend(UNITS_PER_TRIAL)) yield;
    }
    known.set(rules, best);
    return best;
  };
}

const missOf = (
  dimension: MissDimension,
  wanted: string,
  offered: readonly string[],
  distance: number,
): MeasuredMiss => ({ miss: { in: dimension, wanted, offered }, weight: 1, distance });

const HALF_WAY = 0.5;

/** A RoleBinding applies only in its namespace. */
function namespaceMeasure({ namespace }: Attributes): (binding: BoundRole) => MeasuredMiss | undefined {
  const distances = distancesFrom(namespace);
  return ({ kind, namespace: home }) => {
    if (kind === 'ClusterRoleBinding' || (home !== '' && home === namespace)) return undefined;
    return missOf('namespace', namespace, [home], namespace === '' ? HALF_WAY : distances(home));
  };
}

/** The rules of a missing role are unknown. */
function roleMisses({ role, roleRef }: BoundRole): MeasuredMiss[] {
  if (role?.rules === undefined) return [missOf('role', roleRef.name, [], HALF_WAY)];
  return role.rules.length === 0 ? [missOf('rules', '', [], 1)] : [];
}
