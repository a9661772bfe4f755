import { forbidden, invalid, required, type FieldError } from '../../../meta/field-error.js';
import { qualifiedName } from '../../../meta/names.js';
import { compareQuantity, parseQuantity, quantityToBigInt } from '../../../meta/quantity.js';
import type { Dialect } from '../../../names/dialect.js';
import { nameErrors, NOT_NEGATIVE } from '../../shared/validate.js';
import type { ResourceRequirements } from './types.js';

type Amounts = NonNullable<ResourceRequirements['limits']>;

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
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

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

function validateAmounts(errors: FieldError[], path: string, amounts: Amounts, dialect: Dialect): void {
  for (const name in amounts) {
    const at = `${path}[${name}]`;
    const amount = amounts[name] ?? '0';
    containerResourceNameErrors(errors, at, name, dialect);
    if (amount.startsWith('-') && (parseQuantity(amount)?.unscaled ?? 0n) < 0n)
      errors.push(invalid(at, amount, NOT_NEGATIVE));
    if (isExtendedResource(name, dialect) && (quantityToBigInt(amount, -3) ?? 0n) % 1000n !== 0n)
      errors.push(invalid(at, amount, 'must be an integer'));
  }
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

/** Validates the resource requests and limits of a container. */
export function validateResources(
  errors: FieldError[],
  path: string,
  { limits = {}, requests = {} }: ResourceRequirements,
  dialect: Dialect,
): void {
  validateAmounts(errors, `${path}.limits`, limits, dialect);
  validateAmounts(errors, `${path}.requests`, requests, dialect);
  for (const name in requests) {
    const shareable = isNativeResource(name, dialect) && !isHugePages(name);
    const error = requestError(path, { name, request: requests[name] ?? '0', limit: limits[name], shareable });
    if (error !== undefined) errors.push(error);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => COMPUTE.has(name)))
    errors.push(forbidden(path, 'HugePages require cpu or memory'));
}
