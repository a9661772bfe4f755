import {
  isArray,
  isJsonObject,
  ownMember,
  setOwnMember,
  utf8Length,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { arrayIndex } from './json-pointer.js';
import { LongList } from './long-list.js';
import { unprocessable } from './patch-error.js';
import type { Draft } from './values.js';

/** An object or array that the patch owns and may change. */
export type OwnContainer = Draft | JsonValue[];

/** A location in a container, with or without a value. The whole document has no `container`. */
export interface Location {
  readonly container: OwnContainer | undefined;
  readonly key: string;
}

/** Units of work to visit a value, and characters of one that take a unit. */
const VALUE_UNITS = 1;
const CHARACTERS_PER_UNIT = 16;

const ROOT: Location = { container: undefined, key: '' };

/** A document that a patch changes. Copies each container before its first change and records the copy as owned. */
export class PatchedDocument {
  #root: JsonValue;
  readonly #owned = new Set<object>();
  /**
   * Contents of owned long arrays with inserted or removed items. The arrays themselves are stale until
   * {@link #settle}.
   */
  readonly #longLists = new Map<object, LongList>();
  readonly #maxCopiedBytes: number;
  #copiedBytes = 0;
  #touched = 0;

  constructor(document: JsonValue, maxCopiedBytes: number) {
    this.#root = document;
    this.#maxCopiedBytes = maxCopiedBytes;
  }

  /** Returns the number of values that were copied or visited since the last call. */
  touched(): number {
    const count = this.#touched;
    this.#touched = 0;
    return count;
  }

  /** Returns the current document. */
  *root(work: Work): Steps<JsonValue> {
    yield* this.#settle(this.#root, work);
    return this.#root;
  }

  /** Returns the value at a location, with all changes applied; undefined when it is absent. */
  *find(tokens: readonly string[], work: Work): Steps<JsonValue | undefined> {
    let value: JsonValue | undefined = this.#root;
    for (const token of tokens) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = this.#child(value, token);
    }
    if (value !== undefined) yield* this.#settle(value, work);
    return value;
  }

  /** Returns true when the location has an object. */
  hasObject(tokens: readonly string[]): boolean {
    let value: JsonValue | undefined = this.#root;
    for (const token of tokens)
      value = typeof value === 'object' && value !== null ? this.#child(value, token) : undefined;
    return isJsonObject(value);
  }

  /** Returns the location of the tokens, in a container that may be changed; undefined without a container. */
  open(tokens: readonly string[]): Location | undefined {
    const last = tokens.length - 1;
    if (last < 0) return ROOT;
    if (typeof this.#root !== 'object' || this.#root === null) return undefined;
    let container = this.#own(this.#root);
    this.#root = container;
    for (let at = 0; at < last; at += 1) {
      const token = tokens[at] as string;
      const inner = this.#child(container, token);
      if (typeof inner !== 'object' || inner === null) return undefined;
      const own = this.#own(inner);
      if (own !== inner) this.#put(container, token, own);
      container = own;
    }
    return { container, key: tokens[last] as string };
  }

  /** Returns the value at a location, or undefined. */
  read({ container, key }: Location): JsonValue | undefined {
    return container === undefined ? this.#root : this.#child(container, key);
  }

  /** Sets a member, inserts an item, or replaces the document. Returns false for an invalid index. */
  add({ container, key }: Location, value: JsonValue): boolean {
    if (container === undefined) this.#root = value;
    else if (!Array.isArray(container)) this.#put(container, key, value);
    else {
      const length = this.#lengthOf(container);
      const index = key === '-' ? length : arrayIndex(key, length + 1);
      if (index < 0) return false;
      this.#insert(container, index, value);
    }
    return true;
  }

  /** Replaces the value at a location. */
  replace({ container, key }: Location, value: JsonValue): void {
    if (container === undefined) this.#root = value;
    else this.#put(container, key, value);
  }

  /** Removes and returns the value at a location. A removed document becomes null. */
  remove(location: Location): JsonValue {
    const { container, key } = location;
    const removed = this.read(location) ?? null;
    if (container === undefined) this.#root = null;
    else if (isLong(container)) this.#longList(container).remove(this.#indexIn(container, key));
    else if (Array.isArray(container)) container.splice(this.#indexIn(container, key), 1);
    else delete container[key];
    return removed;
  }

  /**
   * Counts a value that gets a second location and disowns its containers, so that neither location changes the other.
   * Containers are copied only when one of them changes.
   *
   * @throws PatchError 422 when more bytes are copied than allowed
   */
  *share(value: JsonValue, work: Work): Steps<void> {
    yield* this.#settle(value, work);
    const pending: JsonValue[] = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (work.spend(VALUE_UNITS + (typeof next === 'string' ? next.length / CHARACTERS_PER_UNIT : 0))) yield;
      this.#copiedBytes += ownBytes(next);
      if (this.#copiedBytes > this.#maxCopiedBytes) {
        throw unprocessable(
          `Unable to copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${this.#maxCopiedBytes}`,
        );
      }
      if (typeof next !== 'object' || next === null) continue;
      this.#owned.delete(next);
      for (const inner of isArray(next) ? next : Object.values(next)) if (inner !== undefined) pending.push(inner);
    }
  }

  #own(container: JsonObject | readonly JsonValue[]): OwnContainer {
    if (this.#owned.has(container)) return container as OwnContainer;
    const copy: OwnContainer = isArray(container) ? container.slice() : { ...container };
    this.#touched += isArray(copy) ? copy.length : Object.keys(copy).length;
    this.#owned.add(copy);
    return copy;
  }

  #child(container: JsonObject | readonly JsonValue[], token: string): JsonValue | undefined {
    if (!isArray(container)) return ownMember(container, token);
    const index = this.#indexIn(container, token);
    if (index < 0) return undefined;
    const list = this.#longLists.get(container);
    return list === undefined ? container[index] : list.at(index);
  }

  /** Sets a member, or replaces an existing item. */
  #put(container: OwnContainer, key: string, value: JsonValue): void {
    const list = this.#longLists.get(container);
    if (!Array.isArray(container)) setOwnMember(container, key, value);
    else if (list !== undefined) list.set(this.#indexIn(container, key), value);
    else container[this.#indexIn(container, key)] = value;
  }

  #insert(container: JsonValue[], index: number, value: JsonValue): void {
    const list = isLong(container) ? this.#longList(container) : undefined;
    if (list === undefined) container.splice(index, 0, value);
    else list.insert(index, value);
  }

  /** Returns the index of an existing item; -1 when there is none. */
  #indexIn(array: readonly JsonValue[], key: string): number {
    return arrayIndex(key, this.#lengthOf(array));
  }

  #lengthOf(array: readonly JsonValue[]): number {
    return this.#longLists.get(array)?.length ?? array.length;
  }

  #longList(array: JsonValue[]): LongList {
    let list = this.#longLists.get(array);
    if (list === undefined) {
      this.#touched += array.length;
      this.#longLists.set(array, (list = new LongList(array)));
    }
    return list;
  }

  /** Writes pending changes to the long arrays in a value. */
  *#settle(value: JsonValue, work: Work): Steps<void> {
    if (this.#longLists.size === 0) return;
    const pending: JsonValue[] = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (work.spend(VALUE_UNITS)) yield;
      if (typeof next !== 'object' || next === null) continue;
      const list = this.#longLists.get(next);
      if (list !== undefined) {
        list.writeTo(next as JsonValue[]);
        this.#longLists.delete(next);
      }
      for (const inner of isArray(next) ? next : Object.values(next)) if (inner !== undefined) pending.push(inner);
    }
  }
}

/** Returns true for an array that is too long to move its items in every operation. */
const isLong = (container: OwnContainer): container is JsonValue[] =>
  Array.isArray(container) && container.length > LONG;
const LONG = 2_048;

/** Returns the bytes of a scalar's JSON, or those that a container adds to its items. */
function ownBytes(value: JsonValue): number {
  if (typeof value === 'string') return utf8Length(JSON.stringify(value));
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (isArray(value)) return 1 + Math.max(1, value.length);
  let bytes = 1;
  for (const key in value) bytes += utf8Length(JSON.stringify(key)) + 2;
  return Math.max(2, bytes);
}
