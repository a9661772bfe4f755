import {
  errors as apiErrors,
  FieldErrorList,
  invalid,
  type ApiError,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../../foundation/index.js';
import type { IpFamily } from '../../../shared/network/ip-address.js';
import {
  CLUSTER_IP,
  EXTERNAL_NAME,
  HEADLESS,
  LOAD_BALANCER,
  NODE_PORT,
  PREFER_DUAL_STACK,
  REQUIRE_DUAL_STACK,
  sameTexts,
  SINGLE_STACK,
  type DraftService,
  type DraftSpec,
  type ServiceSpec,
} from '../types.js';
import { clusterIPErrors, familyOf, shownIPs } from '../validate-cluster-ips.js';

const POLICY = 'spec.ipFamilyPolicy';

const other = (family: string | undefined): IpFamily => (family === 'IPv4' ? 'IPv6' : 'IPv4');

/** Returns the error of an invalid service. */
export const invalidService = (service: DraftService, found: readonly FieldError[]): ApiError =>
  apiErrors.invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', found);

/**
 * Returns whether an update leaves the addresses of a service as they are because it prefers two families: it does not
 * get a second one when the server begins to have two, and keeps it when the server has only one.
 */
export function keepsPreferredStack(spec: DraftSpec, old: ServiceSpec | undefined): boolean {
  const { type = '', ipFamilyPolicy } = spec;
  return (
    old !== undefined &&
    old.type === type &&
    [CLUSTER_IP, NODE_PORT, LOAD_BALANCER].includes(type) &&
    ipFamilyPolicy === PREFER_DUAL_STACK &&
    (old.ipFamilyPolicy ?? PREFER_DUAL_STACK) === PREFER_DUAL_STACK &&
    sameTexts(old.clusterIPs, spec.clusterIPs) &&
    sameTexts(old.ipFamilies, spec.ipFamilies)
  );
}

/**
 * Sets `ipFamilyPolicy` and `ipFamilies` where the client has not, by the given addresses, the old service and the
 * families of the server.
 *
 * @param families the families of the server, the primary one first
 * @throws ApiError 422 when the fields contradict each other or the server
 */
export function* setIpFamilies(
  service: DraftService,
  old: ServiceSpec | undefined,
  families: readonly IpFamily[],
  work: Work | undefined,
): Steps<void> {
  const spec = (service.spec ??= {});
  if (spec.type === EXTERNAL_NAME || keepsPreferredStack(spec, old)) return;
  const isFree = spec.clusterIP === HEADLESS && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isFree ? REQUIRE_DUAL_STACK : SINGLE_STACK);
  const found = new FieldErrorList(work);
  yield* clusterIPErrors(found, spec);
  refuse(service, found);
  if (old !== undefined) followPolicy(found, spec, old);
  policyErrors(found, spec);
  inferFamilies(found, spec, families);
  refuse(service, found);
  if (isFree) {
    completeFreeFamilies(spec, families);
    return;
  }
  familyErrors(found, spec, families);
  refuse(service, found);
  const chosen = (spec.ipFamilies ??= []);
  if (chosen.length === 0) chosen.push(families[0] ?? 'IPv4');
  if (spec.ipFamilyPolicy !== SINGLE_STACK && chosen.length === 1 && families.length === 2)
    chosen.push(other(chosen[0]));
}

function refuse(service: DraftService, found: readonly FieldError[]): void {
  if (found.length > 0) throw invalidService(service, found);
}

/** Removes the second address of a service that becomes single-stack; refuses its removal without that policy. */
function followPolicy(found: FieldError[], spec: DraftSpec, old: ServiceSpec): void {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (ipFamilyPolicy === SINGLE_STACK) {
    if (sameTexts(old.clusterIPs, clusterIPs) && clusterIPs.length > 1) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (sameTexts(old.ipFamilies, ipFamilies) && ipFamilies.length > 1) spec.ipFamilies = ipFamilies.slice(0, 1);
    return;
  }
  const released = (what: string): void =>
    void found.push(invalid(POLICY, ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`));
  if (clusterIPs.length > 0 && clusterIPs.length < (old.clusterIPs ?? []).length) released('cluster IP');
  if (ipFamilies.length > 0 && ipFamilies.length < (old.ipFamilies ?? []).length) released('IP family');
}

function policyErrors(found: FieldError[], { clusterIPs = [], ipFamilies = [], ipFamilyPolicy }: DraftSpec): void {
  if (ipFamilyPolicy !== SINGLE_STACK) return;
  const several = (what: string): void =>
    void found.push(
      invalid(
        POLICY,
        ipFamilyPolicy,
        `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
      ),
    );
  if (clusterIPs.length === 2) several('cluster IPs');
  if (ipFamilies.length === 2) several('IP families');
}

/** Adds the families of the given addresses. */
function inferFamilies(found: FieldError[], spec: DraftSpec, families: readonly string[]): void {
  const { clusterIPs = [] } = spec;
  if (clusterIPs[0] === HEADLESS) return;
  for (const [index, ip] of clusterIPs.entries()) {
    if (index < (spec.ipFamilies?.length ?? 0)) continue;
    const family = familyOf(ip);
    if (families.includes(family)) (spec.ipFamilies ??= []).push(family);
    else
      found.push(
        invalid(`spec.clusterIPs[${index}]`, shownIPs(clusterIPs), `${family} is not configured on this cluster`),
      );
  }
}

/** Completes the families of a service without addresses and pods of its own: it may have any. */
function completeFreeFamilies(spec: DraftSpec, families: readonly IpFamily[]): void {
  const chosen = (spec.ipFamilies ??= []);
  if (chosen.length === 0) chosen.push(families[0] ?? 'IPv4');
  if (chosen.length < 2 && spec.ipFamilyPolicy !== SINGLE_STACK) chosen.push(other(chosen[0]));
}

function familyErrors(found: FieldError[], spec: DraftSpec, families: readonly string[]): void {
  if (spec.ipFamilyPolicy === REQUIRE_DUAL_STACK && families.length < 2)
    found.push(invalid(POLICY, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of (spec.ipFamilies ?? []).entries())
    if (!families.includes(family))
      found.push(invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
}
