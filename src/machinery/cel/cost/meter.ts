/**
 * The cost of an evaluation, in the units of Kubernetes: a step costs 1, walking through text or a list a tenth for
 * each character or item, creating a list 10 and a map 30. The evaluation ends when it exceeds the limit.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { CelCostError } from '../evaluate/failures.js';
import { EvaluationPause } from '../evaluate/pauses.js';
import { CelList, CelMap, CelOpaque, type CelValue } from '../evaluate/values.js';

/** Cost of naming a variable, selecting a field, indexing, and of most calls. */
export const STEP_COST = 1;
/** Cost of creating a list. */
export const LIST_COST = 10;
/** Cost of creating a map. */
export const MAP_COST = 30;
export const TRAVERSAL_FACTOR = 0.1;
export const PATTERN_FACTOR = 0.25;

/*
 * In Kubernetes, some work is free or costs 1 regardless of its size. Here, large work of this kind costs about as much
 * as other work of the same duration.
 */

/** Cost of scanning text once as part of a call: text of up to a thousand characters is one step. */
export const scanCost = (length: number): number => Math.max(STEP_COST, Math.ceil((length - 1000) / 100));
/** Cost of listing the keys of a map: up to a hundred keys are one step. */
export const keysCost = (size: number): number => Math.max(STEP_COST, Math.ceil((size - 100) / 2));
/** Worst-case cost of searching for a text in a text. */
export const searchCost = (length: number, partLength: number): number => Math.ceil((length * partLength) / 1000);

/** Counts the cost of one evaluation, and the work that costs nothing. */
export class Meter {
  #cost = 0;
  #work = 0;
  readonly #limit: number;
  /** Cost and work beyond which a brief evaluation ends. */
  readonly #brief: number;
  /** The lower one of both. */
  readonly #stop: number;

  /**
   * @param limit maximum cost
   * @param brief cost and work beyond which the evaluation is abandoned. Default none
   */
  constructor(limit: number, brief = Infinity) {
    this.#limit = limit;
    this.#brief = brief;
    this.#stop = Math.min(limit, brief);
  }

  get cost(): number {
    return this.#cost;
  }

  /** Cost and work. */
  get total(): number {
    return this.#cost + this.#work;
  }

  /**
   * @throws CelCostError past the limit
   * @throws EvaluationPause past what is brief
   */
  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#stop) this.#end();
  }

  /** Counts work that costs nothing in Kubernetes, such as compiling a pattern. @throws EvaluationPause as `charge` */
  work(units: number): void {
    this.#work += units;
    if (this.#work > this.#brief) this.#end();
  }

  /** Sets the cost when an evaluation is repeated. */
  restore(cost: number): void {
    this.#cost = cost;
  }

  #end(): never {
    throw this.#cost > this.#limit ? new CelCostError() : new EvaluationPause();
  }
}

/** Cost of walking through a value of that size, `times` times. */
export const traversalCost = (size: number, times = 1): number => Math.ceil(size * times * TRAVERSAL_FACTOR);

/** Cost of matching a pattern: its length times that of the text. */
export const patternCost = (textSize: number, patternSize: number): number =>
  traversalCost(1 + textSize) * Math.ceil(patternSize * PATTERN_FACTOR);

/**
 * Charges for walking through a whole value: 1 for a value without parts, a tenth for each character.
 *
 * @throws CelCostError past the limit, which ends the walk through deeply shared values
 */
export function chargeWalk(value: CelValue, meter: Meter): void {
  if (value instanceof CelList) for (const item of value) chargeWalk(item, meter);
  else if (value instanceof CelMap) for (const key of value.keys()) chargeEntry(key, value.get(key), meter);
  else
    meter.charge(
      typeof value === 'string' || value instanceof Uint8Array ? value.length * TRAVERSAL_FACTOR : STEP_COST,
    );
}

/** Items that are charged for before the charge may pause. */
const ITEMS_AT_ONCE = 64;

/** Work of visiting an item that costs less, such as an empty text. */
const VISIT_WORK = 0.5;

/** Charges for an item of a walk that visits it. @throws CelCostError past the limit */
export function chargeVisit(item: CelValue, meter: Meter): void {
  const before = meter.cost;
  chargeWalk(item, meter);
  const charged = meter.cost - before;
  if (charged < VISIT_WORK) meter.work(VISIT_WORK - charged);
}

/** {@link chargeWalk} in steps: it may pause between the items of lists. */
export function* chargeWalkInSteps(list: CelList, meter: Meter): Steps<void> {
  let open = ITEMS_AT_ONCE;
  for (const item of list) {
    if (item instanceof CelList) yield* chargeWalkInSteps(item, meter);
    else chargeVisit(item, meter);
    open -= 1;
    if (open > 0) continue;
    yield;
    open = ITEMS_AT_ONCE;
  }
}

function chargeEntry(key: CelValue, value: CelValue | undefined, meter: Meter): void {
  chargeWalk(key, meter);
  if (value !== undefined) chargeWalk(value, meter);
}

/**
 * Returns the size of a value: characters, bytes, items or entries; 1 for other values. Text is measured in UTF-16
 * units, its size in memory, which is never less than its number of characters.
 */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  return value instanceof CelList || value instanceof CelMap || value instanceof CelOpaque ? value.size : 1;
}
