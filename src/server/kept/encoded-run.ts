/**
 * Runs of items: successive items of lists in one array of bytes, which answers share without copying it.
 *
 * An array of bytes has memory outside of the heap. One array for hundreds of items costs garbage collection nothing;
 * one array an item is a pause of 100 ms for 150,000 items.
 *
 * @module
 */
import { latin1Writer } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import { CHUNK_BYTES } from '../requests/http.js';

/** Estimated overhead of a run, and of each of its items, in bytes. */
const RUN_BYTES = 320;
const PLACE_BYTES = 96;

/** Successive items of a list as bytes. */
export class EncodedRun {
  /** Their compressed form, if it is kept. */
  compressed: Uint8Array | undefined;
  /** Whether it was requested since its last chance. */
  used = true;
  /** Index among what is kept. */
  slot = -1;
  /** Memory that is counted for it. */
  heldBytes: number;
  #bytes: Uint8Array;
  readonly #ends: Uint32Array;

  /**
   * @param bytes the items, one after the other
   * @param ends offset of the end of each item
   */
  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.heldBytes = RUN_BYTES + bytes.buffer.byteLength + (PLACE_BYTES + ends.BYTES_PER_ELEMENT) * ends.length;
  }

  /** The items; empty when the run was dropped. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Number of items. */
  get size(): number {
    return this.#ends.length;
  }

  get isDropped(): boolean {
    return this.#bytes === NO_BYTES;
  }

  /** Returns the bytes of some of the items. They may be shared, so they must not be changed. */
  items(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(this.startOf(from), this.endOf(to - 1));
  }

  /** Returns the offset of an item. */
  startOf(index: number): number {
    return index === 0 ? 0 : this.endOf(index - 1);
  }

  /** Returns the offset of the end of an item. */
  endOf(index: number): number {
    return this.#ends[index] ?? 0;
  }

  /** Releases the memory. Answers that have the bytes keep them. */
  drop(): void {
    this.#bytes = NO_BYTES;
    this.compressed = undefined;
    this.heldBytes = 0;
  }
}

const NO_BYTES = new Uint8Array(0);

/** Where the bytes of an item are kept. */
export interface Place {
  readonly run: EncodedRun;
  readonly index: number;
}

const LEAST_CAPACITY = 16 * 1024;
/** A run that is shorter by this share than the memory for it is copied into memory of its own size. */
const MOST_UNUSED = 1 / 16;

/** Collects the items of a run. */
export class RunWriter {
  #bytes = NO_BYTES;
  #put = latin1Writer(NO_BYTES);
  #used = 0;
  #ends: number[] = [];
  #records: StorageRecord[] = [];

  /** Number of bytes of the items so far. */
  get length(): number {
    return this.#used;
  }

  /** Makes room for more bytes. */
  reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#bytes.length) return;
    const doubled = Math.min(CHUNK_BYTES, Math.max(LEAST_CAPACITY, 2 * this.#bytes.length));
    const larger = new Uint8Array(Math.max(needed, doubled));
    larger.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = larger;
    this.#put = latin1Writer(larger);
  }

  /** Adds bytes to the current item. There must be room for them. */
  bytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** Adds bytes that are given as Latin-1 text to the current item. There must be room for them. */
  latin1(text: string): void {
    this.#put(text, this.#used);
    this.#used += text.length;
  }

  /** Ends the current item. */
  end(record: StorageRecord): void {
    this.#ends.push(this.#used);
    this.#records.push(record);
  }

  /** Adds the items of these records from a run, in which they begin at an index. */
  copy(run: EncodedRun, index: number, records: readonly StorageRecord[]): void {
    const bytes = run.items(index, index + records.length);
    const moved = this.#used - run.startOf(index);
    this.reserve(bytes.length);
    this.bytes(bytes);
    records.forEach((record, offset) => {
      this.#ends.push(moved + run.endOf(index + offset));
      this.#records.push(record);
    });
  }

  /** Returns the run of the items so far, and starts another one. */
  take(): { readonly run: EncodedRun; readonly records: readonly StorageRecord[] } {
    const isExact = this.#used >= (1 - MOST_UNUSED) * this.#bytes.length;
    const bytes = isExact ? this.#bytes.subarray(0, this.#used) : this.#bytes.slice(0, this.#used);
    const taken = { run: new EncodedRun(bytes, Uint32Array.from(this.#ends)), records: this.#records };
    this.#bytes = NO_BYTES;
    this.#put = latin1Writer(NO_BYTES);
    this.#used = 0;
    this.#ends = [];
    this.#records = [];
    return taken;
  }
}
