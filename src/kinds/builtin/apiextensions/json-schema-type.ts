/**
 * The schema of schemas: JSONSchemaProps and the types below it. It is recursive, and the names of its vendor extensions
 * depend on the dialect, so it is made of nodes instead of zod types.
 *
 * @module
 */
import {
  schemaExtensions,
  type SchemaExtensions,
  type StructuralSchema,
  type Variants,
} from '../../../machinery/index.js';

type Fields = Map<string, StructuralSchema>;

const text: StructuralSchema = { type: 'string', presence: 'omit', protoKind: 'string' };
const flag: StructuralSchema = { type: 'boolean', presence: 'omit', protoKind: 'bool' };
const double: StructuralSchema = { type: 'number', format: 'double', presence: 'keep', protoKind: 'double' };
const integer: StructuralSchema = { type: 'integer', format: 'int64', presence: 'keep', protoKind: 'int64' };
const json: StructuralSchema = {
  type: 'any',
  name: 'JSON',
  presence: 'keep',
  preserveUnknownFields: true,
  protoKind: 'json',
};

/** Returns a node as a field: with its number and facts. */
const field = (
  protoNumber: number,
  schema: StructuralSchema,
  facts: Partial<StructuralSchema> = {},
): StructuralSchema => ({
  ...schema,
  ...facts,
  protoNumber,
});

const pointer = (protoNumber: number, schema: StructuralSchema, facts: Partial<StructuralSchema> = {}) =>
  field(protoNumber, schema, { ...facts, presence: 'keep' });

const list = (
  items: StructuralSchema,
  facts: Partial<StructuralSchema> = { listType: 'atomic' },
): StructuralSchema => ({
  type: 'array',
  presence: 'omit',
  items,
  ...facts,
});

const map = (values: StructuralSchema): StructuralSchema => ({
  type: 'object',
  presence: 'omit',
  additionalProperties: values,
  protoKind: 'map',
});

const struct = (name: string, properties: Fields, required: readonly string[] = []): StructuralSchema => ({
  type: 'object',
  name,
  presence: 'keep',
  properties,
  protoKind: 'message',
  ...(required.length === 0 ? {} : { required }),
});

/** Returns a type with several forms. `fields` are those of its protobuf message. */
const variant = (name: string, fields: Fields, forms: Omit<Variants, 'message'>): StructuralSchema => ({
  type: 'any',
  name,
  presence: 'keep',
  preserveUnknownFields: true,
  protoKind: 'variants',
  variants: { message: struct(`${name}Message`, fields), ...forms },
});

const externalDocumentation = struct(
  'ExternalDocumentation',
  new Map([
    ['description', field(1, text)],
    ['url', field(2, text)],
  ]),
);

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'] as const;

const validationRule = struct(
  'ValidationRule',
  new Map([
    [
      'rule',
      field(1, text, {
        presence: 'always',
      }),
    ],
    ['message', field(2, text)],
    ['messageExpression', field(3, text)],
    [
      'reason',
      pointer(4, text, {
        goType: 'v1.FieldValueErrorReason',
        publishedEnum: REASONS,
      }),
    ],
    ['fieldPath', field(5, text)],
    ['optionalOldSelf', pointer(6, flag)],
  ]),
  ['rule'],
);

/** Adds the fields with the vendor extensions. */
function addExtensions(fields: Fields, extensions: SchemaExtensions): void {
  const { preserveUnknownFields, embeddedResource, intOrString, listMapKeys, listType, mapType, validations } =
    extensions;
  fields
    .set(preserveUnknownFields, pointer(38, flag))
    .set(embeddedResource, field(39, flag))
    .set(intOrString, field(40, flag))
    .set(listMapKeys, field(41, list({ ...text, presence: 'keep' })))
    .set(listType, pointer(42, text))
    .set(mapType, pointer(43, text))
    .set(
      validations,
      field(
        44,
        list(validationRule, {
          listType: 'map',
          listMapKeys: ['rule'],
          patchStrategy: 'merge',
          patchMergeKey: 'rule',
        }),
      ),
    );
}

/**
 * Returns the schema of JSONSchemaProps.
 *
 * @param extensionPrefix the dialect's prefix of vendor extensions
 */
export function jsonSchemaType(extensionPrefix: `x-${string}`): StructuralSchema {
  const fields: Fields = new Map();
  const props = struct('JSONSchemaProps', fields);
  const schemas = list(props);
  const forms: Fields = new Map([['schema', pointer(1, props)]]);
  const orArray = variant('JSONSchemaPropsOrArray', new Map(forms).set('jSONSchemas', field(2, schemas)), {
    object: 'schema',
    list: 'jSONSchemas',
  });
  const orBool = variant(
    'JSONSchemaPropsOrBool',
    new Map([
      ['allows', field(1, flag, { presence: 'always' })],
      ['schema', pointer(2, props)],
    ]),
    { object: 'schema', boolean: 'allows' },
  );
  const orStrings = variant('JSONSchemaPropsOrStringArray', new Map(forms).set('property', field(2, list(text))), {
    object: 'schema',
    list: 'property',
  });
  for (const [name, schema] of [
    ['id', field(1, text)],
    ['$schema', field(2, text, { goType: 'v1.JSONSchemaURL' })],
    ['$ref', pointer(3, text)],
    ['description', field(4, text)],
    ['type', field(5, text)],
    ['format', field(6, text)],
    ['title', field(7, text)],
    ['default', pointer(8, json)],
    ['maximum', pointer(9, double)],
    ['exclusiveMaximum', field(10, flag)],
    ['minimum', pointer(11, double)],
    ['exclusiveMinimum', field(12, flag)],
    ['maxLength', pointer(13, integer)],
    ['minLength', pointer(14, integer)],
    ['pattern', field(15, text)],
    ['maxItems', pointer(16, integer)],
    ['minItems', pointer(17, integer)],
    ['uniqueItems', field(18, flag)],
    ['multipleOf', pointer(19, double)],
    ['enum', field(20, list(json))],
    ['maxProperties', pointer(21, integer)],
    ['minProperties', pointer(22, integer)],
    ['required', field(23, list({ ...text, presence: 'keep' }))],
    ['items', pointer(24, orArray)],
    ['allOf', field(25, schemas)],
    ['oneOf', field(26, schemas)],
    ['anyOf', field(27, schemas)],
    ['not', pointer(28, props)],
    ['properties', field(29, map(props))],
    ['additionalProperties', pointer(30, orBool)],
    ['patternProperties', field(31, map(props))],
    ['dependencies', field(32, map(orStrings))],
    ['additionalItems', pointer(33, orBool)],
    ['definitions', field(34, map(props))],
    ['externalDocs', pointer(35, externalDocumentation)],
    ['example', pointer(36, json)],
    ['nullable', field(37, flag)],
  ] as const)
    fields.set(name, schema);
  addExtensions(fields, schemaExtensions(extensionPrefix));
  return props;
}
