/**
 * The cost of an evaluation, as Kubernetes counts it: a step costs 1, walking through text or a list a tenth for each
 * character or item, creating a list 10 and a map 30. The evaluation ends when it exceeds the limit.
 *
 * Some functions cost nothing or 1 in Kubernetes, however large their operands are. What they do is counted as work,
 * which has a limit of its own.
 *
 * @module
 */
import { codePointCount, utf8Length, type Steps } from '../../../foundation/index.js';
import { CelCostError } from '../evaluate/failures.js';
import { EvaluationPause } from '../evaluate/pauses.js';
import { CelList, CelMap, CelOpaque, type CelValue } from '../evaluate/values.js';
import { MAX_MADE_LENGTH, WORK_PER_COST } from './limits.js';

/** Cost of naming a variable, selecting a field, indexing, and of most calls. */
export const STEP_COST = 1;
/** Cost of creating a list. */
export const LIST_COST = 10;
/** Cost of creating a map. */
export const MAP_COST = 30;
export const TRAVERSAL_FACTOR = 0.1;
export const PATTERN_FACTOR = 0.25;

/** Characters that a unit of work visits. */
export const CHARACTERS_OF_UNIT = 16;
/** Bytes of memory for a character of a text. */
const BYTES_OF_CHARACTER = 2;
/** Bytes of memory for an item of a list: its place and a short text. */
const BYTES_OF_ITEM = 40;

/** Cost and work after which steps may pause: about ten microseconds. */
const UNITS_AT_ONCE = 200;

/** How far an evaluation has come. */
export interface MeterReading {
  readonly cost: number;
  readonly work: number;
  readonly bytes: number;
}

const START: MeterReading = { cost: 0, work: 0, bytes: 0 };

/** Counts the cost of one evaluation, the work that costs nothing, and the memory of the values that it makes. */
export class Meter {
  #cost = 0;
  #work = 0;
  #bytes = 0;
  /** The count at which steps may pause next. */
  #pausable = 0;
  readonly #limit: number;
  readonly #workLimit: number;
  /** Cost and work beyond which the evaluation ends: their limit, or what is brief. */
  readonly #costStop: number;
  readonly #workStop: number;
  readonly #reserve: ((bytes: number) => void) | undefined;

  /**
   * @param limit maximum cost
   * @param brief cost and work beyond which the evaluation is abandoned. Default none
   * @param reserve reserves memory before it is allocated: receives the bytes of all values made so far. Default none
   */
  constructor(limit: number, brief = Infinity, reserve?: (bytes: number) => void) {
    this.#limit = limit;
    this.#workLimit = limit * WORK_PER_COST;
    this.#costStop = Math.min(limit, brief);
    this.#workStop = Math.min(this.#workLimit, brief);
    this.#reserve = reserve;
  }

  get cost(): number {
    return this.#cost;
  }

  /** Cost and work. */
  get total(): number {
    return this.#cost + this.#work;
  }

  /** The counts so far. */
  get reading(): MeterReading {
    return { cost: this.#cost, work: this.#work, bytes: this.#bytes };
  }

  /**
   * @throws CelCostError past the limit
   * @throws EvaluationPause past what is brief
   */
  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#costStop) this.#end();
  }

  /** Counts work that costs nothing in Kubernetes, such as compiling a pattern. @throws as {@link charge} */
  work(units: number): void {
    this.#work += units;
    if (this.#work > this.#workStop) this.#end();
  }

  /** Counts {@link work}, and returns {@link mayPause}. */
  step(units: number): boolean {
    this.work(units);
    return this.mayPause();
  }

  /**
   * Returns true when enough has been counted since it last did: steps may pause then. Values within each other share
   * this, so that steps neither pause at each nor at none of them.
   */
  mayPause(): boolean {
    if (this.total - this.#pausable < UNITS_AT_ONCE) return false;
    this.#pausable = this.total;
    return true;
  }

  /**
   * Counts a text or bytes before they are made.
   *
   * @param whole length of the text that they become a part of
   * @throws CelCostError for a whole of more than {@link MAX_MADE_LENGTH}, and as {@link charge}
   * @throws what reserving memory throws
   */
  makeText(length: number, whole = length): void {
    if (whole > MAX_MADE_LENGTH) throw new CelCostError();
    this.work(length / CHARACTERS_OF_UNIT);
    this.#allocate(length * BYTES_OF_CHARACTER);
  }

  /** Counts items of a list, or other small values, before they are made. @throws as {@link charge} and `makeText` */
  makeItems(count: number): void {
    this.work(count);
    this.#allocate(count * BYTES_OF_ITEM);
  }

  /** Sets what has been counted, when an evaluation is repeated. Default nothing. */
  restore({ cost, work, bytes }: MeterReading = START): void {
    this.#cost = cost;
    this.#work = work;
    this.#bytes = bytes;
    this.#pausable = cost + work;
  }

  #allocate(bytes: number): void {
    this.#bytes += bytes;
    this.#reserve?.(this.#bytes);
  }

  #end(): never {
    throw this.#cost > this.#limit || this.#work > this.#workLimit ? new CelCostError() : new EvaluationPause();
  }
}

