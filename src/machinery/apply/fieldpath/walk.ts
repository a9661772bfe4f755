import { UNBOUNDED_WORK, type JsonObject, type Work } from '../../../foundation/index.js';

/** Units of work to list a key: the engine sorts the keys of an object with many. */
const KEY_UNITS = 6;
/** Number of keys up to which an object lists them again for next to nothing. */
const FEW_KEYS = 64;
/** Bytes of an element of a set: its place in a table that is half full, and its place in the list of keys. */
const ELEMENT_BYTES = 64;

/**
 * The steps of one write to a large object: counts its work, reserves the memory of what it makes, and keeps the keys of
 * the objects and sets that it visits. The engine lists the keys of an object in one piece, which takes 25 ms for 100,000
 * keys, as does the question whether such an object is empty: both are asked once in a write.
 */
export class Walk {
  /** The work of the request. */
  readonly work: Work;
  readonly #keys = new WeakMap<object, readonly string[]>();
  /** The keys of the sets that the request has made, also in other walks. */
  readonly #keysOfSets: WeakMap<object, readonly string[]>;
  #isDue = false;
  #heldBytes = 0;

  constructor(work: Work) {
    this.work = work;
    this.#keysOfSets = work === UNBOUNDED_WORK ? this.#keys : (work.keysOfSets ??= new WeakMap());
  }

  /** Returns the keys of an object or a set. The list must not be changed. */
  keysOf(object: object): readonly string[] {
    const known = this.#keys.get(object) ?? this.#keysOfSets.get(object);
    if (known !== undefined) return known;
    const keys = Object.keys(object);
    if (keys.length > FEW_KEYS) {
      this.#keys.set(object, keys);
      // The next place at which the walk may pause follows.
      if (this.work.spend(keys.length * KEY_UNITS)) this.#isDue = true;
    }
    return keys;
  }

  /** Lists the keys of an object or a set ahead. Returns whether the walk should pause. */
  lists(object: object | undefined): boolean {
    if (object !== undefined) this.keysOf(object);
    return this.spend(0);
  }

  /** Keeps the keys of an object that has been made of them. */
  note(object: object, keys: readonly string[]): void {
    if (keys.length > FEW_KEYS) this.#keys.set(object, keys);
  }

  /** Keeps the keys of a set, in their order, for the whole request. Nobody changes the set any more. */
  noteSet(set: object, keys: readonly string[]): void {
    if (keys.length > FEW_KEYS) this.#keysOfSets.set(set, keys);
  }

  /** Counts work. Returns whether the walk should pause. */
  spend(units: number): boolean {
    const isDue = this.work.spend(units) || this.#isDue;
    this.#isDue = false;
    return isDue;
  }

  /** Returns true for an object without members and for undefined. */
  isEmptyMap(map: JsonObject | undefined): boolean {
    return map === undefined || this.keysOf(map).every((key) => map[key] === undefined);
  }

  /** Reserves the memory of elements before a set, or an object, is made of them. @throws ApiError 429 */
  reserve(elements: number): void {
    this.work.reserve(elements * ELEMENT_BYTES);
    this.#heldBytes += elements * ELEMENT_BYTES;
  }

  /** The memory that the walk has reserved, in bytes. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Releases the memory reserved since a moment, for sets that are no longer used. @param heldBytes at that moment */
  releaseTo(heldBytes: number): void {
    this.work.release(this.#heldBytes - heldBytes);
    this.#heldBytes = heldBytes;
  }
}
