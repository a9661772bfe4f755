import { utf8Length } from '../go/go-text.js';
import type { Entropy } from '../time/clock.js';

/** Characters of a generated suffix: no vowels and no digits that look like vowels, so that no words appear. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_LENGTH = 63;
/** Bytes from this value on are discarded: lower bytes map evenly to the alphabet. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
/** Maximum number of draws. A source of randomness without usable bytes in all of them is broken. */
const MAX_DRAWS = 64;

/** Maximum number of bytes of a `generateName` in the name; the rest is truncated. */
export const MAX_GENERATED_NAME_BASE = MAX_LENGTH - SUFFIX_LENGTH;

/**
 * Generates a name from a `generateName`: the base, truncated to 58 bytes, and five random characters.
 *
 * The name may already exist; the caller then tries another.
 *
 * @throws Error when the entropy returns no usable bytes
 */
export function generateName(base: string, entropy: Entropy): string {
  return truncate(base) + randomSuffix(entropy);
}

function randomSuffix(entropy: Entropy): string {
  let suffix = '';
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    for (const byte of entropy.bytes(SUFFIX_LENGTH - suffix.length)) {
      if (byte < FAIR_BYTES) suffix += ALPHABET.charAt(byte % ALPHABET.length);
    }
    if (suffix.length >= SUFFIX_LENGTH) return suffix;
  }
  throw new Error('the entropy returned no usable bytes for a name');
}

function truncate(base: string): string {
  if (utf8Length(base) <= MAX_GENERATED_NAME_BASE) return base;
  let start = '';
  let bytes = 0;
  for (const character of base) {
    bytes += utf8Length(character);
    if (bytes > MAX_GENERATED_NAME_BASE) break;
    start += character;
  }
  return start;
}
