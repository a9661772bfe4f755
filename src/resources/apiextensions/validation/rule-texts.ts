import { FieldErrorList } from '../../../meta/field-error-list.js';
import { invalid, notSupported, required, type FieldError } from '../../../meta/field-error.js';
import { structuralSchema } from '../../../schema/from-json-schema.js';
import type { JsonSchemaProps, SchemaExtensions, ValidationRule } from '../../../schema/json-schema.js';
import { resolveFieldPath } from '../../../schema/resolve-field-path.js';
import { conversionProblem } from './structural.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** Checks the texts of CEL rules, which are compiled only in a valid schema. */
export function ruleTextErrors(
  schema: JsonSchemaProps,
  rules: readonly ValidationRule[],
  path: string,
  names: SchemaExtensions,
): FieldError[] {
  return rules.flatMap((rule, index) => {
    const at = `${path}.${names.validations}[${index}]`;
    return [...messageErrors(rule, at), ...reasonErrors(rule, at), ...fieldPathErrors(schema, rule, at, names)];
  });
}

function messageErrors({ rule, message = '', messageExpression = '' }: ValidationRule, path: string): FieldError[] {
  const errors = new FieldErrorList();
  const trimmed = message.trim();
  if (rule.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && trimmed === '')
    errors.push(invalid(`${path}.message`, message, 'message must be non-empty if specified'));
  else if (hasLineBreaks(trimmed))
    errors.push(invalid(`${path}.message`, message, 'message must not contain line breaks'));
  else if (hasLineBreaks(rule.trim()) && trimmed === '')
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  return errors;
}

const reasonErrors = ({ reason }: ValidationRule, path: string): FieldError[] =>
  reason === undefined || REASONS.includes(reason) ? [] : [notSupported(`${path}.reason`, reason, REASONS)];

function fieldPathErrors(
  schema: JsonSchemaProps,
  { fieldPath = '' }: ValidationRule,
  path: string,
  names: SchemaExtensions,
): FieldError[] {
  if (fieldPath === '') return [];
  const at = `${path}.fieldPath`;
  const errors = new FieldErrorList();
  if (fieldPath.trim() === '') errors.push(invalid(at, fieldPath, 'fieldPath must be non-empty if specified'));
  if (hasLineBreaks(fieldPath)) errors.push(invalid(at, fieldPath, 'fieldPath must not contain line breaks'));
  const isConvertible = conversionProblem(schema, names) === undefined;
  if (isConvertible && typeof resolveFieldPath(fieldPath, structuralSchema(schema, names)) === 'string')
    errors.push(invalid(at, fieldPath, 'fieldPath must be a valid path'));
  return errors;
}
