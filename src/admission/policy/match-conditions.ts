/**
 * The match conditions of a policy or a webhook.
 *
 * Source: `webhook/matchconditions` of Kubernetes 1.31.
 *
 * @module
 */
import { CelFailure, type CelValue } from '../../cel/index.js';
import type { CompiledPolicy } from './compile-policy.js';
import { Evaluation, MATCH_CONDITIONS_COST_BUDGET } from './evaluation.js';
import type { RequestInput } from './request-input.js';

/**
 * Returns whether the match conditions are true, or the text of their errors. A false condition decides.
 *
 * @throws OutOfBudget when they exceed their budget together
 */
export function matchConditions(
  { matchConditions: conditions, variables }: Pick<CompiledPolicy, 'matchConditions' | 'variables'>,
  input: RequestInput,
  params: CelValue,
): boolean | string {
  if (conditions.length === 0) return true;
  const evaluation = new Evaluation({ input, params, hasNamespace: false }, variables, MATCH_CONDITIONS_COST_BUDGET);
  const results = conditions.map((condition) => evaluation.run(condition));
  const problems: string[] = [];
  for (const result of results) {
    if (result === false) return false;
    if (result instanceof CelFailure) problems.push(result.message);
  }
  return problems.length === 0 ? true : aggregated(problems);
}

/** Joins errors as Kubernetes does: each text once, in brackets when there are several. */
function aggregated(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]`;
}
