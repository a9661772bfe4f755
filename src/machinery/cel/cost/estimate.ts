/**
 * Static cost estimation: bounds of the cost of an evaluation, from the types of an expression and the sizes of its
 * variables, before any value is known. The numbers are those of Kubernetes, which refuses expressions by them.
 *
 * @module
 */
import { codePointCount, type Steps, type Work } from '../../../foundation/index.js';
import type { CelValue } from '../evaluate/values.js';
import {
  ACCUMULATOR,
  type CallExpression,
  type ComprehensionExpression,
  type Expression,
  type SelectExpression,
} from '../syntax/ast.js';
import type { Checked } from '../types/check.js';
import { partsOf, type CelType } from '../types/types.js';
import {
  addBounds,
  exactly,
  multiplyBounds,
  UNBOUNDED,
  uniteBounds,
  unknownSize,
  type CostBounds,
} from './cost-bounds.js';
import { LIST_COST, MAP_COST, STEP_COST } from './meter.js';

/** Provides the sizes of variables and of their members. */
export interface SizeEstimator {
  /**
   * Returns the bounds of a size: the characters of a string, the bytes of bytes, the items of a list, the entries of a
   * map; or undefined when nothing is known, which means 1 for numbers, booleans and times, and any size for other types.
   *
   * @param path the variable, then names of fields, `@items` (of a list), `@keys` and `@values` (of a map); empty for a
   * value that does not come from a variable. As in Kubernetes, the path of a member of a computed value has no
   * variable: `(a ? b : c).d` has the path `['d']`, and the items of `a.split(',')` have the path `['@items']`.
   * Kubernetes ignores the first element, and follows the others from the type of its only variable.
   * @param type the type of the value
   */
  sizeOf(path: readonly string[], type: CelType): { readonly min: number; readonly max: number } | undefined;
}

/** An operand of a call whose cost is estimated. */
export interface EstimatedOperand {
  readonly type: CelType;
  /** Bounds of its size. */
  readonly size: CostBounds;
  /** Bounds of its size when the expression itself determines it, as for literals and concatenated strings. */
  readonly computedSize: CostBounds | undefined;
  /** Bounds of the size of its items; undefined for types without items. */
  readonly itemSize: CostBounds | undefined;
  /** Its value, for a literal. */
  readonly literal: CelValue | undefined;
}

/** The estimate of a call. */
export interface CallEstimate {
  /** Cost of the call, without its operands. */
  readonly cost: CostBounds;
  /** Bounds of the size of its result. */
  readonly resultSize?: CostBounds | undefined;
}

/** Estimates the calls of one overload. The operands of a method start with its target. */
export type CallEstimator = (operands: readonly EstimatedOperand[]) => CallEstimate;

/** Returns the bounds of the cost of a checked expression. It pauses between the parts of the expression. */
export function estimateCost(
  expression: Expression,
  checked: Checked,
  sizes: SizeEstimator | undefined,
  work: Work,
): Steps<CostBounds> {
  return new Estimator(checked, sizes, work).cost(expression);
}

/** Work of estimating a part of an expression, without its parts. */
const UNITS_OF_PART = 40;

const FREE = exactly(0);
const STEP = exactly(STEP_COST);

