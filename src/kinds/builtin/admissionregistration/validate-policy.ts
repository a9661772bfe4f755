/**
 * Validation of policies. Expressions that are stored already may use more functions than new ones.
 *
 * @module
 */
import {
  dnsLabel1035Errors,
  dnsSubdomainErrors,
  duplicate,
  equalJson,
  FieldErrorList,
  invalid,
  qualifiedName,
  required,
  resultOf,
  UNBOUNDED_WORK,
  utf8Length,
  type FieldError,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { RequestContext } from '../../../registry/index.js';
import type { admissionregistrationV1 } from '../../types/index.js';
import { fields, mandatory, oneOf, valid } from '../shared/field-rules.js';
import { validateConditions } from '../shared/validate-conditions.js';
import { AdmissionExpressions, type ExpressionScope, type ResultType } from './admission-expressions.js';
import { lengthError, policyLength } from './expression-length.js';
import { validateMatchConditions } from './validate-match-conditions.js';
import { failurePolicyRule, matchRules } from './validate-rules.js';

type Spec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
type Status = admissionregistrationV1.ValidatingAdmissionPolicyStatus;

const reasonRule = oneOf(['Forbidden', 'Invalid', 'RequestEntityTooLarge']);
const MAX_AUDIT_ANNOTATIONS = 20;
/** Maximum length of the expression of an audit annotation, in bytes. */
const MAX_VALUE_EXPRESSION_BYTES = 5 * 1024;
const NOTHING_TO_DO = 'validations or auditAnnotations must contain at least one item';

/** The expressions of a policy that is stored. */
interface StoredExpressions {
  readonly conditions: ReadonlySet<string>;
  readonly validations: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
  readonly annotations: ReadonlySet<string>;
}

/** The parts that the validation of one policy shares. */
interface Validation {
  readonly errors: FieldErrorList;
  readonly expressions: AdmissionExpressions;
  readonly hasParams: boolean;
  readonly stored: StoredExpressions;
}

/**
 * Returns the errors of a policy, in steps.
 *
 * @param name name of the policy, which is part of the keys of audit annotations
 * @param old the spec before the update
 */
export function* policyErrors(
  spec: Spec,
  name: string,
  context: RequestContext,
  old: Spec | undefined,
): Steps<FieldErrorList> {
  const { work = UNBOUNDED_WORK } = context;
  const errors = new FieldErrorList(work);
  const { paramKind, matchConstraints, matchConditions = [], variables = [] } = spec;
  yield* resultOf(headRules(errors, 'spec', spec));
  yield* validateMatchConstraints(errors, 'spec.matchConstraints', matchConstraints);
  const long = lengthError('spec', policyLength(spec), old === undefined ? 0 : policyLength(old), context);
  if (long !== undefined) {
    errors.push(long);
    return errors;
  }
  const hasParams = paramKind !== undefined;
  const stored = storedExpressions(old);
  if (old === undefined || !keepsMatchConditions(spec, old))
    yield* validateMatchConditions(errors, 'spec.matchConditions', matchConditions, {
      compiler: () => new AdmissionExpressions(context, work, false),
      hasParams,
      isStored: (expression) => stored.conditions.has(expression),
    });
  const expressions = new AdmissionExpressions(context, work, variables.length > 0);
  const validation: Validation = { errors, expressions, hasParams, stored };
  yield* validateVariables(validation, variables);
  yield* validateActions(validation, spec, name);
  return errors;
}

const keepsMatchConditions = (spec: Spec, old: Spec): boolean =>
  equalJson(spec.paramKind, old.paramKind) && equalJson(spec.matchConditions, old.matchConditions);

function storedExpressions(old: Spec = {}): StoredExpressions {
  const { matchConditions = [], validations = [], auditAnnotations = [] } = old;
  return {
    conditions: new Set(matchConditions.map(({ expression }) => expression)),
    validations: new Set(validations.map(({ expression }) => expression)),
    messages: new Set(validations.flatMap(({ messageExpression }) => messageExpression ?? [])),
    annotations: new Set(auditAnnotations.map(({ valueExpression }) => valueExpression)),
  };
}

function mixedCaseLabel(kind: string): readonly string[] {
  const problems = dnsLabel1035Errors(kind.toLowerCase());
  return problems.length === 0 ? [] : [`may have mixed case, but should otherwise match: ${problems.join(',')}`];
}

const headRules = fields<Spec>({
  failurePolicy: failurePolicyRule,
  paramKind: fields<admissionregistrationV1.ParamKind>({
    apiVersion: mandatory(validateApiVersion),
    kind: mandatory(valid(mixedCaseLabel)),
  }),
});

function validateApiVersion(errors: FieldError[], path: string, apiVersion = ''): void {
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2)
    return void errors.push(invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const groupProblems = group === '' ? [] : dnsSubdomainErrors(group);
  if (groupProblems.length > 0) errors.push(invalid(path, group, groupProblems.join(',')));
  if (version === '') return void errors.push(invalid(path, apiVersion, 'version must be specified'));
  const versionProblems = dnsLabel1035Errors(version);
  if (versionProblems.length > 0) errors.push(invalid(path, version, versionProblems.join(',')));
}

function* validateMatchConstraints(
  errors: FieldErrorList,
  path: string,
  match: admissionregistrationV1.MatchResources | undefined,
): Steps<void> {
  if (match === undefined) return void errors.push(required(path));
  yield* resultOf(matchRules(errors, path, match));
  if ((match.resourceRules ?? []).length === 0) errors.push(required(`${path}.resourceRules`));
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

function* validateVariables(
  { errors, expressions, hasParams, stored }: Validation,
  variables: readonly admissionregistrationV1.Variable[],
): Steps<void> {
  for (const [index, { name, expression }] of variables.entries()) {
    const path = `spec.variables[${index}]`;
    if (name.trim() === '') errors.push(required(`${path}.name`, 'name is not specified'));
    else if (!IDENTIFIER.test(name) || RESERVED.has(name))
      errors.push(invalid(`${path}.name`, name, 'name is not a valid CEL identifier'));
    if (expression.trim() === '') {
      errors.push(required(`${path}.expression`, 'expression is not specified'));
      continue;
    }
    // Kubernetes looks for variables among the validations.
    const isStored = stored.validations.has(expression);
    const program = yield* expressions.define(name, expression, { hasParams, hasAuthorizer: true, isStored });
    if (typeof program === 'string') errors.push(invalid(`${path}.expression`, expression, program));
  }
}

function* validateActions(validation: Validation, spec: Spec, name: string): Steps<void> {
  const { errors } = validation;
  const { validations = [], auditAnnotations: annotations = [] } = spec;
  if (validations.length === 0 && annotations.length === 0) {
    errors.push(required('spec.validations', NOTHING_TO_DO));
    errors.push(required('spec.auditAnnotations', NOTHING_TO_DO));
    return;
  }
  for (const [index, item] of validations.entries())
    yield* validateValidation(validation, `spec.validations[${index}]`, item);
  if (annotations.length > MAX_AUDIT_ANNOTATIONS)
    errors.push(
      invalid(
        'spec.auditAnnotations',
        annotations,
        `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`,
      ),
    );
  const keys = new Set<string>();
  for (const [index, annotation] of annotations.entries()) {
    const path = `spec.auditAnnotations[${index}]`;
    yield* validateAuditAnnotation(validation, path, annotation, name);
    if (keys.has(annotation.key)) errors.push(duplicate(`${path}.key`, annotation.key));
    keys.add(annotation.key);
  }
}

/** Adds the error of an expression. `shown` is the value of the error, by default the expression. */
function* compile(
  { errors, expressions }: Validation,
  path: string,
  expression: string,
  scope: ExpressionScope,
  types: readonly ResultType[],
  shown = expression,
): Steps<void> {
  const problem = yield* expressions.problem(expression, scope, types);
  if (problem !== undefined) errors.push(invalid(path, shown, problem));
}

function* validateValidation(
  validation: Validation,
  path: string,
  { expression, message = '', messageExpression = '', reason }: admissionregistrationV1.Validation,
): Steps<void> {
  const { errors, hasParams, stored } = validation;
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'));
  else {
    const isStored = stored.validations.has(expression);
    yield* compile(validation, `${path}.expression`, expression, { hasParams, hasAuthorizer: true, isStored }, [
      'bool',
    ]);
  }
  const messagePath = `${path}.messageExpression`;
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(invalid(messagePath, messageExpression, 'must be non-empty if specified'));
  else if (messageExpression !== '') {
    const isStored = stored.messages.has(messageExpression);
    yield* compile(validation, messagePath, messageExpression, { hasParams, hasAuthorizer: false, isStored }, [
      'string',
    ]);
  }
  if (message !== '' && message.trim() === '')
    errors.push(invalid(`${path}.message`, message, 'message must be non-empty if specified'));
  else if (/[\n\r]/.test(message.trim()))
    errors.push(invalid(`${path}.message`, message, 'message must not contain line breaks'));
  reasonRule(errors, `${path}.reason`, reason);
}

function* validateAuditAnnotation(
  validation: Validation,
  path: string,
  { key, valueExpression }: admissionregistrationV1.AuditAnnotation,
  name: string,
): Steps<void> {
  const { errors, hasParams, stored } = validation;
  if (name === '') errors.push(invalid(`${path}.key`, key, 'requires metadata.name be non-empty'));
  else {
    const fullKey = `${name}/${key}`;
    for (const problem of qualifiedName(fullKey)) errors.push(invalid(`${path}.key`, fullKey, problem));
  }
  const at = `${path}.valueExpression`;
  const trimmed = valueExpression.trim();
  if (trimmed === '') errors.push(required(at, 'valueExpression is not specified'));
  else if (utf8Length(trimmed) > MAX_VALUE_EXPRESSION_BYTES)
    errors.push(required(at, `must not exceed ${MAX_VALUE_EXPRESSION_BYTES} bytes in length`));
  else {
    const isStored = stored.annotations.has(valueExpression);
    const scope = { hasParams, hasAuthorizer: true, isStored };
    yield* compile(validation, at, trimmed, scope, ['string', 'null'], valueExpression);
  }
}

/** Returns the errors of the status of a policy. */
export function* policyStatusErrors(
  { typeChecking, conditions = [] }: Status,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  for (const [index, { fieldRef, warning }] of (typeChecking?.expressionWarnings ?? []).entries()) {
    if (errors.spend()) yield;
    const path = `status.typeChecking.expressionWarnings[${index}]`;
    if (warning === '') errors.push(required(`${path}.warning`));
    if (fieldRef.trim() === '') errors.push(required(`${path}.fieldRef`));
  }
  const checked = conditions.map((condition) => ({ ...condition, time: condition.lastTransitionTime }));
  yield* validateConditions(errors, 'status.conditions', checked);
  return errors;
}
