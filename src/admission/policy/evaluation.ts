/**
 * The evaluation of expressions of a policy: one expression after the other, within the costs that Kubernetes allows.
 *
 * Source: `admission/plugin/cel` of Kubernetes 1.31.
 *
 * @module
 */
import { goQuote, type Steps, type Work } from '../../foundation/index.js';
import {
  BRIEF_COST,
  CelCostError,
  CelEvaluationError,
  CelFailure,
  CelMap,
  DEFAULT_COST_LIMIT,
  type CelAttempt,
  type CelProgram,
  type CelResult,
  type CelValue,
} from '../../machinery/index.js';
import type { CompiledExpression, CompiledVariable } from './compile-policy.js';
import type { RequestInput } from './request-input.js';

/** Maximum cost of the match conditions of a policy. */
export const MATCH_CONDITIONS_COST_BUDGET = 2_500_000;
/** Maximum cost of the validations of a policy with their messages, and of its audit annotations. */
export const POLICY_COST_BUDGET = 10_000_000;

/** The values that the expressions of an evaluation read. */
export interface EvaluationInput {
  readonly input: RequestInput;
  /** The parameter; null without one. */
  readonly params: CelValue;
  /** Whether `namespaceObject` has a value. Default true. */
  readonly hasNamespace?: boolean | undefined;
  /** Whether expressions can check authorization. Default true. */
  readonly hasAuthorizer?: boolean | undefined;
  /** Counts the work of the request. */
  readonly work: Work;
  /** Cost that all expressions of the request may still have. */
  readonly requestBudget: RequestBudget;
}

/** Maximum cost of all expressions that are evaluated for one request. */
const REQUEST_COST_BUDGET = 100_000_000;

/** Work of an evaluation, besides its cost. */
const UNITS_OF_EVALUATION = 20;

/** The cost that the expressions of all policies may have for one request. */
export class RequestBudget {
  #left = REQUEST_COST_BUDGET;

  /** @throws OutOfBudget when the budget is exceeded */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new OutOfBudget();
  }
}

/** Returns the value of a variable; undefined when it has none. */
type VariableLookup = (name: string) => CelValue | undefined;

/** Thrown when the expressions of a policy exceed their budget together. No further expression is evaluated. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';

  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** Evaluates expressions that share a budget and the variables of the policy. */
export class Evaluation {
  readonly #given: EvaluationInput;
  readonly #variables: readonly CompiledVariable[];
  #members: PolicyVariables | undefined;
  #budget: number;

  constructor(given: EvaluationInput, variables: readonly CompiledVariable[], budget: number) {
    this.#given = given;
    this.#variables = variables;
    this.#budget = budget;
  }

  /** Cost that is left. */
  get budget(): number {
    return this.#budget;
  }

  /**
   * Evaluates an expression.
   *
   * @returns its value, or its failure in the words of Kubernetes
   * @throws OutOfBudget when the budget is exceeded
   */
  *run({ text, program }: CompiledExpression): Steps<CelResult> {
    if (typeof program === 'string') return new CelFailure(`compilation error: ${program}`);
    const result = yield* this.#evaluate(program);
    return result instanceof CelFailure
      ? new CelFailure(`expression '${text}' resulted in error: ${result.message}`)
      : result;
  }

  readonly #valueOf: VariableLookup = (name) => {
    const { input, params, hasNamespace = true, hasAuthorizer = true } = this.#given;
    switch (name) {
      case 'object':
        return input.object;
      case 'oldObject':
        return input.oldObject;
      case 'params':
        return params;
      case 'variables':
        return (this.#members ??= new PolicyVariables(this.#variables));
      case 'request':
        return input.request;
      case 'namespaceObject':
        return hasNamespace ? input.namespaceObject : null;
      case 'authorizer':
        return hasAuthorizer ? input.authorizer : undefined;
      case 'authorizer.requestResource':
        return hasAuthorizer ? input.requestResource : undefined;
      default:
        return undefined;
    }
  };

  /** Evaluates a program, again after each variable of the policy that it reads first. */
  *#evaluate(program: CelProgram): Steps<CelResult> {
    for (;;) {
      try {
        const { result, cost } = yield* attempt(program, this.#valueOf, this.#given.work);
        this.#given.requestBudget.spend(cost);
        this.#budget -= cost;
        if (this.#budget < 0) throw new OutOfBudget();
        return result;
      } catch (error) {
        if (!(error instanceof VariablePending)) throw error;
        error.settle(typeof error.program === 'string' ? error.program : yield* this.#evaluate(error.program));
      }
    }
  }
}

/** Evaluates a program, briefly if that suffices. One that exceeds the limit of a call costs the whole limit. */
function* attempt(program: CelProgram, valueOf: VariableLookup, work: Work): Steps<CelAttempt> {
  try {
    const brief = program.attemptBriefly(valueOf);
    if (work.spend(brief === undefined ? BRIEF_COST : brief.cost + UNITS_OF_EVALUATION)) yield;
    return brief ?? (yield* program.attemptInSlices(valueOf, work));
  } catch (error) {
    if (!(error instanceof CelCostError)) throw error;
    return { result: new CelFailure(error.message), cost: DEFAULT_COST_LIMIT };
  }
}

/** Thrown out of an evaluation that reads a variable of the policy whose value is not known yet. */
class VariablePending {
  readonly program: CelProgram | string;
  /** Receives the value, or the text of the error of compilation. */
  readonly settle: (result: CelResult) => void;

  constructor(program: CelProgram | string, settle: (result: CelResult) => void) {
    this.program = program;
    this.settle = settle;
  }
}

/** The variable `variables`. Each of its members is evaluated when it is first read, outside the expression that reads it. */
class PolicyVariables extends CelMap {
  readonly #variables: readonly CompiledVariable[];
  readonly #known = new Map<string, CelResult>();

  constructor(variables: readonly CompiledVariable[]) {
    super();
    this.#variables = variables;
  }

  get size(): number {
    return this.#variables.length;
  }

  keys(): Iterable<CelValue> {
    return this.#variables.map(({ name }) => name);
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const value = this.#known.get(key);
    if (value === undefined) {
      const variable = this.#variables.findLast(({ name }) => name === key);
      if (variable === undefined) return undefined;
      throw new VariablePending(variable.program, (result) => this.#known.set(key, settled(variable, result)));
    }
    if (value instanceof CelFailure) throw new CelEvaluationError(value.message);
    return value;
  }
}

function settled({ name, program }: CompiledVariable, result: CelResult): CelResult {
  const variable = `composited variable ${goQuote(name)}`;
  if (typeof program === 'string') return new CelFailure(`${variable} fails to compile: ${program}`);
  return result instanceof CelFailure ? new CelFailure(`${variable} fails to evaluate: ${result.message}`) : result;
}