/** Types whose values have the size 1. */
const scalarKinds: ReadonlySet<CelType['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);
/** Types whose fields cost a step; Kubernetes selects from others, such as dynamic values, for free. */
const selectableKinds: ReadonlySet<CelType['kind']> = new Set(['map', 'object', 'parameter']);
const memberSteps: Partial<Record<CelType['kind'], string>> = { list: '@items', map: '@keys' };
/** Path elements of the values of an index, by overload. */
const indexSteps: Readonly<Record<string, string>> = { index_list: '@items', index_map: '@values' };

class Estimator {
  readonly #checked: Checked;
  readonly #sizes: SizeEstimator | undefined;
  readonly #paths = new Map<Expression, readonly string[]>();
  readonly #computedSizes = new Map<Expression, CostBounds>();
  /** Variables of the surrounding loops, with the expressions that they iterate over. */
  readonly #loops: { readonly variable: string; readonly range: Expression }[] = [];
  readonly #work: Work;

  constructor(checked: Checked, sizes: SizeEstimator | undefined, work: Work) {
    this.#checked = checked;
    this.#sizes = sizes;
    this.#work = work;
  }

  *cost(expression: Expression): Steps<CostBounds> {
    if (this.#work.spend(UNITS_OF_PART)) yield;
    switch (expression.kind) {
      case 'literal':
        return FREE;
      case 'identifier':
        return this.#nameCost(expression, expression.name);
      case 'select':
        return yield* this.#selectCost(expression);
      case 'call':
        return yield* this.#callCost(expression);
      case 'list':
        return yield* this.#costOfAll(expression.elements, exactly(LIST_COST));
      case 'map':
        return yield* this.#costOfAll(
          expression.entries.flatMap(({ key, value }) => [key, value]),
          exactly(MAP_COST),
        );
      case 'comprehension':
        return yield* this.#loopCost(expression);
    }
  }

  *#costOfAll(expressions: readonly Expression[], base: CostBounds): Steps<CostBounds> {
    let sum = base;
    for (const expression of expressions) sum = addBounds(sum, yield* this.cost(expression));
    return sum;
  }

  *#costs(expressions: readonly Expression[]): Steps<CostBounds[]> {
    const costs: CostBounds[] = [];
    for (const expression of expressions) costs.push(yield* this.cost(expression));
    return costs;
  }

  #nameCost(expression: Expression, name: string): CostBounds {
    const loop = this.#loops.findLast(({ variable }) => variable === name);
    if (loop === undefined) this.#paths.set(expression, [name]);
    else {
      const step = memberSteps[this.#checked.typeOf(loop.range).kind];
      if (step !== undefined) this.#paths.set(expression, [...this.#pathOf(loop.range), step]);
    }
    return STEP;
  }

  *#selectCost(expression: SelectExpression): Steps<CostBounds> {
    const { operand, field, testOnly } = expression;
    const variable = this.#checked.variables.get(expression) ?? this.#checked.constants.get(expression)?.name;
    if (variable !== undefined) return this.#nameCost(expression, variable);
    const cost = yield* this.cost(operand);
    if (testOnly) return cost;
    this.#paths.set(expression, [...this.#pathOf(operand), field]);
    return selectableKinds.has(this.#checked.typeOf(operand).kind) ? addBounds(cost, STEP) : cost;
  }

  *#callCost(expression: CallExpression): Steps<CostBounds> {
    if (expression.name === '_&&_' || expression.name === '_||_') return yield* this.#logicCost(expression);
    const { candidates, isMethod } = this.#checked.resolutions.get(expression) ?? { candidates: [], isMethod: false };
    const target = isMethod ? expression.target : undefined;
    if (expression.name === '_?_:_') return yield* this.#conditionalCost(expression);
    const costs = yield* this.#costs(expression.arguments);
    if (target !== undefined) costs.push(yield* this.cost(target));
    const operands = [...(target === undefined ? [] : [target]), ...expression.arguments].map((operand) =>
      this.#operand(operand),
    );
    const estimates = candidates.map(({ estimate }) => estimate?.(operands) ?? { cost: STEP });
    const resultSize = unionOf(estimates.flatMap(({ resultSize: size }) => (size === undefined ? [] : [size])));
    if (resultSize !== undefined) this.#computedSizes.set(expression, resultSize);
    this.#recordIndex(
      expression,
      candidates.map(({ id }) => id),
    );
    return costs.reduce(addBounds, unionOf(estimates.map(({ cost }) => cost)) ?? STEP);
  }

  /** Records the path of `a[b]`. */
  #recordIndex(expression: CallExpression, overloads: readonly string[]): void {
    const [container] = expression.arguments;
    const step = overloads.map((id) => indexSteps[id]).findLast((known) => known !== undefined);
    if (step !== undefined && container !== undefined) this.#paths.set(expression, [...this.#pathOf(container), step]);
  }

  /** The first operand may decide alone; at most all are evaluated. */
  *#logicCost({ arguments: operands }: CallExpression): Steps<CostBounds> {
    const costs = yield* this.#costs(operands);
    return { min: costs[0]?.min ?? 0n, max: costs.reduce(addBounds, FREE).max };
  }

  *#conditionalCost(expression: CallExpression): Steps<CostBounds> {
    const [condition, ...branches] = expression.arguments;
    const decision = condition === undefined ? FREE : yield* this.cost(condition);
    const cost = unionOf(yield* this.#costs(branches)) ?? FREE;
    const size = unionOf(branches.map((branch) => this.#operand(branch).size));
    if (size !== undefined) this.#computedSizes.set(expression, size);
    return addBounds(decision, cost);
  }

  *#loopCost(expression: ComprehensionExpression): Steps<CostBounds> {
    const { range, variable, initial, condition, step, result } = expression;
    const start = addBounds(yield* this.cost(range), yield* this.cost(initial));
    this.#loops.push({ variable, range });
    const round = addBounds(yield* this.cost(condition), yield* this.cost(step));
    this.#loops.pop();
    const end = yield* this.cost(result);
    const { size } = this.#operand(range);
    this.#computedSizes.set(expression, size);
    return addBounds(addBounds(start, end), multiplyBounds(size, round));
  }

  #pathOf(expression: Expression): readonly string[] {
    return this.#paths.get(expression) ?? [];
  }

  #operand(expression: Expression): EstimatedOperand {
    const path = this.#pathOf(expression);
    return operandOf({
      type: this.#checked.typeOf(expression),
      // An accumulator has no path: its size is not that of a variable.
      path: path[0] === ACCUMULATOR ? [] : path,
      computedSize: this.#computedSizes.get(expression) ?? literalSize(expression),
      literal: expression.kind === 'literal' ? expression.value : undefined,
      sizes: this.#sizes,
    });
  }
}

