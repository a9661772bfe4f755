/**
 * The rules for every schema within a schema, which also hold where it is not structural.
 *
 * Source: `ValidateCustomResourceDefinitionOpenAPISchema` of Kubernetes 1.31.
 *
 * @module
 */
import {
  appendErrors,
  FieldErrorList,
  forbidden,
  invalid,
  notSupported,
  resultOf,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../../machinery/index.js';
import { extensionsOf } from '../extensions.js';
import { schemaIn, schemasIn, sortedNames, UNITS_OF_SCHEMA } from '../subschemas.js';
import { mergeTypeErrors } from './list-types.js';
import { ruleTextErrors } from './rule-texts.js';
import type { StructuralContext } from './structural.js';

/** The types of OpenAPI, sorted. */
export const openApiTypes: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Which of the newer rules apply. */
export interface SchemaRules {
  readonly knownTypes: boolean;
  readonly atomicSetItems: boolean;
  readonly mapKeys: boolean;
}

/** The errors of a schema. */
export interface SchemaProblems {
  readonly errors: readonly FieldError[];
  /** The schemas with an error in themselves or below. Their CEL rules are not compiled. */
  readonly invalid: ReadonlySet<JsonSchemaProps>;
}

/** Checks a whole schema. */
export function* openApiSchemaProblems(
  schema: JsonSchemaProps,
  path: string,
  context: StructuralContext,
  rules: SchemaRules,
): Steps<SchemaProblems> {
  const walk = new SchemaWalk(context, rules);
  yield* walk.visit(schema, path, { isRoot: true });
  return walk;
}

/** The facts that the place of a schema adds to the rules. */
interface Place {
  readonly isRoot?: boolean | undefined;
  /** True within the schema of `metadata`, `kind` or `apiVersion` of an object. */
  readonly isWithinMetadata?: boolean | undefined;
  /** The reason why the schema must not have a default. */
  readonly noDefaults?: string | undefined;
}

const METADATA_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

/** Members that no schema may have. */
const FORBIDDEN = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const;

class SchemaWalk implements SchemaProblems {
  readonly errors = new FieldErrorList();
  readonly invalid = new Set<JsonSchemaProps>();
  readonly #context: StructuralContext;
  readonly #names: SchemaExtensions;
  readonly #rules: SchemaRules;

  constructor(context: StructuralContext, rules: SchemaRules) {
    this.#context = context;
    this.#names = context.names;
    this.#rules = rules;
  }

  *visit(schema: JsonSchemaProps | undefined, path: string, place: Place): Steps<void> {
    if (schema === undefined) return;
    if (this.#context.work.spend(UNITS_OF_SCHEMA)) yield;
    const before = this.errors.length;
    this.#members(schema, path, place);
    yield* this.#structs(schema, path, place);
    yield* this.#conditions(schema, path, place);
    yield* this.#lists(schema, path, place);
    const extensions = extensionsOf(schema, this.#names);
    if (extensions.preserveUnknownFields === false)
      this.errors.push(invalid(`${path}.${this.#names.preserveUnknownFields}`, false, 'must be true or undefined'));
    appendErrors(this.errors, mergeTypeErrors({ schema, extensions, path, names: this.#names }, this.#rules));
    appendErrors(this.errors, yield* ruleTextErrors(schema, extensions.validations, path, this.#context));
    if (this.errors.length > before) this.invalid.add(schema);
  }

  /** Checks the members that do not depend on other schemas. */
  #members(schema: JsonSchemaProps, path: string, { noDefaults, isWithinMetadata = false }: Place): void {
    const { type = '' } = schema;
    if (this.#rules.knownTypes && type !== '' && !openApiTypes.includes(type))
      this.errors.push(notSupported(`${path}.type`, type, openApiTypes));
    if (schema.default !== undefined && noDefaults !== undefined)
      this.errors.push(forbidden(`${path}.default`, `must not be set ${noDefaults}`));
    for (const name of FORBIDDEN)
      if (schema[name] !== undefined) this.errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
    if (type === 'null')
      this.errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'));
    if (schemasIn(schema.items).length > 0)
      this.errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'));
    const embedded = this.#names.embeddedResource;
    if (isWithinMetadata && schema[embedded] === true)
      this.errors.push(forbidden(`${path}.${embedded}`, 'must not be used inside of resource meta'));
    if (schema.uniqueItems === true)
      this.errors.push(
        forbidden(
          `${path}.uniqueItems`,
          'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
        ),
      );
  }

  /** Visits the fields and values of objects. */
  *#structs(schema: JsonSchemaProps, path: string, place: Place): Steps<void> {
    const { properties, additionalProperties } = schema;
    const inner = within(place);
    if (additionalProperties !== undefined) {
      if (properties !== undefined && additionalProperties !== true)
        this.errors.push(
          forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'),
        );
      // Pruning is ambiguous without the actual value.
      const noDefaults = { noDefaults: 'inside additionalProperties applying to object metadata' };
      yield* this.visit(schemaIn(additionalProperties), `${path}.additionalProperties`, {
        ...inner,
        ...(place.isWithinMetadata === true ? noDefaults : {}),
      });
    }
    const isResource = place.isRoot === true || schema[this.#names.embeddedResource] === true;
    for (const name of yield* resultOf(sortedNames(properties, this.#context.work))) {
      const metadata: Place =
        isResource && METADATA_FIELDS.has(name)
          ? { isWithinMetadata: true, ...(place.isRoot === true ? { noDefaults: `in top-level ${name}` } : {}) }
          : {};
      yield* this.visit(properties?.[name], `${path}.properties[${name}]`, { ...inner, ...metadata });
    }
  }

  *#conditions({ not, allOf, oneOf, anyOf, definitions }: JsonSchemaProps, path: string, place: Place): Steps<void> {
    const inner = within(place);
    yield* this.visit(not, `${path}.not`, inner);
    for (const [name, schemas] of Object.entries({ allOf, oneOf, anyOf }))
      for (const [index, schema] of (schemas ?? []).entries())
        yield* this.visit(schema, `${path}.${name}[${index}]`, inner);
    for (const name of yield* resultOf(sortedNames(definitions, this.#context.work)))
      yield* this.visit(definitions?.[name], `${path}.definitions[${name}]`, inner);
  }

  *#lists({ items, dependencies }: JsonSchemaProps, path: string, place: Place): Steps<void> {
    const inner = within(place);
    yield* this.visit(schemaIn(items), `${path}.items`, inner);
    for (const [index, schema] of schemasIn(items).entries())
      yield* this.visit(schema, `${path}.items[${index}]`, inner);
    for (const name of yield* resultOf(sortedNames(dependencies, this.#context.work)))
      yield* this.visit(schemaIn(dependencies?.[name]), `${path}.dependencies[${name}]`, inner);
  }
}

const within = ({ isRoot: _, ...place }: Place): Place => place;
