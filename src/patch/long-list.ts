import type { JsonValue } from '../meta/json.js';

/** Items of a piece when it is made. */
const PIECE = 512;

/**
 * A list in pieces. To insert or remove an item moves the items of one piece, where an array moves all that follow: a patch of
 * ten thousand operations on an array of some hundred thousand items would move them ten thousand times.
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

  /** The item at an index, or undefined. */
  at(index: number): JsonValue | undefined {
    const { piece, offset } = this.#find(index);
    return this.#pieces[piece]?.[offset];
  }

  /** Replaces the item at an index, which must be there. */
  set(index: number, value: JsonValue): void {
    const { piece, offset } = this.#find(index);
    (this.#pieces[piece] as JsonValue[])[offset] = value;
  }

  /** Puts an item before the one at an index, or at the end. */
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

  /** Takes away the item at an index, which must be there. */
  remove(index: number): void {
    const { piece, offset } = this.#find(index);
    const items = this.#pieces[piece] as JsonValue[];
    this.#length -= 1;
    items.splice(offset, 1);
    if (items.length === 0) this.#pieces.splice(piece, 1);
  }

  /** Makes an array have the items of the list. */
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
