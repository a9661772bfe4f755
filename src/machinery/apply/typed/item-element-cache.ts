import { isArray, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import type { PathElement } from '../fieldpath/element.js';
import type { ListKey } from './type.js';
import { member } from './value.js';

/** Returns the value of an item's key, or the key's default; undefined without either. */
export function keyValue(item: JsonObject, { name, default: byDefault }: ListKey): JsonValue | undefined {
  const value = member(item, name);
  return value === undefined ? byDefault : value;
}

type Level = PathElement | Map<JsonValue | undefined, Level>;

/** Maximum number of elements that a list caches; past it, the cache is cleared. */
const MAX_ELEMENTS = 1024;
/** Maximum length of a cached element. */
const MAX_LENGTH = 256;

/**
 * A cache of the elements of a list's keyed items, by the values of the keys, one level per key. The same items return
 * with every write, and an existing string is a faster map key.
 */
export class ItemElementCache {
  #root = new Map<JsonValue | undefined, Level>();
  #size = 0;

  /** Returns the element of an item; undefined when it is not cached. */
  recall(item: JsonValue, keys: readonly ListKey[]): PathElement | undefined {
    if (typeof item !== 'object' || item === null || isArray(item)) return undefined;
    let level: Level | undefined = this.#root;
    for (let index = 0; index < keys.length; index += 1) {
      level = typeof level === 'object' ? level.get(keyValue(item, keys[index] as ListKey)) : undefined;
    }
    return typeof level === 'string' ? level : undefined;
  }

  /** Caches the element of an item whose keys are scalars. */
  remember(item: JsonObject, keys: readonly ListKey[], element: PathElement): void {
    if (element.length > MAX_LENGTH) return;
    if (this.#size >= MAX_ELEMENTS) {
      this.#root = new Map();
      this.#size = 0;
    }
    this.#size += 1;
    const last = keys.length - 1;
    let level = this.#root;
    for (let index = 0; index < last; index += 1) {
      const value = keyValue(item, keys[index] as ListKey);
      let next = level.get(value);
      if (typeof next !== 'object') level.set(value, (next = new Map<JsonValue | undefined, Level>()));
      level = next;
    }
    level.set(keyValue(item, keys[last] as ListKey), element);
  }
}
