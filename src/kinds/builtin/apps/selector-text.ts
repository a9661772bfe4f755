import { errors, type Steps, type Work } from '../../../foundation/index.js';
import type { metaV1 } from '../../types/index.js';
import { selectorQuery } from '../shared/selectors/label-selectors.js';

/** Returns a label selector as a query, in steps. @throws ApiError 400 for an invalid selector */
export function* selectorText(selector: metaV1.LabelSelector | undefined, work: Work): Steps<string> {
  const query = yield* selectorQuery(selector, work);
  if (query === undefined) throw errors.badRequest('invalid label selector');
  return query;
}
