/**
 * The rules for the defaults in a structural schema: a default must have no unknown fields and be valid itself.
 *
 * Source: `ValidateDefaults` of Kubernetes 1.31.
 *
 * @module
 */
import {
  aggregateText,
  appendErrors,
  atOnce,
  FieldError,
  FieldErrorList,
  invalid,
  isArray,
  isJsonObject,
  UNBOUNDED_WORK,
  unstructured,
  type DefinitionLimits,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import {
  checkEmbedded,
  checkValue,
  DecodeTypeError,
  newValidation,
  objectMetaSchema,
  readObject,
  type PatternCompiler,
  type RuleChecks,
  type StructuralSchema,
} from '../../../../machinery/index.js';
import { UNITS_OF_SCHEMA } from '../subschemas.js';
import { patternCompiler } from './patterns.js';

/** Which rules apply. */
export interface DefaultRules {
  readonly prunedDefaults: boolean;
  readonly checkRules: RuleChecks['checkDefault'];
  readonly limits: DefinitionLimits;
  /** Counts the work of the checks, which pause. */
  readonly work: Work;
}

/** Returns the errors of all defaults of a schema of whole objects. */
export function* defaultErrors(schema: StructuralSchema, path: string, rules: DefaultRules): Steps<FieldError[]> {
  const walk = new DefaultWalk(rules);
  const root = { ...schema, embeddedResource: true };
  yield* walk.visit(root, path, { root, wrap: typed, isWithinMetadata: false });
  return walk.errors;
}

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The object around a default. */
interface Surroundings {
  /** Schema of the innermost whole object. */
  readonly root: StructuralSchema;
  /** Returns that object with a value in the place of the schema. */
  readonly wrap: (value: JsonValue) => JsonValue;
  /** True within the schema of `metadata`, `kind` or `apiVersion`. */
  readonly isWithinMetadata: boolean;
}

/** Returns a whole object, which has its own version and kind, or some. */
const typed = (value: JsonValue): JsonValue =>
  isJsonObject(value) ? { apiVersion: 'validation/v1', kind: 'Validation', ...value } : value;

class DefaultWalk {
  readonly errors = new FieldErrorList();
  readonly #rules: DefaultRules;
  readonly #compile: PatternCompiler;

  constructor(rules: DefaultRules) {
    this.#compile = patternCompiler(rules.limits);
    this.#rules = rules;
  }

  *visit(schema: StructuralSchema, path: string, around: Surroundings): Steps<void> {
    if (this.#rules.work.spend(UNITS_OF_SCHEMA)) yield;
    const isResource = schema.embeddedResource === true;
    const here = isResource ? { root: schema, wrap: typed, isWithinMetadata: false } : around;
    if (schema.default !== undefined) yield* this.#check(schema, schema.default, `${path}.default`, here);
    // Defaults in values of maps are not filled in.
    if (schema.items !== undefined)
      yield* this.visit(schema.items, `${path}.items`, { ...here, wrap: (value) => here.wrap([value]) });
    const properties = [...(schema.properties ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [name, property] of properties)
      yield* this.visit(property, `${path}.properties[${name}]`, {
        root: here.root,
        wrap: (value) => here.wrap({ [name]: value }),
        isWithinMetadata: here.isWithinMetadata || (isResource && META_FIELDS.has(name)),
      });
  }

  *#check(schema: StructuralSchema, value: JsonValue, path: string, around: Surroundings): Steps<void> {
    const problems = around.isWithinMetadata
      ? metadataErrors(value, path, around, this.#compile)
      : this.#resourceErrors(schema, value, path);
    if (problems.length > 0) {
      appendErrors(this.errors, problems);
      return;
    }
    const found = yield* valueErrors(schema, value, path, this.#compile, this.#rules.work);
    appendErrors(
      this.errors,
      found.length > 0 ? found : yield* this.#rules.checkRules(schema, value, path, this.#rules.work),
    );
  }

  /** Returns the errors of whole objects in a default. Unknown fields do not end the check. */
  #resourceErrors(schema: StructuralSchema, value: JsonValue, path: string): FieldError[] {
    if (this.#rules.prunedDefaults && hasUnknownFields(value, schema))
      this.errors.push(invalid(path, unstructured(value), 'must not have unknown fields'));
    return objectErrors(value, schema, path, this.#compile);
  }
}

/** Checks a default within metadata as part of a whole object. */
function metadataErrors(
  value: JsonValue,
  path: string,
  { root, wrap }: Surroundings,
  compile: PatternCompiler,
): FieldError[] {
  const errors = objectErrors(wrap(value), root, '', compile).map(
    ({ type, field, value: found, detail }) => new FieldError(type, field.replace(/^\./, ''), found, detail),
  );
  return errors.length === 0
    ? []
    : [invalid(path, unstructured(value), `must result in valid metadata: ${aggregateText(errors)}`)];
}

/** Checks version, kind and metadata of whole objects in a value. */
function objectErrors(
  value: JsonValue,
  schema: StructuralSchema,
  path: string,
  compile: PatternCompiler,
): FieldError[] {
  const wrong = undecodedMetadata(value, schema, path);
  if (wrong !== undefined) return [wrong];
  const errors = new FieldErrorList();
  atOnce(
    checkEmbedded(
      { value, schema, path },
      errors,
      newValidation({ types: true, compilePattern: compile, work: UNBOUNDED_WORK }).run,
    ),
  );
  return errors;
}

/** Returns the error of the first metadata that is of a wrong type. */
function undecodedMetadata(value: JsonValue, schema: StructuralSchema, path: string): FieldError | undefined {
  if (isArray(value)) {
    const { items } = schema;
    if (items === undefined) return undefined;
    return first(value.entries(), ([index, item]) => undecodedMetadata(item, items, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return undefined;
  const { metadata } = value;
  if (schema.embeddedResource === true && metadata !== undefined) {
    const problem = metadataProblem(metadata);
    if (problem !== undefined) return invalid(childPath(path, 'metadata'), unstructured(metadata), problem);
  }
  return first(Object.entries(value), ([name, member]) => {
    const property = schema.properties?.get(name);
    if (member === undefined) return undefined;
    if (property !== undefined) return undecodedMetadata(member, property, childPath(path, name));
    const values = schema.additionalProperties;
    return values === undefined ? undefined : undecodedMetadata(member, values, `${path}[${name}]`);
  });
}

const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function first<Item, Result>(items: Iterable<Item>, find: (item: Item) => Result | undefined): Result | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function metadataProblem(metadata: JsonValue): string | undefined {
  try {
    readObject(metadata, objectMetaSchema, { origin: 'builtin' });
    return undefined;
  } catch (error) {
    if (!(error instanceof DecodeTypeError)) throw error;
    return error.message;
  }
}

/** Returns the errors of a default by its schema. The paths in their texts start at the default. */
function* valueErrors(
  schema: StructuralSchema,
  value: JsonValue,
  path: string,
  compilePattern: PatternCompiler,
  work: Work,
): Steps<FieldErrorList> {
  const validation = newValidation({ types: true, compilePattern, work, base: path });
  const rest = checkValue(value, schema, '', validation);
  if (rest !== undefined) yield* rest;
  return validation.errors;
}

/** Returns whether a value has fields that the schema drops. */
function hasUnknownFields(value: JsonValue, schema: StructuralSchema | undefined): boolean {
  const preserves = schema?.preserveUnknownFields === true;
  if (isArray(value))
    return value.some((item) =>
      preserves && schema?.items === undefined ? false : hasUnknownFields(item, preservingItems(schema)),
    );
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([name, member]) => {
    if (member === undefined || (schema?.embeddedResource === true && META_FIELDS.has(name))) return false;
    const known = schema?.properties?.get(name) ?? schema?.additionalProperties;
    return known === undefined ? !preserves : hasUnknownFields(member, known);
  });
}

/** The schema of the items of a list, which keep unknown fields where the list does. */
function preservingItems(schema: StructuralSchema | undefined): StructuralSchema | undefined {
  if (schema?.items === undefined) return undefined;
  return schema.preserveUnknownFields === true ? { ...schema.items, preserveUnknownFields: true } : schema.items;
}

/** Returns whether any default of a schema has unknown fields. */
export function* hasUnprunedDefault(schema: StructuralSchema, work: Work): Steps<boolean> {
  if (work.spend(UNITS_OF_SCHEMA)) yield;
  if (schema.default !== undefined && hasUnknownFields(schema.default, schema)) return true;
  const parts = [schema.items, schema.additionalProperties, ...(schema.properties?.values() ?? [])];
  for (const part of parts) if (part !== undefined && (yield* hasUnprunedDefault(part, work))) return true;
  return false;
}
