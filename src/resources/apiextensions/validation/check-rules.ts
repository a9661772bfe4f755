import type { FieldError } from '../../../meta/field-error.js';
import type { JsonSchemaProps, SchemaExtensions } from '../../../schema/json-schema.js';
import { schemaIn } from '../subschemas.js';
import { structuralSchema } from '../../../schema/from-json-schema.js';
import type { StructuralSchema } from '../../../schema/structural.js';
import type { DefaultRuleCheck } from './defaults.js';

/** Options of {@link RuleChecks.checkValidationRules}. */
export interface RuleCheckOptions {
  /** Path of the schema in errors. */
  readonly path: string;
  /** Name of the vendor extension with the rules. */
  readonly extension: string;
  /** Accepts single rules of any estimated cost: the schema has not changed. */
  readonly ignoresRuleCost: boolean;
}

/** The checks that need CEL. */
export interface RuleChecks {
  /** Compiles all rules of a schema of whole objects and estimates their cost. */
  checkValidationRules(root: StructuralSchema, options: RuleCheckOptions): FieldError[];
  /** Checks a default by the rules of its schema. */
  readonly checkDefault: DefaultRuleCheck;
}

/** The checks of a server without CEL rules. */
export const noRuleChecks: RuleChecks = { checkValidationRules: () => [], checkDefault: () => [] };

/**
 * Checks the CEL rules of a valid structural schema. Rules of schemas with errors in themselves or below are not
 * compiled.
 */
export function ruleErrors(
  schema: JsonSchemaProps,
  invalid: ReadonlySet<JsonSchemaProps>,
  names: SchemaExtensions,
  checks: RuleChecks,
  options: Omit<RuleCheckOptions, 'extension'>,
): FieldError[] {
  const checked = invalid.size === 0 ? schema : withoutRules(schema, invalid, names);
  return checks.checkValidationRules(structuralSchema(checked, names), { ...options, extension: names.validations });
}

/** Returns the schema without the rules of invalid schemas. */
function withoutRules(
  schema: JsonSchemaProps,
  invalid: ReadonlySet<JsonSchemaProps>,
  names: SchemaExtensions,
): JsonSchemaProps {
  if (!invalid.has(schema)) return schema;
  const { properties, additionalProperties } = schema;
  const items = schemaIn(schema.items);
  const values = schemaIn(additionalProperties);
  const inner = (part: JsonSchemaProps): JsonSchemaProps => withoutRules(part, invalid, names);
  return {
    ...schema,
    [names.validations]: undefined,
    properties:
      properties && Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, inner(property)])),
    items: items === undefined ? schema.items : inner(items),
    additionalProperties: values === undefined ? additionalProperties : inner(values),
  };
}
