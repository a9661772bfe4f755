import { duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../../meta/field-error.js';
import { qualifiedName } from '../../../meta/names.js';
import { nameErrors, POSITIVE } from '../../shared/validate.js';
import type { PodSpec } from './types.js';

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
  const check = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (check === undefined) errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  else check(errors, `${path}.values`, values.length);
  nameErrors(errors, `${path}.key`, key, qualifiedName(key));
}

/** Validates a field selector of nodes; only the name can be selected. */
function validateFieldRequirement(
  errors: FieldError[],
  path: string,
  { key, operator, values = [] }: Requirement,
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1)
      errors.push(
        required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
      );
  } else errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'));
  if (key !== 'metadata.name') errors.push(invalid(`${path}.key`, key, 'not a valid field selector key'));
}

function validateNodeTerm(
  errors: FieldError[],
  path: string,
  { matchExpressions = [], matchFields = [] }: NodeTerm,
): void {
  for (const [index, requirement] of matchExpressions.entries())
    validateRequirement(errors, `${path}.matchExpressions[${index}]`, requirement);
  for (const [index, requirement] of matchFields.entries())
    validateFieldRequirement(errors, `${path}.matchFields[${index}]`, requirement);
}

function validateWeight(errors: FieldError[], path: string, weight: number): void {
  if (weight <= 0 || weight > 100) errors.push(invalid(`${path}.weight`, weight, 'must be in the range 1-100'));
}

function validateNodeAffinity(
  errors: FieldError[],
  path: string,
  affinity: NonNullable<Affinity['nodeAffinity']>,
): void {
  const { [REQUIRED]: selector, [PREFERRED]: preferred = [] } = affinity;
  if (selector !== undefined) {
    const at = `${path}.${REQUIRED}.nodeSelectorTerms`;
    const { nodeSelectorTerms: terms } = selector;
    if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
    for (const [index, term] of terms.entries()) validateNodeTerm(errors, `${at}[${index}]`, term);
  }
  for (const [index, { weight, preference }] of preferred.entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    validateWeight(errors, at, weight);
    validateNodeTerm(errors, `${at}.preference`, preference);
  }
}

function validatePodTerm(errors: FieldError[], path: string, { topologyKey }: PodTerm): void {
  if (!topologyKey) errors.push(required(`${path}.topologyKey`, 'can not be empty'));
  nameErrors(errors, `${path}.topologyKey`, topologyKey, qualifiedName(topologyKey));
}

function validatePodAffinity(errors: FieldError[], path: string, affinity: PodTerms | undefined): void {
  if (affinity === undefined) return;
  for (const [index, term] of (affinity[REQUIRED] ?? []).entries())
    validatePodTerm(errors, `${path}.${REQUIRED}[${index}]`, term);
  for (const [index, { weight, podAffinityTerm }] of (affinity[PREFERRED] ?? []).entries()) {
    const at = `${path}.${PREFERRED}[${index}]`;
    validateWeight(errors, at, weight);
    validatePodTerm(errors, `${at}.podAffinityTerm`, podAffinityTerm);
  }
}

/** Validates the affinity of a pod. */
export function validateAffinity(errors: FieldError[], path: string, affinity: Affinity | undefined): void {
  if (affinity === undefined) return;
  if (affinity.nodeAffinity !== undefined) validateNodeAffinity(errors, `${path}.nodeAffinity`, affinity.nodeAffinity);
  validatePodAffinity(errors, `${path}.podAffinity`, affinity.podAffinity);
  validatePodAffinity(errors, `${path}.podAntiAffinity`, affinity.podAntiAffinity);
}

const UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];

/** Validates the topology spread constraints. */
export function validateSpread(errors: FieldError[], path: string, constraints: readonly Spread[]): void {
  const seen = new Set<string>();
  for (const [index, { maxSkew, topologyKey, whenUnsatisfiable, minDomains }] of constraints.entries()) {
    const at = `${path}[${index}]`;
    if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, POSITIVE));
    if (!topologyKey) errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    if (!UNSATISFIABLE.includes(whenUnsatisfiable))
      errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, UNSATISFIABLE));
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
    if (seen.has(pair)) errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, pair));
    seen.add(pair);
    if (minDomains === undefined) continue;
    if (minDomains <= 0) errors.push(invalid(`${at}.minDomains`, minDomains, POSITIVE));
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      errors.push(
        invalid(
          `${at}.minDomains`,
          minDomains,
          `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
        ),
      );
    }
  }
}

/** Validates the scheduling gates and the readiness gates. */
export function validateGates(
  errors: FieldError[],
  path: string,
  { readinessGates = [], schedulingGates = [] }: PodSpec,
): void {
  for (const [index, { conditionType }] of readinessGates.entries()) {
    nameErrors(errors, `${path}.readinessGates[${index}].conditionType`, conditionType, qualifiedName(conditionType));
  }
  const seen = new Set<string>();
  for (const [index, { name }] of schedulingGates.entries()) {
    const at = `${path}.schedulingGates[${index}]`;
    nameErrors(errors, at, name, qualifiedName(name));
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
  }
}
