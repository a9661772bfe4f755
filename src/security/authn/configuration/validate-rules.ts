import { duplicate, invalid, required, type FieldError, type FieldPath } from '../../../foundation/index.js';
import { compiled } from './compiled.js';
import type { ExpressionCompiler } from './expressions.js';
import type { ClaimValidationRule, UserValidationRule } from './types.js';
import { noteVerification, type EmailUse } from './validate-claim-mappings.js';

/** Validates the rules on claims. */
export function validateClaimValidationRules(
  rules: readonly ClaimValidationRule[],
  path: FieldPath,
  compiler: ExpressionCompiler | undefined,
  email: EmailUse,
): FieldError[] {
  const seenClaims = new Set<string>();
  const seenExpressions = new Set<string>();
  return rules.flatMap((rule, index) => {
    const { claim = '', expression = '' } = rule;
    const at = path.index(index);
    if (claim !== '' && expression !== '') return [invalid(at, claim, "claim and expression can't both be set")];
    if (claim === '' && expression === '') return [required(at, 'claim or expression is required')];
    return expression === ''
      ? validateClaimRule(rule, claim, at, seenClaims)
      : validateExpressionRule(rule, expression, { path: at, seen: seenExpressions, compiler, email });
  });
}

function validateClaimRule(
  { message = '' }: ClaimValidationRule,
  claim: string,
  path: FieldPath,
  seen: Set<string>,
): FieldError[] {
  const errors =
    message === '' ? [] : [invalid(path.child('message'), message, "message can't be set when claim is set")];
  if (seen.has(claim)) errors.push(duplicate(path.child('claim'), claim));
  seen.add(claim);
  return errors;
}

/** Context of an expression rule. */
interface ExpressionRuleContext {
  readonly path: FieldPath;
  /** Expressions of earlier rules. */
  readonly seen: Set<string>;
  readonly compiler: ExpressionCompiler | undefined;
  readonly email: EmailUse;
}

function validateExpressionRule(
  { requiredValue = '' }: ClaimValidationRule,
  expression: string,
  { path, seen, compiler, email }: ExpressionRuleContext,
): FieldError[] {
  const errors =
    requiredValue === ''
      ? []
      : [invalid(path.child('requiredValue'), requiredValue, "requiredValue can't be set when expression is set")];
  if (seen.has(expression)) return [...errors, duplicate(path.child('expression'), expression)];
  seen.add(expression);
  const result = compiled(path.child('expression'), expression, compiler?.claimsCondition);
  if ('error' in result) return [...errors, result.error];
  noteVerification(email, result.program);
  return errors;
}

/** Validates the rules on the user. */
export function validateUserValidationRules(
  rules: readonly UserValidationRule[],
  path: FieldPath,
  compiler: ExpressionCompiler | undefined,
): FieldError[] {
  const seen = new Set<string>();
  return rules.flatMap(({ expression }, index) => {
    const at = path.index(index).child('expression');
    if (expression === '') return [required(at, 'expression is required')];
    if (seen.has(expression)) return [duplicate(at, expression)];
    seen.add(expression);
    const result = compiled(at, expression, compiler?.userCondition);
    return 'error' in result ? [result.error] : [];
  });
}
