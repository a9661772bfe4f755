import type { Entropy } from '../../../../../foundation/index.js';

const WORD_BITS = 32;
const FULL_WORD = 0xffff_ffff;

/** A set of numbers below `size` that finds a number outside of it without looking at each. */
export class OffsetSet {
  readonly #size: number;
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.#size = size;
    this.#words = new Uint32Array(Math.ceil(size / WORD_BITS));
  }

  has(offset: number): boolean {
    return ((this.#wordOf(offset) >>> (offset % WORD_BITS)) & 1) === 1;
  }

  add(offset: number): void {
    this.#words[Math.floor(offset / WORD_BITS)] = this.#wordOf(offset) | (1 << (offset % WORD_BITS));
  }

  delete(offset: number): void {
    this.#words[Math.floor(offset / WORD_BITS)] = this.#wordOf(offset) & ~(1 << (offset % WORD_BITS));
  }

  clear(): void {
    this.#words.fill(0);
  }

  /**
   * Returns a random number that is not in the set: from `lower` on, or below it when there is none above. Undefined
   * when the set is full.
   */
  randomAbsent(lower: number, entropy: Entropy): number | undefined {
    return this.#randomAbsentWithin(lower, this.#size, entropy) ?? this.#randomAbsentWithin(0, lower, entropy);
  }

  #randomAbsentWithin(start: number, end: number, entropy: Entropy): number | undefined {
    if (start >= end) return undefined;
    const middle = start + (randomNumber(entropy) % (end - start));
    return this.#firstAbsent(middle, end) ?? this.#firstAbsent(start, middle);
  }

  #firstAbsent(start: number, end: number): number | undefined {
    for (let offset = start; offset < end; offset += 1) {
      if (offset % WORD_BITS === 0) while (offset < end && this.#wordOf(offset) === FULL_WORD) offset += WORD_BITS;
      if (offset < end && !this.has(offset)) return offset;
    }
    return undefined;
  }

  #wordOf(offset: number): number {
    return this.#words[Math.floor(offset / WORD_BITS)] ?? 0;
  }
}

/** Returns a random number below 2^32. */
function randomNumber(entropy: Entropy): number {
  const bytes = entropy.bytes(4);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}
