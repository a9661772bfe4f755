import { encodeHex } from '../encoding/hex.js';
import type { Entropy } from '../meta/clock.js';

/** A generator of 32-bit numbers. */
type Generator = () => number;

/** FNV-1a over UTF-16 code units, so that any text can be a seed. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** SplitMix32: a Weyl sequence with a mixing function. Every seed has the full period of 2^32. */
function splitMix32(seed: number): Generator {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}

/**
 * Creates repeatable randomness: the same seed gives the same uids, generated names and tokens in the same order. The
 * seed reveals the tokens, so use it in tests only.
 */
export function seededEntropy(seed: number | string): Entropy {
  const next = splitMix32(hash(String(seed)));
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next() >>> 24);
  return {
    bytes,
    uuid() {
      const random = bytes(16);
      random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
      random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
      const hex = encodeHex(random);
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
  };
}
