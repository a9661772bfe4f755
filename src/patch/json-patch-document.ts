import { ownMember, setOwnMember } from '../encoding/own-property.js';
import { utf8Length } from '../meta/go-text.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import { arrayIndex } from './json-pointer.js';
import { LongList } from './long-list.js';
import { unprocessable } from './patch-error.js';
import type { Draft } from './values.js';

/** An object or array that belongs to the patch and may be changed. */
export type OwnContainer = Draft | JsonValue[];

/** A place in a container; nothing need be there. `container` undefined is the place of the whole document. */
export interface Location {
  readonly container: OwnContainer | undefined;
  readonly key: string;
}

const ROOT: Location = { container: undefined, key: '' };

/** A document on its way through a patch: containers are copied before their first change, and remembered as the patch's own. */
export class PatchedDocument {
  #root: JsonValue;
  readonly #owned = new Set<object>();
  /** What stands in long arrays of the patch's own from which it has removed or into which it has inserted. The arrays themselves are out of date. */
  readonly #longLists = new Map<object, LongList>();
  readonly #maxCopiedBytes: number;
  #copiedBytes = 0;

  constructor(document: JsonValue, maxCopiedBytes: number) {
    this.#root = document;
    this.#maxCopiedBytes = maxCopiedBytes;
  }

  /** The document as it is now. */
  root(): JsonValue {
    this.#settle(this.#root);
    return this.#root;
  }

  /** The value at a place, or undefined. It is there to be read as a whole. */
  find(tokens: readonly string[]): JsonValue | undefined {
    let value: JsonValue | undefined = this.#root;
    for (const token of tokens) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = this.#child(value, token);
    }
    if (value !== undefined) this.#settle(value);
    return value;
  }

  /** Whether an object is at a place. */
  hasObject(tokens: readonly string[]): boolean {
    let value: JsonValue | undefined = this.#root;
    for (const token of tokens)
      value = typeof value === 'object' && value !== null ? this.#child(value, token) : undefined;
    return isJsonObject(value);
  }

  /** The place that tokens lead to, in a container that may be changed; undefined when there is no such container. */
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

  /** What is at a place, or undefined. */
  read({ container, key }: Location): JsonValue | undefined {
    return container === undefined ? this.#root : this.#child(container, key);
  }

  /** Sets a member, inserts an item, or takes the value as the document. False for an index that is none or past the end. */
  add({ container, key }: Location, value: JsonValue): boolean {
    if (container === undefined) this.#root = value;
    else if (!Array.isArray(container)) this.#put(container, key, value);
    else if (key !== '-' && arrayIndex(key, this.#lengthOf(container)) < 0) return false;
    else this.#insert(container, key, value);
    return true;
  }

  /** Replaces what is at a place. */
  replace({ container, key }: Location, value: JsonValue): void {
    if (container === undefined) this.#root = value;
    else this.#put(container, key, value);
  }

  /** Takes away and returns what is at a place. Of the whole document, null remains. */
  remove(location: Location): JsonValue {
    const { container, key } = location;
    const removed = this.read(location) ?? null;
    if (container === undefined) this.#root = null;
    else if (isLong(container)) this.#longList(container).remove(Number(key));
    else if (Array.isArray(container)) container.splice(Number(key), 1);
    else delete container[key];
    return removed;
  }

  /**
   * Counts a value that will stand in a second place, and disowns its containers: neither place may change what the other
   * has. Nothing is copied until one of them is changed.
   *
   * @throws PatchError 422 when more has been copied than is allowed
   */
  share(value: JsonValue): void {
    this.#settle(value);
    const pending: JsonValue[] = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
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
    this.#owned.add(copy);
    return copy;
  }

  #child(container: JsonObject | readonly JsonValue[], token: string): JsonValue | undefined {
    if (!isArray(container)) return ownMember(container, token);
    const index = arrayIndex(token, this.#lengthOf(container) - 1);
    if (index < 0) return undefined;
    const list = this.#longLists.get(container);
    return list === undefined ? container[index] : list.at(index);
  }

  /** Sets a member, or replaces an item that is there. */
  #put(container: OwnContainer, key: string, value: JsonValue): void {
    const list = this.#longLists.get(container);
    if (list !== undefined) list.set(Number(key), value);
    else if (Array.isArray(container)) container[Number(key)] = value;
    else setOwnMember(container as Draft, key, value);
  }

  #insert(container: JsonValue[], key: string, value: JsonValue): void {
    const list = isLong(container) ? this.#longList(container) : undefined;
    const index = key === '-' ? this.#lengthOf(container) : Number(key);
    if (list === undefined) container.splice(index, 0, value);
    else list.insert(index, value);
  }

  #lengthOf(array: readonly JsonValue[]): number {
    return this.#longLists.get(array)?.length ?? array.length;
  }

  #longList(array: JsonValue[]): LongList {
    let list = this.#longLists.get(array);
    if (list === undefined) this.#longLists.set(array, (list = new LongList(array)));
    return list;
  }

  /** Brings the long arrays in a value up to date. */
  #settle(value: JsonValue): void {
    if (this.#longLists.size === 0) return;
    const pending: JsonValue[] = [value];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
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

/** Whether so many items are in an array that those behind a place should not be moved for each operation. */
const isLong = (container: OwnContainer): container is JsonValue[] =>
  Array.isArray(container) && container.length > LONG;
const LONG = 2_048;

/** Bytes of a scalar's JSON, or of what a container adds to its items. */
function ownBytes(value: JsonValue): number {
  if (typeof value === 'string') return utf8Length(JSON.stringify(value));
  if (typeof value !== 'object' || value === null) return String(value).length;
  if (isArray(value)) return 1 + Math.max(1, value.length);
  let bytes = 1;
  for (const key in value) bytes += utf8Length(JSON.stringify(key)) + 2;
  return Math.max(2, bytes);
}
