import type { Entropy } from './clock.js';
import { utf8Length } from './go-text.js';

/** Characters of a generated suffix: no vowels and no digits that look like them, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_LENGTH = 63;
/** Bytes at and above this are thrown away: the ones below it fall evenly on the alphabet. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);
/** A source of chance that gives no usable byte in this many draws is broken. */
const MAX_DRAWS = 64;

/** Greatest number of bytes of a `generateName` that get into the name; the rest is cut off. */
export const MAX_GENERATED_NAME_BASE = MAX_LENGTH - SUFFIX_LENGTH;

/**
 * Makes a name of a `generateName`: the base, cut to 58 bytes, and five random characters.
 *
 * The result may be taken already; who creates the object tries again with another.
 *
 * @throws Error when the entropy gives no usable bytes
 */
export function generateName(base: string, entropy: Entropy): string {
  return cut(base) + randomSuffix(entropy);
}

function randomSuffix(entropy: Entropy): string {
  let suffix = '';
  for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
    for (const byte of entropy.bytes(SUFFIX_LENGTH - suffix.length)) {
      if (byte < FAIR_BYTES) suffix += ALPHABET.charAt(byte % ALPHABET.length);
    }
    if (suffix.length >= SUFFIX_LENGTH) return suffix;
  }
  throw new Error('the entropy gives no usable bytes for a name');
}

function cut(base: string): string {
  if (utf8Length(base) <= MAX_GENERATED_NAME_BASE) return base;
  let kept = '';
  let bytes = 0;
  for (const character of base) {
    bytes += utf8Length(character);
    if (bytes > MAX_GENERATED_NAME_BASE) break;
    kept += character;
  }
  return kept;
}
