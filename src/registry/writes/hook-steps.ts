import { inSlices, isSteps, workOf, type MaybeSteps } from '../../foundation/index.js';
import type { RequestContext } from '../store/context.js';

/**
 * Returns the result of a hook, whose steps it runs in the slices of the request. A promise only when the first slice
 * does not suffice.
 */
export const hookResult = <Result>(
  made: MaybeSteps<Result> | Promise<Result>,
  context: RequestContext,
): Result | Promise<Result> => (made instanceof Promise || !isSteps(made) ? made : inSlices(workOf(context), made));
