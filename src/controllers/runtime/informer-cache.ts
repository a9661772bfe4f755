import type { FollowedObject } from '../../client/index.js';
import { addMember, removeMember } from '../../foundation/index.js';

export { objectKey } from '../../client/index.js';

/** The part of an object that an informer requires. */
export type InformedObject = FollowedObject;

/** Returns the values under which an index finds an object. */
export type IndexFunction<Item> = (object: Item) => readonly string[];

/** Index function: the object's uid. */
export const byUid: IndexFunction<InformedObject> = ({ metadata }) =>
  metadata.uid === undefined ? [] : [metadata.uid];

/** Index function: the uids of the object's owners. */
export const byOwner: IndexFunction<InformedObject> = ({ metadata }) =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid);

/** Index function: the object's namespace. */
export const byNamespace: IndexFunction<InformedObject> = ({ metadata }) => [metadata.namespace ?? ''];

interface Index<Item> {
  readonly valuesOf: IndexFunction<Item>;
  /** Keys of the objects with a value. */
  readonly keys: Map<string, Set<string>>;
}

interface Entry<Item> {
  readonly object: Item;
  /** The object's index values, in the order of the indexes. */
  readonly values: (readonly string[])[];
}

/** Holds objects by key and by the values of any number of indexes. */
export class InformerCache<Item extends InformedObject> {
  readonly #entries = new Map<string, Entry<Item>>();
  readonly #indexes = new Map<string, Index<Item>>();

  constructor(indexes: Readonly<Record<string, IndexFunction<Item>>>) {
    for (const [name, valuesOf] of Object.entries(indexes)) this.addIndex(name, valuesOf);
  }

  /**
   * Adds an index over the existing and future objects. Does nothing when the same function has the name already.
   *
   * @throws TypeError when another function has the name; the error of the function
   */
  addIndex(name: string, valuesOf: IndexFunction<Item>): void {
    const known = this.#indexes.get(name);
    if (known?.valuesOf === valuesOf) return;
    if (known !== undefined) throw new TypeError(`the informer has another index ${JSON.stringify(name)}`);
    const entries = [...this.#entries].map(([key, entry]) => ({ key, entry, found: valuesOf(entry.object) }));
    const index: Index<Item> = { valuesOf, keys: new Map() };
    this.#indexes.set(name, index);
    for (const { key, entry, found } of entries) {
      entry.values.push(found);
      addTo(index, found, key);
    }
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Item | undefined {
    return this.#entries.get(key)?.object;
  }

  keys(): MapIterator<string> {
    return this.#entries.keys();
  }

  *values(): Generator<Item, void, undefined> {
    for (const { object } of this.#entries.values()) yield object;
  }

  /** Returns the objects with a value in an index. @throws TypeError when the index does not exist */
  find(index: string, value: string): Item[] {
    const objects: Item[] = [];
    for (const key of this.findKeys(index, value)) {
      const object = this.get(key);
      if (object !== undefined) objects.push(object);
    }
    return objects;
  }

  /** Returns the keys of the objects with a value in an index. @throws TypeError when the index does not exist */
  findKeys(index: string, value: string): Iterable<string> {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new TypeError(`the informer has no index ${JSON.stringify(index)}`);
    return found.keys.get(value) ?? [];
  }

  /** Adds or replaces an object. @throws the error of an index function; the cache is unchanged then */
  set(key: string, object: Item): void {
    const values: (readonly string[])[] = [];
    for (const { valuesOf } of this.#indexes.values()) values.push(valuesOf(object));
    const was = this.#entries.get(key)?.values;
    // An object keeps its place: a map that forgets and learns a key again is copied now and then.
    this.#entries.set(key, { object, values });
    let position = 0;
    for (const index of this.#indexes.values()) {
      const before = was?.[position] ?? NO_VALUES;
      const now = values[position] ?? NO_VALUES;
      position += 1;
      if (areSame(before, now)) continue;
      removeFrom(index, before, key);
      addTo(index, now, key);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    let position = 0;
    for (const index of this.#indexes.values()) removeFrom(index, entry.values[position++] ?? NO_VALUES, key);
  }
}

const NO_VALUES: readonly string[] = Object.freeze([]);

const areSame = (before: readonly string[], now: readonly string[]): boolean =>
  before.length === now.length && before.every((value, position) => value === now[position]);

function removeFrom<Item>({ keys }: Index<Item>, values: readonly string[], key: string): void {
  for (const value of values) removeMember(keys, value, key);
}

function addTo<Item>({ keys }: Index<Item>, values: readonly string[], key: string): void {
  for (const value of values) addMember(keys, value, key);
}
