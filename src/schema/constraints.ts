import { isObjectMeta } from './object-meta.js';
import type { StructuralSchema } from './structural.js';

/** What of a schema validation has to look at, in the node itself or below. */
export interface Constraints {
  /** A rule on values: bounds, patterns, closed lists, required fields. */
  readonly values: boolean;
  /** A list whose items must differ, in themselves or in their keys. */
  readonly lists: boolean;
  /** An object within the object. */
  readonly embedded: boolean;
}

type Mutable = { -readonly [Key in keyof Constraints]: Constraints[Key] };

const found = new WeakMap<StructuralSchema, Constraints>();

/** A required field that is written in any case cannot be missing. */
function requires(schema: StructuralSchema): boolean {
  return schema.required?.some((name) => schema.properties?.get(name)?.presence !== 'always') ?? false;
}

function hasOwnRules(schema: StructuralSchema): boolean {
  return (
    schema.enum !== undefined ||
    schema.pattern !== undefined ||
    schema.uniqueItems === true ||
    requires(schema) ||
    schema.minLength !== undefined ||
    schema.maxLength !== undefined ||
    schema.minimum !== undefined ||
    schema.maximum !== undefined ||
    schema.multipleOf !== undefined ||
    schema.minItems !== undefined ||
    schema.maxItems !== undefined ||
    schema.minProperties !== undefined ||
    schema.maxProperties !== undefined
  );
}

function collect(schema: StructuralSchema, into: Mutable, seen: Set<StructuralSchema>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  // Metadata has rules of its own, which no schema expresses.
  if (isObjectMeta(schema)) return;
  into.values ||= hasOwnRules(schema);
  into.lists ||= schema.listType === 'set' || schema.listType === 'map';
  into.embedded ||= schema.embeddedResource === true;
  for (const property of schema.properties?.values() ?? []) collect(property, into, seen);
  if (schema.additionalProperties !== undefined) collect(schema.additionalProperties, into, seen);
  if (schema.items !== undefined) collect(schema.items, into, seen);
}

/** What validation has to look at in a schema and below it. Found out once. */
export function constraintsOf(schema: StructuralSchema): Constraints {
  const known = found.get(schema);
  if (known !== undefined) return known;
  const made: Mutable = { values: false, lists: false, embedded: false };
  collect(schema, made, new Set());
  found.set(schema, made);
  return made;
}

/**
 * True when `validateObject` could find anything wrong in an object of a built-in kind. Its lists are not looked at: the
 * production system leaves them to the kind's own rules.
 */
export function hasConstraints(schema: StructuralSchema): boolean {
  const { values, embedded } = constraintsOf(schema);
  return values || embedded;
}
