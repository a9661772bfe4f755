import type { JsonValue } from '../../../foundation/index.js';

/**
 * A validation rule in CEL.
 *
 * Source: `ValidationRule` of `apiextensions/v1`.
 */
export interface ValidationRule {
  /** The expression. It must return true for a valid value. */
  readonly rule: string;
  readonly message?: string | undefined;
  /** Expression that returns the message; takes precedence over `message`. */
  readonly messageExpression?: string | undefined;
  /** Reason of the error. Default `FieldValueInvalid`. */
  readonly reason?: ValidationRuleReason | undefined;
  /** Path of the reported field, relative to the value of the rule: `.spec.a`, `['b']`. */
  readonly fieldPath?: string | undefined;
  /** Whether a transition rule also runs without an old value; `oldSelf` is then an optional. */
  readonly optionalOldSelf?: boolean | undefined;
}

/** The reasons that a rule may give to its errors. */
export type ValidationRuleReason =
  'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';

/**
 * The schema of a custom resource in JSON, as its author wrote it: the OpenAPI v3.0 dialect of `JSONSchemaProps` of
 * `apiextensions/v1`. The names of vendor extensions depend on the server's dialect; {@link schemaExtensions} returns
 * them.
 */
export interface JsonSchemaProps {
  readonly id?: string | undefined;
  readonly $schema?: string | undefined;
  readonly $ref?: string | undefined;
  readonly description?: string | undefined;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly title?: string | undefined;
  readonly default?: JsonValue | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMaximum?: boolean | undefined;
  readonly minimum?: number | undefined;
  readonly exclusiveMinimum?: boolean | undefined;
  readonly maxLength?: number | undefined;
  readonly minLength?: number | undefined;
  readonly pattern?: string | undefined;
  readonly maxItems?: number | undefined;
  readonly minItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly multipleOf?: number | undefined;
  readonly enum?: readonly JsonValue[] | undefined;
  readonly maxProperties?: number | undefined;
  readonly minProperties?: number | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchemaProps | readonly JsonSchemaProps[] | undefined;
  readonly allOf?: readonly JsonSchemaProps[] | undefined;
  readonly oneOf?: readonly JsonSchemaProps[] | undefined;
  readonly anyOf?: readonly JsonSchemaProps[] | undefined;
  readonly not?: JsonSchemaProps | undefined;
  readonly properties?: Readonly<Record<string, JsonSchemaProps>> | undefined;
  readonly additionalProperties?: JsonSchemaProps | boolean | undefined;
  readonly patternProperties?: Readonly<Record<string, JsonSchemaProps>> | undefined;
  readonly dependencies?: Readonly<Record<string, JsonSchemaProps | readonly string[]>> | undefined;
  readonly additionalItems?: JsonSchemaProps | boolean | undefined;
  readonly definitions?: Readonly<Record<string, JsonSchemaProps>> | undefined;
  readonly externalDocs?: { readonly description?: string | undefined; readonly url?: string | undefined } | undefined;
  readonly example?: JsonValue | undefined;
  readonly nullable?: boolean | undefined;
  /** Vendor extensions. */
  readonly [extension: `x-${string}`]: JsonValue | undefined;
}

/** The vendor extensions of a schema, by their names in code. */
export interface SchemaExtensions {
  readonly preserveUnknownFields: `x-${string}`;
  readonly embeddedResource: `x-${string}`;
  readonly intOrString: `x-${string}`;
  readonly listMapKeys: `x-${string}`;
  readonly listType: `x-${string}`;
  readonly mapType: `x-${string}`;
  readonly validations: `x-${string}`;
}

/**
 * Returns the names of the vendor extensions in a dialect.
 *
 * @param prefix the dialect's `openApi.extensionPrefix`
 */
export function schemaExtensions(prefix: `x-${string}`): SchemaExtensions {
  return {
    preserveUnknownFields: `${prefix}preserve-unknown-fields`,
    embeddedResource: `${prefix}embedded-resource`,
    intOrString: `${prefix}int-or-string`,
    listMapKeys: `${prefix}list-map-keys`,
    listType: `${prefix}list-type`,
    mapType: `${prefix}map-type`,
    validations: `${prefix}validations`,
  };
}

/** Conditions on values that have the same names and meanings in JSON schemas, compiled schemas and OpenAPI. */
export const VALUE_FACTS = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'enum',
] as const satisfies readonly (keyof JsonSchemaProps)[];
