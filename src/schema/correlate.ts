/**
 * Values of an update, each with its value before the update. A value that did not change may violate rules that were
 * added later (validation ratcheting).
 *
 * Source: `CorrelatedObject` of Kubernetes 1.31.
 *
 * @module
 */
import { ownMember } from '../encoding/own-property.js';
import { equalJson, isArray, isJsonObject, type JsonValue } from '../meta/json.js';
import type { StructuralSchema } from './structural.js';

/** A value and its old value. Comparisons and children are kept, so that a second question is cheap. */
export class CorrelatedValue {
  readonly value: JsonValue;
  readonly oldValue: JsonValue;
  readonly #schema: StructuralSchema;
  readonly #children = new Map<string | number, CorrelatedValue>();
  #oldItems: ReadonlyMap<string, JsonValue> | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: JsonValue, oldValue: JsonValue, schema: StructuralSchema) {
    this.value = value;
    this.oldValue = oldValue;
    this.#schema = schema;
  }

  /**
   * True when the value equals its old value. The order of a list of type `map` does not matter. A value with a field
   * that has no schema counts as changed.
   */
  get isUnchanged(): boolean {
    return (this.#isUnchanged ??= this.#compare());
  }

  /** Returns a field or entry; undefined when it has no old value or no schema. */
  field(name: string): CorrelatedValue | undefined {
    const known = this.#children.get(name);
    if (known !== undefined) return known;
    const { value, oldValue } = this;
    if (!isJsonObject(value) || !isJsonObject(oldValue)) return undefined;
    const schema = this.#schema.properties?.get(name) ?? this.#schema.additionalProperties;
    return this.#child(name, ownMember(value, name), ownMember(oldValue, name), schema);
  }

  /**
   * Returns an item. Its old value is the item with the same keys in a list of type `map`, and the item at the same
   * place in a list without a type; undefined when there is none, and in other lists.
   */
  item(index: number): CorrelatedValue | undefined {
    const known = this.#children.get(index);
    if (known !== undefined) return known;
    const { value } = this;
    if (!isArray(value)) return undefined;
    const item = value[index];
    return this.#child(index, item, this.#oldItem(item, index), this.#schema.items);
  }

  #child(
    key: string | number,
    value: JsonValue | undefined,
    oldValue: JsonValue | undefined,
    schema: StructuralSchema | undefined,
  ): CorrelatedValue | undefined {
    if (value === undefined || oldValue === undefined || schema === undefined) return undefined;
    const child = new CorrelatedValue(value, oldValue, schema);
    this.#children.set(key, child);
    return child;
  }

  #oldItem(item: JsonValue | undefined, index: number): JsonValue | undefined {
    const { oldValue } = this;
    if (!isArray(oldValue)) return undefined;
    const { listType, listMapKeys = [] } = this.#schema;
    if (listType === undefined) return oldValue[index] ?? undefined;
    if (listType !== 'map') return undefined;
    const key = mapKeyOf(item, listMapKeys);
    return key === undefined ? undefined : (this.#oldItems ??= itemsByKey(oldValue, listMapKeys)).get(key);
  }

  #compare(): boolean {
    const { value, oldValue } = this;
    if (isArray(value) && isArray(oldValue)) return this.#compareLists(value, oldValue);
    if (!isJsonObject(value) || !isJsonObject(oldValue)) return equalJson(value, oldValue);
    const names = definedNames(value);
    if (names.length !== definedNames(oldValue).length) return false;
    return names.every((name) => this.field(name)?.isUnchanged === true);
  }

  #compareLists(value: readonly JsonValue[], oldValue: readonly JsonValue[]): boolean {
    if (value.length !== oldValue.length) return false;
    for (let index = 0; index < value.length; index += 1) {
      const item = this.item(index);
      // A list whose items have no old values is compared as a whole.
      if (item === undefined) return this.#schema.listType !== 'map' && equalJson(value, oldValue);
      if (!item.isUnchanged) return false;
    }
    return true;
  }
}

const definedNames = (value: { readonly [name: string]: JsonValue | undefined }): string[] =>
  Object.keys(value).filter((name) => value[name] !== undefined);

/**
 * Returns the items of a list of type `map` by their keys. The first of several items with the same keys counts.
 *
 * @param keys the list's key fields
 */
export function itemsByKey(items: readonly JsonValue[], keys: readonly string[]): ReadonlyMap<string, JsonValue> {
  const byKey = new Map<string, JsonValue>();
  for (const item of items) {
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
  return JSON.stringify(values);
}
