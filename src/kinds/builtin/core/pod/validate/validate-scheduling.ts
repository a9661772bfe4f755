import {
  dnsSubdomain,
  duplicate,
  forbidden,
  invalid,
  namespaceName,
  notSupported,
  ownMember,
  qualifiedName,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { validateLabelSelector } from '../../../shared/selectors/validate-label-selector.js';
import { nameErrors, POSITIVE } from '../../../shared/validate.js';
import type { PodRules } from '../rules.js';
import type { PodSpec } from '../types.js';

type Affinity = NonNullable<PodSpec['affinity']>;
type NodeTerm = NonNullable<
  NonNullable<Affinity['nodeAffinity']>['preferredDuringSchedulingIgnoredDuringExecution']
>[number]['preference'];
type Requirement = NonNullable<NodeTerm['matchExpressions']>[number];
type PodTerms = NonNullable<Affinity['podAffinity']>;
type PodTerm = NonNullable<PodTerms['requiredDuringSchedulingIgnoredDuringExecution']>[number];
type Spread = NonNullable<PodSpec['topologySpreadConstraints']>[number];

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The number of values of each operator, and the message for a wrong number. */
const operators: Readonly<Record<string, (errors: FieldError[], path: string, count: number) => void>> = {
  In: someValues,
  NotIn: someValues,
  Exists: noValues,
  DoesNotExist: noValues,
  Gt: oneValue,
  Lt: oneValue,
};

function someValues(errors: FieldError[], path: string, count: number): void {
  if (count === 0) errors.push(required(path, "must be specified when `operator` is 'In' or 'NotIn'"));
}

function noValues(errors: FieldError[], path: string, count: number): void {
  if (count > 0) errors.push(forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
}

function oneValue(errors: FieldError[], path: string, count: number): void {
  if (count !== 1) errors.push(required(path, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
}

function validateRequirement(errors: FieldError[], path: string, { key, operator, values = [] }: Requirement): void {
  const check = ownMember(operators, operator);
  if (check === undefined) errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  else check(errors, `${path}.values`, values.length);
  nameErrors(errors, `${path}.key`, key, qualifiedName(key));
}

/** Validates a field selector of nodes; only the name can be selected. */
function* validateFieldRequirement(
  errors: FieldErrorList,
  path: string,
  { key, operator, values = [] }: Requirement,
): Steps<void> {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      errors.push(
        required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      );
  } else errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  if (key !== 'metadata.name') return void errors.push(invalid(`${path}.key`, key, 'not a valid field selector key'));
  for (const [index, value] of values.entries()) {
    if (errors.spend()) yield;
    nameErrors(errors, `${path}.values[${index}]`, value, dnsSubdomain(value, false));
  }
}

function* validateNodeTerm(
  errors: FieldErrorList,
  path: string,
  { matchExpressions = [], matchFields = [] }: NodeTerm,
): Steps<void> {
  for (const [index, requirement] of matchExpressions.entries()) {
    if (errors.spend()) yield;
    validateRequirement(errors, `${path}.matchExpressions[${index}]`, requirement);
  }
  for (const [index, requirement] of matchFields.entries()) {
    if (errors.spend()) yield;
    yield* validateFieldRequirement(errors, `${path}.matchFields[${index}]`, requirement);
  }
}

function validateWeight(errors: FieldError[], path: string, weight: number): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(`${path}.weight`, weight, 'must be in the range 1-100'));
}

function* validateNodeAffinity(
  errors: FieldErrorList,
  path: string,
  affinity: NonNullable<Affinity['nodeAffinity']>,
): Steps<void> {
  const { [REQUIRED]: selector, [PREFERRED]: preferred = [] } = affinity;
  if (selector !== undefined) {
    const at = `${path}.${REQUIRED}.nodeSelectorTerms`;
    const { nodeSelectorTerms: terms } = selector;
    if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
    for (const [index, term] of terms.entries()) {
      if (errors.spend()) yield;
      yield* validateNodeTerm(errors, `${at}[${index}]`, term);
    }
  }
  for (const [index, { weight, preference }] of preferred.entries()) {
    if (errors.spend()) yield;
    const at = `${path}.${PREFERRED}[${index}]`;
    validateWeight(errors, at, weight);
    yield* validateNodeTerm(errors, `${at}.preference`, preference);
  }
}

/** Validates keys whose values the pod's own labels give. */
function* validateLabelKeys(
  errors: FieldErrorList,
  path: string,
  keys: readonly string[] = [],
  selector: PodTerm['labelSelector'],
): Steps<void> {
  if (keys.length === 0) return;
  if (selector === undefined)
    return void errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  for (const [index, key] of keys.entries()) {
    if (errors.spend()) yield;
    nameErrors(errors, `${path}[${index}]`, key, qualifiedName(key));
  }
}

/** Returns the last place of each text in a list. */
const lastIndexes = (texts: readonly string[]): ReadonlyMap<string, number> =>
  new Map(texts.map((text, index) => [text, index]));

/** Refuses a key that the selector has already, besides the expression that the key itself became. */
function* validateSelectedKeys(
  errors: FieldErrorList,
  path: string,
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodTerm,
): Steps<void> {
  if (matchLabelKeys.length === 0) return;
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  const last = lastIndexes(matchLabelKeys);
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    if (errors.spend()) yield;
    const index = last.get(key);
    if (index !== undefined && selected.has(key))
      errors.push(invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
    selected.add(key);
  }
  const mismatches = new Set(mismatchLabelKeys);
  for (const [index, key] of matchLabelKeys.entries()) {
    if (errors.spend()) yield;
    if (mismatches.has(key))
      errors.push(
        invalid(`${path}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
      );
  }
}

function* validatePodTerm(errors: FieldErrorList, path: string, term: PodTerm, rules: PodRules): Steps<void> {
  const { topologyKey, labelSelector, namespaceSelector, namespaces = [], matchLabelKeys, mismatchLabelKeys } = term;
  const selectorRules = { allowInvalidValues: rules.allowsInvalidSelectorValues };
  yield* validateLabelSelector(errors, `${path}.labelSelector`, labelSelector, selectorRules);
  yield* validateLabelSelector(errors, `${path}.namespaceSelector`, namespaceSelector, selectorRules);
  for (const name of namespaces) {
    if (errors.spend()) yield;
    nameErrors(errors, `${path}.namespace`, name, namespaceName(name, false));
  }
  yield* validateLabelKeys(errors, `${path}.matchLabelKeys`, matchLabelKeys, labelSelector);
  yield* validateLabelKeys(errors, `${path}.mismatchLabelKeys`, mismatchLabelKeys, labelSelector);
  yield* validateSelectedKeys(errors, path, term);
  if (!topologyKey) errors.push(required(`${path}.topologyKey`, 'can not be empty'));
  nameErrors(errors, `${path}.topologyKey`, topologyKey, qualifiedName(topologyKey));
}

function* validatePodAffinity(
  errors: FieldErrorList,
  path: string,
  affinity: PodTerms | undefined,
  rules: PodRules,
): Steps<void> {
  if (affinity === undefined) return;
  for (const [index, term] of (affinity[REQUIRED] ?? []).entries()) {
    if (errors.spend()) yield;
    yield* validatePodTerm(errors, `${path}.${REQUIRED}[${index}]`, term, rules);
  }
  for (const [index, { weight, podAffinityTerm }] of (affinity[PREFERRED] ?? []).entries()) {
    if (errors.spend()) yield;
    const at = `${path}.${PREFERRED}[${index}]`;
    validateWeight(errors, at, weight);
    yield* validatePodTerm(errors, `${at}.podAffinityTerm`, podAffinityTerm, rules);
  }
}

/** Validates the affinity of a pod. */
export function* validateAffinity(
  errors: FieldErrorList,
  path: string,
  affinity: Affinity | undefined,
  rules: PodRules,
): Steps<void> {
  if (affinity === undefined) return;
  if (affinity.nodeAffinity !== undefined)
    yield* validateNodeAffinity(errors, `${path}.nodeAffinity`, affinity.nodeAffinity);
  yield* validatePodAffinity(errors, `${path}.podAffinity`, affinity.podAffinity, rules);
  yield* validatePodAffinity(errors, `${path}.podAntiAffinity`, affinity.podAntiAffinity, rules);
}

const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];

const INCLUSION_POLICIES = ['Honor', 'Ignore'];

function validateMinDomains(errors: FieldError[], path: string, { minDomains, whenUnsatisfiable }: Spread): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) errors.push(invalid(path, minDomains, POSITIVE));
  if (whenUnsatisfiable === 'DoNotSchedule') return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  errors.push(invalid(path, minDomains, detail));
}

/** Validates the keys of a topology spread constraint, whose values the pod's own labels give. */
function* validateSpreadKeys(
  errors: FieldErrorList,
  path: string,
  { matchLabelKeys = [], labelSelector }: Spread,
): Steps<void> {
  if (matchLabelKeys.length === 0) return;
  if (labelSelector === undefined) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  for (const [index, key] of matchLabelKeys.entries()) {
    if (errors.spend()) yield;
    nameErrors(errors, `${path}[${index}]`, key, qualifiedName(key));
    if (selected.has(key))
      errors.push(invalid(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector'));
  }
}

/** Validates the topology spread constraints. */
export function* validateSpread(
  errors: FieldErrorList,
  path: string,
  constraints: readonly Spread[],
  { allowsInvalidSpreadSelectors }: PodRules,
): Steps<void> {
  const pairs = constraints.map(({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`);
  const last = lastIndexes(pairs);
  for (const [index, constraint] of constraints.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable } = constraint;
    if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, POSITIVE));
    if (!topologyKey) errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!UNSATISFIABLE.includes(whenUnsatisfiable))
      errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, UNSATISFIABLE));
    // The first of two equal pairs is reported.
    const pair = pairs[index] ?? '';
    if ((last.get(pair) ?? 0) > index) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair));
    validateMinDomains(errors, `${at}.minDomains`, constraint);
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[field];
      if (policy !== undefined && !INCLUSION_POLICIES.includes(policy))
        errors.push(notSupported(`${at}.${field}`, policy, INCLUSION_POLICIES));
    }
    yield* validateSpreadKeys(errors, `${at}.matchLabelKeys`, constraint);
    if (!allowsInvalidSpreadSelectors)
      yield* validateLabelSelector(errors, `${at}.labelSelector`, constraint.labelSelector);
  }
}

/** Validates the scheduling gates and the readiness gates. */
export function* validateGates(
  errors: FieldErrorList,
  path: string,
  { readinessGates = [], schedulingGates = [] }: PodSpec,
): Steps<void> {
  for (const [index, { conditionType }] of readinessGates.entries()) {
    if (errors.spend()) yield;
    nameErrors(errors, `${path}.readinessGates[${index}].conditionType`, conditionType, qualifiedName(conditionType));
  }
  const seen = new Set<string>();
  for (const [index, { name }] of schedulingGates.entries()) {
    if (errors.spend()) yield;
    const at = `${path}.schedulingGates[${index}]`;
    nameErrors(errors, at, name, qualifiedName(name));
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
}
