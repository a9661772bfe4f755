import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import {
  checkValidationRules,
  loadRules,
  RuleValidator,
  type RuleOptions,
} from '../../../src/machinery/cel-rules/index.js';
import { structuralSchema } from '../../../src/machinery/schema/openapi/from-json-schema.js';
import {
  schemaExtensions,
  type JsonSchemaProps,
  type ValidationRule,
} from '../../../src/machinery/schema/openapi/json-schema.js';
import type { StructuralSchema } from '../../../src/machinery/schema/define/structural.js';

export const extensions = schemaExtensions(kubernetes.openApi.extensionPrefix);
export const compiler = await loadRules();
/** The path of schemas in errors. */
export const PATH = 'spec.validation.openAPIV3Schema';

/** A schema as a kind has it. */
export const compiledSchema = (props: JsonSchemaProps): StructuralSchema => structuralSchema(props, extensions);

/** A schema with rules. */
export function withRules(props: JsonSchemaProps, ...rules: readonly (string | ValidationRule)[]): JsonSchemaProps {
  const validations = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...props, [extensions.validations]: validations as unknown as JsonValue };
}

/** A schema with extensions by their names in code. */
export function withExtensions(
  props: JsonSchemaProps,
  values: Partial<Record<keyof typeof extensions, JsonValue>>,
): JsonSchemaProps {
  const named = Object.entries(values).map(([name, value]) => [extensions[name as keyof typeof extensions], value]);
  return { ...props, ...Object.fromEntries(named) };
}

/** A resource with these fields in `spec`. */
export const resource = (spec: JsonSchemaProps): JsonSchemaProps => ({ type: 'object', properties: { spec } });

/** The errors of a schema's rules. */
export const ruleErrors = (props: JsonSchemaProps, ignoresRuleCost = false): string[] =>
  atOnce(
    checkValidationRules(compiledSchema(props), compiler, {
      path: PATH,
      extension: extensions.validations,
      ignoresRuleCost,
      work: UNBOUNDED_WORK,
    }),
  ).map(String);

/** Checks an object against a schema with rules. */
export function validate(
  props: JsonSchemaProps,
  object: JsonObject,
  oldObject?: JsonObject,
  options?: RuleOptions,
): { errors: string[]; warnings: readonly string[] } {
  const { errors, warnings } = new RuleValidator(compiledSchema(props), compiler).validate(object, oldObject, options);
  return { errors: errors.map(String), warnings };
}
