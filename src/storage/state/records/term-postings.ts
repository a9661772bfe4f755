import type { StorageTerms, TermRequirement } from '../../storage-index.js';
import { addToMask, emptyMask, invertMask, SlotSet, type SlotMask } from './slot-set.js';

/** Estimated memory of a value in a map, besides its characters. */
const VALUE_BYTES = 72;
const ATTRIBUTE_BYTES = 400;

/** The slots with one value: usually few values have many slots, or many values have one. */
type Posting = number | SlotSet;

class Attribute {
  readonly any = new SlotSet();
  readonly values = new Map<string, Posting>();
}

/** The slots of each term: attribute → value → slots. */
export class TermPostings {
  readonly #attributes = new Map<string, Attribute>();
  readonly #unknown = new SlotSet();
  #bytes = 0;

  /** Estimated memory. */
  get bytes(): number {
    return this.#bytes + this.#unknown.bytes;
  }

  /** The slots whose terms are not known. */
  get unknown(): SlotSet {
    return this.#unknown;
  }

  /**
   * Adds the terms of a slot; undefined when they are not known.
   *
   * @param slots number of slots in use
   */
  add(slot: number, terms: StorageTerms | undefined, slots: number): void {
    if (terms === undefined) this.#unknown.add(slot, slots);
    else for (const [name, value] of Object.entries(terms)) this.#addTerm(name, value, slot, slots);
  }

  /** Removes the terms of a slot, which {@link add} has added. */
  remove(slot: number, terms: StorageTerms | undefined): void {
    if (terms === undefined) this.#unknown.remove(slot);
    else for (const [name, value] of Object.entries(terms)) this.#removeTerm(name, value, slot);
  }

  /** Returns the number of slots that meet a requirement; undefined for a negated one. */
  count({ attribute, values, negated }: TermRequirement): number | undefined {
    if (negated === true) return undefined;
    const found = this.#attributes.get(attribute);
    if (found === undefined) return 0;
    if (values === undefined) return found.any.size;
    let count = 0;
    for (const value of values) count += sizeOf(found.values.get(value));
    return count;
  }

  /** Returns the slots that meet a requirement that is not negated, in any order. */
  slots({ attribute, values }: TermRequirement): Set<number> {
    const slots = new Set<number>();
    const add = (slot: number): void => void slots.add(slot);
    const found = this.#attributes.get(attribute);
    if (values === undefined) found?.any.forEach(add);
    else {
      for (const value of values) {
        const posting = found?.values.get(value);
        if (typeof posting === 'number') add(posting);
        else posting?.forEach(add);
      }
    }
    return slots;
  }

  /** Returns whether a slot meets a requirement. */
  meets(slot: number, { attribute, values, negated = false }: TermRequirement): boolean {
    const found = this.#attributes.get(attribute);
    const meets =
      found !== undefined &&
      (values === undefined
        ? found.any.has(slot)
        : values.some((value) => {
            const posting = found.values.get(value);
            return typeof posting === 'number' ? posting === slot : posting?.has(slot) === true;
          }));
    return meets !== negated;
  }

  /**
   * Returns the slots that meet a requirement. For a negated one the mask also contains slots that are not in this
   * index.
   *
   * @param slots number of slots in use
   */
  mask({ attribute, values, negated }: TermRequirement, slots: number): SlotMask {
    const mask = emptyMask(slots);
    const found = this.#attributes.get(attribute);
    if (values === undefined) found?.any.addTo(mask);
    else {
      for (const value of values) {
        const posting = found?.values.get(value);
        if (typeof posting === 'number') addToMask(mask, posting);
        else posting?.addTo(mask);
      }
    }
    if (negated === true) invertMask(mask);
    return mask;
  }

  #addTerm(name: string, value: string, slot: number, slots: number): void {
    let attribute = this.#attributes.get(name);
    if (attribute === undefined) {
      this.#attributes.set(name, (attribute = new Attribute()));
      this.#bytes += ATTRIBUTE_BYTES + name.length + attribute.any.bytes;
    }
    this.#addSlot(attribute.any, slot, slots);
    const posting = attribute.values.get(value);
    if (posting === undefined) {
      attribute.values.set(ownText(value), slot);
      this.#bytes += VALUE_BYTES + value.length;
    } else if (typeof posting === 'number') {
      const set = new SlotSet();
      this.#bytes += set.bytes;
      this.#addSlot(set, posting, slots);
      this.#addSlot(set, slot, slots);
      attribute.values.set(value, set);
    } else this.#addSlot(posting, slot, slots);
  }

  #addSlot(set: SlotSet, slot: number, slots: number): void {
    const before = set.bytes;
    set.add(slot, slots);
    this.#bytes += set.bytes - before;
  }

  #removeTerm(name: string, value: string, slot: number): void {
    const attribute = this.#attributes.get(name);
    if (attribute === undefined) return;
    this.#removeSlot(attribute.any, slot);
    const posting = attribute.values.get(value);
    if (posting instanceof SlotSet) this.#removeSlot(posting, slot);
    if (posting === slot || (posting instanceof SlotSet && posting.size === 0)) {
      attribute.values.delete(value);
      this.#bytes -= VALUE_BYTES + value.length + (posting instanceof SlotSet ? posting.bytes : 0);
    }
    if (attribute.any.size > 0) return;
    this.#attributes.delete(name);
    this.#bytes -= ATTRIBUTE_BYTES + name.length + attribute.any.bytes;
  }

  #removeSlot(set: SlotSet, slot: number): void {
    const before = set.bytes;
    set.remove(slot);
    this.#bytes += set.bytes - before;
  }
}

/** Length from which a text may be a slice that keeps a larger text in memory. */
const SLICE_LENGTH = 13;

/** Returns a text that keeps no larger one in memory. */
function ownText(text: string): string {
  return text.length < SLICE_LENGTH ? text : String(JSON.parse(JSON.stringify(text)));
}

function sizeOf(posting: Posting | undefined): number {
  if (posting === undefined) return 0;
  return typeof posting === 'number' ? 1 : posting.size;
}
