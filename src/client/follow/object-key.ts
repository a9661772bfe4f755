import type { ObjectMeta } from '../../foundation/index.js';

/** The part of an object that following it requires. */
export interface FollowedObject {
  readonly metadata: ObjectMeta;
}

/** Returns `namespace/name`, or the name alone for a cluster-scoped object. */
export function objectKey({ metadata }: FollowedObject): string {
  const { namespace = '', name = '' } = metadata;
  return namespace === '' ? name : `${namespace}/${name}`;
}
