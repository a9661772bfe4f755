/**
 * Lists that share memory with their copies: a copy of a list takes almost no time and memory at any length, because both
 * lists share their chunks until one of them changes a chunk.
 *
 * @module
 */
import { at } from './tree-nodes.js';

/** Identity of what may change a shared part in place; everything else changes a copy. */
export type Owner = object;

/** Returns an owner that is equal to no other. */
export function newOwner(): Owner {
  return {};
}

/** Number of items of a chunk, a power of two. */
const CHUNK = 256;
const SHIFT = 8;

interface Chunk<Item> {
  readonly owner: Owner;
  readonly items: Item[];
}

/** A queue in chunks. */
export class ChunkedQueue<Item> {
  readonly #blank: Item;
  #owner = newOwner();
  #chunks: Chunk<Item>[] = [];
  /** Index of the first item in the first chunk. */
  #first = 0;
  #length = 0;

  /** @param blank replaces items that have left the queue, whose memory is thereby released */
  constructor(blank: Item) {
    this.#blank = blank;
  }

  /** Number of items. */
  get length(): number {
    return this.#length;
  }

  /** Returns the item at an offset from the oldest one; undefined beyond the last. */
  at(offset: number): Item | undefined {
    if (offset >= this.#length) return undefined;
    const index = this.#first + offset;
    return this.#chunks[index >>> SHIFT]?.items[index & (CHUNK - 1)];
  }

  /** Adds the newest item. */
  push(item: Item): void {
    const index = this.#first + this.#length;
    if (index >>> SHIFT === this.#chunks.length) this.#chunks.push({ owner: this.#owner, items: [] });
    this.#ownedChunk(index >>> SHIFT).items.push(item);
    this.#length++;
  }

  /** Removes the oldest item of a queue that has one. */
  shift(): void {
    const chunk = at(this.#chunks, 0);
    // A copy of this queue may still have the item.
    if (chunk.owner === this.#owner) chunk.items[this.#first] = this.#blank;
    this.#first++;
    this.#length--;
    if (this.#first < CHUNK && this.#length > 0) return;
    this.#chunks.shift();
    this.#first = 0;
  }

  /** Removes all items. */
  clear(): void {
    this.#chunks = [];
    this.#first = this.#length = 0;
  }

  /** Returns an independent queue with the same items. */
  fork(): ChunkedQueue<Item> {
    const queue = new ChunkedQueue(this.#blank);
    queue.#chunks = this.#chunks.slice();
    queue.#first = this.#first;
    queue.#length = this.#length;
    // From now on neither queue owns the current chunks.
    this.#owner = newOwner();
    return queue;
  }

  #ownedChunk(index: number): Chunk<Item> {
    const chunk = at(this.#chunks, index);
    if (chunk.owner === this.#owner) return chunk;
    return (this.#chunks[index] = { owner: this.#owner, items: chunk.items.slice() });
  }
}
