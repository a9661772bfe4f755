import type { Entropy } from '../foundation/index.js';

/** First and longest pause, in milliseconds. */
export interface BackOff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/**
 * Returns the pause after a number of earlier failures, in milliseconds: it doubles with each, and by chance it is up to
 * twice as long, so that clients do not come back together.
 *
 * @param entropy undefined: no chance
 */
export function backOffMs(failures: number, { firstMs, mostMs }: BackOff, entropy: Entropy | undefined): number {
  const pauseMs = firstMs * 2 ** Math.min(failures, 32);
  return Math.min(mostMs, Math.floor(pauseMs * (1 + chanceOf(entropy))));
}

/** Returns a number from 0 to below 1. */
function chanceOf(entropy: Entropy | undefined): number {
  if (entropy === undefined) return 0;
  const [high = 0, low = 0] = entropy.bytes(2);
  return (high * 256 + low) / 65_536;
}
