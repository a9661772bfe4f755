import {
  appendErrors,
  dnsSubdomain,
  duplicate,
  FieldErrorList,
  forbidden,
  invalid,
  qualifiedName,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { ipFamily, IP_TEXT } from '../../shared/network/ip-address.js';
import { IMMUTABLE, nameErrors } from '../../shared/validate.js';
import type { ContainerStatus, PodSpec, PodStatus, StoredPod } from './types.js';

/** Built-in conditions; the names of all others must be qualified. */
const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_SPEC: PodSpec = Object.freeze({ containers: [] });
const MAX_ID = 2 ** 31 - 1;
const ID_RANGE = 'must be between 0 and 2147483647, inclusive';

type Statuses = readonly ContainerStatus[] | undefined;

/** Validates that a permanently terminated container does not start again. */
function* validateTransitions(
  errors: FieldErrorList,
  path: string,
  statuses: Statuses,
  old: Statuses,
  restartPolicy: string | undefined,
  sidecars: ReadonlySet<string> = NO_NAMES,
): Steps<void> {
  if (restartPolicy === 'Always') return;
  const byName = new Map(statuses?.map((status) => [status.name, status]));
  for (const [index, { name, state }] of (old ?? []).entries()) {
    if (errors.spend()) yield;
    const { terminated } = state ?? {};
    if (terminated === undefined || (restartPolicy === 'OnFailure' && terminated.exitCode !== 0)) continue;
    if (sidecars.has(name)) continue;
    const now = byName.get(name);
    if (now !== undefined && now.state?.terminated === undefined) {
      errors.push(forbidden(`${path}[${index}].state`, 'may not be transitioned to non-terminated state'));
    }
  }
}

/** Validates addresses: at most one of each family, without duplicates. */
function* validateAddresses(
  errors: FieldErrorList,
  path: string,
  addresses: readonly { ip?: string | undefined }[],
): Steps<void> {
  const families = new Set<string>();
  const seen = new Set<string>();
  const duplicates = new FieldErrorList(errors.work);
  for (const [index, address] of addresses.entries()) {
    if (errors.spend()) yield;
    const { ip = '' } = address;
    const family = ipFamily(ip);
    if (family === undefined) errors.push(invalid(`${path}[${index}]`, ip, IP_TEXT));
    else families.add(family);
    if (seen.has(ip)) duplicates.push(duplicate(`${path}[${index}]`, address));
    seen.add(ip);
  }
  if (addresses.length > 1 && (addresses.length > 2 || families.size < addresses.length))
    errors.push(invalid(path, addresses, 'may specify no more than one IP for each IP family'));
  appendErrors(errors, duplicates);
}

type User = NonNullable<ContainerStatus['user']>;

function* validateLinuxUser(
  errors: FieldErrorList,
  path: string,
  { uid, gid, supplementalGroups = [] }: NonNullable<User['linux']>,
): Steps<void> {
  const isId = (id: number): boolean => id >= 0 && id <= MAX_ID;
  if (!isId(uid)) errors.push(invalid(`${path}.uid`, uid, ID_RANGE));
  if (!isId(gid)) errors.push(invalid(`${path}.gid`, gid, ID_RANGE));
  for (const [index, group] of supplementalGroups.entries()) {
    if (errors.spend()) yield;
    if (!isId(group)) errors.push(invalid(`${path}.supplementalGroups[${index}]`, group, ID_RANGE));
  }
}

/** Validates the users that containers run as. */
function* validateUsers(errors: FieldErrorList, path: string, statuses: Statuses, os: string | undefined): Steps<void> {
  for (const [index, { user }] of (statuses ?? []).entries()) {
    if (errors.spend()) yield;
    if (user?.linux === undefined) continue;
    const at = `${path}[${index}].linux`;
    if (os === 'windows') errors.push(forbidden(at, 'cannot be set for a windows pod'));
    else if (os === undefined || os === 'linux') yield* validateLinuxUser(errors, at, user.linux);
  }
}

function* validateClaimStatuses(
  errors: FieldErrorList,
  path: string,
  statuses: PodStatus['resourceClaimStatuses'] = [],
  claims: PodSpec['resourceClaims'] = [],
): Steps<void> {
  const names = new Set(claims.map((claim) => claim.name));
  const seen = new Set<string>();
  for (const [index, { name, resourceClaimName }] of statuses.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}].name`;
    if (!names.has(name)) errors.push(invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    if (resourceClaimName !== undefined)
      nameErrors(errors, at, resourceClaimName, dnsSubdomain(resourceClaimName, false));
  }
}

const LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

/** Validates the containers of a status. */
function* validateContainerStatuses(
  errors: FieldErrorList,
  status: PodStatus,
  old: PodStatus,
  spec: PodSpec,
): Steps<void> {
  const { restartPolicy } = spec;
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always').map(({ name }) => name),
  );
  yield* validateTransitions(
    errors,
    'status.containerStatuses',
    status.containerStatuses,
    old.containerStatuses,
    restartPolicy,
  );
  const init = old.initContainerStatuses;
  yield* validateTransitions(
    errors,
    'status.initContainerStatuses',
    status.initContainerStatuses,
    init,
    restartPolicy,
    sidecars,
  );
  // Ephemeral containers never start again.
  const { ephemeralContainerStatuses: now } = status;
  yield* validateTransitions(errors, 'status.ephemeralContainerStatuses', now, old.ephemeralContainerStatuses, 'Never');
}

/** Validates an update of a pod's status. */
export function* validatePodStatusUpdate(
  { status = {}, spec }: StoredPod,
  { status: old = {}, spec: oldSpec }: StoredPod,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  // Kubernetes reports this path.
  for (const [index, { type }] of (status.conditions ?? []).entries()) {
    if (errors.spend()) yield;
    if (!SYSTEM_CONDITIONS.has(type))
      nameErrors(errors, `metadata.conditions[${index}].Type`, type, qualifiedName(type));
  }
  if (spec?.nodeName !== oldSpec?.nodeName) errors.push(forbidden('status.nodeName', 'may not be changed directly'));
  const { nominatedNodeName, qosClass } = status;
  if (nominatedNodeName && nominatedNodeName !== old.nominatedNodeName) {
    nameErrors(errors, 'status.nominatedNodeName', nominatedNodeName, dnsSubdomain(nominatedNodeName, false));
  }
  if (qosClass !== old.qosClass) errors.push(invalid('status.qosClass', qosClass, IMMUTABLE));
  yield* validateContainerStatuses(errors, status, old, oldSpec ?? NO_SPEC);
  yield* validateClaimStatuses(
    errors,
    'status.resourceClaimStatuses',
    status.resourceClaimStatuses,
    spec?.resourceClaims,
  );
  yield* validateAddresses(errors, 'status.podIPs', status.podIPs ?? []);
  const { hostIP, hostIPs = [] } = status;
  if (hostIPs.length > 0 && hostIP !== hostIPs[0]?.ip)
    errors.push(invalid('status.hostIPs[0].ip', hostIPs[0]?.ip, 'must be equal to `hostIP`'));
  yield* validateAddresses(errors, 'status.hostIPs', hostIPs);
  for (const list of LISTS) yield* validateUsers(errors, `status.${list}`, status[list], spec?.os?.name);
  return errors;
}
