import type { JsonValue } from '../../foundation/index.js';

/** Number of items in a new piece. */
const PIECE = 512;

/**
 * A list in pieces. An insertion or removal moves only the items of one piece. In an array it moves all items that
 * follow: ten thousand operations on an array of a hundred thousand items would move them ten thousand times.
 */
export class LongList {
  readonly #pieces: JsonValue[][] = [];
  #length: number;

  constructor(items: readonly JsonValue[]) {
    this.#length = items.length;
    for (let at = 0; at < items.length; at += PIECE) this.#pieces.push(items.slice(at, at + PIECE));
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the item at an index, or undefined. */
  at(index: number): JsonValue | undefined {
    const { piece, offset } = this.#find(index);
    return this.#pieces[piece]?.[offset];
  }

  /** Replaces the item at an index, which must exist. */
  set(index: number, value: JsonValue): void {
    const { piece, offset } = this.#find(index);
    (this.#pieces[piece] as JsonValue[])[offset] = value;
  }

  /** Inserts an item before an index, or at the end. */
  insert(index: number, value: JsonValue): void {
    const { piece, offset } = this.#find(index);
    const items = this.#pieces[piece];
    this.#length += 1;
    if (items === undefined) this.#pieces.push([value]);
    else {
      items.splice(offset, 0, value);
      if (items.length > 2 * PIECE) this.#pieces.splice(piece + 1, 0, items.splice(PIECE));
    }
  }

  /** Removes the item at an index, which must exist. */
  remove(index: number): void {
    const { piece, offset } = this.#find(index);
    const items = this.#pieces[piece] as JsonValue[];
    this.#length -= 1;
    items.splice(offset, 1);
    if (items.length === 0) this.#pieces.splice(piece, 1);
  }

  /** Replaces the items of an array with those of the list. */
  writeTo(array: JsonValue[]): void {
    array.length = 0;
    for (const piece of this.#pieces) for (const item of piece) array.push(item);
  }

  #find(index: number): { readonly piece: number; readonly offset: number } {
    let offset = index;
    let piece = 0;
    for (; piece < this.#pieces.length; piece += 1) {
      const { length } = this.#pieces[piece] as JsonValue[];
      if (offset < length) break;
      offset -= length;
    }
    return { piece, offset };
  }
}
