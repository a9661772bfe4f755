import { FieldErrorList } from '../../../meta/field-error-list.js';
import { required, type FieldError } from '../../../meta/field-error.js';
import type { JsonSchemaProps } from '../../../schema/json-schema.js';
import { schemaIn, sortedEntries } from '../subschemas.js';

/**
 * Returns an error for every field and list that conditions at the root mention (`allOf`, `anyOf`, `oneOf`, `not`) and
 * the schema itself does not declare.
 *
 * Source: `validateStructuralCompleteness` of Kubernetes 1.31.
 */
export function completenessErrors(schema: JsonSchemaProps, path: string): FieldError[] {
  const errors = new FieldErrorList();
  checkConditions(errors, schema, schema, path, path);
  return errors;
}

/** @param declared the schema that must declare what the condition mentions */
function checkConditions(
  errors: FieldError[],
  condition: JsonSchemaProps,
  declared: JsonSchemaProps,
  declaredPath: string,
  path: string,
): void {
  const check = (part: JsonSchemaProps, at: string): void => checkCondition(errors, part, declared, declaredPath, at);
  if (condition.not !== undefined) check(condition.not, `${path}.not`);
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [index, part] of (condition[junctor] ?? []).entries()) check(part, `${path}.${junctor}[${index}]`);
}

function checkCondition(
  errors: FieldError[],
  condition: JsonSchemaProps,
  declared: JsonSchemaProps | undefined,
  declaredPath: string,
  path: string,
): void {
  if (declared === undefined) return void errors.push(required(declaredPath, `because it is defined in ${path}`));
  checkConditions(errors, condition, declared, declaredPath, path);
  const items = schemaIn(condition.items);
  if (items !== undefined)
    checkCondition(errors, items, schemaIn(declared.items), `${declaredPath}.items`, `${path}.items`);
  for (const [name, property] of sortedEntries(condition.properties)) {
    const step = `.properties[${name}]`;
    const own = declared.properties?.[name];
    checkCondition(errors, property, own, declaredPath + step, path + step);
  }
}
