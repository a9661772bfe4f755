/**
 * Returns true while an object is being created. Before validation the registry sets the old resourceVersion on an
 * update, and refuses a resourceVersion on creation.
 */
export function isNew(object: { readonly metadata: { readonly resourceVersion?: string | undefined } }): boolean {
  return !object.metadata.resourceVersion;
}
