import type { Steps, Work } from '../../../foundation/index.js';
import type { JsonSchemaProps } from '../../../machinery/index.js';

/** Members of a schema, sorted by name. Kubernetes visits them in random order. */
export const sortedEntries = <Value>(members: Readonly<Record<string, Value>> | undefined): [string, Value][] =>
  Object.entries(members ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

/** Returns the schema in a value that may also be a boolean, a list or null; undefined for those. */
export function schemaIn(
  value: JsonSchemaProps | readonly (JsonSchemaProps | string)[] | boolean | null | undefined,
): JsonSchemaProps | undefined {
  return typeof value === 'object' && value !== null && !isList(value) ? value : undefined;
}

/** Returns the schemas of a list of schemas in `items`; empty for a single schema. */
export const schemasIn = (items: JsonSchemaProps['items'] | null): readonly JsonSchemaProps[] =>
  isList(items) ? items : [];

function isList<Item>(value: unknown): value is readonly Item[] {
  return Array.isArray(value);
}

/** The schemas directly within a schema. */
export function* partsOf(schema: JsonSchemaProps): Generator<JsonSchemaProps | undefined> {
  yield schemaIn(schema.items);
  yield* schemasIn(schema.items);
  yield* schema.allOf ?? [];
  yield* schema.anyOf ?? [];
  yield* schema.oneOf ?? [];
  yield schema.not;
  yield* Object.values(schema.properties ?? {});
  yield schemaIn(schema.additionalProperties);
  yield* Object.values(schema.patternProperties ?? {});
  yield schemaIn(schema.additionalItems);
  yield* Object.values(schema.definitions ?? {});
  for (const dependency of Object.values(schema.dependencies ?? {})) yield schemaIn(dependency);
}

/** Work of looking at a schema. */
export const UNITS_OF_SCHEMA = 20;

/** Returns whether a condition holds for a schema or for any schema within it. Pauses between two schemas. */
export function* someSchema(
  root: JsonSchemaProps,
  condition: (schema: JsonSchemaProps) => boolean,
  work: Work,
): Steps<boolean> {
  const open = [root];
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    if (work.spend(UNITS_OF_SCHEMA)) yield;
    if (condition(schema)) return true;
    for (const part of partsOf(schema)) if (part !== undefined && part !== null) open.push(part);
  }
  return false;
}
