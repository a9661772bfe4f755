/**
 * The names of compute resources in quotas, limit ranges and overheads, and the rules for their amounts.
 *
 * @see release 1.31, `pkg/apis/core/helper` and `pkg/apis/core/validation`
 * @module
 */
import {
  invalid,
  parseQuantity,
  qualifiedName,
  quantityToBigInt,
  type Dialect,
  type FieldError,
} from '../../../foundation/index.js';
import { goQuantity } from './go/go-quantity.js';
import { NOT_NEGATIVE, POSITIVE } from './validate.js';

/** Message for an amount of a countable resource with a fraction. */
const NOT_INTEGER = 'must be an integer';

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Resources that are counted in whole units. */
const COUNTED: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];

/** The resources without a domain that a quota can limit. */
const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...COUNTED,
]);

/** Returns true for pages of a size that a container requests, such as `hugepages-2Mi`. */
export const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

const isQuotaHugePages = (name: string): boolean => isHugePages(name) || name.startsWith('requests.hugepages-');

/** Returns true for a resource without a domain that a quota can limit. */
export const isQuotaResource = (name: string): boolean => QUOTA_RESOURCES.has(name) || isQuotaHugePages(name);

const isStandardResource = (name: string): boolean => name === 'storage' || isQuotaResource(name);

/** Returns true for a native resource: one without a domain, or of the dialect's domain. */
export function isNativeResource(name: string, dialect: Dialect): boolean {
  return !name.includes('/') || name.includes(`${dialect.labelDomain}/`);
}

/** Returns true for an extended resource: a name with a domain that remains valid with the prefix `requests.`. */
export function isExtendedResource(name: string, dialect: Dialect): boolean {
  return (
    !isNativeResource(name, dialect) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0
  );
}

/** Returns whether the requests for a resource may exceed what there is of it. */
export const mayBeOvercommitted = (name: string, dialect: Dialect): boolean =>
  isNativeResource(name, dialect) && !isHugePages(name);

/** Adds the errors of a resource name: a standard name, or one with a domain. */
export function validateResourceName(errors: FieldError[], path: string, name: string): void {
  const problems = qualifiedName(name);
  for (const problem of problems) errors.push(invalid(path, name, problem));
  if (problems.length > 0 || name.includes('/') || isStandardResource(name)) return;
  errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
}

/** Adds the errors of the name of a resource that a container can request. */
export function validateContainerResourceName(
  errors: FieldError[],
  path: string,
  name: string,
  dialect: Dialect,
): void {
  validateResourceName(errors, path, name);
  if (!name.includes('/')) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name))
      errors.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name, dialect) && !isExtendedResource(name, dialect)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
}

/** Adds the errors of the name of a resource that a quota limits. */
export function validateQuotaResourceName(errors: FieldError[], path: string, name: string): void {
  validateResourceName(errors, path, name);
  if (!name.includes('/') && !isQuotaResource(name))
    errors.push(invalid(path, name, 'must be a standard resource for quota'));
}

/** Adds the error of a negative amount. An invalid quantity is an error of the schema. */
export function validateNonNegativeAmount(errors: FieldError[], path: string, amount: string): void {
  if ((parseQuantity(amount)?.unscaled ?? 0n) < 0n) errors.push(invalid(path, amount, NOT_NEGATIVE));
}

/** Adds the error of an amount that is zero or negative. */
export function validatePositiveAmount(errors: FieldError[], path: string, amount: string): void {
  if ((parseQuantity(amount)?.unscaled ?? 1n) <= 0n) errors.push(invalid(path, amount, POSITIVE));
}

/** Adds the errors of an amount of a resource: not negative, and whole when the resource is counted. */
export function validateAmount(
  errors: FieldError[],
  path: string,
  { name, amount }: { readonly name: string; readonly amount: string },
  dialect: Dialect,
): void {
  validateNonNegativeAmount(errors, path, amount);
  if (!COUNTED.includes(name) && !isExtendedResource(name, dialect)) return;
  if ((quantityToBigInt(amount, -3) ?? 0n) % 1000n !== 0n) errors.push(invalid(path, goQuantity(amount), NOT_INTEGER));
}
