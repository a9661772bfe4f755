import type { RbacMeta } from './types.js';

/** The objects of one kind in a policy. A change costs in proportion to the object that changes, whatever else there is. */
export interface PolicyPart<Kind> {
  /** Puts in an object, in place of the one with its name. It must not be changed afterwards. */
  set(object: Kind): void;
  /** Takes an object out. `namespace` is empty for kinds without. Says whether it was there. */
  delete(namespace: string, name: string): boolean;
  /** Puts in these objects, and takes out all others. */
  replace(objects: Iterable<Kind>): void;
  /** Number of objects. */
  readonly size: number;
}

/** Namespaces have no slash in their names. */
export const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** Sets all of the objects and deletes what is left over. */
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
