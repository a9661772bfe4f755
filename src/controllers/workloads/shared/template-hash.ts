import {
  compareText,
  encodeUtf8,
  isArray,
  jsonText,
  keysInSteps,
  sortedSteps,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/** Characters of a hash: no vowels and no digits that look like vowels, so that no words appear. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Units of work to hash a value, and characters that take a unit. */
const VALUE_UNITS = 6;
const CHARACTERS_PER_UNIT = 16;

/**
 * Returns a short hash of a value for names and labels: FNV-32a of its canonical JSON, in safe characters. The order of
 * keys does not matter, and absent, undefined and null members are equal.
 *
 * Kubernetes hashes its printed Go structure instead, so its hashes differ.
 *
 * @param collisions number of collisions so far; each gives another hash
 */
export function* templateHash(value: JsonValue, collisions: number, work: Work): Steps<string> {
  const hash = new CanonicalHash(work);
  yield* hash.add(value);
  if (collisions > 0) hash.text(`#${collisions}`);
  return safe(String(hash.value));
}

/** Replaces each character by one of the safe alphabet. */
function safe(text: string): string {
  let encoded = '';
  for (let index = 0; index < text.length; index += 1)
    encoded += ALPHABET.charAt(text.charCodeAt(index) % ALPHABET.length);
  return encoded;
}

/** The hash of canonical JSON, with sorted keys and without null members. */
class CanonicalHash {
  readonly #work: Work;
  value = FNV_OFFSET;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Adds a part of the text. */
  text(text: string): void {
    let hash = this.value;
    for (const byte of encodeUtf8(text)) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
    this.value = hash;
  }

  /** Adds a value. */
  *add(value: JsonValue): Steps<void> {
    if (typeof value !== 'object' || value === null) {
      const text = jsonText(value);
      this.text(text);
      if (this.#work.spend(VALUE_UNITS + text.length / CHARACTERS_PER_UNIT)) yield;
    } else if (isArray(value)) {
      for (const [index, item] of value.entries()) {
        this.text(index === 0 ? '[' : ',');
        yield* this.add(item);
      }
      this.text(value.length === 0 ? '[]' : ']');
    } else yield* this.#object(value);
  }

  *#object(object: { readonly [key: string]: JsonValue | undefined }): Steps<void> {
    let before = '{';
    for (const key of yield* sortedSteps([...(yield* keysInSteps(object, this.#work))], compareText, this.#work)) {
      const member = object[key];
      if (member === undefined || member === null) continue;
      this.text(`${before}${JSON.stringify(key)}:`);
      before = ',';
      yield* this.add(member);
    }
    this.text(before === '{' ? '{}' : '}');
  }
}
