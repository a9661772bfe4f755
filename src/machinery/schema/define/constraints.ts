import { isObjectMeta } from './object-meta.js';
import type { StructuralSchema, ValueSchema } from './structural.js';

/** A node of a schema, or a condition. */
type Node = Omit<ValueSchema, 'properties' | 'additionalProperties' | 'items'> &
  Partial<Pick<StructuralSchema, 'presence' | 'listType' | 'embeddedResource'>> & {
    readonly properties?: ReadonlyMap<string, Node> | undefined;
    readonly additionalProperties?: Node | undefined;
    readonly items?: Node | undefined;
  };

/** The kinds of checks that a schema needs, in the node itself or below. */
export interface Constraints {
  /** A rule on values: bounds, patterns, enumerations, required fields. */
  readonly values: boolean;
  /** A list whose items, or the keys of its items, must be distinct. */
  readonly lists: boolean;
  /** An embedded object. */
  readonly embedded: boolean;
}

type Mutable = { -readonly [Key in keyof Constraints]: Constraints[Key] };

const found = new WeakMap<Node, Constraints>();

/** Returns true when a required field can be missing. Fields that are always written cannot. */
function requires(schema: Node): boolean {
  return schema.required?.some((name) => schema.properties?.get(name)?.presence !== 'always') ?? false;
}

function hasOwnRules(schema: Node): boolean {
  return (
    schema.enum !== undefined ||
    schema.allOf !== undefined ||
    schema.anyOf !== undefined ||
    schema.oneOf !== undefined ||
    schema.not !== undefined ||
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

function collect(schema: Node, into: Mutable, seen: Set<Node>): void {
  const known = found.get(schema);
  if (known !== undefined) {
    into.values ||= known.values;
    into.lists ||= known.lists;
    into.embedded ||= known.embedded;
    return;
  }
  if (seen.has(schema)) return;
  seen.add(schema);
  // Metadata has its own rules, which no schema expresses.
  if (isObjectMeta(schema)) return;
  into.values ||= hasOwnRules(schema);
  into.lists ||= schema.listType === 'set' || schema.listType === 'map';
  into.embedded ||= schema.embeddedResource === true;
  for (const property of schema.properties?.values() ?? []) collect(property, into, seen);
  if (schema.additionalProperties !== undefined) collect(schema.additionalProperties, into, seen);
  if (schema.items !== undefined) collect(schema.items, into, seen);
}

/** Returns the kinds of checks that a schema needs. Computed once per schema. */
export function constraintsOf(schema: Node): Constraints {
  const known = found.get(schema);
  if (known !== undefined) return known;
  const constraints: Mutable = { values: false, lists: false, embedded: false };
  collect(schema, constraints, new Set());
  found.set(schema, constraints);
  return constraints;
}

/**
 * Returns true when `validateObject` can find errors in an object of a built-in kind. Lists do not count: in
 * Kubernetes, the kind's own rules check them.
 */
export function hasConstraints(schema: Node): boolean {
  const { values, embedded } = constraintsOf(schema);
  return values || embedded;
}
