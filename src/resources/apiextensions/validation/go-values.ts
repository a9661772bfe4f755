/**
 * Parts of a definition as Go prints them: some errors of Kubernetes show whole structs with the verb `%#v`. Pointers
 * inside them are addresses, which mean nothing; all of them have the same one here.
 *
 * @module
 */
import { VerbatimValue } from '../../../meta/field-error.js';
import { goQuote, goStringSlice, goSyntax } from '../../../meta/go-text.js';
import type { JsonValue } from '../../../meta/json.js';
import type { JsonSchemaProps, SchemaExtensions, ValidationRule } from '../../../schema/json-schema.js';
import { extensionsOf } from '../extensions.js';
import type { HubVersion } from '../hub.js';
import { schemaIn, schemasIn, sortedEntries } from '../subschemas.js';

const ADDRESS = '0xc000000000';

const pointer = (type: string, value: unknown): string =>
  `(*${type})(${value === undefined || value === null ? 'nil' : ADDRESS})`;
const struct = (type: string, fields: readonly (readonly [name: string, text: string])[]): string =>
  `${type}{${fields.map(([name, value]) => `${name}:${value}`).join(', ')}}`;
const slice = (type: string, items: readonly string[]): string =>
  items.length === 0 ? `[]${type}(nil)` : `[]${type}{${items.join(', ')}}`;
const texts = (items: readonly string[]): string => (items.length === 0 ? '[]string(nil)' : goStringSlice(items));

const PROPS = 'apiextensions.JSONSchemaProps';

function goMap(type: string, value: string, entries: readonly (readonly [string, string])[]): string {
  if (entries.length === 0) return `${type}(nil)`;
  return `${value}{${entries.map(([key, text]) => `${goQuote(key)}:${text}`).join(', ')}}`;
}

const ruleText = (rule: ValidationRule): string =>
  struct('apiextensions.ValidationRule', [
    ['Rule', goQuote(rule.rule)],
    ['Message', goQuote(rule.message ?? '')],
    ['MessageExpression', goQuote(rule.messageExpression ?? '')],
    ['Reason', pointer('apiextensions.FieldValueErrorReason', rule.reason)],
    ['FieldPath', goQuote(rule.fieldPath ?? '')],
    ['OptionalOldSelf', pointer('bool', rule.optionalOldSelf)],
  ]);

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
      ['Ref', pointer('string', schema.$ref)],
      ['Description', goQuote(schema.description ?? '')],
      ['Type', goQuote(schema.type ?? '')],
      ['Nullable', String(schema.nullable ?? false)],
      ['Format', goQuote(schema.format ?? '')],
      ['Title', goQuote(schema.title ?? '')],
      ['Default', pointer('apiextensions.JSON', schema.default)],
      ['Maximum', pointer('float64', schema.maximum)],
      ['ExclusiveMaximum', String(schema.exclusiveMaximum ?? false)],
      ['Minimum', pointer('float64', schema.minimum)],
      ['ExclusiveMinimum', String(schema.exclusiveMinimum ?? false)],
      ['MaxLength', pointer('int64', schema.maxLength)],
      ['MinLength', pointer('int64', schema.minLength)],
      ['Pattern', goQuote(schema.pattern ?? '')],
      ['MaxItems', pointer('int64', schema.maxItems)],
      ['MinItems', pointer('int64', schema.minItems)],
      ['UniqueItems', String(schema.uniqueItems ?? false)],
      ['MultipleOf', pointer('float64', schema.multipleOf)],
      ['Enum', slice('apiextensions.JSON', (schema.enum ?? []).map(goSyntax))],
      ['MaxProperties', pointer('int64', schema.maxProperties)],
      ['MinProperties', pointer('int64', schema.minProperties)],
      ['Required', texts(schema.required ?? [])],
    ];
  }

  #parts(schema: JsonSchemaProps): [string, string][] {
    return [
      ['Items', pointer('apiextensions.JSONSchemaPropsOrArray', schema.items)],
      ['AllOf', this.#list(schema.allOf)],
      ['OneOf', this.#list(schema.oneOf)],
      ['AnyOf', this.#list(schema.anyOf)],
      ['Not', pointer(PROPS, schema.not)],
      ['Properties', this.#map(schema.properties)],
      ['AdditionalProperties', pointer('apiextensions.JSONSchemaPropsOrBool', schema.additionalProperties)],
      ['PatternProperties', this.#map(schema.patternProperties)],
      ['Dependencies', this.#dependencies(schema.dependencies)],
      ['AdditionalItems', pointer('apiextensions.JSONSchemaPropsOrBool', schema.additionalItems)],
      ['Definitions', this.#map(schema.definitions, 'apiextensions.JSONSchemaDefinitions')],
      ['ExternalDocs', pointer('apiextensions.ExternalDocumentation', schema.externalDocs)],
      ['Example', pointer('apiextensions.JSON', schema.example)],
    ];
  }

  #extensions(schema: JsonSchemaProps): [string, string][] {
    const extensions = extensionsOf(schema, this.#names);
    return [
      ['XPreserveUnknownFields', pointer('bool', extensions.preserveUnknownFields)],
      ['XEmbeddedResource', String(extensions.embeddedResource)],
      ['XIntOrString', String(extensions.intOrString)],
      ['XListMapKeys', texts(extensions.listMapKeys)],
      ['XListType', pointer('string', extensions.listType)],
      ['XMapType', pointer('string', extensions.mapType)],
      [
        'XValidations',
        extensions.validations.length === 0
          ? 'apiextensions.ValidationRules(nil)'
          : `apiextensions.ValidationRules{${extensions.validations.map(ruleText).join(', ')}}`,
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
      type,
      sortedEntries(schemas).map(([name, schema]) => [name, this.schema(schema)]),
    );
  }

  #dependencies(dependencies: JsonSchemaProps['dependencies']): string {
    const type = 'apiextensions.JSONSchemaDependencies';
    return goMap(
      type,
      type,
      sortedEntries(dependencies).map(([name, dependency]) => [
        name,
        struct('apiextensions.JSONSchemaPropsOrStringArray', [
          ['Schema', pointer(PROPS, schemaIn(dependency))],
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
  new VerbatimValue(new SchemaPrinter(names).schema(schema));

/** Shows the value of `items`. */
export function shownItems(items: JsonSchemaProps['items'] | null, names: SchemaExtensions): VerbatimValue {
  const printer = new SchemaPrinter(names);
  return new VerbatimValue(
    struct('apiextensions.JSONSchemaPropsOrArray', [
      ['Schema', pointer(PROPS, schemaIn(items))],
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

/** Shows the default of a schema: an object or list in Go syntax, a scalar as any other value. */
export const shownJson = (value: JsonValue): unknown =>
  typeof value === 'object' && value !== null ? new VerbatimValue(goSyntax(value)) : value;

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
          ['DeprecationWarning', pointer('string', version.deprecationWarning)],
          ['Schema', pointer('apiextensions.CustomResourceValidation', version.schema)],
          ['Subresources', pointer('apiextensions.CustomResourceSubresources', version.subresources)],
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
