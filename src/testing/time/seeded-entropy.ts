import { uuidOf, type Entropy } from '../../foundation/index.js';

/** FNV-1a over UTF-16 code units, so that any text can be a seed. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** SplitMix32: a Weyl sequence with a mixing function. Every seed has the full period of 2^32. */
function mixed(state: number): number {
  let value = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
  value = Math.imul(value ^ (value >>> 15), 0x735a2d97);
  return (value ^ (value >>> 15)) >>> 0;
}

/** Repeatable randomness that can be copied. */
export interface SeededEntropy extends Entropy {
  /** Current state of the generator, a 32-bit number. */
  readonly state: number;
  /** Returns a source that continues as this one would now. */
  fork(): SeededEntropy;
  /** Continues as another source would now. */
  rewindTo(other: SeededEntropy): void;
}

/**
 * Creates repeatable randomness: the same seed gives the same uids, generated names and tokens in the same order. The
 * seed reveals the tokens, so use it in tests only.
 */
export function seededEntropy(seed: number | string): Entropy {
  return forkableEntropy(seed);
}

/** Creates repeatable randomness that can be copied. */
export function forkableEntropy(seed: number | string): SeededEntropy {
  return entropyFrom(hash(String(seed)));
}

function entropyFrom(start: number): SeededEntropy {
  let state = start | 0;
  const next = (): number => mixed((state = (state + 0x9e3779b9) | 0));
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next() >>> 24);
  return {
    bytes,
    uuid: () => uuidOf(bytes(16)),
    get state() {
      return state;
    },
    fork: () => entropyFrom(state),
    rewindTo(other) {
      state = other.state;
    },
  };
}
