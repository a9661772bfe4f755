import { compareText, sortedKeys, sortedSteps, type Steps } from '../../../foundation/index.js';
import type { Walk } from './walk.js';

/** Number of keys up to which they are sorted in one step. */
const FEW_KEYS = 1024;

/** Does the same as `sortedKeys`, in steps. */
export function* sortedKeysInSteps(object: object, walk: Walk): Steps<readonly string[]> {
  const keys = walk.keysOf(object);
  return keys.length <= FEW_KEYS ? sortedKeys(object) : yield* sortedSteps([...keys], compareText, walk.work);
}
