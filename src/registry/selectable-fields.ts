import { errors } from '../meta/api-error.js';
import { COMMON_FIELDS, type FieldSelector } from '../selectors/index.js';
import type { ResourceInfo } from './resource-info.js';

/** What is left of {@link COMMON_FIELDS} outside namespaces. */
const ONLY_NAME: readonly string[] = ['metadata.name'];

/**
 * Checks that a kind can be selected by the fields that a selector names. A kind with a list of its own has `metadata.namespace` only where
 * its objects are in namespaces; the others take it in any case, as Kubernetes has it.
 *
 * @throws ApiError 400 that names the first field that it cannot be selected by
 */
export function checkFieldSelector(info: ResourceInfo, selector: FieldSelector): void {
  const own = info.definition.selectableFields;
  const hasOwnList = own !== undefined || info.definition.origin !== 'builtin';
  const common = hasOwnList && !info.namespaced ? ONLY_NAME : COMMON_FIELDS;
  const problem = selector.checkFields([...common, ...Object.keys(own ?? {})], hasOwnList);
  if (problem !== undefined) throw errors.badRequest(problem);
}
