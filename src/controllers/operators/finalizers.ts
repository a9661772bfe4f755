import type { JsonPatchOperation } from '../../machinery/index.js';
import { orAbsent } from '../runtime/failures.js';
import type { AnyObject, AnyResource } from '../runtime/served-kinds.js';

/** Returns whether an object has a finalizer. */
export const hasFinalizer = ({ metadata }: AnyObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/**
 * Adds a finalizer to an object, or removes it, provided that the object has still the version that was read: a list of
 * finalizers that others change meanwhile is never overwritten.
 *
 * @returns the object; undefined when it does not exist any more
 * @throws ApiError 409 when the object has changed
 */
export function setFinalizers(
  resource: AnyResource,
  { metadata }: AnyObject,
  finalizers: readonly string[],
): Promise<AnyObject | undefined> {
  const { name = '', uid = '', resourceVersion = '' } = metadata;
  const operations: JsonPatchOperation[] = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'add', path: '/metadata/finalizers', value: [...finalizers] },
  ];
  return orAbsent(resource.patch(name, operations));
}
