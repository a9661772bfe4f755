/**
 * Plans the evaluation of a checked expression as functions. Errors are values: strict functions pass them on, `&&`,
 * `||` and quantifiers may absorb them. Steps cost the same as in Kubernetes (`meter.ts`).
 *
 * @module
 */
import { OPTIONAL_SELECT, type CallExpression, type Expression, type SelectExpression } from './ast.js';
import type { Checked, Resolution } from './check.js';
import { Constants, membershipOf } from './constants.js';
import { isOfType, type CelResult, type CelRuntime, type Overload } from './declarations.js';
import { CelFailure, failure, noSuchOverload } from './failures.js';
import { LIST_COST, MAP_COST, STEP_COST } from './meter.js';
import { hasField, indexInto, optionalIndex, optionalSelect, selectFrom } from './plan-access.js';
import { planComprehension } from './plan-comprehension.js';
import { CallInSteps, type Pauses } from './pauses.js';
import type { ExpressionPatterns } from './regular-expressions.js';
import { CelOptional, typeNameOf, ValueList, ValueMap, type CelValue } from './values.js';

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

/**
 * Plans an expression.
 *
 * @returns the evaluating step, and the number of locals in a frame
 * @throws CelCompileError for a constant that cannot be evaluated, or an invalid constant pattern
 */
export function planExpression(
  expression: Expression,
  checked: Checked,
  patterns: ExpressionPatterns,
): { readonly step: Step; readonly localCount: number } {
  const planner = new Planner(checked, new Constants(checked, patterns));
  const step = planner.plan(expression);
  return { step, localCount: planner.localCount };
}

/** Plans the parts of one expression. */
export class Planner {
  readonly #checked: Checked;
  readonly #locals: Local[] = [];
  localCount = 0;

  readonly constants: Constants;

  constructor(checked: Checked, constants: Constants) {
    this.constants = constants;
    this.#checked = checked;
  }

  /**
   * @param isCharged false for a branch of `?:` or an index, where a name costs nothing
   */
  plan(expression: Expression, isCharged = true): Step {
    const constant = this.constants.valueOf(expression);
    if (constant !== undefined) return () => constant;
    switch (expression.kind) {
      case 'literal':
        return () => expression.value;
      case 'identifier':
        return this.#planName(expression.name, isCharged);
      case 'select':
        return this.#planSelect(expression, isCharged);
      case 'call':
        return this.#planCall(expression, isCharged);
      case 'list':
        return planList(
          expression.elements.map((element) => this.plan(element)),
          expression.optional,
        );
      case 'map':
        return planMap(
          expression.entries.map(({ key, value, isOptional }) => ({
            key: this.plan(key),
            value: this.plan(value),
            isOptional,
          })),
        );
      case 'comprehension':
        return planComprehension(expression, this);
    }
  }

  /** Reserves a slot for a loop's variable while `plan` runs. */
  withLocal<T>(name: string, plan: (slot: number) => T): T {
    const slot = this.#locals.length;
    this.#locals.push({ name, slot });
    this.localCount = Math.max(this.localCount, this.#locals.length);
    const planned = plan(slot);
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

  #planSelect(expression: SelectExpression, isCharged: boolean): Step {
    const { operand, field, testOnly } = expression;
    const variable = this.#checked.variables.get(expression);
    if (variable !== undefined) return this.#planName(variable, isCharged);
    if (testOnly) {
      const tested = this.plan(operand);
      return (frame) => hasField(tested(frame), field);
    }
    const step = this.#planQualified(operand, isCharged);
    return (frame) => (frame.runtime.meter.charge(STEP_COST), selectFrom(step(frame), field));
  }

  /** Plans the operand of a field or index. A call or literal costs one more step, like a name. */
  #planQualified(operand: Expression, isCharged: boolean): Step {
    const step = this.plan(operand, isCharged);
    if (!isCharged || isAttribute(operand)) return step;
    return (frame) => (frame.runtime.meter.charge(STEP_COST), step(frame));
  }

