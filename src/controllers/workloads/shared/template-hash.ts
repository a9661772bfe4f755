import { compareText, encodeUtf8, isArray, jsonText, type JsonValue } from '../../../foundation/index.js';

/** Characters of a hash: no vowels and no digits that look like vowels, so that no words appear. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Returns a short hash of a value for names and labels: FNV-32a of its canonical JSON, in safe characters. The order of
 * keys does not matter, and absent, undefined and null members are equal.
 *
 * Kubernetes hashes its printed Go structure instead, so its hashes differ.
 *
 * @param collisions number of collisions so far; each gives another hash
 */
export function templateHash(value: JsonValue, collisions = 0): string {
  const text = `${canonical(value)}${collisions === 0 ? '' : `#${collisions}`}`;
  let hash = FNV_OFFSET;
  for (const byte of encodeUtf8(text)) {
    hash ^= byte;
    hash = Math.imul(hash, FNV_PRIME) >>> 0;
  }
  return safe(String(hash));
}

/** Replaces each character by one of the safe alphabet. */
function safe(text: string): string {
  let encoded = '';
  for (let index = 0; index < text.length; index += 1)
    encoded += ALPHABET.charAt(text.charCodeAt(index) % ALPHABET.length);
  return encoded;
}

/** Returns the canonical JSON of a value, with sorted keys and without null members. */
function canonical(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return jsonText(value);
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.keys(value)
    .sort(compareText)
    .flatMap((key) => {
      const member = value[key];
      return member === undefined || member === null ? [] : [`${JSON.stringify(key)}:${canonical(member)}`];
    });
  return `{${members.join(',')}}`;
}
