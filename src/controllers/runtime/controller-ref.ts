import type { ObjectMeta, OwnerReference } from '../../foundation/index.js';
import type { IndexFunction, InformedObject } from './informer-cache.js';

/** An object that may be the controller of others. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Returns the reference to the controller of an object. */
export function controllerOf({ metadata }: InformedObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Returns whether an object has the given controller. */
export function isControlledBy(object: InformedObject, owner: InformedObject): boolean {
  return owner.metadata.uid !== undefined && controllerOf(object)?.uid === owner.metadata.uid;
}

/** Returns the reference by which an object names its controller. */
export function controllerReference({ apiVersion, kind, metadata }: Owner): OwnerReference {
  const { name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Name of the index {@link byController}. */
export const BY_CONTROLLER = 'byController';

/** Index function: the uid of the object's controller, or {@link orphansOf} its namespace. */
export const byController: IndexFunction<InformedObject> = (object) => [
  controllerOf(object)?.uid ?? orphansOf(object.metadata.namespace ?? ''),
];

/** Returns the value under which the index {@link byController} finds the objects without a controller. */
export const orphansOf = (namespace: string): string => `/${namespace}`;
