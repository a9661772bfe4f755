/**
 * Values of an update, each with its value before the update. A value that did not change may violate rules that were
 * added later (validation ratcheting).
 *
 * Source: `CorrelatedObject` of Kubernetes 1.31.
 *
 * @module
 */
import {
  isArray,
  isJsonObject,
  jsonText,
  keysInSteps,
  ownMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { COMPARED_AT_ONCE, equalWithin, isScalar } from '../read/value-numbers.js';

/** The part of a schema that says which old value belongs to a value. */
export interface CorrelationSchema extends Pick<StructuralSchema, 'listType' | 'listMapKeys'> {
  readonly properties?: ReadonlyMap<string, CorrelationSchema> | undefined;
  readonly additionalProperties?: CorrelationSchema | undefined;
  readonly items?: CorrelationSchema | undefined;
}

/** Work of comparing two values. */
const UNITS_OF_COMPARISON = 2;

/** Work of finding the key of an item. */
const UNITS_OF_KEY = 6;

/** A value and its old value. Comparisons and children are kept, so that a second question is cheap. */
export class CorrelatedValue {
  readonly value: JsonValue;
  readonly oldValue: JsonValue;
  readonly #schema: CorrelationSchema;
  readonly #children = new Map<string | number, CorrelatedValue>();
  #oldItems: ReadonlyMap<string, JsonValue> | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: JsonValue, oldValue: JsonValue, schema: CorrelationSchema) {
    this.value = value;
    this.oldValue = oldValue;
    this.#schema = schema;
  }

  /**
   * Returns whether the value equals its old value. The order of a list of type `map` does not matter. A value with a
   * field that has no schema counts as changed.
   */
  *unchanged(work: Work): Steps<boolean> {
    return (this.#isUnchanged ??= yield* this.#compare(work));
  }

  /** Returns a field or entry; undefined when it has no old value or no schema. */
  field(name: string): CorrelatedValue | undefined {
    const known = this.#children.get(name);
    if (known !== undefined) return known;
    const { value, oldValue } = this;
    if (!isJsonObject(value) || !isJsonObject(oldValue)) return undefined;
    return this.#child(name, ownMember(value, name), ownMember(oldValue, name), memberSchema(this.#schema, name));
  }

  /**
   * Returns an item. Its old value is the item with the same keys in a list of type `map`; undefined when there is none,
   * and in other lists.
   */
  *item(index: number, work: Work): Steps<CorrelatedValue | undefined> {
    const known = this.#children.get(index);
    if (known !== undefined) return known;
    const { value } = this;
    if (!isArray(value)) return undefined;
    const item = value[index];
    return this.#child(index, item, yield* this.#oldItem(item, work), this.#schema.items);
  }

  #child(
    key: string | number,
    value: JsonValue | undefined,
    oldValue: JsonValue | undefined,
    schema: CorrelationSchema | undefined,
  ): CorrelatedValue | undefined {
    if (value === undefined || oldValue === undefined || schema === undefined) return undefined;
    const child = new CorrelatedValue(value, oldValue, schema);
    this.#children.set(key, child);
    return child;
  }

  *#oldItem(item: JsonValue | undefined, work: Work): Steps<JsonValue | undefined> {
    const { oldValue } = this;
    const { listType, listMapKeys = [] } = this.#schema;
    if (listType !== 'map' || !isArray(oldValue)) return undefined;
    const key = mapKeyOf(item, listMapKeys);
    if (key === undefined) return undefined;
    return (this.#oldItems ??= yield* itemsByKey(oldValue, listMapKeys, work)).get(key);
  }

  *#compare(work: Work): Steps<boolean> {
    const { value, oldValue } = this;
    if (work.spend(UNITS_OF_COMPARISON)) yield;
    if (isArray(value) && isArray(oldValue)) return yield* this.#compareLists(value, oldValue, work);
    if (!isJsonObject(value) || !isJsonObject(oldValue)) return value === oldValue;
    const names = yield* keysInSteps(value, work);
    if (!(yield* haveEqualCounts(value, names, oldValue, work))) return false;
    for (const name of names) {
      const [member, before] = [value[name], ownMember(oldValue, name)];
      if (member === undefined) continue;
      if (work.spend(UNITS_OF_COMPARISON)) yield;
      if (before === undefined || memberSchema(this.#schema, name) === undefined) return false;
      if (isScalar(member) || isScalar(before)) {
        if (member !== before) return false;
      } else if (!(yield* (this.field(name) as CorrelatedValue).unchanged(work))) return false;
    }
    return true;
  }

  *#compareLists(value: readonly JsonValue[], oldValue: readonly JsonValue[], work: Work): Steps<boolean> {
    if (value.length !== oldValue.length) return false;
    // A list whose items have no old values is compared as a whole.
    if (this.#schema.listType !== 'map') return yield* equalLists(value, oldValue, work);
    for (let index = 0; index < value.length; index += 1) {
      const item = yield* this.item(index, work);
      if (item === undefined || !(yield* item.unchanged(work))) return false;
    }
    return true;
  }
}

/** Compares lists of equal lengths. */
function* equalLists(value: readonly JsonValue[], oldValue: readonly JsonValue[], work: Work): Steps<boolean> {
  for (let index = 0; index < value.length; index += 1) {
    const equal = yield* equalInSteps(value[index] as JsonValue, oldValue[index] as JsonValue, work);
    if (!equal) return false;
  }
  return true;
}

function* equalInSteps(a: JsonValue, b: JsonValue, work: Work): Steps<boolean> {
  if (isScalar(a) || isScalar(b)) return a === b;
  const budget = { left: COMPARED_AT_ONCE };
  const equal = equalWithin(a, b, budget);
  if (work.spend(COMPARED_AT_ONCE - budget.left)) yield;
  if (equal !== undefined) return equal;
  if (isArray(a)) return isArray(b) && a.length === b.length && (yield* equalLists(a, b, work));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const names = yield* keysInSteps(a, work);
  if (!(yield* haveEqualCounts(a, names, b, work))) return false;
  for (const name of names) {
    const [member, other] = [a[name], ownMember(b, name)];
    if (member === undefined) continue;
    if (other === undefined || !(yield* equalInSteps(member, other, work))) return false;
  }
  return true;
}

/** Returns whether two objects have equally many members, of which those of one are listed. */
function* haveEqualCounts(a: JsonObject, names: readonly string[], b: JsonObject, work: Work): Steps<boolean> {
  let more = 0;
  for (const name of names) {
    if (work.spend(1)) yield;
    if (a[name] !== undefined) more += 1;
  }
  for (const name of yield* keysInSteps(b, work)) {
    if (work.spend(1)) yield;
    if (b[name] !== undefined) more -= 1;
  }
  return more === 0;
}

function countOf(object: JsonObject): number {
  let count = 0;
  for (const name in object) if (object[name] !== undefined) count += 1;
  return count;
}

const memberSchema = (
  { properties, additionalProperties }: CorrelationSchema,
  name: string,
): CorrelationSchema | undefined => properties?.get(name) ?? additionalProperties;

/**
 * Compares two values as {@link CorrelatedValue.unchanged} does. Returns undefined when the budget does not suffice, and
 * for a list of type `map` that has changed in its order or its items.
 */
export function unchangedWithin(
  value: JsonValue,
  old: JsonValue,
  schema: CorrelationSchema,
  budget: { left: number },
): boolean | undefined {
  if (isScalar(value) || isScalar(old)) return value === old;
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  if (isArray(value)) {
    if (!isArray(old) || value.length !== old.length) return false;
    const { items } = schema;
    if (schema.listType !== 'map' || items === undefined) return equalWithin(value, old, budget);
    const isSame = value.every((item, index) => unchangedWithin(item, old[index] as JsonValue, items, budget) === true);
    return isSame ? true : undefined;
  }
  if (!isJsonObject(value) || !isJsonObject(old)) return false;
  return countOf(value) === countOf(old) ? unchangedMembers(value, old, schema, budget) : false;
}

function unchangedMembers(
  value: JsonObject,
  old: JsonObject,
  schema: CorrelationSchema,
  budget: { left: number },
): boolean | undefined {
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const [before, inner] = [ownMember(old, name), memberSchema(schema, name)];
    const same = before !== undefined && inner !== undefined && unchangedWithin(member, before, inner, budget);
    if (same !== true) return same;
  }
  return true;
}

/**
 * Returns the items of a list of type `map` by their keys. The first of several items with the same keys counts.
 *
 * @param keys the list's key fields
 */
export function* itemsByKey(
  items: readonly JsonValue[],
  keys: readonly string[],
  work: Work,
): Steps<ReadonlyMap<string, JsonValue>> {
  const byKey = new Map<string, JsonValue>();
  for (const item of items) {
    if (work.spend(UNITS_OF_KEY)) yield;
    const key = mapKeyOf(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return byKey;
}

/** Returns the identity of an item in a list of type `map`; undefined unless it has scalars in all key fields. */
export function mapKeyOf(item: JsonValue | undefined, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || keys.length === 0) return undefined;
  const values: JsonValue[] = [];
  for (const key of keys) {
    const value = ownMember(item, key);
    if (value === undefined || value === null || typeof value === 'object') return undefined;
    values.push(value);
  }
  return jsonText(values);
}
