import {
  cloneJson,
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../../foundation/index.js';
import type { StructuralSchema } from '../../machinery/index.js';

/** A field that an object may have and has not. */
export interface OptionalField {
  readonly name: string;
  readonly schema: StructuralSchema;
  /** Path of the field, with the places of items in lists. */
  readonly path: readonly (string | number)[];
  set(value: JsonValue): void;
}

/**
 * Fields that are not added: those that the server or controllers write, that keep an object from being deleted, and
 * that name objects which must exist. Extensions of schemas (`x-…`) are not added either.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'status',
  'finalizers',
  'nodeName',
  'serviceAccount',
  'serviceAccountName',
  'priorityClassName',
  'runtimeClassName',
  'schedulerName',
  'schedulingGates',
  // Set by the admission of priorities, and at most one class is the default.
  'priority',
  'preemptionPolicy',
  'globalDefault',
  // Allocated by the server, or dependent on its address ranges.
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'nodePort',
  'healthCheckNodePort',
  'dataSource',
  'dataSourceRef',
  'claimRef',
  'volumeName',
]);
/** The fields of metadata that may be added. */
const METADATA: ReadonlySet<string> = new Set(['labels', 'annotations']);

/** Returns the optional fields that an object has not, in the order of the schema; never empty. */
export function optionalFields(
  object: MutableJsonObject,
  schema: StructuralSchema,
  overrides: JsonObject,
): readonly OptionalField[] {
  const found: OptionalField[] = [];
  collect(object, schema, overrides, [], found);
  // Every object may have labels; a constant field stands for those that have all.
  return found.length > 0
    ? found
    : [{ name: 'labels', schema: { type: 'object', presence: 'omit' }, path: [], set: () => undefined }];
}

function collect(
  value: MutableJsonObject,
  schema: StructuralSchema,
  overrides: JsonValue | undefined,
  path: OptionalField['path'],
  found: OptionalField[],
): void {
  for (const [name, field] of schema.properties ?? []) {
    if (LEFT_OUT.has(name) || name.startsWith('x-') || (path.at(-1) === 'metadata' && !METADATA.has(name))) continue;
    const override = isJsonObject(overrides) ? overrides[name] : undefined;
    const present = value[name];
    if (present === undefined) {
      // A field that the overrides remove stays away.
      if (override === undefined)
        found.push({ name, schema: field, path: [...path, name], set: (given) => (value[name] = cloneJson(given)) });
    } else if (override !== undefined && !isJsonObject(override)) continue;
    else if (isArray(present) && field.items !== undefined) {
      for (const [index, item] of present.entries())
        if (isMutableObject(item)) collect(item, field.items, undefined, [...path, name, index], found);
    } else if (isMutableObject(present)) collect(present, field, override, [...path, name], found);
  }
}

const isMutableObject = (value: MutableJsonValue | undefined): value is MutableJsonObject => isJsonObject(value);

/** Returns the value at a path. */
export function valueAt(value: JsonValue | undefined, path: OptionalField['path']): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((found, step) => {
    if (isArray(found)) return found[Number(step)];
    return isJsonObject(found) ? found[step] : undefined;
  }, value);
}
