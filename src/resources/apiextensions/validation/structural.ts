/**
 * The rules of structural schemas: the fields and their types are declared outside of `allOf`, `anyOf`, `oneOf` and
 * `not`, which only restrict values.
 *
 * Source: `ValidateStructural` of Kubernetes 1.31.
 *
 * @module
 */
import { FieldErrorList } from '../../../meta/field-error-list.js';
import { forbidden, invalid, required, type FieldError } from '../../../meta/field-error.js';
import { equalJson, type JsonValue } from '../../../meta/json.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../schema/json-schema.js';
import { extensionsOf, type ExtensionValues } from '../extensions.js';
import { schemaIn, schemasIn, sortedEntries } from '../subschemas.js';
import { completenessErrors } from './completeness.js';
import { patternProblem } from './patterns.js';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const UNSUPPORTED = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
  ['additionalItems', 'additionalItems'],
  ['definitions', 'definitions'],
] as const;

/**
 * Returns why a schema cannot be converted to a structural one; undefined when it can. Other rules refuse the same
 * schemas with the path of the field, except for `$schema`.
 */
export function conversionProblem(schema: JsonSchemaProps | undefined, names: SchemaExtensions): string | undefined {
  if (schema === undefined) return undefined;
  for (const [name, shown] of UNSUPPORTED)
    if (schema[name] !== undefined && schema[name] !== '') return `OpenAPIV3Schema '${shown}' is not supported`;
  if (extensionsOf(schema, names).preserveUnknownFields === false)
    return `internal error: '${names.preserveUnknownFields}' must be true or undefined`;
  if (schemasIn(schema.items).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const parts = [
    schema.not,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    schemaIn(schema.additionalProperties),
    schemaIn(schema.items),
    ...Object.values(schema.properties ?? {}),
  ];
  for (const part of parts) {
    const problem = conversionProblem(part, names);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Returns the errors of a schema that can be converted, sorted by their texts. */
export function structuralErrors(schema: JsonSchemaProps, path: string, names: SchemaExtensions): FieldError[] {
  const check = new StructuralCheck(names);
  check.schema(schema, 'root', path);
  const errors = [...check.errors, ...completenessErrors(schema, path)];
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

  constructor(names: SchemaExtensions) {
    this.#names = names;
  }

  schema(schema: JsonSchemaProps, level: Level, path: string): void {
    const { type = '', items, properties, additionalProperties } = schema;
    const item = schemaIn(items);
    if (type === 'array' && item === undefined) this.errors.push(required(`${path}.items`, 'must be specified'));
    if (item !== undefined) this.schema(item, 'item', `${path}.items`);
    for (const [name, property] of sortedEntries(properties))
      this.schema(property, 'field', `${path}.properties[${name}]`);
    const values = schemaIn(additionalProperties);
    if (additionalProperties !== undefined && level === 'root')
      this.errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
    if (values !== undefined) this.schema(values, 'field', `${path}.additionalProperties`);
    const extensions = extensionsOf(schema, this.#names);
    this.#extensions(extensions, path);
    this.#conditions(schema, level, path, {
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
  #conditions(
    schema: JsonSchemaProps,
    level: Level,
    path: string,
    { skipAnyOf, skipFirstAllOf }: { readonly skipAnyOf: boolean; readonly skipFirstAllOf: boolean },
  ): void {
    if (!skipAnyOf)
      for (const [index, part] of (schema.anyOf ?? []).entries())
        this.#condition(part, level, `${path}.anyOf[${index}]`);
    for (const [index, part] of (schema.allOf ?? []).entries())
      this.#condition(part, level, `${path}.allOf[${index}]`, skipFirstAllOf && index === 0);
    for (const [index, part] of (schema.oneOf ?? []).entries()) this.#condition(part, level, `${path}.oneOf[${index}]`);
    if (schema.not !== undefined) this.#condition(schema.not, level, `${path}.not`);
    const { pattern = '' } = schema;
    const problem = pattern === '' ? undefined : patternProblem(pattern);
    if (problem !== undefined)
      this.errors.push(
        invalid(`${path}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`),
      );
  }

  /** Checks a schema within `allOf`, `anyOf`, `oneOf` or `not`. */
  #condition(schema: JsonSchemaProps, level: Level, path: string, skipAnyOf = false): void {
    this.#conditions(schema, level, path, { skipAnyOf, skipFirstAllOf: false });
    const item = schemaIn(schema.items);
    if (item !== undefined) this.#condition(item, level, `${path}.items`);
    for (const [name, property] of sortedEntries(schema.properties))
      this.#condition(property, 'field', `${path}.properties[${name}]`);
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
