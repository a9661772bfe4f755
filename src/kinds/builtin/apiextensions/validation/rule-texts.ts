import {
  appendErrors,
  FieldErrorList,
  invalid,
  notSupported,
  required,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import { resolveFieldPath, type JsonSchemaProps, type ValidationRule } from '../../../../machinery/index.js';
import type { StructuralContext } from './structural.js';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Work of looking at a rule. */
const UNITS_OF_RULE = 20;

const hasLineBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** Checks the texts of CEL rules, which are compiled only in a valid schema. */
export function* ruleTextErrors(
  schema: JsonSchemaProps,
  rules: readonly ValidationRule[],
  path: string,
  context: StructuralContext,
): Steps<FieldError[]> {
  const errors = new FieldErrorList();
  for (const [index, rule] of rules.entries()) {
    const at = `${path}.${context.names.validations}[${index}]`;
    appendErrors(errors, messageErrors(rule, at));
    appendErrors(errors, reasonErrors(rule, at));
    appendErrors(errors, yield* fieldPathErrors(schema, rule, at, context));
  }
  return errors;
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

function* fieldPathErrors(
  schema: JsonSchemaProps,
  { fieldPath = '' }: ValidationRule,
  path: string,
  { facts, work }: StructuralContext,
): Steps<FieldError[]> {
  if (work.spend(UNITS_OF_RULE + fieldPath.length)) yield;
  if (fieldPath === '') return [];
  const at = `${path}.fieldPath`;
  const errors = new FieldErrorList();
  if (fieldPath.trim() === '') errors.push(invalid(at, fieldPath, 'fieldPath must be non-empty if specified'));
  if (hasLineBreaks(fieldPath)) errors.push(invalid(at, fieldPath, 'fieldPath must not contain line breaks'));
  const isConvertible = (yield* facts.conversionProblem(schema)) === undefined;
  if (isConvertible && typeof resolveFieldPath(fieldPath, yield* facts.structural(schema)) === 'string')
    errors.push(invalid(at, fieldPath, 'fieldPath must be a valid path'));
  return errors;
}
