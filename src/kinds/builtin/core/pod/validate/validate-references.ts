import {
  dnsSubdomain,
  invalid,
  notSupported,
  parseQuantity,
  qualifiedName,
  required,
  type FieldError,
} from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { configMapKey } from '../../../shared/config-data.js';
import { absentAs, fields, mandatory, valid } from '../../../shared/field-rules.js';
import { nameErrors } from '../../../shared/validate.js';

type FieldRef = coreV1.ObjectFieldSelector;
type ResourceFieldRef = coreV1.ResourceFieldSelector;

/** Pod fields that volume files may contain. */
export const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Pod fields that environment variables may contain. */
export const ENVIRONMENT_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** All pod fields that a reference can name. */
const KNOWN_FIELDS = new Set([
  ...VOLUME_FIELDS,
  ...ENVIRONMENT_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

const AMOUNTS = ['cpu', 'ephemeral-storage', 'memory'];
const RESOURCE_FIELDS = [...AMOUNTS.map((name) => `limits.${name}`), ...AMOUNTS.map((name) => `requests.${name}`)];
const HUGE_PAGES = /^(limits|requests)\.hugepages-/;

const SUBSCRIPT = /^(.*)\['([^']*)'\]$/;

function subscriptErrors(errors: FieldError[], path: string, field: string, key: string): void {
  if (field === 'metadata.annotations') nameErrors(errors, path, key, qualifiedName(key.toLowerCase()));
  else if (field === 'metadata.labels') nameErrors(errors, path, key, qualifiedName(key));
  else errors.push(invalid(path, field, 'does not support subscript'));
}

/** Validates a reference to a pod field, which must be one of `allowed`. */
export function validateFieldRef(
  errors: FieldError[],
  path: string,
  { apiVersion, fieldPath }: FieldRef,
  allowed: readonly string[],
): void {
  if (!apiVersion) return void errors.push(required(`${path}.apiVersion`));
  if (!fieldPath) return void errors.push(required(`${path}.fieldPath`));
  const subscript = SUBSCRIPT.exec(fieldPath);
  const field = subscript?.[1] ?? fieldPath;
  if (apiVersion !== 'v1' || !KNOWN_FIELDS.has(field)) {
    const reason =
      apiVersion === 'v1' ? `field label not supported: ${field}` : `unsupported pod version: ${apiVersion}`;
    errors.push(invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${reason}`));
  } else if (subscript !== null) subscriptErrors(errors, path, field, subscript[2] ?? '');
  else if (!allowed.includes(field)) errors.push(notSupported(`${path}.fieldPath`, field, allowed));
}

/** Validates a reference to a resource of a container. In volumes the container must be named. */
export function validateResourceFieldRef(
  errors: FieldError[],
  path: string,
  { containerName, resource, divisor }: ResourceFieldRef,
  inVolume: boolean,
): void {
  if (inVolume && !containerName) errors.push(required(`${path}.containerName`));
  else if (!resource) errors.push(required(`${path}.resource`));
  else if (!RESOURCE_FIELDS.includes(resource) && !HUGE_PAGES.test(resource))
    errors.push(notSupported(`${path}.resource`, resource, RESOURCE_FIELDS));
  validateDivisor(errors, `${path}.divisor`, resource, divisor);
}

const CPU_DIVISORS = ['1m', '1'];
const BYTE_DIVISORS = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
const KNOWN_BYTE_DIVISORS = new Set(BYTE_DIVISORS.split(', '));
const isZero = (amount: string): boolean => parseQuantity(amount)?.unscaled === 0n;

/** Validates the unit of a resource in an environment variable or file. */
function validateDivisor(errors: FieldError[], path: string, resource: string, divisor = '0'): void {
  if (isZero(divisor)) return;
  const name = resource.slice(resource.indexOf('.') + 1);
  const refuse = (units: string, of: string): void =>
    void errors.push(invalid(path, resource, `only divisor's values ${units} are supported with the ${of} resource`));
  if (name === 'cpu') {
    if (!CPU_DIVISORS.includes(divisor)) refuse('1m and 1', 'cpu');
  } else if (!KNOWN_BYTE_DIVISORS.has(divisor)) {
    if (name === 'memory') refuse(BYTE_DIVISORS, 'memory');
    else if (name === 'ephemeral-storage') refuse(BYTE_DIVISORS, 'local ephemeral storage');
    else if (HUGE_PAGES.test(resource)) refuse(BYTE_DIVISORS, 'hugepages');
  }
}

/** The rules of a reference to a key of a config map or secret. */
export const keyRefRules = fields<coreV1.ConfigMapKeySelector>({
  name: absentAs('', valid(dnsSubdomain)),
  key: mandatory(valid(configMapKey)),
});
