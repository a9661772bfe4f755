/**
 * The match conditions of a policy or a webhook.
 *
 * Source: `webhook/matchconditions` of Kubernetes 1.31.
 *
 * @module
 */
import type { Steps } from '../../foundation/index.js';
import { CelFailure, type CelResult } from '../../machinery/index.js';
import type { AdmissionOperation } from '../../registry/index.js';
import type { CompiledPolicy } from './compile-policy.js';
import { Evaluation, MATCH_CONDITIONS_COST_BUDGET, type EvaluationInput } from './evaluation.js';

/** Whether match conditions are true, or the text of their errors. */
export interface MatchOutcome {
  readonly holds: boolean | string;
  /** Number of conditions that could not be evaluated. */
  readonly errors: number;
}

/** The owner of match conditions: a webhook or a policy. */
export interface ConditionOwner {
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  readonly type: 'admit' | 'validate';
}

/** Measures match conditions. */
export interface ConditionMeter {
  /** Returns the time in milliseconds. */
  readonly now: () => number;
  evaluated(owner: ConditionOwner, operation: AdmissionOperation, outcome: MatchOutcome, tookMs: number): void;
}

const NONE: MatchOutcome = { holds: true, errors: 0 };

/**
 * Evaluates match conditions. A false condition decides.
 *
 * @throws OutOfBudget when they exceed their budget together
 */
export function* matchConditions(
  { matchConditions: conditions, variables }: Pick<CompiledPolicy, 'matchConditions' | 'variables'>,
  given: EvaluationInput,
): Steps<MatchOutcome> {
  if (conditions.length === 0) return NONE;
  const evaluation = new Evaluation({ ...given, hasNamespace: false }, variables, MATCH_CONDITIONS_COST_BUDGET);
  const results: CelResult[] = [];
  for (const condition of conditions) results.push(yield* evaluation.run(condition));
  const problems = results.flatMap((result) => (result instanceof CelFailure ? result.message : []));
  const errors = problems.length;
  if (results.includes(false)) return { holds: false, errors };
  return { holds: errors === 0 ? true : aggregated(problems), errors };
}

/** Joins errors as Kubernetes does: each text once, in brackets when there are several. */
function aggregated(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]`;
}