/** Cost of walking through a value of that size, `times` times. */
export const traversalCost = (size: number, times = 1): number => Math.ceil(size * times * TRAVERSAL_FACTOR);

/** Cost of walking through a text, `times` times. */
export const textCost = (text: string, times = 1): number => traversalCost(codePointCount(text), times);

/** Cost of matching a pattern of that size: its size times that of the text. An empty one costs nothing. */
export const patternCost = (text: string, patternSize: number): number =>
  patternSize === 0 ? 0 : traversalCost(1 + codePointCount(text)) * Math.ceil(patternSize * PATTERN_FACTOR);

/** Cost of looking for a part in a text. An empty one costs nothing, and then the text is not counted either. */
export function searchCost(text: string, part: string): number {
  const cost = textCost(part);
  return cost === 0 ? 0 : cost * textCost(text);
}

/** Work of visiting a value. */
const VISIT_WORK = 0.5;

/**
 * Charges for walking through a whole value, in steps: 1 for a value without parts, a tenth for each byte of a text.
 *
 * @throws CelCostError past a limit, which ends the walk through deeply shared values
 */
export function* chargeWalk(value: CelValue, meter: Meter): Steps<void> {
  if (!(value instanceof CelList || value instanceof CelMap)) {
    chargePart(value, meter);
    return;
  }
  for (const part of value instanceof CelList ? value : partsOf(value)) {
    if (part instanceof CelList || part instanceof CelMap) yield* chargeWalk(part, meter);
    else chargePart(part, meter);
    if (meter.mayPause()) yield;
  }
}

/** Returns the keys and values of a map. */
function* partsOf(map: CelMap): Iterable<CelValue> {
  for (const key of map.keys()) {
    yield key;
    const value = map.get(key);
    if (value !== undefined) yield value;
  }
}

/** Charges for a value without parts. Kubernetes rounds down. */
function chargePart(value: CelValue, meter: Meter): void {
  if (typeof value === 'string') meter.charge(Math.floor(utf8Length(value) * TRAVERSAL_FACTOR));
  else meter.charge(value instanceof Uint8Array ? Math.floor(value.length * TRAVERSAL_FACTOR) : STEP_COST);
  meter.work(VISIT_WORK);
}

/** Returns the size of a value: characters, bytes, items or entries; 1 for other values. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string') return codePointCount(value);
  if (value instanceof Uint8Array) return value.length;
  return value instanceof CelList || value instanceof CelMap || value instanceof CelOpaque ? value.size : 1;
}

/**
 * Returns the smaller {@link sizeOf} of two values. Counts the characters of a long text only when the other value is
 * long too: counting must not take longer than its cost allows.
 */
export function smallerSize(a: CelValue | undefined, b: CelValue | undefined): number {
  if (mostSize(a) <= leastSize(b)) return sizeOf(a);
  if (mostSize(b) <= leastSize(a)) return sizeOf(b);
  return Math.min(sizeOf(a), sizeOf(b));
}

/** A character has one or two UTF-16 units. */
const mostSize = (value: CelValue | undefined): number => (typeof value === 'string' ? value.length : sizeOf(value));
const leastSize = (value: CelValue | undefined): number =>
  typeof value === 'string' ? Math.ceil(value.length / 2) : sizeOf(value);
