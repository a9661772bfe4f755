/**
 * The verdict of a policy on a request with one parameter: the validations that fail, and additions to the audit event.
 *
 * Source: `admission/plugin/policy/validating/validator.go` of Kubernetes 1.31.
 *
 * @module
 */
import { utf8Length, type Steps } from '../../foundation/index.js';
import { CelFailure, typeNameOf, type CelResult } from '../../machinery/index.js';
import type { CompiledAnnotation, CompiledPolicy, CompiledValidation } from './compile-policy.js';
import { Evaluation, OutOfBudget, POLICY_COST_BUDGET, type EvaluationInput } from './evaluation.js';
import { matchConditions, type MatchOutcome } from './match-conditions.js';

/** A validation that failed, or could not be evaluated. */
export interface ValidationFailure {
  /** Position of the validation in the policy; 0 when the policy failed as a whole. */
  readonly index: number;
  readonly message: string;
  /** The reason that the policy gives; undefined for the default. */
  readonly reason?: string | undefined;
}

/** An audit annotation with its value; or the error of its expression. */
export type AnnotationResult = { readonly key: string; readonly value: string } | { readonly error: string };

/** The result of a policy. */
export interface PolicyResult {
  readonly failures: readonly ValidationFailure[];
  readonly annotations: readonly AnnotationResult[];
  /** The errors that the failure policy ignores. */
  readonly ignored: readonly string[];
  /** The outcome of its match conditions; undefined without any. */
  readonly conditions?: MatchOutcome | undefined;
}

/** A policy as it is evaluated. */
export interface EvaluatedPolicy {
  readonly compiled: CompiledPolicy;
  /** Whether an error passes the request (failure policy Ignore). */
  readonly ignoresErrors: boolean;
}

/** Maximum length of a message that an expression returns, in bytes. */
const MAX_MESSAGE_BYTES = 5 * 1024;

const NOTHING: PolicyResult = { failures: [], annotations: [], ignored: [] };

/** Evaluates a policy for a request and a parameter, in slices: it pauses between and within expressions. */
export function* evaluatePolicy(policy: EvaluatedPolicy, given: EvaluationInput): Steps<PolicyResult> {
  const { compiled, ignoresErrors } = policy;
  const failed = (message: string): PolicyResult =>
    ignoresErrors ? { ...NOTHING, ignored: [message] } : { ...NOTHING, failures: [{ index: 0, message }] };
  try {
    const conditions = compiled.matchConditions.length === 0 ? undefined : yield* matchConditions(compiled, given);
    const holds = conditions?.holds ?? true;
    if (holds === false || (typeof holds === 'string' && ignoresErrors)) return { ...NOTHING, conditions };
    if (typeof holds === 'string') return { ...failed(holds), conditions };
    const found = yield* validate(policy, given);
    return { ...found, annotations: yield* annotate(policy, given), conditions };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

function* validate(
  { compiled, ignoresErrors }: EvaluatedPolicy,
  given: EvaluationInput,
): Steps<Pick<PolicyResult, 'failures' | 'ignored'>> {
  const { validations, variables } = compiled;
  const evaluation = new Evaluation(given, variables, POLICY_COST_BUDGET);
  const failed: { readonly index: number; readonly item: CompiledValidation; readonly result: CelResult }[] = [];
  for (const [index, item] of validations.entries()) {
    const result = yield* evaluation.run(item);
    if (result !== true) failed.push({ index, item, result });
  }
  if (failed.length === 0) return NOTHING;
  const messages = yield* evaluatedMessages(compiled, given, evaluation.budget);
  const failures: ValidationFailure[] = [];
  const ignored: string[] = [];
  for (const { index, item, result } of failed) {
    if (!(result instanceof CelFailure))
      failures.push({ index, message: messageOf(item, messages[index]), reason: item.validation.reason });
    else if (ignoresErrors) ignored.push(result.message);
    else failures.push({ index, message: result.message });
  }
  return { failures, ignored };
}

/** Evaluates the message expressions of all validations; none are known when they exceed the budget together. */
function* evaluatedMessages(
  { validations, variables }: CompiledPolicy,
  given: EvaluationInput,
  budget: number,
): Steps<readonly (CelResult | undefined)[]> {
  try {
    const evaluation = new Evaluation({ ...given, hasAuthorizer: false }, variables, budget);
    const messages: (CelResult | undefined)[] = [];
    for (const { message } of validations)
      messages.push(message === undefined ? undefined : yield* evaluation.run(message));
    return messages;
  } catch (error) {
    if (error instanceof OutOfBudget) return [];
    throw error;
  }
}

function messageOf({ validation, text }: CompiledValidation, evaluated: CelResult | undefined): string {
  const { message = '' } = validation;
  const own = typeof evaluated === 'string' ? evaluated.trim() : '';
  if (own !== '' && utf8Length(own) <= MAX_MESSAGE_BYTES && !own.includes('\n')) return own;
  return message === '' ? `failed expression: ${text.trim()}` : message.trim();
}

function* annotate(
  { compiled, ignoresErrors }: EvaluatedPolicy,
  given: EvaluationInput,
): Steps<readonly AnnotationResult[]> {
  const { annotations, variables } = compiled;
  if (annotations.length === 0) return [];
  const evaluation = new Evaluation(given, variables, POLICY_COST_BUDGET);
  const results: { readonly annotation: CompiledAnnotation; readonly result: CelResult }[] = [];
  for (const annotation of annotations) results.push({ annotation, result: yield* evaluation.run(annotation) });
  return results.flatMap(({ annotation: { key, text }, result }): AnnotationResult[] => {
    if (result instanceof CelFailure) return ignoresErrors ? [] : [{ error: result.message }];
    if (result === null) return [];
    if (typeof result !== 'string')
      return [
        {
          error: `valueExpression '${text}' resulted in unsupported return type: ${typeNameOf(result)}. Return type must be either string or null.`,
        },
      ];
    const value = result.trim();
    return value === '' ? [] : [{ key, value }];
  });
}
