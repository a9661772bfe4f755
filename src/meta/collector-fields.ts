import { equalJson, type JsonObject } from './json.js';

/** Fields by which the garbage collector works; a change of these alone grants nothing. */
const COLLECTOR_FIELDS: ReadonlySet<string> = new Set(['ownerReferences', 'finalizers', 'selfLink', 'managedFields']);

/** True when an update changes nothing but fields that the garbage collector works with. */
export function onlyCollectorFieldsDiffer(
  object: { readonly metadata: object },
  old: { readonly metadata: object } | undefined,
): boolean {
  if (old === undefined) return false;
  return equalJson(withoutCollectorFields(object), withoutCollectorFields(old));
}

function withoutCollectorFields(object: { readonly metadata: object }): JsonObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([field]) => !COLLECTOR_FIELDS.has(field)),
  );
  return { ...object, metadata };
}
