/**
 * Plans the evaluation of a checked expression as functions. Errors are values: strict functions pass them on, `&&`,
 * `||` and quantifiers may absorb them. Steps cost the same as in Kubernetes (`meter.ts`).
 *
 * @module
 */
import type { Steps, Work } from '../../../foundation/index.js';
import { STEP_COST } from '../cost/meter.js';
import {
  OPTIONAL_SELECT,
  type CallExpression,
  type Expression,
  type MapEntry,
  type SelectExpression,
} from '../syntax/ast.js';
import type { Checked, Resolution } from '../types/check.js';
import { isOfType, type CelResult, type CelRuntime, type Overload } from '../types/declarations.js';
import { Constants, membershipOf } from './constants.js';
import { CelFailure, failure, noSuchOverload } from './failures.js';
import { CallInSteps, type Pauses } from './pauses.js';
import { hasField, indexInto, optionalIndex, optionalSelect, selectFrom } from './plan-access.js';
import { planComprehension } from './plan-comprehension.js';
import { planList, planMap, type PlannedEntry } from './plan-literals.js';
import type { ExpressionPatterns } from './regular-expressions.js';
import { CelOptional, ValueList, type CelValue } from './values.js';

/** One evaluation. */
export interface Frame {
  readonly runtime: CelRuntime;
  /** Returns the value of a variable; undefined when it has none. */
  readonly variable: (name: string) => CelValue | undefined;
  /** Variables and accumulators of loops. */
  readonly locals: CelResult[];
  /** The pauses of a long evaluation; undefined for one that does not pause. */
  readonly pauses: Pauses | undefined;
}

/** Evaluates an expression. */
export type Step = (frame: Frame) => CelResult;

/** The slot of a loop's variable. */
interface Local {
  readonly name: string;
  readonly slot: number;
}

/** A planned expression. */
export interface PlannedExpression {
  readonly step: Step;
  /** Number of locals in a frame. */
  readonly localCount: number;
}

/**
 * Plans an expression. It pauses between the parts of the expression.
 *
 * @throws CelCompileError for a constant that cannot be evaluated, or an invalid constant pattern
 */
export function* planExpression(
  expression: Expression,
  checked: Checked,
  patterns: ExpressionPatterns,
  work: Work,
): Steps<PlannedExpression> {
  const planner = new Planner(checked, new Constants(checked, patterns), work);
  const step = yield* planner.plan(expression);
  return { step, localCount: planner.localCount };
}

/** Work of planning a part of an expression. */
const UNITS_OF_PART = 15;
/** Work of preparing the search for a member of a constant list. */
const UNITS_OF_MEMBER = 3;

/** Plans the parts of one expression. */
export class Planner {
  readonly #checked: Checked;
  readonly #locals: Local[] = [];
  localCount = 0;

  readonly constants: Constants;
  readonly #work: Work;

  constructor(checked: Checked, constants: Constants, work: Work) {
    this.constants = constants;
    this.#checked = checked;
    this.#work = work;
  }

  /**
   * @param isCharged false for a branch of `?:` or an index, where a name costs nothing
   */
  *plan(expression: Expression, isCharged = true): Steps<Step> {
    if (this.#work.spend(UNITS_OF_PART)) yield;
    const constant = yield* this.constants.valueOf(expression, this.#work);
    if (constant !== undefined) return () => constant;
    switch (expression.kind) {
      case 'literal':
        return () => expression.value;
      case 'identifier':
        return this.#planName(expression.name, isCharged);
      case 'select':
        return yield* this.#planSelect(expression, isCharged);
      case 'call':
        return yield* this.#planCall(expression, isCharged);
      case 'list':
        return planList(yield* this.planAll(expression.elements), expression.optional);
      case 'map':
        return planMap(yield* this.#planEntries(expression.entries));
      case 'comprehension':
        return yield* planComprehension(expression, this);
    }
  }

  /** Plans several expressions. */
  *planAll(expressions: readonly Expression[]): Steps<Step[]> {
    const steps: Step[] = [];
    for (const expression of expressions) steps.push(yield* this.plan(expression));
    return steps;
  }

  *#planEntries(entries: readonly MapEntry[]): Steps<PlannedEntry[]> {
    const planned: PlannedEntry[] = [];
    for (const { key, value, isOptional } of entries)
      planned.push({ key: yield* this.plan(key), value: yield* this.plan(value), isOptional });
    return planned;
  }

  /** Reserves a slot for a loop's variable while `plan` runs. */
  *withLocal<T>(name: string, plan: (slot: number) => Steps<T>): Steps<T> {
    const slot = this.#locals.length;
    this.#locals.push({ name, slot });
    this.localCount = Math.max(this.localCount, this.#locals.length);
    const planned = yield* plan(slot);
    this.#locals.pop();
    return planned;
  }

  #planName(name: string, isCharged: boolean): Step {
    const cost = isCharged ? STEP_COST : 0;
    const slot = this.#locals.findLast((local) => local.name === name)?.slot;
    if (slot === undefined)
      return ({ variable, runtime }) => (runtime.meter.charge(cost), valueOf(variable(name), name));
    return ({ locals, runtime }) => (runtime.meter.charge(cost), locals[slot] ?? null);
  }

  *#planSelect(expression: SelectExpression, isCharged: boolean): Steps<Step> {
    const { operand, field, testOnly } = expression;
    const variable = this.#checked.variables.get(expression);
    if (variable !== undefined) return this.#planName(variable, isCharged);
    if (testOnly) {
      const tested = yield* this.plan(operand);
      return (frame) => hasField(tested(frame), field);
    }
    const step = yield* this.#planQualified(operand, isCharged);
    return (frame) => (frame.runtime.meter.charge(STEP_COST), selectFrom(step(frame), field));
  }

  /** Plans the operand of a field or index. A call or literal costs one more step, like a name. */
  *#planQualified(operand: Expression, isCharged: boolean): Steps<Step> {
    const step = yield* this.plan(operand, isCharged);
    if (!isCharged || isAttribute(operand)) return step;
    return (frame) => (frame.runtime.meter.charge(STEP_COST), step(frame));
  }