/** The known facts about an operand before its size is needed. */
interface OperandFacts {
  readonly type: CelType;
  readonly path: readonly string[];
  readonly computedSize: CostBounds | undefined;
  readonly literal: CelValue | undefined;
  readonly sizes: SizeEstimator | undefined;
}

function operandOf({ type, path, computedSize, literal, sizes }: OperandFacts): EstimatedOperand {
  const sizeOf = (memberPath: readonly string[], memberType: CelType): CostBounds =>
    boundsOf(sizes?.sizeOf(memberPath, memberType)) ?? (scalarKinds.has(memberType.kind) ? STEP : unknownSize);
  return {
    type,
    computedSize,
    literal,
    get size() {
      return computedSize ?? sizeOf(path, type);
    },
    get itemSize() {
      const [item] = partsOf(type);
      return item === undefined ? undefined : sizeOf(path.length === 0 ? [] : [...path, '@items'], item);
    },
  };
}

function boundsOf(size: { readonly min: number; readonly max: number } | undefined): CostBounds | undefined {
  return size === undefined ? undefined : { min: wholeOf(size.min), max: wholeOf(size.max) };
}

const wholeOf = (size: number): bigint => (size < Number(UNBOUNDED) ? BigInt(Math.ceil(size)) : UNBOUNDED);

function unionOf(bounds: readonly CostBounds[]): CostBounds | undefined {
  const [first, ...others] = bounds;
  return first === undefined ? undefined : others.reduce(uniteBounds, first);
}

/** Returns the size of a literal, a list or a map. */
function literalSize(expression: Expression): CostBounds | undefined {
  if (expression.kind === 'list') return exactly(expression.elements.length);
  if (expression.kind === 'map') return exactly(expression.entries.length);
  if (expression.kind !== 'literal') return undefined;
  const { value } = expression;
  if (typeof value === 'string') return exactly(codePointCount(value));
  return exactly(value instanceof Uint8Array ? value.length : 1);
}
