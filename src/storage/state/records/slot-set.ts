import { at } from './tree-nodes.js';

/** Length up to which a set is always a list. */
const SHORT_LIST = 32;
/** Bits of a list entry: a set whose list is larger than a bit per slot is stored as bits. */
const ENTRY_BITS = 64;
/** A set of bits becomes a list again when the list is this many times smaller. */
const SLACK = 4;
const WORD_BITS = 32;

/** Bits by slot. A slot beyond the end is not in the mask. */
export type SlotMask = Uint32Array<ArrayBuffer>;

/** Returns an empty mask for a number of slots. */
export function emptyMask(slots: number): SlotMask {
  return new Uint32Array(Math.ceil(slots / WORD_BITS));
}

/** Returns the bits of a mask at an index; none beyond its end. */
function word(mask: SlotMask, index: number): number {
  return mask[index] ?? 0;
}

/** Returns whether a mask contains a slot. */
export function maskHas(mask: SlotMask, slot: number): boolean {
  return ((word(mask, slot >>> 5) >>> (slot & 31)) & 1) === 1;
}

/** Adds a slot to a mask that has a bit for it. */
export function addToMask(mask: SlotMask, slot: number): void {
  mask[slot >>> 5] = word(mask, slot >>> 5) | (1 << (slot & 31));
}

/** Inverts every slot of a mask. */
export function invertMask(mask: SlotMask): void {
  for (let index = 0; index < mask.length; index++) mask[index] = ~word(mask, index);
}

/** Removes the slots from a mask that are not in the other one, which has the same length. */
export function intersectMask(mask: SlotMask, other: SlotMask): void {
  for (let index = 0; index < mask.length; index++) mask[index] = word(mask, index) & word(other, index);
}

/** A set of slots: a sorted list while it is small for the number of slots, and a bit for each slot otherwise. */
export class SlotSet {
  #list: number[] | undefined = [];
  #bits: SlotMask = emptyMask(0);
  #size = 0;

  /** Number of slots in the set. */
  get size(): number {
    return this.#size;
  }

  /** Estimated memory. */
  get bytes(): number {
    return 96 + (this.#list === undefined ? this.#bits.length * 4 : this.#list.length * 10);
  }

  /** Returns whether the set contains a slot. */
  has(slot: number): boolean {
    if (this.#list === undefined) return maskHas(this.#bits, slot);
    return this.#list[indexFor(this.#list, slot)] === slot;
  }

  /**
   * Adds a slot.
   *
   * @param slots number of slots in use
   */
  add(slot: number, slots: number): void {
    if (this.#list === undefined) {
      this.#addBit(slot, slots);
      return;
    }
    const index = indexFor(this.#list, slot);
    if (this.#list[index] === slot) return;
    if (index === this.#list.length) this.#list.push(slot);
    else this.#list.splice(index, 0, slot);
    this.#size++;
    if (this.#size > SHORT_LIST && this.#size * ENTRY_BITS > slots) this.#useBits(slots);
  }

  /** Removes a slot. */
  remove(slot: number): void {
    if (this.#list === undefined) {
      if (!maskHas(this.#bits, slot)) return;
      this.#bits[slot >>> 5] = word(this.#bits, slot >>> 5) & ~(1 << (slot & 31));
      this.#size--;
      if (this.#size * ENTRY_BITS * SLACK < this.#bits.length * WORD_BITS) this.#useList();
      return;
    }
    const index = indexFor(this.#list, slot);
    if (this.#list[index] !== slot) return;
    this.#list.splice(index, 1);
    this.#size--;
  }

  /** Calls `visit` with each slot, in ascending order. */
  forEach(visit: (slot: number) => void): void {
    if (this.#list !== undefined) {
      for (const slot of this.#list) visit(slot);
      return;
    }
    for (let index = 0; index < this.#bits.length; index++) {
      for (let bits = word(this.#bits, index); bits !== 0; bits &= bits - 1)
        visit(index * WORD_BITS + (31 - Math.clz32(bits & -bits)));
    }
  }

  /** Adds the slots to a mask that has a bit for each slot in use. */
  addTo(mask: SlotMask): void {
    if (this.#list !== undefined) {
      for (const slot of this.#list) addToMask(mask, slot);
      return;
    }
    const words = Math.min(mask.length, this.#bits.length);
    for (let index = 0; index < words; index++) mask[index] = word(mask, index) | word(this.#bits, index);
  }

  #addBit(slot: number, slots: number): void {
    if (slot >>> 5 >= this.#bits.length) {
      const grown = emptyMask(Math.max(slot + 1, slots) + (slots >>> 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    if (maskHas(this.#bits, slot)) return;
    addToMask(this.#bits, slot);
    this.#size++;
  }

  #useBits(slots: number): void {
    const list = this.#list ?? [];
    this.#list = undefined;
    this.#bits = emptyMask(slots);
    this.#size = 0;
    for (const slot of list) this.#addBit(slot, slots);
  }

  #useList(): void {
    const list: number[] = [];
    this.forEach((slot) => list.push(slot));
    this.#list = list;
    this.#bits = emptyMask(0);
  }
}

/** Returns the index at which a sorted list has a number, or would have it. */
function indexFor(list: readonly number[], wanted: number): number {
  const last = list.length - 1;
  if (last < 0 || at(list, last) < wanted) return last + 1;
  let low = 0;
  let high = last;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(list, middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
