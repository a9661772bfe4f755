import {
  isArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';
import type { Pace } from '../validate/pace.js';

type Scalar = null | boolean | number | bigint | string;

/** Returns whether a value has no other values in it. */
export const isScalar = (value: JsonValue): value is Scalar => typeof value !== 'object' || value === null;

/** Most parts of two values that are compared in one step. */
export const COMPARED_AT_ONCE = 2000;

/**
 * Numbers of values: equal values have the same number, whatever the order of their keys. Each value is read once,
 * however often it or what contains it is compared: a comparison of texts would read a value once for each level above.
 */
export class ValueNumbers {
  readonly #scalars = new Map<Scalar, number>();
  readonly #containers = new Map<object, number>();
  /** Numbers by the numbers of the members. */
  readonly #texts = new Map<string, number>();
  readonly #pace: Pace;
  #next = 0;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Returns the number of a value. */
  *numberOf(value: JsonValue): Steps<number> {
    if (isScalar(value)) return this.#numberIn(this.#scalars, value);
    const known = this.#containers.get(value);
    if (known !== undefined) return known;
    const text = isArray(value) ? yield* this.#listText(value) : yield* this.#objectText(value);
    const number = this.#numberIn(this.#texts, text);
    this.#containers.set(value, number);
    return number;
  }

  /** Returns the indices at which a value occurs for the second time. */
  *secondOccurrences(values: readonly JsonValue[]): Steps<number[]> {
    const times = new Map<number, number>();
    const indices: number[] = [];
    for (const [index, value] of values.entries()) {
      if (this.#pace.visit()) yield;
      const number = isScalar(value) ? this.#numberIn(this.#scalars, value) : yield* this.numberOf(value);
      const seen = times.get(number) ?? 0;
      times.set(number, seen + 1);
      if (seen === 1) indices.push(index);
    }
    return indices;
  }

  #numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    this.#next += 1;
    numbers.set(key, this.#next);
    return this.#next;
  }

  *#listText(items: readonly JsonValue[]): Steps<string> {
    let text = '[';
    for (const item of items) {
      if (this.#pace.visit()) yield;
      text += `${isScalar(item) ? this.#numberIn(this.#scalars, item) : yield* this.numberOf(item)},`;
    }
    return text;
  }

  *#objectText(object: JsonObject): Steps<string> {
    let text = '{';
    for (const key of Object.keys(object).sort()) {
      const member = object[key];
      if (member === undefined) continue;
      if (this.#pace.visit()) yield;
      const number = isScalar(member) ? this.#numberIn(this.#scalars, member) : yield* this.numberOf(member);
      text += `${this.#numberIn(this.#scalars, key)}:${number},`;
    }
    return text;
  }
}

/** Compares two values as `equalJson` does. Returns undefined when the budget does not suffice. */
export function equalWithin(a: JsonValue, b: JsonValue, budget: { left: number }): boolean | undefined {
  if (a === b) return true;
  if (isScalar(a) || isScalar(b)) return false;
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) {
      const equal = isEqualPart(a[index] as JsonValue, b[index] as JsonValue, budget);
      if (equal !== true) return equal;
    }
    return true;
  }
  return isJsonObject(a) && isJsonObject(b) ? equalObjects(a, b, budget) : false;
}

function equalObjects(a: JsonObject, b: JsonObject, budget: { left: number }): boolean | undefined {
  let more = 0;
  for (const key in a) {
    const member = a[key];
    if (member === undefined) continue;
    more += 1;
    const other = ownMember(b, key);
    const equal = other === undefined ? false : isEqualPart(member, other, budget);
    if (equal !== true) return equal;
  }
  for (const key in b) if (b[key] !== undefined) more -= 1;
  return more === 0;
}

function isEqualPart(a: JsonValue, b: JsonValue, budget: { left: number }): boolean | undefined {
  budget.left -= 1;
  return budget.left < 0 ? undefined : equalWithin(a, b, budget);
}
