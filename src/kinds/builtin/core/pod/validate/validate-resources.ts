import {
  compareQuantity,
  dnsLabelErrors,
  duplicate,
  FieldError,
  forbidden,
  invalid,
  parseQuantity,
  qualifiedName,
  quantityToBigInt,
  required,
  type Dialect,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import { nameErrors, NOT_NEGATIVE } from '../../../shared/validate.js';
import { isHugePages, isWholePages } from '../huge-pages.js';
import type { ResourceRequirements } from '../types.js';
import type { ClaimNames } from './claim-names.js';

const COMPUTE = new Set(['cpu', 'memory']);
const CONTAINER_RESOURCES = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Built-in resource names without a domain, for quotas and limit ranges as well as for containers. */
const STANDARD_RESOURCES = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'requests.storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]);

/** Returns true for a native resource: one without a domain, or of the dialect's domain. */
export function isNativeResource(name: string, dialect: Dialect): boolean {
  return !name.includes('/') || name.includes(`${dialect.labelDomain}/`);
}

/** Returns true for an extended resource: a name with a domain that remains valid with the prefix `requests.`. */
function isExtendedResource(name: string, dialect: Dialect): boolean {
  return (
    !isNativeResource(name, dialect) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0
  );
}

/** Adds the errors of the name of a resource of a container. */
export function containerResourceNameErrors(errors: FieldError[], path: string, name: string, dialect: Dialect): void {
  if (CONTAINER_RESOURCES.has(name)) return;
  nameErrors(errors, path, name, qualifiedName(name));
  if (!name.includes('/')) {
    if (!STANDARD_RESOURCES.has(name) && !isHugePages(name))
      errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
    if (!isHugePages(name)) errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name, dialect) && !isExtendedResource(name, dialect)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
}

function validateAmount(
  errors: FieldError[],
  path: string,
  name: string,
  amount: string,
  { dialect }: ResourceRules,
): void {
  const at = `${path}[${name}]`;
  containerResourceNameErrors(errors, at, name, dialect);
  if (amount.startsWith('-') && (parseQuantity(amount)?.unscaled ?? 0n) < 0n)
    errors.push(invalid(at, amount, NOT_NEGATIVE));
  if (isExtendedResource(name, dialect) && (quantityToBigInt(amount, -3) ?? 0n) % 1000n !== 0n)
    errors.push(invalid(at, amount, 'must be an integer'));
}

function validatePages(
  errors: FieldError[],
  path: string,
  name: string,
  amount: string,
  { allowsIndivisibleHugePages }: ResourceRules,
): void {
  if (allowsIndivisibleHugePages || !isHugePages(name) || isWholePages(name, amount)) return;
  const detail = `${amount} is not positive integer multiple of ${name}`;
  errors.push(invalid(`${path}[${name}]`, amount, detail));
}

/** The request and the limit of one resource. */
interface RequestAndLimit {
  readonly name: string;
  readonly request: string;
  readonly limit: string | undefined;
  /** Whether the resource can be overcommitted. If not, request and limit must be equal. */
  readonly shareable: boolean;
}

function requestError(path: string, { name, request, limit, shareable }: RequestAndLimit): FieldError | undefined {
  if (limit === undefined)
    return shareable ? undefined : required(`${path}.limits`, 'Limit must be set for non overcommitable resources');
  const order = compareQuantity(request, limit) ?? 0;
  if (!shareable && order !== 0)
    return invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${limit}`);
  return order > 0
    ? invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`)
    : undefined;
}

/** Longest name of a claim. */
const MAX_NAME = 63;

/** Validates the references of a container to claims of its pod. */
function* validateClaims(
  errors: FieldErrorList,
  path: string,
  claims: NonNullable<ResourceRequirements['claims']>,
  podClaims: ClaimNames,
): Steps<void> {
  const seen = new Set<string>();
  /** The parts before the slash of the keys that were seen. */
  const prefixes = new Set<string>();
  for (const [index, { name, request = '' }] of claims.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (name === '') {
      errors.push(required(at));
      continue;
    }
    if (request !== '') nameErrors(errors, `${at}.request`, request, dnsLabelErrors(request));
    const key = request === '' ? name : `${name}/${request}`;
    const overlaps = request === '' && prefixes.has(name);
    if (seen.has(name) || overlaps) errors.push(duplicate(at, name));
    else if (seen.has(key)) errors.push(duplicate(at, key));
    seen.add(key);
    if (request !== '') prefixes.add(name);
    // A name with a slash is invalid, and so is a long one.
    for (let slash = name.indexOf('/'); slash >= 0 && slash < MAX_NAME; slash = name.indexOf('/', slash + 1))
      prefixes.add(name.slice(0, slash));
    if (!podClaims.has(name)) {
      const detail = `must be one of the names in pod.spec.resourceClaims${podClaims.listed}`;
      errors.push(new FieldError('NotFound', at, name, detail));
    }
  }
}

/** The facts that the validation of resources depends on. */
export interface ResourceRules {
  readonly dialect: Dialect;
  readonly allowsIndivisibleHugePages: boolean;
}

/**
 * Validates resource requests and limits.
 *
 * @param podClaims names of the resource claims of the pod
 */
export function* validateResources(
  errors: FieldErrorList,
  path: string,
  { limits = {}, requests = {}, claims }: ResourceRequirements,
  rules: ResourceRules,
  podClaims: ClaimNames,
): Steps<void> {
  let hasPages = false;
  let hasCompute = false;
  for (const name in limits) {
    if (errors.spend()) yield;
    const amount = limits[name] ?? '';
    hasPages ||= isHugePages(name);
    hasCompute ||= COMPUTE.has(name);
    validateAmount(errors, `${path}.limits`, name, amount, rules);
    validatePages(errors, `${path}.limits`, name, amount, rules);
  }
  for (const name in requests) {
    if (errors.spend()) yield;
    const request = requests[name] ?? '';
    hasPages ||= isHugePages(name);
    hasCompute ||= COMPUTE.has(name);
    validateAmount(errors, `${path}.requests`, name, request, rules);
    const shareable = isNativeResource(name, rules.dialect) && !isHugePages(name);
    const error = requestError(path, { name, request, limit: limits[name], shareable });
    if (error !== undefined) errors.push(error);
    validatePages(errors, `${path}.requests`, name, request, rules);
  }
  if (hasPages && !hasCompute) errors.push(forbidden(path, 'HugePages require cpu or memory'));
  if (claims !== undefined) yield* validateClaims(errors, `${path}.claims`, claims, podClaims);
}
