import type { Steps, Work } from '../work/work.js';

/**
 * Most members of an object in a body, and of one that grows. The engine lists the keys of an object in one piece, which
 * takes 20 ms for as many; nothing makes it do so in steps.
 */
export const MAX_MEMBERS = 100_000;

/** Units of work to list a key: the engine sorts the keys of an object with many. */
const KEY_UNITS = 6;
/** Number of keys up to which they cost next to nothing. */
const FEW_KEYS = 64;

/**
 * Lists the keys of an object. The engine does so in one piece, which takes tens of milliseconds for 200,000 keys: others
 * are served before what follows.
 */
export function* keysInSteps(object: object, work: Work): Steps<string[]> {
  const keys = Object.keys(object);
  if (keys.length > FEW_KEYS && work.spend(keys.length * KEY_UNITS)) yield;
  return keys;
}
