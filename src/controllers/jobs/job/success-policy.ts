import { IndexSet } from './index-set.js';
import type { JobSpec } from './types.js';

/** Returns the message of the first rule of the success policy that the succeeded indexes fulfil; undefined without one. */
export function fulfilledSuccessRule(
  { successPolicy, completions = 0 }: JobSpec,
  succeeded: IndexSet,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const index = (successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
    const required = IndexSet.parse(succeededIndexes, completions);
    if (required.size === 0) return false;
    const shared = required.shared(succeeded);
    return shared === required.size || (succeededCount !== undefined && shared >= succeededCount);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
