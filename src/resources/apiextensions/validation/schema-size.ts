/**
 * Bounds of a schema: what checking an object by it may cost. Each is at least eight times what real definitions reach.
 *
 * @module
 */
import { FieldError, OMITTED_VALUE } from '../../../meta/field-error.js';
import { grouped } from '../../../meta/grouped-number.js';
import { FieldErrorList } from '../../../meta/field-error-list.js';
import type { Steps, Work } from '../../../meta/work.js';
import { MAX_PATTERN_INSTRUCTIONS, programSize } from '../../../patterns/index.js';
import type { JsonSchemaProps } from '../../../schema/json-schema.js';
import { MAX_INSTRUCTIONS_OF_VERSION } from '../../../schema/user-patterns.js';
import { partsOf, schemaIn, schemasIn, UNITS_OF_SCHEMA } from '../subschemas.js';

/** Most schemas within a schema, conditions included. Real definitions have at most 10,505. */
export const MAX_SCHEMAS = 100_000;

/** Most levels of schemas. Real definitions have at most 19. */
export const MAX_SCHEMA_DEPTH = 500;

/** Most conditions that one value meets, in all depths. Real definitions have at most 19. */
export const MAX_CONDITIONS = 1000;

/**
 * Returns the errors of a schema beyond a bound. With one, nothing else of the schema needs a check, which could take
 * long.
 */
export function* schemaSizeErrors(schema: JsonSchemaProps, path: string, work: Work): Steps<FieldErrorList> {
  const errors = new FieldErrorList();
  const fail = (text: string): void => void errors.push(new FieldError('TooMany', path, OMITTED_VALUE, text));
  const { schemas, depth, instructions } = yield* sizesOf(schema, work);
  if (schemas > MAX_SCHEMAS) fail(`there must be at most ${grouped(MAX_SCHEMAS)} schemas`);
  if (depth > MAX_SCHEMA_DEPTH) fail(`schemas must be nested at most ${MAX_SCHEMA_DEPTH} deep`);
  if (instructions > MAX_INSTRUCTIONS_OF_VERSION)
    fail(`all patterns must have at most ${grouped(MAX_INSTRUCTIONS_OF_VERSION)} instructions`);
  if (errors.length > 0) return errors;
  const conditions = yield* new ConditionCount(work).mostOf([schema]);
  if (conditions > MAX_CONDITIONS)
    fail(`a value would be checked against ${conditions} schemas, at most ${MAX_CONDITIONS}`);
  return errors;
}

interface Sizes {
  readonly schemas: number;
  readonly depth: number;
  /** Instructions of all patterns, those of equal ones once. Those of one that is too large do not count. */
  readonly instructions: number;
}

/** Measures a schema, and stops beyond a bound. */
function* sizesOf(root: JsonSchemaProps, work: Work): Steps<Sizes> {
  const patterns = new Map<string, number>();
  let schemas = 0;
  let depth = 0;
  let level: JsonSchemaProps[] = [root];
  while (level.length > 0 && schemas <= MAX_SCHEMAS && depth <= MAX_SCHEMA_DEPTH) {
    depth += 1;
    const next: JsonSchemaProps[] = [];
    for (const schema of level) {
      schemas += 1;
      const { pattern } = schema;
      if (work.spend(UNITS_OF_SCHEMA + (pattern?.length ?? 0))) yield;
      if (typeof pattern === 'string' && !patterns.has(pattern))
        patterns.set(pattern, programSize(pattern, MAX_PATTERN_INSTRUCTIONS));
      for (const part of partsOf(schema)) if (part !== undefined && part !== null) next.push(part);
    }
    level = next;
  }
  let instructions = 0;
  for (const size of patterns.values()) if (size <= MAX_PATTERN_INSTRUCTIONS) instructions += size;
  return { schemas, depth, instructions };
}

/** Counts the conditions that a value meets: those of its schema, and those of the conditions on what contains it. */
class ConditionCount {
  /** Schemas that were looked at: a condition on all members of an object is looked at for each of them. */
  #visited = 0;
  readonly #work: Work;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Returns the greatest number of conditions that a value meets: the value of these schemas, or one within it. */
  *mostOf(schemas: readonly JsonSchemaProps[]): Steps<number> {
    const all = withConditions(schemas);
    if (this.#work.spend(UNITS_OF_SCHEMA * all.length)) yield;
    this.#visited += all.length;
    // Only conditions multiply what is looked at.
    if (this.#visited > 10 * MAX_SCHEMAS) return this.#visited;
    // One schema declares the value; each other one is a condition on it.
    let most = all.length - 1;
    if (most > MAX_CONDITIONS) return most;
    for (const inner of innerSchemas(all)) {
      const found = yield* this.mostOf(inner);
      if (found > most) most = found;
      if (most > MAX_CONDITIONS) break;
    }
    return most;
  }
}

/** Returns schemas with the conditions on the same value, in all depths. */
function withConditions(schemas: readonly JsonSchemaProps[]): JsonSchemaProps[] {
  const all = [...schemas];
  for (let index = 0; index < all.length && all.length <= 10 * MAX_CONDITIONS; index += 1) {
    const { allOf, anyOf, oneOf, not } = all[index] as JsonSchemaProps;
    for (const list of [allOf, anyOf, oneOf]) for (const condition of list ?? []) all.push(condition);
    if (not !== undefined) all.push(not);
  }
  return all;
}

/** Returns the schemas of the members of a value, for each member that some schema names, and for the others. */
function innerSchemas(schemas: readonly JsonSchemaProps[]): JsonSchemaProps[][] {
  const byName = new Map<string, JsonSchemaProps[]>();
  const others: JsonSchemaProps[] = [];
  const items: JsonSchemaProps[] = [];
  for (const { properties, additionalProperties, items: itemSchema } of schemas) {
    for (const [name, property] of Object.entries(properties ?? {})) {
      const known = byName.get(name);
      if (known === undefined) byName.set(name, [property]);
      else known.push(property);
    }
    const other = schemaIn(additionalProperties);
    if (other !== undefined) others.push(other);
    const item = schemaIn(itemSchema);
    if (item !== undefined) items.push(item);
    for (const one of schemasIn(itemSchema)) items.push(one);
  }
  if (schemas.length > 1 && others.length > 0)
    for (const list of byName.values()) for (const other of others) list.push(other);
  return [...byName.values(), others, items].filter((list) => list.length > 0);
}
