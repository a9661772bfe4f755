import { errors } from '../../foundation/index.js';
import { COMMON_FIELDS, type FieldSelector } from '../../machinery/index.js';
import type { ResourceInfo } from './resource-info.js';

/** The part of {@link COMMON_FIELDS} that applies to cluster-scoped kinds. */
const ONLY_NAME: readonly string[] = ['metadata.name'];

/**
 * Checks that a kind supports the fields of a selector. A kind with its own list of selectable fields has
 * `metadata.namespace` only when it is namespaced; other kinds always have it, as in Kubernetes.
 *
 * @throws ApiError 400 that names the first unsupported field
 */
export function checkFieldSelector(info: ResourceInfo, selector: FieldSelector): void {
  const own = info.definition.selectableFields;
  const hasOwnList = own !== undefined || info.definition.origin !== 'builtin';
  const common = hasOwnList && !info.namespaced ? ONLY_NAME : COMMON_FIELDS;
  const words = info.definition.fieldRefusal?.replaceAll('<apiVersion>', info.apiVersion);
  const problem = selector.checkFields([...common, ...Object.keys(own ?? {})], hasOwnList, words);
  if (problem !== undefined) throw errors.badRequest(problem);
}
