import { definedOnly } from '../../meta/defined-only.js';
import type { Attributes } from '../attributes.js';
import type { BoundRole } from '../rbac/grant.js';
import type { RbacPolicy } from '../rbac/policy.js';
import type { PolicyRule, Subject } from '../rbac/types.js';
import { distancesFrom } from './closeness.js';
import type { BindingTrial, ExplainedBinding } from './explanation.js';
import type { MeasuredMiss, MissDimension } from './misses.js';
import { candidateOf, Nearest, type Candidate } from './nearest.js';
import { ruleMeasure, type MeasuredTrial, type RuleTrial } from './rule-misses.js';
import { SubjectMeasure } from './subject-misses.js';

const MAX_MISSES = 5;
const MAX_TRIED = 1_000;

/** What came of trying every binding on a request. */
export interface Trials {
  readonly tried: readonly BindingTrial[];
  readonly untold: number;
  /** The nearest first. */
  readonly nearest: readonly Candidate[];
}

/** How much is told of what was tried. */
export interface TrialLimits {
  /** Near misses that are told; default 5. */
  readonly maxMisses?: number | undefined;
  /** Rules that were tried that are told; default 1,000. */
  readonly maxTried?: number | undefined;
}

/** Tries every binding of a policy on a request, those of others and of other namespaces too. */
export function tryAll(
  attributes: Attributes,
  policy: RbacPolicy,
  { maxMisses = MAX_MISSES, maxTried = MAX_TRIED }: TrialLimits,
): Trials {
  const measure = ruleMeasure(attributes);
  const subjects = new SubjectMeasure(attributes.user);
  const nearest = new Nearest(maxMisses);
  const best = bestOfRoles(measure);
  const misplaced = namespaceMeasure(attributes);
  const applying: { readonly bound: BoundRole; readonly subject: Subject }[] = [];
  for (const bound of policy.bindings()) {
    const subject = subjects.applying(bound.subjects, bound.namespace);
    const missed = misplaced(bound);
    if (subject !== undefined && missed === undefined) applying.push({ bound, subject });
    const who = subject === undefined ? [subjects.miss(bound.subjects, bound.namespace)] : [];
    nearest.add(
      candidateOf(
        bound,
        [...who, ...(missed === undefined ? [] : [missed]), ...roleMisses(bound)],
        best(bound.role?.rules),
      ),
    );
  }
  let left = maxTried;
  let untold = 0;
  const tried = applying
    .sort((a, b) => (orderOf(a.bound) < orderOf(b.bound) ? -1 : 1))
    .map(({ bound, subject }): BindingTrial => {
      const rules = bound.role?.rules;
      const told = rules?.slice(0, left) ?? [];
      left -= told.length;
      untold += (rules?.length ?? 0) - told.length;
      return definedOnly({
        binding: named(bound),
        subject,
        rules: rules === undefined ? undefined : told.map((rule): RuleTrial => measure(rule).trial),
      });
    });
  return { tried, untold, nearest: nearest.values() };
}

/** Bindings of the cluster come before those of a namespace. */
const orderOf = ({ kind, name }: BoundRole): string => `${kind}\0${name}`;

/** A binding as explanations name it. */
export const named = ({ kind, namespace, name, roleRef }: BoundRole): ExplainedBinding => ({
  kind,
  namespace,
  name,
  roleRef,
});

/** The rule of a role that comes nearest. Bindings share their roles, and each role is tried once. */
function bestOfRoles(
  measure: (rule: PolicyRule) => MeasuredTrial,
): (rules: readonly PolicyRule[] | undefined) => MeasuredTrial | undefined {
  const known = new Map<readonly PolicyRule[], MeasuredTrial | undefined>();
  return (rules) => {
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

/** A binding of a namespace holds there alone. */
function namespaceMeasure({ namespace }: Attributes): (binding: BoundRole) => MeasuredMiss | undefined {
  const distances = distancesFrom(namespace);
  return ({ kind, namespace: home }) => {
    if (kind === 'ClusterRoleBinding' || (home !== '' && home === namespace)) return undefined;
    return missOf('namespace', namespace, [home], namespace === '' ? HALF_WAY : distances(home));
  };
}

/** What the rules of a role that is not there would have been is unknown. */
function roleMisses({ role, roleRef }: BoundRole): MeasuredMiss[] {
  if (role?.rules === undefined) return [missOf('role', roleRef.name, [], HALF_WAY)];
  return role.rules.length === 0 ? [missOf('rules', '', [], 1)] : [];
}
