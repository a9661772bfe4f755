/**
 * Bounds of a schema: what checking an object by it may cost. Their defaults are at least eight times what real definitions reach.
 *
 * @module
 */
import {
  FieldError,
  FieldErrorList,
  grouped,
  keysInSteps,
  OMITTED_VALUE,
  type DefinitionLimits,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { programSize, type JsonSchemaProps } from '../../../../machinery/index.js';
import { addParts, schemaIn, schemasIn, UNITS_OF_MEMBER, UNITS_OF_SCHEMA } from '../subschemas.js';

/**
 * Returns the errors of a schema beyond a bound. With one, nothing else of the schema needs a check, which could take
 * long.
 */
export function* schemaSizeErrors(
  schema: JsonSchemaProps,
  path: string,
  limits: DefinitionLimits,
  work: Work,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList();
  const fail = (text: string): void => void errors.push(new FieldError('TooMany', path, OMITTED_VALUE, text));
  const { schemas, depth, instructions } = yield* sizesOf(schema, limits, work);
  if (schemas > limits.schemas) fail(`there must be at most ${grouped(limits.schemas)} schemas`);
  if (depth > limits.depth) fail(`schemas must be nested at most ${limits.depth} deep`);
  if (instructions > limits.versionPatternInstructions)
    fail(`all patterns must have at most ${grouped(limits.versionPatternInstructions)} instructions`);
  if (errors.length > 0) return errors;
  const conditions = yield* new ConditionCount(limits, work).mostOf([schema]);
  if (conditions > limits.conditions)
    fail(`a value would be checked against ${conditions} schemas, at most ${limits.conditions}`);
  return errors;
}

interface Sizes {
  readonly schemas: number;
  readonly depth: number;
  /** Instructions of all patterns, those of equal ones once. Those of one that is too large do not count. */
  readonly instructions: number;
}

/** Measures a schema, and stops beyond a bound. */
function* sizesOf(root: JsonSchemaProps, limits: DefinitionLimits, work: Work): Steps<Sizes> {
  const patterns = new Map<string, number>();
  let schemas = 0;
  let depth = 0;
  let level: JsonSchemaProps[] = [root];
  while (level.length > 0 && schemas <= limits.schemas && depth <= limits.depth) {
    depth += 1;
    const next: JsonSchemaProps[] = [];
    for (const schema of level) {
      schemas += 1;
      const { pattern } = schema;
      if (work.spend(UNITS_OF_SCHEMA + (pattern?.length ?? 0))) yield;
      if (typeof pattern === 'string' && !patterns.has(pattern))
        patterns.set(pattern, programSize(pattern, limits.patternInstructions));
      yield* addParts(schema, next, work);
    }
    level = next;
  }
  let instructions = 0;
  for (const size of patterns.values()) if (size <= limits.patternInstructions) instructions += size;
  return { schemas, depth, instructions };
}

/** Counts the conditions that a value meets: those of its schema, and those of the conditions on what contains it. */
class ConditionCount {
  /** Schemas that were looked at: a condition on all members of an object is looked at for each of them. */
  #visited = 0;
  readonly #limits: DefinitionLimits;
  readonly #work: Work;

  constructor(limits: DefinitionLimits, work: Work) {
    this.#limits = limits;
    this.#work = work;
  }

  /** Returns the greatest number of conditions that a value meets: the value of these schemas, or one within it. */
  *mostOf(schemas: readonly JsonSchemaProps[]): Steps<number> {
    const all = withConditions(schemas, this.#limits.conditions);
    if (this.#work.spend(UNITS_OF_SCHEMA * all.length)) yield;
    this.#visited += all.length;
    // Only conditions multiply what is looked at.
    if (this.#visited > 10 * this.#limits.schemas) return this.#visited;
    // One schema declares the value; each other one is a condition on it.
    let most = all.length - 1;
    if (most > this.#limits.conditions) return most;
    for (const inner of yield* innerSchemas(all, this.#work)) {
      const found = yield* this.mostOf(inner);
      if (found > most) most = found;
      if (most > this.#limits.conditions) break;
    }
    return most;
  }
}

/** Returns schemas with the conditions on the same value, in all depths; ends beyond ten times the maximum. */
function withConditions(schemas: readonly JsonSchemaProps[], maximum: number): JsonSchemaProps[] {
  const all = [...schemas];
  for (let index = 0; index < all.length && all.length <= 10 * maximum; index += 1) {
    const { allOf, anyOf, oneOf, not } = all[index] as JsonSchemaProps;
    for (const list of [allOf, anyOf, oneOf]) for (const condition of list ?? []) all.push(condition);
    if (not !== undefined) all.push(not);
  }
  return all;
}

/** Returns the schemas of the members of a value, for each member that some schema names, and for the others. */
function* innerSchemas(schemas: readonly JsonSchemaProps[], work: Work): Steps<JsonSchemaProps[][]> {
  const byName = new Map<string, JsonSchemaProps[]>();
  const others: JsonSchemaProps[] = [];
  const items: JsonSchemaProps[] = [];
  for (const { properties = {}, additionalProperties, items: itemSchema } of schemas) {
    for (const name of yield* keysInSteps(properties, work)) {
      if (work.spend(UNITS_OF_MEMBER)) yield;
      const property = properties[name] as JsonSchemaProps;
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