  *#planCall(expression: CallExpression, isCharged: boolean): Steps<Step> {
    const special = expression.target === undefined ? specials.get(expression.name) : undefined;
    if (special !== undefined) return yield* special(this, expression.arguments, isCharged);
    const resolution = this.#checked.resolutions.get(expression) ?? {
      name: expression.name,
      candidates: [],
      isMethod: false,
    };
    const operands =
      resolution.isMethod && expression.target !== undefined
        ? [expression.target, ...expression.arguments]
        : expression.arguments;
    const lazy = lazyMethods[resolution.candidates[0]?.id ?? ''];
    if (lazy !== undefined) return lazy(yield* this.planAll(operands));
    yield* this.constants.checkPattern(expression, operands, this.#work);
    if (expression.name === '@in') {
      const membership = yield* this.#planMembership(operands);
      if (membership !== undefined) return membership;
    }
    return planStrict(resolution, yield* this.planAll(operands));
  }

  /** Plans `a in [1, 2]` for a constant list. An empty list contains no value. */
  *#planMembership([operand = nothing, list = nothing]: readonly Expression[]): Steps<Step | undefined> {
    const members = yield* this.constants.valueOf(list, this.#work);
    if (!(members instanceof ValueList)) return undefined;
    if (members.size === 0) return () => false;
    const isMember = membershipOf(members);
    if (this.#work.spend(members.size * UNITS_OF_MEMBER)) yield;
    if (isMember === undefined) return undefined;
    const step = yield* this.plan(operand);
    return (frame) => {
      const value = step(frame);
      return value instanceof CelFailure ? value : isMember(value);
    };
  }

  /** `a[b]` and `a[?b]`. */
  *planIndex(
    operand: Expression,
    index: Expression,
    isCharged: boolean,
    access: (value: CelValue, index: CelValue) => CelResult,
  ): Steps<Step> {
    const operandStep = yield* this.#planQualified(operand, isCharged);
    const indexStep = yield* this.plan(index, false);
    return (frame) => {
      const value = operandStep(frame);
      const at = indexStep(frame);
      frame.runtime.meter.charge(STEP_COST);
      if (value instanceof CelFailure) return value;
      return at instanceof CelFailure ? at : access(value, at);
    };
  }

  /** `a.?b`. */
  *planOptionalSelect(operand: Expression, field: string, isCharged: boolean): Steps<Step> {
    const step = yield* this.#planQualified(operand, isCharged);
    return (frame) => (frame.runtime.meter.charge(STEP_COST), optionalSelect(step(frame), field));
  }
}

/** Returns the value of a variable, or its failure without a value. */
const valueOf = (value: CelValue | undefined, name: string): CelResult =>
  value === undefined ? failure(`no such attribute(s): ${name}`) : value;

/** Returns true for an expression that Kubernetes resolves as one path: a name with fields and indices. */
function isAttribute(expression: Expression): boolean {
  if (expression.kind === 'identifier') return true;
  if (expression.kind === 'select') return !expression.testOnly;
  return expression.kind === 'call' && ['_[_]', '_[?_]', OPTIONAL_SELECT, '_?_:_'].includes(expression.name);
}

type Special = (planner: Planner, operands: readonly Expression[], isCharged: boolean) => Steps<Step>;
/** Replaces an operand that the parser always provides. */
const nothing: Expression = { kind: 'literal', offset: 0, value: null };