  #planCall(expression: CallExpression, isCharged: boolean): Step {
    const special = expression.target === undefined ? specials.get(expression.name) : undefined;
    if (special !== undefined) return special(this, expression.arguments, isCharged);
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
    if (lazy !== undefined) return lazy(operands.map((operand) => this.plan(operand)));
    this.constants.checkPattern(expression, operands);
    if (expression.name === '@in') {
      const membership = this.#planMembership(operands);
      if (membership !== undefined) return membership;
    }
    return planStrict(
      resolution,
      operands.map((operand) => this.plan(operand)),
    );
  }

  /** Plans `a in [1, 2]` for a constant list. An empty list contains no value. */
  #planMembership([operand = nothing, list = nothing]: readonly Expression[]): Step | undefined {
    const members = this.constants.valueOf(list);
    if (!(members instanceof ValueList)) return undefined;
    if (members.size === 0) return () => false;
    const isMember = membershipOf(members);
    if (isMember === undefined) return undefined;
    const step = this.plan(operand);
    return (frame) => {
      const value = step(frame);
      return value instanceof CelFailure ? value : isMember(value);
    };
  }

  /** `a[b]` and `a[?b]`. */
  planIndex(
    operand: Expression,
    index: Expression,
    isCharged: boolean,
    access: (value: CelValue, index: CelValue) => CelResult,
  ): Step {
    const operandStep = this.#planQualified(operand, isCharged);
    const indexStep = this.plan(index, false);
    return (frame) => {
      const value = operandStep(frame);
      const at = indexStep(frame);
      frame.runtime.meter.charge(STEP_COST);
      if (value instanceof CelFailure) return value;
      return at instanceof CelFailure ? at : access(value, at);
    };
  }

  /** `a.?b`. */
  planOptionalSelect(operand: Expression, field: string, isCharged: boolean): Step {
    const step = this.#planQualified(operand, isCharged);
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

type Special = (planner: Planner, operands: readonly Expression[], isCharged: boolean) => Step;
/** Replaces an operand that the parser always provides. */
const nothing: Expression = { kind: 'literal', offset: 0, value: null };

const specials: ReadonlyMap<string, Special> = new Map(
  Object.entries<Special>({
    '_&&_': (planner, operands) =>
      planLogic(
        operands.map((operand) => planner.plan(operand)),
        false,
      ),
    '_||_': (planner, operands) =>
      planLogic(
        operands.map((operand) => planner.plan(operand)),
        true,
      ),
    '_?_:_': (planner, [condition = nothing, whenTrue = nothing, whenFalse = nothing]) =>
      planTernary(planner.plan(condition), planner.plan(whenTrue, false), planner.plan(whenFalse, false)),
    '@not_strictly_false': (planner, [operand = nothing]) => {
      const step = planner.plan(operand);
      return (frame) => (frame.runtime.meter.charge(STEP_COST), step(frame) !== false);
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
    frame.runtime.meter.charge(STEP_COST);
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
    return overload.steps === undefined ? overload.call(args, runtime) : new CallInSteps(overload.steps(args, runtime));
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

/** Plans a list. `optional` has the indices of the elements that are omitted when absent. */
function planList(steps: readonly Step[], optional: ReadonlySet<number>): Step {
  return (frame) => {
    frame.runtime.meter.charge(LIST_COST);
    const items: CelValue[] = [];
    for (const [index, step] of steps.entries()) {
      const item = step(frame);
      if (item instanceof CelFailure) return item;
      if (!optional.has(index)) items.push(item);
      else if (!(item instanceof CelOptional))
        return failure(`cannot initialize optional list element from non-optional value ${valueText(item)}`);
      else if (item.value !== undefined) items.push(item.value);
    }
    return new ValueList(items);
  };
}

/** Formats a plain value for messages; for any other value, its type. */
const valueText = (value: CelValue): string => (typeof value === 'object' ? typeNameOf(value) : String(value));

function planMap(entries: readonly { readonly key: Step; readonly value: Step; readonly isOptional: boolean }[]): Step {
  return (frame) => {
    frame.runtime.meter.charge(MAP_COST);
    const map = new ValueMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelFailure) return key;
      let value: CelResult | undefined = entry.value(frame);
      if (value instanceof CelFailure) return value;
      if (entry.isOptional) {
        if (!(value instanceof CelOptional))
          return failure(
            `cannot initialize optional entry '${valueText(key)}' from non-optional value ${valueText(value)}`,
          );
        if (value.value === undefined) continue;
        value = value.value;
      }
      const isAdded = map.add(key, value);
      if (isAdded !== true) return failure(isAdded === undefined ? 'unsupported key type' : 'Failed with repeated key');
    }
    return map;
  };
}
