/**
 * The expressions of a policy, compiled. A stored expression nearly always compiles; one that does not fails in every
 * evaluation.
 *
 * @module
 */
import type { Steps, Work } from '../../foundation/index.js';
import {
  AdmissionExpressions,
  type admissionregistrationV1,
  type ExpressionScope,
  type ResultType,
} from '../../kinds/index.js';
import type { CelProgram } from '../../machinery/index.js';
import type { RequestContext } from '../../registry/index.js';

/** An expression with its program, or the message why it does not compile. */
export interface CompiledExpression {
  /** The text as errors show it. */
  readonly text: string;
  readonly program: CelProgram | string;
}

/** A variable of a policy. */
export interface CompiledVariable {
  readonly name: string;
  readonly program: CelProgram | string;
}

/** A validation with its message. */
export interface CompiledValidation extends CompiledExpression {
  readonly validation: admissionregistrationV1.Validation;
  readonly message: CompiledExpression | undefined;
}

/** An audit annotation. */
export interface CompiledAnnotation extends CompiledExpression {
  readonly key: string;
}

/** The compiled expressions of a policy. */
export interface CompiledPolicy {
  readonly variables: readonly CompiledVariable[];
  readonly matchConditions: readonly CompiledExpression[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly CompiledAnnotation[];
  /** Whether any expression reads `namespaceObject`. */
  readonly readsNamespace: boolean;
}

const NAMESPACE_OBJECT = 'namespaceObject';

/**
 * Compiles a policy, in steps.
 *
 * @throws Error when CEL is not loaded
 */
export function* compilePolicy(
  { paramKind, variables = [], matchConditions = [], validations = [], auditAnnotations = [] }: Spec,
  context: Pick<RequestContext, 'dialect' | 'featureGates'>,
  work: Work,
): Steps<CompiledPolicy> {
  const hasParams = paramKind !== undefined;
  const scope: ExpressionScope = { hasParams, hasAuthorizer: true, isStored: true };
  const messageScope: ExpressionScope = { ...scope, hasAuthorizer: false };
  const expressions = new AdmissionExpressions(context, work, true);
  function* compile(text: string, types: readonly ResultType[], at = scope): Steps<CompiledExpression> {
    return { text, program: yield* expressions.compile(text.trim(), at, types) };
  }
  const compiled = {
    variables: [] as CompiledVariable[],
    matchConditions: [] as CompiledExpression[],
    validations: [] as CompiledValidation[],
    annotations: [] as CompiledAnnotation[],
  };
  for (const { name, expression } of variables)
    compiled.variables.push({ name, program: yield* expressions.define(name, expression, scope) });
  for (const { expression } of matchConditions) compiled.matchConditions.push(yield* compile(expression, ['bool']));
  for (const validation of validations) {
    const { expression, messageExpression = '' } = validation;
    const program = yield* compile(expression, ['bool']);
    const message = messageExpression === '' ? undefined : yield* compile(messageExpression, ['string'], messageScope);
    compiled.validations.push({ ...program, validation, message });
  }
  for (const { key, valueExpression } of auditAnnotations)
    compiled.annotations.push({ ...(yield* compile(valueExpression, ['string', 'null'])), key });
  return { ...compiled, readsNamespace: programsOf(compiled).some((program) => program.names(NAMESPACE_OBJECT)) };
}

/**
 * Compiles the match conditions of a webhook, in steps.
 *
 * @throws Error when CEL is not loaded
 */
export function* compileMatchConditions(
  conditions: readonly admissionregistrationV1.MatchCondition[],
  context: Pick<RequestContext, 'dialect' | 'featureGates'>,
  work: Work,
): Steps<readonly CompiledExpression[]> {
  const scope: ExpressionScope = { hasParams: false, hasAuthorizer: true, isStored: true };
  const expressions = new AdmissionExpressions(context, work, false);
  const compiled: CompiledExpression[] = [];
  for (const { expression: text } of conditions)
    compiled.push({ text, program: yield* expressions.compile(text.trim(), scope, ['bool']) });
  return compiled;
}

type Spec = admissionregistrationV1.ValidatingAdmissionPolicySpec;

function programsOf({
  variables,
  matchConditions,
  validations,
  annotations,
}: Omit<CompiledPolicy, 'readsNamespace'>): CelProgram[] {
  const messages = validations.flatMap(({ message }) => message ?? []);
  return [...variables, ...matchConditions, ...validations, ...messages, ...annotations]
    .map(({ program }) => program)
    .filter((program) => typeof program !== 'string');
}
