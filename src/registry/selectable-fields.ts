import { errors } from '../meta/api-error.js';
import { COMMON_FIELDS, type FieldSelector } from '../selectors/index.js';
import type { ResourceInfo } from './resource-info.js';

/**
 * Checks that a kind can be selected by the fields that a selector names.
 *
 * @throws ApiError 400 that names the first field that it cannot be selected by
 */
export function checkFieldSelector(info: ResourceInfo, selector: FieldSelector): void {
  const own = info.definition.selectableFields;
  const hasOwnList = own !== undefined || info.definition.origin !== 'builtin';
  const problem = selector.checkFields([...COMMON_FIELDS, ...Object.keys(own ?? {})], hasOwnList);
  if (problem !== undefined) throw errors.badRequest(problem);
}
