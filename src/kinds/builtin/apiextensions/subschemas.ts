import { keysInSteps, sortedSteps, type MaybeSteps, type Steps, type Work } from '../../../foundation/index.js';
import type { JsonSchemaProps } from '../../../machinery/index.js';

const byName = (a: string, b: string): number => (a < b ? -1 : 1);

/** Members of a schema, sorted by name. Kubernetes visits them in random order. */
export const sortedEntries = <Value>(members: Readonly<Record<string, Value>> | undefined): [string, Value][] =>
  Object.entries(members ?? {}).sort(([a], [b]) => byName(a, b));

/** Work of looking at a member of a schema. */
export const UNITS_OF_MEMBER = 4;

const NO_NAMES: readonly string[] = Object.freeze([]);
/** Members that are listed and sorted at once. */
const FEW = 64;

/** The names of members of a schema as {@link sortedEntries} sorts them; in steps for many. */
export function sortedNames(
  members: Readonly<Record<string, unknown>> | undefined,
  work: Work,
): MaybeSteps<readonly string[]> {
  if (members === undefined) return NO_NAMES;
  const names = Object.keys(members);
  return names.length <= FEW ? names.sort(byName) : manyNames(names, work);
}

function* manyNames(names: string[], work: Work): Steps<readonly string[]> {
  if (work.spend(names.length * UNITS_OF_MEMBER)) yield;
  return yield* sortedSteps(names, byName, work);
}

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

/** Adds the schemas directly within a schema to a list. The keys of each part are listed in one piece. */
export function* addParts(schema: JsonSchemaProps, into: JsonSchemaProps[], work: Work): Steps<void> {
  const { items, properties, patternProperties, definitions, dependencies } = schema;
  for (const single of [items, schema.not, schema.additionalProperties, schema.additionalItems]) {
    const part = schemaIn(single);
    if (part !== undefined) into.push(part);
  }
  for (const list of [schemasIn(items), schema.allOf, schema.anyOf, schema.oneOf])
    for (const part of list ?? []) if (schemaIn(part) !== undefined) into.push(part);
  for (const members of [properties, patternProperties, definitions, dependencies]) {
    if (members === undefined || members === null) continue;
    for (const name of yield* keysInSteps(members, work)) {
      if (work.spend(UNITS_OF_MEMBER)) yield;
      const part = schemaIn(members[name]);
      if (part !== undefined) into.push(part);
    }
  }
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
    yield* addParts(schema, open, work);
  }
  return false;
}
