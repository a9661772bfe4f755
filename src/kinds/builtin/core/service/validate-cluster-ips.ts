import {
  duplicate,
  goStringSlice,
  invalid,
  notSupported,
  required,
  verbatim,
  VerbatimValue,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import { goSlice } from '../../shared/go/go-values.js';
import { familyOfOctets, IP_TEXT, ipOctets } from '../../shared/network/ip-address.js';
import {
  EXTERNAL_NAME,
  HEADLESS,
  isHeadless,
  PREFER_DUAL_STACK,
  REQUIRE_DUAL_STACK,
  SINGLE_STACK,
  type SpecView,
} from './types.js';

const CLUSTER_IPS = 'spec.clusterIPs';
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = [PREFER_DUAL_STACK, REQUIRE_DUAL_STACK, SINGLE_STACK];
const UNCHANGED = 'may not change once set';

/** Returns cluster IPs as errors show them. */
export const shownIPs = (ips: readonly string[] | undefined): VerbatimValue =>
  verbatim(ips, () => (ips === undefined ? '[]string(nil)' : goStringSlice(ips)));

const shownFamilies = (families: readonly string[] | undefined): VerbatimValue =>
  families === undefined ? new VerbatimValue('[]core.IPFamily(nil)') : goSlice('core.IPFamily', families);

/** Adds the errors of `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`, which depend on each other. */
export function* clusterIPErrors(errors: FieldErrorList, spec: SpecView): Steps<void> {
  if (spec.type === EXTERNAL_NAME) return;
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (clusterIP === '') {
    if (clusterIPs.length > 0)
      errors.push(invalid(CLUSTER_IPS, clusterIPs, 'must be empty when `clusterIP` is not specified'));
  } else if (clusterIPs.length === 0) errors.push(required(CLUSTER_IPS));
  else if (clusterIPs[0] !== clusterIP)
    errors.push(invalid(CLUSTER_IPS, clusterIPs, 'first value must match `clusterIP`'));
  yield* familyErrors(errors, ipFamilies);
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy))
    errors.push(notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, POLICIES));
  const found = yield* familiesOf(errors, clusterIPs);
  if (clusterIPs.length > 2) errors.push(invalid(CLUSTER_IPS, clusterIPs, 'may only hold up to 2 values'));
  if (found === undefined) return;
  if (clusterIPs.length > 1 && new Set(found).size !== 2)
    errors.push(invalid(CLUSTER_IPS, clusterIPs, 'may specify no more than one IP for each IP family'));
  if (!isHeadless(spec)) yield* matchErrors(errors, clusterIPs, { found, wanted: ipFamilies });
}

function* familyErrors(errors: FieldErrorList, families: readonly string[]): Steps<void> {
  const seen = new Set<string>();
  for (const [index, family] of families.entries()) {
    if (errors.spend()) yield;
    const path = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) errors.push(notSupported(path, family, FAMILIES));
    if (seen.has(family)) errors.push(duplicate(path, family));
    seen.add(family);
  }
}

const UNKNOWN = 'unknown';

/**
 * Returns the families of the cluster IPs. Undefined when one is not well-formed: the others would have misleading errors
 * further on.
 */
function* familiesOf(errors: FieldErrorList, clusterIPs: readonly string[]): Steps<readonly string[] | undefined> {
  const families: string[] = [];
  let isValid = true;
  const refuse = (error: FieldError): void => {
    errors.push(error);
    isValid = false;
  };
  for (const [index, ip] of clusterIPs.entries()) {
    if (errors.spend()) yield;
    const family = familyOf(ip);
    families.push(family);
    if (index > 0 || ip !== HEADLESS) {
      if (family === UNKNOWN) refuse(invalid(`${CLUSTER_IPS}[${index}]`, ip, IP_TEXT));
    } else if (clusterIPs.length > 1)
      refuse(invalid(CLUSTER_IPS, clusterIPs, "'None' must be the first and only value"));
  }
  return isValid ? families : undefined;
}

/** Returns the family of an IP address; `unknown` for any other text. */
export function familyOf(ip: string): string {
  const octets = ipOctets(ip);
  return octets === undefined ? UNKNOWN : familyOfOctets(octets);
}

/** Adds an error for each address whose family is not the one at the same place of `ipFamilies`. */
function* matchErrors(
  errors: FieldErrorList,
  clusterIPs: readonly string[],
  { found, wanted }: { readonly found: readonly string[]; readonly wanted: readonly string[] },
): Steps<void> {
  for (const [index, family] of wanted.entries()) {
    const ip = clusterIPs[index];
    if (ip === undefined) return;
    if (errors.spend()) yield;
    if (FAMILIES.includes(family) && found[index] !== family)
      errors.push(
        invalid(`${CLUSTER_IPS}[${index}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``),
      );
  }
}

/** Adds the errors of a change of the cluster IPs: a second one may come and go, the first one stays. */
export function* clusterIPChangeErrors(errors: FieldErrorList, spec: SpecView, old: SpecView): Steps<void> {
  if (spec.type === EXTERNAL_NAME || old.type === EXTERNAL_NAME || (isHeadless(spec) && isHeadless(old))) return;
  const { clusterIPs: now = [], ipFamilyPolicy } = spec;
  const before = old.clusterIPs ?? [];
  const shown = shownIPs(spec.clusterIPs);
  if (now.length === before.length) {
    for (const [index, ip] of before.entries()) {
      if (errors.spend()) yield;
      if (ip !== now[index]) errors.push(invalid(`${CLUSTER_IPS}[${index}]`, shown, UNCHANGED));
    }
    return;
  }
  if (now.length === 0) errors.push(invalid(`${CLUSTER_IPS}[0]`, shown, 'primary clusterIP can not be unset'));
  else if (before.length > 0 && now[0] !== before[0]) errors.push(invalid(`${CLUSTER_IPS}[0]`, shown, UNCHANGED));
  if (now.length === 1 && before.length > 1 && ipFamilyPolicy !== SINGLE_STACK)
    errors.push(
      invalid(
        'spec.ipFamilyPolicy',
        ipFamilyPolicy,
        "must be set to 'SingleStack' when releasing the secondary clusterIP",
      ),
    );
}

/** Adds the errors of a change of the IP families. */
export function* familyChangeErrors(errors: FieldErrorList, spec: SpecView, old: SpecView): Steps<void> {
  if (spec.type === EXTERNAL_NAME || old.type === EXTERNAL_NAME || isHeadless(spec) || isHeadless(old)) return;
  const { ipFamilies: now = [], ipFamilyPolicy } = spec;
  const before = old.ipFamilies ?? [];
  const path = 'spec.ipFamilies[0]';
  if (now.length === before.length) {
    for (const [index, family] of before.entries()) {
      if (errors.spend()) yield;
      if (family !== now[index]) errors.push(invalid(path, shownFamilies(spec.ipFamilies), UNCHANGED));
    }
    return;
  }
  const isLess = now.length < before.length;
  if (isLess && (spec.clusterIPs ?? []).length === 0)
    errors.push(invalid(path, shownFamilies(spec.ipFamilies), 'primary ipFamily can not be unset'));
  // Kubernetes shows the addresses here.
  if (now.length > 0 && before.length > 0 && now[0] !== before[0])
    errors.push(invalid(path, shownIPs(spec.clusterIPs), UNCHANGED));
  if (isLess && now.length === 1 && ipFamilyPolicy !== SINGLE_STACK)
    errors.push(
      invalid(
        'spec.ipFamilyPolicy',
        ipFamilyPolicy,
        "must be set to 'SingleStack' when releasing the secondary ipFamily",
      ),
    );
}
