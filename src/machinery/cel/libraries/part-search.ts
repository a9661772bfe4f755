/**
 * The search for a part of a text, in steps and in linear time. The search of the host takes the product of both
 * lengths for some texts, in one piece.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { CHARACTERS_OF_UNIT, type Meter } from '../cost/meter.js';

/** Product of the lengths up to which the host searches. */
const SHORT_PRODUCT = 20_000;
/** Characters that are visited before they are counted. */
const CHARACTERS_AT_ONCE = 4096;
/** Characters that are visited in the time in which a search begins. */
const CHARACTERS_OF_BEGINNING = 16;

/** Searches for one part, which is not empty. */
export class PartSearch {
  readonly #part: string;
  readonly #meter: Meter;
  /** For each number of matching characters, the number that still match after a character that does not. */
  #shorter: { readonly numbers: Int32Array; readonly forward: boolean } | undefined;

  constructor(part: string, meter: Meter) {
    this.#part = part;
    this.#meter = meter;
  }

  /** Returns the offset of the first occurrence at an offset or after it; -1 without one. */
  first(text: string, from: number): Steps<number> {
    return this.#isShort(text)
      ? this.#found(text.indexOf(this.#part, from))
      : this.#scan(text, from, text.length, true);
  }

  /** Returns the offset of the last occurrence at an offset or before it; -1 without one. */
  last(text: string, from: number): Steps<number> {
    if (this.#isShort(text)) return this.#found(text.lastIndexOf(this.#part, from));
    return this.#scan(text, Math.min(text.length, from + this.#part.length) - 1, -1, false);
  }

  #isShort(text: string): boolean {
    return text.length * this.#part.length <= SHORT_PRODUCT;
  }

  /** @param open characters that have been visited and not counted */
  *#found(offset: number, open = 0): Steps<number> {
    if (this.#meter.step((open + CHARACTERS_OF_BEGINNING) / CHARACTERS_OF_UNIT)) yield;
    return offset;
  }

  /** Knuth, Morris and Pratt's search, from an offset to another, which is not visited. */
  *#scan(text: string, begin: number, end: number, forward: boolean): Steps<number> {
    const part = this.#part;
    const numbers = this.#shorter?.forward === forward ? this.#shorter.numbers : yield* this.#shorterMatches(forward);
    const last = part.length - 1;
    const step = forward ? 1 : -1;
    let matching = 0;
    let open = 0;
    for (let at = begin; at !== end;) {
      if (part.charCodeAt(forward ? matching : last - matching) === text.charCodeAt(at)) {
        matching += 1;
        at += step;
      } else if (matching > 0) matching = numbers[matching - 1] ?? 0;
      else at += step;
      open += 1;
      if (matching > last) return yield* this.#found(forward ? at - part.length : at + 1, open);
      if (open < CHARACTERS_AT_ONCE) continue;
      if (this.#meter.step(open / CHARACTERS_OF_UNIT)) yield;
      open = 0;
    }
    return yield* this.#found(-1, open);
  }

  *#shorterMatches(forward: boolean): Steps<Int32Array> {
    const part = this.#part;
    this.#meter.makeText(2 * part.length);
    const numbers = new Int32Array(part.length);
    const last = part.length - 1;
    const codeAt = (index: number): number => part.charCodeAt(forward ? index : last - index);
    let matching = 0;
    let open = 0;
    for (let index = 1; index < part.length;) {
      if (codeAt(matching) === codeAt(index)) {
        matching += 1;
        numbers[index] = matching;
        index += 1;
      } else if (matching > 0) matching = numbers[matching - 1] ?? 0;
      else index += 1;
      open += 1;
      if (open < CHARACTERS_AT_ONCE) continue;
      if (this.#meter.step(open / CHARACTERS_OF_UNIT)) yield;
      open = 0;
    }
    this.#shorter = { numbers, forward };
    return numbers;
  }
}
