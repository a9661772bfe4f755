import type { StoredObject } from '../../meta/object.js';

/**
 * True while an object is being created. The registry gives an object that is being updated the old one's
 * resourceVersion before it is validated, and refuses one on creation.
 */
export function isNew(object: StoredObject): boolean {
  return !object.metadata.resourceVersion;
}
