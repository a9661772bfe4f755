/**
 * The evaluation of the expressions of a configuration: one after the other, in slices, within one budget.
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import type { CelProgram } from '../environment.js';
import { CelEvaluationError, CelFailure } from '../evaluate/failures.js';
import { fromJson, type CelValue } from '../evaluate/values.js';
import { DEFAULT_COST_LIMIT } from './limits.js';

/** The cost that expressions may have together. */
export class ExpressionBudget {
  #left: number;

  constructor(cost: number) {
    this.#left = cost;
  }

  /**
   * Evaluates an expression. A brief evaluation does not pause.
   *
   * @param values the values of the variables: JSON or CEL values
   * @throws CelEvaluationError when the expression fails, CelCostError when it exceeds its own limit or the budget
   */
  *evaluate(program: CelProgram, values: Readonly<Record<string, unknown>>, work: Work): Steps<CelValue> {
    const read = new Map(Object.entries(values).map(([name, value]) => [name, fromJson(value)]));
    const variable = (name: string): CelValue | undefined => read.get(name);
    const options = { costLimit: Math.min(DEFAULT_COST_LIMIT, this.#left) };
    const { result, cost } =
      program.attemptBriefly(variable, options) ?? (yield* program.attemptInSlices(variable, work, options));
    this.#left -= cost;
    if (result instanceof CelFailure) throw new CelEvaluationError(result.message);
    return result;
  }
}
