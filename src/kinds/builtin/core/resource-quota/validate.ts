import {
  FieldErrorList,
  goQuote,
  invalid,
  keysInSteps,
  required,
  verbatim,
  type VerbatimValue,
  type Dialect,
  type FieldError,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { goSlice } from '../../shared/go/go-values.js';
import { isQuotaResource, validateAmount, validateQuotaResourceName } from '../../shared/resource-names.js';
import { IMMUTABLE } from '../../shared/validate.js';

type Spec = coreV1.ResourceQuotaSpec;
type Amounts = Readonly<Record<string, string>> | undefined;

const BEST_EFFORT = 'BestEffort';
/** The scopes that only say something when they exist, each with its opposite. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  [BEST_EFFORT, 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const CROSS_NAMESPACE = 'CrossNamespacePodAffinity';
const WITHOUT_VALUES: readonly string[] = [...OPPOSITES.flat(), CROSS_NAMESPACE];
const SCOPES: readonly string[] = [...WITHOUT_VALUES, 'PriorityClass'];

const POD_RESOURCES: readonly string[] = [
  'pods',
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
];

/** Returns whether a scope selects objects that use the resource. */
function isValidForScope(scope: string, resource: string): boolean {
  if (scope === BEST_EFFORT) return resource === 'pods';
  return !SCOPES.includes(scope) || POD_RESOURCES.includes(resource);
}

/** Adds the errors of amounts by resource. */
export function* validateAmounts(
  errors: FieldErrorList,
  path: string,
  amounts: Amounts,
  dialect: Dialect,
): Steps<void> {
  if (amounts === undefined) return;
  for (const name of yield* keysInSteps(amounts, errors.work)) {
    if (errors.spend()) yield;
    const at = `${path}[${name}]`;
    validateQuotaResourceName(errors, at, name);
    validateAmount(errors, at, { name, amount: amounts[name] ?? '' }, dialect);
  }
}

/** Adds the errors of the spec of a ResourceQuota. */
export function* validateQuotaSpec(errors: FieldErrorList, spec: Spec, dialect: Dialect): Steps<void> {
  yield* validateAmounts(errors, 'spec.hard', spec.hard, dialect);
  yield* validateScopes(errors, 'spec.scopes', spec);
  if (spec.scopeSelector !== undefined) yield* validateSelector(errors, 'spec.scopeSelector.matchExpressions', spec);
}

/** Counts the resources of a quota to which each scope does not apply. */
function* unfitCounts(errors: FieldErrorList, { hard = {} }: Spec): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const resource of yield* keysInSteps(hard, errors.work)) {
    if (errors.spend()) yield;
    if (!isQuotaResource(resource)) continue;
    for (const scope of SCOPES) if (!isValidForScope(scope, resource)) counts.set(scope, (counts.get(scope) ?? 0) + 1);
  }
  return counts;
}

/** Adds an error a number of times; a list that is full only counts the rest. */
function addTimes(errors: FieldError[], times: number, make: () => FieldError): void {
  for (let left = times; left > 0; left -= 1) {
    if (errors instanceof FieldErrorList && errors.isFull) {
      errors.omit(left);
      return;
    }
    errors.push(make());
  }
}

/** Returns a function that makes a value when it is first needed. */
function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}
const scopesValue = ({ scopes = [] }: Spec): VerbatimValue => goSlice('core.ResourceQuotaScope', scopes);

function* validateScopes(errors: FieldErrorList, path: string, spec: Spec): Steps<void> {
  const { scopes = [] } = spec;
  if (scopes.length === 0) return;
  const unfit = yield* unfitCounts(errors, spec);
  const value = lazily(() => scopesValue(spec));
  for (const scope of scopes) {
    if (errors.spend()) yield;
    if (!SCOPES.includes(scope)) addTimes(errors, 1, () => invalid(path, value(), 'unsupported scope'));
    addTimes(errors, unfit.get(scope) ?? 0, () => invalid(path, value(), 'unsupported scope applied to resource'));
  }
  refuseOpposites(errors, path, spec, scopes);
}

function refuseOpposites(errors: FieldError[], path: string, spec: Spec, scopes: readonly string[]): void {
  for (const pair of OPPOSITES)
    if (pair.every((scope) => scopes.includes(scope)))
      errors.push(invalid(path, scopesValue(spec), 'conflicting scopes'));
}

function* validateSelector(errors: FieldErrorList, path: string, spec: Spec): Steps<void> {
  const { matchExpressions = [] } = spec.scopeSelector ?? {};
  if (matchExpressions.length === 0) return;
  const unfit = yield* unfitCounts(errors, spec);
  const value = lazily(() => selectorValue(matchExpressions));
  for (const { scopeName, operator, values = [] } of matchExpressions) {
    if (errors.spend()) yield;
    if (!SCOPES.includes(scopeName)) errors.push(invalid(`${path}.scopeName`, scopeName, 'unsupported scope'));
    addTimes(errors, unfit.get(scopeName) ?? 0, () => invalid(path, value(), 'unsupported scope applied to resource'));
    if (WITHOUT_VALUES.includes(scopeName) && operator !== 'Exists') {
      errors.push(
        invalid(
          `${path}.operator`,
          operator,
          "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    }
    validateOperator(errors, path, operator, values);
  }
  refuseOpposites(
    errors,
    path,
    spec,
    matchExpressions.map(({ scopeName }) => scopeName),
  );
}

function validateOperator(errors: FieldError[], path: string, operator: string, values: readonly string[]): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.push(
        required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"),
      );
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(
        invalid(
          `${path}.values`,
          values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
        ),
      );
  } else errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
}

/** Returns a scope selector as a Go value. */
function selectorValue(expressions: readonly coreV1.ScopedResourceSelectorRequirement[]): VerbatimValue {
  const type = 'core.ScopedResourceSelectorRequirement';
  const item = ({ scopeName, operator, values }: coreV1.ScopedResourceSelectorRequirement): string => {
    const shown = values === undefined ? '[]string(nil)' : `[]string{${values.map(goQuote).join(', ')}}`;
    return `${type}{ScopeName:${goQuote(scopeName)}, Operator:${goQuote(operator)}, Values:${shown}}`;
  };
  return verbatim(
    expressions,
    () => `core.ScopeSelector{MatchExpressions:[]${type}{${expressions.map(item).join(', ')}}}`,
  );
}

/** Adds the error of changed scopes. */
export function validateScopeChange(errors: FieldError[], spec: Spec, { scopes: old = [] }: Spec): void {
  const scopes = new Set(spec.scopes);
  const before = new Set(old);
  if (scopes.size === before.size && [...before].every((scope) => scopes.has(scope))) return;
  errors.push(invalid('spec.scopes', scopesValue(spec), IMMUTABLE));
}
