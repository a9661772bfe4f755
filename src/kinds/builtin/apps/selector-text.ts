import { errors } from '../../../foundation/index.js';
import type { metaV1 } from '../../types/index.js';
import { compiledSelector } from '../shared/selectors/label-selectors.js';

/** Returns a label selector as a query. @throws ApiError 400 for an invalid selector */
export function selectorText(selector: metaV1.LabelSelector | undefined): string {
  const compiled = compiledSelector(selector);
  if (compiled === undefined) throw errors.badRequest('invalid label selector');
  return compiled.toString();
}
