/**
 * What an evaluation costs, in the production system's units: a step costs 1, walking through text or a list a tenth for
 * each character or item, making a list 10 and a map 30. Past the limit the evaluation ends.
 *
 * @module
 */
import { CelCostError } from './failures.js';
import { CelList, CelMap, type CelValue } from './values.js';

/** Cost of naming a variable, selecting a field, indexing, and of most calls. */
export const STEP_COST = 1;
export const LIST_COST = 10;
export const MAP_COST = 30;
const TRAVERSAL_FACTOR = 0.1;
const PATTERN_FACTOR = 0.25;

/*
 * Some work is free in the production system's count, or costs 1 however much it is. Where it is much it has a price here,
 * about as high as other work that takes as long.
 */

/** Cost of going over text once, where that is one step of a call: text up to a thousand characters is still one step. */
export const scanCost = (length: number): number => Math.max(STEP_COST, Math.ceil((length - 1000) / 100));
/** Cost of finding out the keys of a map: up to a hundred are one step. */
export const keysCost = (size: number): number => Math.max(STEP_COST, Math.ceil((size - 100) / 2));
/** Cost of looking for a text in a text, at its worst. */
export const searchCost = (length: number, partLength: number): number => Math.ceil((length * partLength) / 1000);

/** Counts the cost of one evaluation. */
export class Meter {
  #cost = 0;

  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** @throws CelCostError past the limit */
  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CelCostError();
  }
}

/** Cost of walking through something of that size, `times` times. */
export const traversalCost = (size: number, times = 1): number => Math.ceil(size * times * TRAVERSAL_FACTOR);

/** Cost of matching a pattern: its length times that of the text. */
export const patternCost = (textSize: number, patternSize: number): number =>
  traversalCost(1 + textSize) * Math.ceil(patternSize * PATTERN_FACTOR);

/**
 * Charges for walking through all of a value: 1 for what has no parts, a tenth for each character.
 *
 * @throws CelCostError past the limit, which ends the walk through values that hold one another many times
 */
export function chargeWalk(value: CelValue, meter: Meter): void {
  if (value instanceof CelList) for (const item of value) chargeWalk(item, meter);
  else if (value instanceof CelMap) for (const key of value.keys()) chargeEntry(key, value.get(key), meter);
  else
    meter.charge(
      typeof value === 'string' || value instanceof Uint8Array ? value.length * TRAVERSAL_FACTOR : STEP_COST,
    );
}

function chargeEntry(key: CelValue, value: CelValue | undefined, meter: Meter): void {
  chargeWalk(key, meter);
  if (value !== undefined) chargeWalk(value, meter);
}

/**
 * Size of a value: characters, bytes, items or entries; 1 for what has none. Text is measured in UTF-16 units, which is what
 * it takes here and never less than its characters.
 */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  return value instanceof CelList || value instanceof CelMap ? value.size : 1;
}
