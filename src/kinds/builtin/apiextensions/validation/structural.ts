/**
 * The rules of structural schemas: the fields and their types are declared outside of `allOf`, `anyOf`, `oneOf` and
 * `not`, which only restrict values.
 *
 * Source: `ValidateStructural` of Kubernetes 1.31.
 *
 * @module
 */
import {
  equalJson,
  FieldErrorList,
  forbidden,
  invalid,
  required,
  resultOf,
  type DefinitionLimits,
  type FieldError,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../../machinery/index.js';
import { extensionsOf, type ExtensionValues } from '../extensions.js';
import { schemaIn, sortedNames, UNITS_OF_SCHEMA } from '../subschemas.js';
import { completenessErrors } from './completeness.js';
import type { SchemaFacts } from './schema-facts.js';

/** The parts that the check of a schema needs. */
export interface StructuralContext {
  readonly names: SchemaExtensions;
  readonly facts: SchemaFacts;
  readonly limits: DefinitionLimits;
  /** Counts the work of the check, which pauses. */
  readonly work: Work;
}

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Returns the errors of a schema that can be converted, sorted by their texts. */
export function* structuralErrors(
  schema: JsonSchemaProps,
  path: string,
  context: StructuralContext,
): Steps<FieldError[]> {
  const check = new StructuralCheck(context);
  yield* check.schema(schema, 'root', path);
  const errors = [...check.errors, ...(yield* completenessErrors(schema, path, context.work))];
  return errors
    .map((error) => [error.toString(), error] as const)
    .sort(byText)
    .map(([, error]) => error);
}

const byText = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

const INT_OR_STRING: JsonValue = [{ type: 'integer' }, { type: 'string' }];
const isIntOrString = (anyOf: JsonSchemaProps['anyOf']): boolean =>
  equalJson(anyOf as JsonValue | undefined, INT_OR_STRING);

class StructuralCheck {
  readonly errors = new FieldErrorList();
  readonly #names: SchemaExtensions;
  readonly #facts: SchemaFacts;
  readonly #work: Work;

  constructor({ names, facts, work }: StructuralContext) {
    this.#names = names;
    this.#facts = facts;
    this.#work = work;
  }

  *schema(schema: JsonSchemaProps, level: Level, path: string): Steps<void> {
    if (this.#work.spend(UNITS_OF_SCHEMA)) yield;
    const { type = '', items, properties, additionalProperties } = schema;
    const item = schemaIn(items);
    if (type === 'array' && item === undefined) this.errors.push(required(`${path}.items`, 'must be specified'));
    if (item !== undefined) yield* this.schema(item, 'item', `${path}.items`);
    for (const name of yield* resultOf(sortedNames(properties, this.#work))) {
      const property = properties?.[name];
      if (property !== undefined) yield* this.schema(property, 'field', `${path}.properties[${name}]`);
    }
    const values = schemaIn(additionalProperties);
    if (additionalProperties !== undefined && level === 'root')
      this.errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
    if (values !== undefined) yield* this.schema(values, 'field', `${path}.additionalProperties`);
    const extensions = extensionsOf(schema, this.#names);
    this.#extensions(extensions, path);
    yield* this.#conditions(schema, level, path, {
      skipAnyOf: isIntOrString(schema.anyOf),
      skipFirstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf),
    });
    this.#type(schema, extensions, level, path);
    this.#resource(schema, extensions, level, path);
  }

  #extensions({ intOrString, preserveUnknownFields, embeddedResource }: ExtensionValues, path: string): void {
    if (!intOrString) return;
    const mustBeFalse = `must be false if ${this.#names.intOrString} is true`;
    if (preserveUnknownFields === true)
      this.errors.push(invalid(`${path}.${this.#names.preserveUnknownFields}`, true, mustBeFalse));
    if (embeddedResource) this.errors.push(invalid(`${path}.${this.#names.embeddedResource}`, true, mustBeFalse));
  }

  #type(schema: JsonSchemaProps, extensions: ExtensionValues, level: Level, path: string): void {
    const { type = '' } = schema;
    const { embeddedResource, intOrString, preserveUnknownFields } = extensions;
    if (embeddedResource && type !== 'object') {
      const detail = `must be object if ${this.#names.embeddedResource} is true`;
      this.errors.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail));
    } else if (type === '' && !intOrString && preserveUnknownFields !== true)
      this.errors.push(required(`${path}.type`, EMPTY_TYPE[level]));
    if (embeddedResource && schema.additionalProperties !== undefined)
      this.errors.push(
        forbidden(`${path}.additionalProperties`, `must not be used if ${this.#names.embeddedResource} is set`),
      );
    if (level === 'root' && type !== '' && type !== 'object')
      this.errors.push(invalid(`${path}.type`, type, 'must be object at the root'));
  }

  /** Checks the fields that every object has. */
  #resource(
    { properties = {} }: JsonSchemaProps,
    { embeddedResource, preserveUnknownFields }: ExtensionValues,
    level: Level,
    path: string,
  ): void {
    const isResource = level === 'root' || embeddedResource;
    for (const name of ['kind', 'apiVersion']) {
      const property = properties[name];
      if (isResource && property !== undefined && property.type !== 'string')
        this.errors.push(invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string'));
    }
    const { metadata } = properties;
    if (metadata !== undefined) this.#metadata(metadata, isResource, level, `${path}.properties[metadata]`);
    if (embeddedResource && preserveUnknownFields !== true && Object.keys(properties).length === 0)
      this.errors.push(
        required(
          `${path}.properties`,
          `must not be empty if ${this.#names.embeddedResource} is true without ${this.#names.preserveUnknownFields}`,
        ),
      );
  }

  #metadata(metadata: JsonSchemaProps, isResource: boolean, level: Level, path: string): void {
    if (isResource && metadata.type !== 'object')
      this.errors.push(invalid(`${path}.type`, metadata.type ?? '', 'must be object'));
    if (level === 'root' && restrictsMetadata(metadata))
      this.errors.push(
        forbidden(
          path,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      );
  }

  /** Checks the conditions on the value of a schema. */
  *#conditions(
    schema: JsonSchemaProps,
    level: Level,
    path: string,
    { skipAnyOf, skipFirstAllOf }: { readonly skipAnyOf: boolean; readonly skipFirstAllOf: boolean },
  ): Steps<void> {
    if (!skipAnyOf)
      for (const [index, part] of (schema.anyOf ?? []).entries())
        yield* this.#condition(part, level, `${path}.anyOf[${index}]`);
    for (const [index, part] of (schema.allOf ?? []).entries())
      yield* this.#condition(part, level, `${path}.allOf[${index}]`, skipFirstAllOf && index === 0);
    for (const [index, part] of (schema.oneOf ?? []).entries())
      yield* this.#condition(part, level, `${path}.oneOf[${index}]`);
    if (schema.not !== undefined) yield* this.#condition(schema.not, level, `${path}.not`);
    const { pattern = '' } = schema;
    const problem = pattern === '' ? undefined : yield* this.#facts.patternProblem(pattern);
    if (problem !== undefined)
      this.errors.push(
        invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`),
      );
  }

  /** Checks a schema within `allOf`, `anyOf`, `oneOf` or `not`. */
  *#condition(schema: JsonSchemaProps, level: Level, path: string, skipAnyOf = false): Steps<void> {
    if (this.#work.spend(UNITS_OF_SCHEMA)) yield;
    yield* this.#conditions(schema, level, path, { skipAnyOf, skipFirstAllOf: false });
    const item = schemaIn(schema.items);
    if (item !== undefined) yield* this.#condition(item, level, `${path}.items`);
    for (const name of yield* resultOf(sortedNames(schema.properties, this.#work))) {
      const property = schema.properties?.[name];
      if (property !== undefined) yield* this.#condition(property, 'field', `${path}.properties[${name}]`);
    }
    const { mapType, listType, listMapKeys, validations, ...extensions } = extensionsOf(schema, this.#names);
    const names = this.#names;
    const found: readonly (readonly [field: string, isSet: boolean, wanted: string])[] = [
      ['type', (schema.type ?? '') !== '', 'empty'],
      ['additionalProperties', schema.additionalProperties !== undefined, 'undefined'],
      ['default', schema.default !== undefined, 'undefined'],
      ['title', (schema.title ?? '') !== '', 'empty'],
      ['description', (schema.description ?? '') !== '', 'empty'],
      ['nullable', schema.nullable === true, 'false'],
      [names.preserveUnknownFields, extensions.preserveUnknownFields === true, 'false'],
      [names.embeddedResource, extensions.embeddedResource, 'false'],
      [names.intOrString, extensions.intOrString, 'false'],
      [names.listMapKeys, listMapKeys.length > 0, 'empty'],
      [names.listType, listType !== undefined, 'undefined'],
      [names.mapType, mapType !== undefined, 'undefined'],
      [names.validations, validations.length > 0, 'empty'],
    ];
    for (const [field, isSet, wanted] of found)
      if (isSet) this.errors.push(forbidden(`${path}.${field}`, `must be ${wanted} to be structural`));
    if (schema.properties?.['metadata'] !== undefined)
      this.errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'));
  }
}

/** Members of a metadata schema that are allowed at the root, besides properties. */
const HARMLESS: ReadonlySet<string> = new Set(['type', 'default', 'externalDocs', 'example']);
const NAMES: ReadonlySet<string> = new Set(['name', 'generateName']);

/** Returns whether a schema of metadata says more than the schemas of `name` and `generateName`. */
function restrictsMetadata({ properties, ...rest }: JsonSchemaProps): boolean {
  if (Object.keys(properties ?? {}).some((name) => !NAMES.has(name))) return true;
  return Object.entries(rest).some(([name, value]) => value !== undefined && !HARMLESS.has(name));
}
