import { equalInSlices } from '../collections/equal-steps.js';
import type { JsonObject } from '../json/json.js';
import type { Work } from '../work/work.js';

/** Fields that the garbage collector changes. A change of only these fields cannot grant permissions. */
const COLLECTOR_FIELDS: ReadonlySet<string> = new Set(['ownerReferences', 'finalizers', 'selfLink', 'managedFields']);

/** Returns true when an update changes only fields of the garbage collector; in slices for a request that is known to be large. */
export function onlyCollectorFieldsDiffer(
  object: { readonly metadata: object },
  old: { readonly metadata: object } | undefined,
  work?: Work,
): boolean | Promise<boolean> {
  if (old === undefined) return false;
  return equalInSlices(work, withoutCollectorFields(object), withoutCollectorFields(old));
}

function withoutCollectorFields(object: { readonly metadata: object }): JsonObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([field]) => !COLLECTOR_FIELDS.has(field)),
  );
  return { ...object, metadata };
}
