import { forbidden, invalid, type FieldError } from '../../../meta/field-error.js';
import { dnsSubdomain, qualifiedName } from '../../../meta/names.js';
import { ipFamily, IP_TEXT } from '../../shared/ip-address.js';
import { IMMUTABLE, nameErrors } from '../../shared/validate.js';
import type { ContainerStatus, StoredPod } from './types.js';

/** Built-in conditions; the names of all others must be qualified. */
const SYSTEM_CONDITIONS = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'DisruptionTarget',
  'PodReadyToStartContainers',
]);

type Statuses = readonly ContainerStatus[] | undefined;

/** Validates that a permanently terminated container does not start again. */
function validateTransitions(
  errors: FieldError[],
  path: string,
  statuses: Statuses,
  old: Statuses,
  restartPolicy: string | undefined,
): void {
  if (restartPolicy === 'Always') return;
  const byName = new Map(statuses?.map((status) => [status.name, status]));
  for (const [index, { name, state }] of (old ?? []).entries()) {
    const { terminated } = state ?? {};
    if (terminated === undefined || (restartPolicy === 'OnFailure' && terminated.exitCode !== 0)) continue;
    const now = byName.get(name);
    if (now !== undefined && now.state?.terminated === undefined) {
      errors.push(forbidden(`${path}[${index}].state`, 'may not be transitioned to non-terminated state'));
    }
  }
}

/** Validates addresses: at most one of each family, without duplicates. */
function validateAddresses(errors: FieldError[], path: string, addresses: readonly { ip: string }[]): void {
  const families = new Set<string>();
  for (const [index, { ip }] of addresses.entries()) {
    const family = ipFamily(ip);
    if (family === undefined) errors.push(invalid(`${path}[${index}]`, ip, IP_TEXT));
    else families.add(family);
  }
  if (addresses.length > 1 && (addresses.length > 2 || families.size < addresses.length)) {
    errors.push(invalid(path, addresses, 'may specify no more than one IP for each IP family'));
  }
}

/** Validates an update of a pod's status. */
export function validatePodStatusUpdate(
  { status = {}, spec }: StoredPod,
  { status: old = {}, spec: oldSpec }: StoredPod,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, { type }] of (status.conditions ?? []).entries()) {
    if (!SYSTEM_CONDITIONS.has(type)) nameErrors(errors, `status.conditions[${index}].Type`, type, qualifiedName(type));
  }
  if (spec?.nodeName !== oldSpec?.nodeName) errors.push(forbidden('status.nodeName', 'may not be changed directly'));
  const { nominatedNodeName, qosClass } = status;
  if (nominatedNodeName && nominatedNodeName !== old.nominatedNodeName) {
    nameErrors(errors, 'status.nominatedNodeName', nominatedNodeName, dnsSubdomain(nominatedNodeName, false));
  }
  if (qosClass !== old.qosClass) errors.push(invalid('status.qosClass', qosClass, IMMUTABLE));
  validateTransitions(
    errors,
    'status.containerStatuses',
    status.containerStatuses,
    old.containerStatuses,
    oldSpec?.restartPolicy,
  );
  validateAddresses(errors, 'status.podIPs', status.podIPs ?? []);
  validateAddresses(errors, 'status.hostIPs', status.hostIPs ?? []);
  return errors;
}