const specials: ReadonlyMap<string, Special> = new Map(
  Object.entries<Special>({
    *'_&&_'(planner, operands) {
      return planLogic(yield* planner.planAll(operands), false);
    },
    *'_||_'(planner, operands) {
      return planLogic(yield* planner.planAll(operands), true);
    },
    *'_?_:_'(planner, [condition = nothing, whenTrue = nothing, whenFalse = nothing]) {
      return planTernary(
        yield* planner.plan(condition),
        yield* planner.plan(whenTrue, false),
        yield* planner.plan(whenFalse, false),
      );
    },
    *'@not_strictly_false'(planner, [operand = nothing]) {
      const step = yield* planner.plan(operand);
      return (frame: Frame) => (frame.runtime.meter.charge(STEP_COST), step(frame) !== false);
    },
    '_[_]': (planner, [operand = nothing, index = nothing], isCharged) =>
      planner.planIndex(operand, index, isCharged, indexInto),
    '_[?_]': (planner, [operand = nothing, index = nothing], isCharged) =>
      planner.planIndex(operand, index, isCharged, optionalIndex),
    [OPTIONAL_SELECT]: (planner, [operand = nothing, field], isCharged) =>
      planner.planOptionalSelect(
        operand,
        field?.kind === 'literal' && typeof field.value === 'string' ? field.value : '',
        isCharged,
      ),
  }),
);

/** Plans `&&` and `||`: the deciding value wins at any position, even after failures. */
function planLogic(steps: readonly Step[], deciding: boolean): Step {
  return (frame) => {
    let problem: CelFailure | undefined;
    for (const step of steps) {
      const value = step(frame);
      if (value === deciding) return deciding;
      if (value !== !deciding) problem ??= value instanceof CelFailure ? value : noSuchOverload();
    }
    return problem ?? !deciding;
  };
}

function planTernary(condition: Step, whenTrue: Step, whenFalse: Step): Step {
  return (frame) => {
    const decided = condition(frame);
    if (typeof decided === 'boolean') return decided ? whenTrue(frame) : whenFalse(frame);
    return decided instanceof CelFailure ? decided : noSuchOverload();
  };
}

/** Methods of optionals that evaluate their argument only without a value. */
const lazyMethods: Readonly<Record<string, ((steps: readonly Step[]) => Step) | undefined>> = {
  optional_or_optional: ([optional, other]) => orElse(optional, other, (value) => value),
  optional_orValue_value: ([optional, other]) => orElse(optional, other, (value) => value.value ?? null),
};

function orElse(
  optional: Step = () => noSuchOverload(),
  other: Step = optional,
  present: (optional: CelOptional) => CelValue,
): Step {
  return (frame) => {
    const value = optional(frame);
    if (value instanceof CelFailure) return value;
    if (!(value instanceof CelOptional)) return noSuchOverload();
    return value.value === undefined ? other(frame) : present(value);
  };
}

/** Plans a function that needs all its arguments. */
function planStrict({ candidates }: Resolution, steps: readonly Step[]): Step {
  const argumentsOf = (frame: Frame): CelFailure | CelValue[] => {
    const args = new Array<CelValue>(steps.length);
    let problem: CelFailure | undefined;
    for (let index = 0; index < steps.length; index += 1) {
      const value = steps[index]?.(frame) ?? null;
      if (value instanceof CelFailure) problem ??= value;
      else args[index] = value;
    }
    // As in Kubernetes, a call of one or two operands counts although one of them failed.
    if (problem !== undefined && steps.length <= 2) frame.runtime.meter.charge(STEP_COST);
    return problem ?? args;
  };
  const call: Step = (frame) => {
    if (frame.pauses !== undefined) return frame.pauses.call(call, () => begin(argumentsOf(frame), frame));
    const args = argumentsOf(frame);
    if (args instanceof CelFailure) return args;
    const { runtime } = frame;
    const overload = charged(candidates, args, runtime);
    return overload === undefined ? noSuchOverload() : overload.call(args, runtime);
  };
  const begin = (args: CelFailure | CelValue[], { runtime }: Frame): CelResult | CallInSteps => {
    if (args instanceof CelFailure) return args;
    const overload = charged(candidates, args, runtime);
    if (overload === undefined) return noSuchOverload();
    const { steps, takesLong } = overload;
    return steps === undefined || takesLong?.(args) === false
      ? overload.call(args, runtime)
      : new CallInSteps(steps(args, runtime));
  };
  return call;
}

/** Charges for a call. Returns the first overload that accepts the arguments; undefined when there is none. */
function charged(
  candidates: readonly Overload[],
  args: readonly CelValue[],
  { meter }: CelRuntime,
): Overload | undefined {
  for (const overload of candidates) {
    if (!overload.parameters.every((type, index) => isOfType(type, args[index] ?? null))) continue;
    meter.charge(overload.cost === undefined ? STEP_COST : overload.cost(args));
    return overload;
  }
  meter.charge(STEP_COST);
  return undefined;
}
