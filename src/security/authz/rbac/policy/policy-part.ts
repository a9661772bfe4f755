import type { RbacMeta } from '../types.js';

/** The objects of one kind in a policy. The cost of a change depends only on the changed object. */
export interface PolicyPart<Kind> {
  /** Adds or replaces an object. The object must not change afterwards. */
  set(object: Kind): void;
  /** Removes an object. `namespace` is empty for cluster-scoped kinds. Returns whether it existed. */
  delete(namespace: string, name: string): boolean;
  /** Replaces all objects. */
  replace(objects: Iterable<Kind>): void;
  /** Number of objects. */
  readonly size: number;
}

/** Returns a unique key: namespaces contain no slash. */
export const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Sets all objects and deletes the remaining ones. */
export function replaceAll<Kind extends { readonly metadata: RbacMeta }>(
  part: PolicyPart<Kind>,
  present: Iterable<{ readonly namespace: string; readonly name: string }>,
  objects: Iterable<Kind>,
): void {
  const kept = new Set<string>();
  for (const object of objects) {
    part.set(object);
    kept.add(keyOf(object.metadata.namespace ?? '', object.metadata.name ?? ''));
  }
  for (const { namespace, name } of [...present]) if (!kept.has(keyOf(namespace, name))) part.delete(namespace, name);
}
