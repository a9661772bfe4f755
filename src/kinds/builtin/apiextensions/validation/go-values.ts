/**
 * Parts of a definition as Go prints them: some errors of Kubernetes show whole structs with the verb `%#v`. Pointers
 * inside them are addresses, which mean nothing; all of them have the same one here.
 *
 * @module
 */
import { goQuote, goStringSlice, goSyntax, verbatim, VerbatimValue } from '../../../../foundation/index.js';
import {
  goPointer,
  goValidationRule,
  type JsonSchemaProps,
  type SchemaExtensions,
} from '../../../../machinery/index.js';
import { extensionsOf } from '../extensions.js';
import type { HubVersion } from '../hub.js';
import { schemaIn, schemasIn, sortedEntries } from '../subschemas.js';

const struct = (type: string, fields: readonly (readonly [name: string, text: string])[]): string =>
  `${type}{${fields.map(([name, value]) => `${name}:${value}`).join(', ')}}`;
const slice = (type: string, items: readonly string[]): string =>
  items.length === 0 ? `[]${type}(nil)` : `[]${type}{${items.join(', ')}}`;
const texts = (items: readonly string[]): string => (items.length === 0 ? '[]string(nil)' : goStringSlice(items));

const PROPS = 'apiextensions.JSONSchemaProps';

function goMap(type: string, entries: readonly (readonly [string, string])[]): string {
  if (entries.length === 0) return `${type}(nil)`;
  return `${type}{${entries.map(([key, text]) => `${goQuote(key)}:${text}`).join(', ')}}`;
}

/** Prints a schema. */
class SchemaPrinter {
  readonly #names: SchemaExtensions;

  constructor(names: SchemaExtensions) {
    this.#names = names;
  }

