/**
 * Match conditions: CEL expressions that select the requests for a webhook. They read the spec of a v1
 * SubjectAccessReview as `request` (conventions.md, "Authorization"; KEP-3221).
 *
 * @module
 */
import {
  appendAll,
  duplicate,
  FieldPath,
  inSlices,
  invalid,
  required,
  SharedWork,
  tooMany,
  type Dialect,
  type FieldError,
  type JsonObject,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import {
  boolType,
  CelCompileError,
  CelEvaluationError,
  listType,
  mapType,
  objectType,
  stringType,
  type CelEnvironment,
  type CelProgram,
  type CelType,
  type ExpressionBudget,
} from '../../../machinery/index.js';
import { importEnvironment, importExpressionBudget } from '../../../machinery/late.js';

/** A match condition of a webhook. */
export interface WebhookMatchCondition {
  /** CEL; must evaluate to a boolean. */
  readonly expression: string;
}

/**
 * Decides whether to call the webhook: true when every condition is true, false when any is false (even if others
 * fail), and otherwise the evaluation error. Long conditions are evaluated in slices.
 *
 * @param spec the complete spec, as `matchableSpec` builds it
 */
export type Matcher = (spec: JsonObject) => boolean | Error | Promise<boolean | Error>;

/** Maximum cost of the conditions of a webhook, as for the webhooks of admission. */
const COST_BUDGET = 2_500_000;

/** Options of {@link compileMatchConditions}. */
export interface MatchConditionOptions {
  readonly dialect: Dialect;
  /** Whether expressions can read selectors (feature gate `AuthorizeWithSelectors`). Default false. */
  readonly withSelectors?: boolean | undefined;
}

/** Compiled match conditions. */
export interface CompiledMatchConditions {
  /** Validation errors in the order and words of Kubernetes; empty when the conditions are valid. */
  readonly errors: readonly FieldError[];
  readonly matches: Matcher;
}

const MAX_CONDITIONS = 64;
const MATCHES_ALL: Matcher = () => true;

/**
 * Compiles the conditions of a webhook. Without conditions, CEL is not loaded and every request matches.
 *
 * @param parent path of the webhook; default the root
 */
export async function compileMatchConditions(
  conditions: readonly WebhookMatchCondition[],
  options: MatchConditionOptions,
  parent: FieldPath = FieldPath.root,
): Promise<CompiledMatchConditions> {
  const path = parent.child('matchConditions');
  if (conditions.length === 0) return { errors: [], matches: MATCHES_ALL };
  if (conditions.length > MAX_CONDITIONS)
    return { errors: [tooMany(path, conditions.length, MAX_CONDITIONS)], matches: MATCHES_ALL };
  const [{ createCelEnvironment }, { ExpressionBudget }] = await Promise.all([
    importEnvironment(),
    importExpressionBudget(),
  ]);
  const environment = await createCelEnvironment({ variables: { request: requestType(options) } });
  const programs = new Map<string, CelProgram>();
  const errors: FieldError[] = [];
  for (const [index, { expression }] of conditions.entries())
    appendAll(errors, await compileOne(expression, path.index(index).child('expression'), environment, programs));
  return { errors, matches: matcherOf([...programs.values()], () => new ExpressionBudget(COST_BUDGET)) };
}

async function compileOne(
  expression: string,
  path: FieldPath,
  environment: CelEnvironment,
  programs: Map<string, CelProgram>,
): Promise<FieldError[]> {
  if (expression.trim() === '') return [required(path)];
  if (programs.has(expression)) return [duplicate(path, expression)];
  try {
    const work = new SharedWork();
    const steps = environment.compileInSlices(expression, work, { resultTypes: [boolType] });
    programs.set(expression, await inSlices(work, steps));
    return [];
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return [invalid(path, expression, error.message)];
  }
}

function requestType({ dialect, withSelectors = false }: MatchConditionOptions): CelType {
  const named = (name: string, fields: Readonly<Record<string, CelType>>): CelType =>
    objectType(`${dialect.product}.${name}`, fields);
  const strings = listType(stringType);
  const requirements = listType(
    named('SelectorRequirement', { key: stringType, operator: stringType, values: strings }),
  );
  const selector = (name: string): CelType => named(name, { rawSelector: stringType, requirements });
  const selectors = withSelectors
    ? { fieldSelector: selector('FieldSelectorAttributes'), labelSelector: selector('LabelSelectorAttributes') }
    : {};
  const texts = (...names: readonly string[]): Record<string, CelType> =>
    Object.fromEntries(names.map((name) => [name, stringType]));
  return named('SubjectAccessReviewSpec', {
    resourceAttributes: named('ResourceAttributes', {
      ...texts('namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'),
      ...selectors,
    }),
    nonResourceAttributes: named('NonResourceAttributes', texts('path', 'verb')),
    user: stringType,
    groups: strings,
    extra: mapType(stringType, strings),
    uid: stringType,
  });
}

function matcherOf(programs: readonly CelProgram[], newBudget: () => ExpressionBudget): Matcher {
  function* match(request: JsonObject, work: Work): Steps<boolean | Error> {
    const budget = newBudget();
    const failures: string[] = [];
    for (const program of programs) {
      const result = yield* evaluate(program, request, budget, work);
      if (result === false) return false;
      if (result !== true) failures.push(result);
    }
    if (failures.length === 0) return true;
    const distinct = [...new Set(failures)];
    return new Error(distinct.length === 1 ? distinct.join('') : `[${distinct.join(', ')}]`);
  }
  return (request) => {
    const work = new SharedWork();
    return inSlices(work, match(request, work));
  };
}

/** Returns the value of a condition, or the error text. */
function* evaluate(
  program: CelProgram,
  request: JsonObject,
  budget: ExpressionBudget,
  work: Work,
): Steps<boolean | string> {
  const at = `cel evaluation error: expression '${program.expression}'`;
  try {
    const value = yield* budget.evaluate(program, { request }, work);
    return typeof value === 'boolean' ? value : `${at} eval result value should be bool`;
  } catch (error) {
    if (!(error instanceof CelEvaluationError)) throw error;
    return `${at} resulted in error: ${error.message}`;
  }
}
