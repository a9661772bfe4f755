import { invalid, type FieldError } from '../../../../foundation/index.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../../machinery/index.js';
import { shownSchema } from './go-values.js';

/** The members of a schema before its vendor extensions, in Kubernetes's order, with Kubernetes's names. */
const MEMBERS = [
  ['id', 'ID'],
  ['$schema', 'Schema'],
  ['$ref', 'Ref'],
  ['description', 'Description'],
  ['type', 'Type'],
  ['nullable', 'Nullable'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['default', 'Default'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['enum', 'Enum'],
  ['maxProperties', 'MaxProperties'],
  ['minProperties', 'MinProperties'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['allOf', 'AllOf'],
  ['oneOf', 'OneOf'],
  ['anyOf', 'AnyOf'],
  ['not', 'Not'],
  ['properties', 'Properties'],
  ['additionalProperties', 'AdditionalProperties'],
  ['patternProperties', 'PatternProperties'],
  ['dependencies', 'Dependencies'],
  ['additionalItems', 'AdditionalItems'],
  ['definitions', 'Definitions'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
] as const;

const ALLOWED = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/**
 * Checks the root of a schema with the status subresource: the schema of the status is taken out of it, so it must not
 * have other rules for the status. Reports the first wrong member.
 */
export function rootFieldErrors(schema: JsonSchemaProps, path: string, names: SchemaExtensions): FieldError[] {
  const members: readonly (readonly [keyof JsonSchemaProps, string])[] = [
    ...MEMBERS,
    [names.preserveUnknownFields, 'XPreserveUnknownFields'],
    [names.embeddedResource, 'XEmbeddedResource'],
    [names.intOrString, 'XIntOrString'],
    [names.listMapKeys, 'XListMapKeys'],
    [names.listType, 'XListType'],
    [names.mapType, 'XMapType'],
    [names.validations, 'XValidations'],
  ];
  for (const [member, name] of members) {
    if (schema[member] === undefined) continue;
    if (member === 'type' && schema.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, schema.type, detail)];
    }
    if (!ALLOWED.includes(name)) {
      const detail = `only [${ALLOWED.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [invalid(path, shownSchema(schema, names), detail)];
    }
  }
  return [];
}
