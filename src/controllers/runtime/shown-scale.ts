import { inSlices, isSteps, type Work } from '../../foundation/index.js';
import type { autoscalingV1 } from '../../kinds/index.js';
import type { AnyObject, ServedKind } from './served-kinds.js';

/**
 * Returns the scale that the subresource of a kind shows, in slices: that of an object with a long selector is long.
 * Undefined for a kind without one.
 *
 * @throws ApiError when the object has no scale
 */
export async function shownScale(
  { definition }: ServedKind,
  object: AnyObject,
  work: Work,
): Promise<autoscalingV1.Scale | undefined> {
  const scale = definition.subresources?.['scale'];
  if (scale === undefined || !('show' in scale)) return undefined;
  const shown = scale.showSteps?.(object, false, work) ?? scale.show(object, false);
  return isSteps(shown) ? await inSlices(work, shown) : shown;
}
