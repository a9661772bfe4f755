import { compareText } from '../../encoding/code-points.js';
import { keysInSteps } from '../../meta/keys-in-steps.js';
import { sortedSteps } from '../../meta/sorted-steps.js';
import type { Steps, Work } from '../../meta/work.js';
import { sortedKeys } from '../../meta/go-json.js';

/** Number of keys up to which they are sorted at once. */
const FEW_KEYS = 1024;

/** Does the same as `sortedKeys`, in steps. */
export function* sortedKeysInSteps(object: object, work: Work): Steps<readonly string[]> {
  const keys = yield* keysInSteps(object, work);
  return keys.length <= FEW_KEYS ? sortedKeys(object) : yield* sortedSteps(keys, compareText, work);
}
