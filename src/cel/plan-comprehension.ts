/**
 * Loops. Each item costs its condition and step, so the cost limit ends long loops. A loop appends to its collected
 * list in place: only the loop can see the list before it is complete.
 *
 * @module
 */
import { ACCUMULATOR, type ComprehensionExpression, type Expression } from './ast.js';
import type { CelResult } from './declarations.js';
import { CelFailure, noSuchOverload } from './failures.js';
import { keysCost, LIST_COST, STEP_COST } from './meter.js';
import type { Frame, Planner, Step } from './plan.js';
import { CelList, CelMap, ValueList, type CelValue } from './values.js';

/** A list that a loop is collecting. */
class Collection extends ValueList {
  readonly #items: CelValue[];

  constructor(items: CelValue[] = []) {
    super(items);
    this.#items = items;
  }

  add(item: CelResult): CelResult {
    if (item instanceof CelFailure) return item;
    this.#items.push(item);
    return this;
  }
}

/** Plans a loop. */
export function planComprehension(expression: ComprehensionExpression, planner: Planner): Step {
  const range = planner.plan(expression.range);
  const initial = planner.plan(expression.initial);
  return planner.withLocal(expression.accumulator, (accumulator) => {
    const { variable, condition, step } = planner.withLocal(expression.variable, (slot) => ({
      variable: slot,
      condition: planner.plan(expression.condition),
      step: planCollecting(expression, planner, accumulator) ?? planner.plan(expression.step),
    }));
    const result = planner.plan(expression.result);
    const collects = collectedItem(expression.step) !== undefined && expression.initial.kind === 'list';
    return (frame) => {
      const items = itemsOf(range(frame), frame);
      if (items instanceof CelFailure) return items;
      frame.locals[accumulator] = collects ? new Collection() : initial(frame);
      for (const item of items) {
        frame.locals[variable] = item;
        if (condition(frame) !== true) break;
        frame.locals[accumulator] = step(frame);
      }
      return result(frame);
    };
  });
}

function itemsOf(range: CelResult, { runtime: { meter } }: Frame): Iterable<CelValue> | CelFailure {
  if (range instanceof CelList) return range;
  if (range instanceof CelMap) {
    // All keys are listed even if the loop ends with the first. The loop itself pays for small maps.
    meter.charge(keysCost(range.size) - STEP_COST);
    return range.keys();
  }
  return range instanceof CelFailure ? range : noSuchOverload();
}

/** Returns the item that a step `accumulator + [item]` adds. */
function collectedItem(step: Expression): Expression | undefined {
  if (step.kind !== 'call') return undefined;
  if (step.name === '_?_:_') return step.arguments[1] === undefined ? undefined : collectedItem(step.arguments[1]);
  const [accumulated, list] = step.arguments;
  const isAddition = step.name === '_+_' && accumulated?.kind === 'identifier' && accumulated.name === ACCUMULATOR;
  return isAddition && list?.kind === 'list' ? list.elements[0] : undefined;
}

/** Plans the step of `map` and `filter`; undefined for other loops. */
function planCollecting(
  { initial, step }: ComprehensionExpression,
  planner: Planner,
  accumulator: number,
): Step | undefined {
  const item = collectedItem(step);
  if (item === undefined || initial.kind !== 'list' || step.kind !== 'call') return undefined;
  const value = planner.plan(item);
  const cost = 2 * STEP_COST + (planner.constants.valueOf(item) === undefined ? LIST_COST : 0);
  const add = (frame: Frame): CelResult => {
    frame.runtime.meter.charge(cost);
    const collected = frame.locals[accumulator];
    const added = value(frame);
    return collected instanceof Collection ? collected.add(added) : (collected ?? null);
  };
  const [predicateExpression] = step.arguments;
  if (step.name !== '_?_:_' || predicateExpression === undefined) return add;
  const predicate = planner.plan(predicateExpression);
  return (frame) => {
    const isWanted = predicate(frame);
    if (isWanted === true) return add(frame);
    if (isWanted === false) return frame.locals[accumulator] ?? null;
    return isWanted instanceof CelFailure ? isWanted : noSuchOverload();
  };
}
