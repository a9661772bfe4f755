import type { FieldError, Steps } from '../../../../foundation/index.js';
import type {
  CheckRulesOptions,
  JsonSchemaProps,
  RuleChecks,
  SchemaExtensions,
  StructuralSchema,
} from '../../../../machinery/index.js';
import { extensionsOf } from '../extensions.js';
import { schemaIn, someSchema } from '../subschemas.js';
import { MAP_TYPES } from './list-types.js';
import type { StructuralContext } from './structural.js';

/** The checks of a definition without CEL rules. */
export const noRuleChecks: RuleChecks = { checkValidationRules: noErrors, checkDefault: noErrors };

function* noErrors(): Steps<FieldError[]> {
  return [];
}

/**
 * Checks the CEL rules of a valid structural schema. Rules of schemas with errors in themselves or below are not
 * compiled.
 */
export function* ruleErrors(
  schema: JsonSchemaProps,
  invalid: ReadonlySet<JsonSchemaProps>,
  { names, facts, work }: StructuralContext,
  checks: RuleChecks,
  options: Omit<CheckRulesOptions, 'extension' | 'uncorrelatable'>,
): Steps<FieldError[]> {
  const checked = invalid.size === 0 ? schema : withoutRules(schema, invalid, names);
  return yield* checks.checkValidationRules(yield* facts.structural(checked), {
    ...options,
    extension: names.validations,
    uncorrelatable: invalid.size === 0 ? undefined : yield* ofUnknownMapType(checked, { names, facts, work }),
  });
}

/** Returns the schemas with an unknown map type, in which transition rules are errors of their own. */
function* ofUnknownMapType(
  root: JsonSchemaProps,
  { names, facts, work }: Pick<StructuralContext, 'names' | 'facts' | 'work'>,
): Steps<ReadonlySet<StructuralSchema>> {
  const found = new Set<StructuralSchema>();
  const unknown: JsonSchemaProps[] = [];
  yield* someSchema(
    root,
    (part) => {
      const { mapType } = extensionsOf(part, names);
      if (mapType !== undefined && !MAP_TYPES.includes(mapType)) unknown.push(part);
      return false;
    },
    work,
  );
  for (const part of unknown) found.add(yield* facts.structural(part));
  return found;
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