  schema(schema: JsonSchemaProps): string {
    return struct(PROPS, [...this.#values(schema), ...this.#parts(schema), ...this.#extensions(schema)]);
  }

  #values(schema: JsonSchemaProps): [string, string][] {
    return [
      ['ID', goQuote(schema.id ?? '')],
      ['Schema', goQuote(schema.$schema ?? '')],
      ['Ref', goPointer('string', schema.$ref)],
      ['Description', goQuote(schema.description ?? '')],
      ['Type', goQuote(schema.type ?? '')],
      ['Nullable', String(schema.nullable ?? false)],
      ['Format', goQuote(schema.format ?? '')],
      ['Title', goQuote(schema.title ?? '')],
      ['Default', goPointer('apiextensions.JSON', schema.default)],
      ['Maximum', goPointer('float64', schema.maximum)],
      ['ExclusiveMaximum', String(schema.exclusiveMaximum ?? false)],
      ['Minimum', goPointer('float64', schema.minimum)],
      ['ExclusiveMinimum', String(schema.exclusiveMinimum ?? false)],
      ['MaxLength', goPointer('int64', schema.maxLength)],
      ['MinLength', goPointer('int64', schema.minLength)],
      ['Pattern', goQuote(schema.pattern ?? '')],
      ['MaxItems', goPointer('int64', schema.maxItems)],
      ['MinItems', goPointer('int64', schema.minItems)],
      ['UniqueItems', String(schema.uniqueItems ?? false)],
      ['MultipleOf', goPointer('float64', schema.multipleOf)],
      ['Enum', slice('apiextensions.JSON', (schema.enum ?? []).map(goSyntax))],
      ['MaxProperties', goPointer('int64', schema.maxProperties)],
      ['MinProperties', goPointer('int64', schema.minProperties)],
      ['Required', texts(schema.required ?? [])],
    ];
  }

  #parts(schema: JsonSchemaProps): [string, string][] {
    return [
      ['Items', goPointer('apiextensions.JSONSchemaPropsOrArray', schema.items)],
      ['AllOf', this.#list(schema.allOf)],
      ['OneOf', this.#list(schema.oneOf)],
      ['AnyOf', this.#list(schema.anyOf)],
      ['Not', goPointer(PROPS, schema.not)],
      ['Properties', this.#map(schema.properties)],
      ['AdditionalProperties', goPointer('apiextensions.JSONSchemaPropsOrBool', schema.additionalProperties)],
      ['PatternProperties', this.#map(schema.patternProperties)],
      ['Dependencies', this.#dependencies(schema.dependencies)],
      ['AdditionalItems', goPointer('apiextensions.JSONSchemaPropsOrBool', schema.additionalItems)],
      ['Definitions', this.#map(schema.definitions, 'apiextensions.JSONSchemaDefinitions')],
      ['ExternalDocs', goPointer('apiextensions.ExternalDocumentation', schema.externalDocs)],
      ['Example', goPointer('apiextensions.JSON', schema.example)],
    ];
  }

  #extensions(schema: JsonSchemaProps): [string, string][] {
    const extensions = extensionsOf(schema, this.#names);
    return [
      ['XPreserveUnknownFields', goPointer('bool', extensions.preserveUnknownFields)],
      ['XEmbeddedResource', String(extensions.embeddedResource)],
      ['XIntOrString', String(extensions.intOrString)],
      ['XListMapKeys', texts(extensions.listMapKeys)],
      ['XListType', goPointer('string', extensions.listType)],
      ['XMapType', goPointer('string', extensions.mapType)],
      [
        'XValidations',
        extensions.validations.length === 0
          ? 'apiextensions.ValidationRules(nil)'
          : `apiextensions.ValidationRules{${extensions.validations.map(goValidationRule).join(', ')}}`,
      ],
    ];
  }

  #list(schemas: readonly JsonSchemaProps[] | undefined): string {
    return slice(
      PROPS,
      (schemas ?? []).map((schema) => this.schema(schema)),
    );
  }

  #map(schemas: JsonSchemaProps['properties'], type = `map[string]${PROPS}`): string {
    return goMap(
      type,
      sortedEntries(schemas).map(([name, schema]) => [name, this.schema(schema)]),
    );
  }

  #dependencies(dependencies: JsonSchemaProps['dependencies']): string {
    const type = 'apiextensions.JSONSchemaDependencies';
    return goMap(
      type,
      sortedEntries(dependencies).map(([name, dependency]) => [
        name,
        struct('apiextensions.JSONSchemaPropsOrStringArray', [
          ['Schema', goPointer(PROPS, schemaIn(dependency))],
          ['Property', texts(stringsIn(dependency))],
        ]),
      ]),
    );
  }
}

const stringsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** Shows a schema. */
export const shownSchema = (schema: JsonSchemaProps, names: SchemaExtensions): VerbatimValue =>
  verbatim(schema, () => new SchemaPrinter(names).schema(schema));

/** Shows the value of `items`. */
export function shownItems(items: JsonSchemaProps['items'] | null, names: SchemaExtensions): VerbatimValue {
  const printer = new SchemaPrinter(names);
  return verbatim(items, () =>
    struct('apiextensions.JSONSchemaPropsOrArray', [
      ['Schema', goPointer(PROPS, schemaIn(items))],
      [
        'JSONSchemas',
        slice(
          PROPS,
          schemasIn(items).map((schema) => printer.schema(schema)),
        ),
      ],
    ]),
  );
}

/** Shows the versions of a definition. */
export function shownVersions(versions: readonly HubVersion[]): VerbatimValue {
  const type = 'apiextensions.CustomResourceDefinitionVersion';
  return new VerbatimValue(
    slice(
      type,
      versions.map((version) =>
        struct(type, [
          ['Name', goQuote(version.name)],
          ['Served', String(version.served)],
          ['Storage', String(version.storage)],
          ['Deprecated', String(version.deprecated)],
          ['DeprecationWarning', goPointer('string', version.deprecationWarning)],
          ['Schema', goPointer('apiextensions.CustomResourceValidation', version.schema)],
          ['Subresources', goPointer('apiextensions.CustomResourceSubresources', version.subresources)],
          [
            'AdditionalPrinterColumns',
            slice(
              'apiextensions.CustomResourceColumnDefinition',
              version.additionalPrinterColumns.map((column) =>
                struct('apiextensions.CustomResourceColumnDefinition', [
                  ['Name', goQuote(column.name)],
                  ['Type', goQuote(column.type)],
                  ['Format', goQuote(column.format ?? '')],
                  ['Description', goQuote(column.description ?? '')],
                  ['Priority', String(column.priority ?? 0)],
                  ['JSONPath', goQuote(column.jsonPath)],
                ]),
              ),
            ),
          ],
          [
            'SelectableFields',
            slice(
              'apiextensions.SelectableField',
              version.selectableFields.map(({ jsonPath }) =>
                struct('apiextensions.SelectableField', [['JSONPath', goQuote(jsonPath)]]),
              ),
            ),
          ],
        ]),
      ),
    ),
  );
}
