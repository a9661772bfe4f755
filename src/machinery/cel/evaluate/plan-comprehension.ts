/**
 * Loops. Each item costs its condition and step, so the cost limit ends long loops. A loop appends to its collected
 * list in place: only the loop can see the list before it is complete.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { LIST_COST, STEP_COST } from '../cost/meter.js';
import { ACCUMULATOR, type ComprehensionExpression, type Expression } from '../syntax/ast.js';
import type { CelResult } from '../types/declarations.js';
import { CelFailure, noSuchOverload } from './failures.js';
import type { LoopState, Pauses } from './pauses.js';
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
export function* planComprehension(expression: ComprehensionExpression, planner: Planner): Steps<Step> {
  const range = yield* planner.plan(expression.range);
  const initial = yield* planner.plan(expression.initial);
  return yield* planner.withLocal(expression.accumulator, function* (accumulator) {
    const { variable, condition, step } = yield* planner.withLocal(expression.variable, function* (slot) {
      return {
        variable: slot,
        condition: yield* planner.plan(expression.condition),
        step: (yield* planCollecting(expression, planner, accumulator)) ?? (yield* planner.plan(expression.step)),
      };
    });
    const result = yield* planner.plan(expression.result);
    const collects = collectedItem(expression.step) !== undefined && expression.initial.kind === 'list';
    const loop: Loop = {
      range,
      initial: collects ? () => new Collection() : initial,
      accumulator,
      variable,
      condition,
      step,
      result,
    };
    return (frame: Frame) => {
      if (frame.pauses !== undefined) return loopWithPauses(loop, frame, frame.pauses);
      const items = itemsOf(range(frame));
      if (items instanceof CelFailure) return items;
      frame.locals[accumulator] = loop.initial(frame);
      for (const item of items) {
        frame.locals[variable] = item;
        if (condition(frame) !== true) break;
        frame.locals[accumulator] = step(frame);
      }
      return result(frame);
    };
  });
}

/** A planned loop. */
interface Loop {
  readonly range: Step;
  readonly initial: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  /** Slots of the accumulator and of the variable. */
  readonly accumulator: number;
  readonly variable: number;
}

/** Runs a loop that may pause between two items, and continues it after a pause. */
function loopWithPauses(loop: Loop, frame: Frame, pauses: Pauses): CelResult {
  const { done } = pauses;
  const known = done.get(loop);
  if (known !== undefined && 'result' in known) {
    pauses.resume(known);
    return known.result;
  }
  const state = known !== undefined && 'loop' in known ? known : beginLoop(loop, frame);
  if (state instanceof CelFailure) return state;
  done.set(loop, state);
  pauses.resume(state);
  while (!state.loop.isOver) {
    runRound(loop, state.loop, frame, pauses);
    pauses.done = done;
    pauses.mayPause(state);
  }
  frame.locals[loop.accumulator] = state.loop.accumulated;
  const result = loop.result(frame);
  done.set(loop, { result });
  return result;
}

function beginLoop({ range, initial }: Loop, frame: Frame): { readonly loop: LoopState } | CelFailure {
  const items = itemsOf(range(frame));
  if (items instanceof CelFailure) return items;
  const accumulated = initial(frame);
  return {
    loop: { items: items[Symbol.iterator](), item: undefined, accumulated, round: new Map(), isOver: false },
  };
}

/** Runs the loop for one item. An item whose round was abandoned by a pause is still there. */
function runRound({ accumulator, variable, condition, step }: Loop, state: LoopState, frame: Frame, pauses: Pauses) {
  if (state.item === undefined) {
    const next = state.items.next();
    state.isOver = next.done === true;
    if (next.done === true) return;
    state.item = next.value;
    if (state.round.size > 0) state.round = new Map();
  }
  const { locals } = frame;
  locals[accumulator] = state.accumulated;
  locals[variable] = state.item;
  pauses.done = state.round;
  if (condition(frame) === true) state.accumulated = step(frame);
  else state.isOver = true;
  state.item = undefined;
}

function itemsOf(range: CelResult): Iterable<CelValue> | CelFailure {
  if (range instanceof CelList) return range;
  if (range instanceof CelMap) return range.keys();
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
function* planCollecting(
  { initial, step }: ComprehensionExpression,
  planner: Planner,
  accumulator: number,
): Steps<Step | undefined> {
  const item = collectedItem(step);
  if (item === undefined || initial.kind !== 'list' || step.kind !== 'call') return undefined;
  const value = yield* planner.plan(item);
  const isConstant = planner.constants.known(item) !== undefined;
  const cost = 2 * STEP_COST + (isConstant ? 0 : LIST_COST);
  const add = (frame: Frame): CelResult => {
    frame.runtime.meter.charge(cost);
    const collected = frame.locals[accumulator];
    const added = value(frame);
    return collected instanceof Collection ? collected.add(added) : (collected ?? null);
  };
  const [predicateExpression] = step.arguments;
  if (step.name !== '_?_:_' || predicateExpression === undefined) return add;
  const predicate = yield* planner.plan(predicateExpression);
  return (frame) => {
    const isWanted = predicate(frame);
    if (isWanted === true) return add(frame);
    if (isWanted === false) return frame.locals[accumulator] ?? null;
    return isWanted instanceof CelFailure ? isWanted : noSuchOverload();
  };
}
