import {
  equalJson,
  FieldError,
  FieldErrorList,
  forbidden,
  internalField,
  invalid,
  labelValue,
  parseQuantity,
  qualifiedName,
  type Dialect,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { ipFamily } from '../../shared/network/ip-address.js';
import { nameErrors, NOT_NEGATIVE } from '../../shared/validate.js';
import { validateTaintEffect } from '../taint-effect.js';
import { validateAvoidPods } from './avoid-pods.js';

const CIDR_TEXT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Returns the address family of a CIDR, or undefined when it is invalid. */
function cidrFamily(text: string): 'IPv4' | 'IPv6' | undefined {
  const [, address = '', bits = ''] = /^(.*)\/([0-9]{1,3})$/.exec(text) ?? [];
  const family = ipFamily(address);
  return Number(bits) <= (family === 'IPv4' ? 32 : 128) ? family : undefined;
}

function* validateTaints(errors: FieldErrorList, path: string, taints: coreV1.NodeSpec['taints'] = []): Steps<void> {
  const seen = new Set<string>();
  for (const [index, taint] of taints.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    nameErrors(errors, `${at}.key`, taint.key, qualifiedName(taint.key));
    const problems = labelValue(taint.value ?? '');
    if (problems.length > 0) errors.push(invalid(`${at}.value`, taint.value, problems.join(';')));
    validateTaintEffect(errors, `${at}.effect`, taint.effect);
    const pair = `${taint.effect}\0${taint.key}`;
    if (seen.has(pair))
      errors.push(new FieldError('Duplicate', at, taint, 'taints must be unique by key and effect pair'));
    seen.add(pair);
  }
}

function* validateRanges(errors: FieldErrorList, path: string, ranges: readonly string[]): Steps<void> {
  const families = ranges.map(cidrFamily);
  for (const [index, range] of ranges.entries()) {
    if (errors.spend()) yield;
    if (families[index] === undefined) errors.push(invalid(`${path}[${index}]`, range, CIDR_TEXT));
  }
  if (ranges.length < 2) return;
  const bad = ranges.find((_, index) => families[index] === undefined);
  if (bad !== undefined)
    errors.push(
      internalField(path, `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR address: ${bad}`),
    );
  if (ranges.length > 2 || new Set(families).size < 2 || bad !== undefined) {
    errors.push(invalid(path, ranges, 'may specify no more than one CIDR for each IP family'));
  }
}

/** The part of the metadata that is validated. */
interface Annotated {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}

/** Validates a node on creation and update. */
export function* validateNode(
  { metadata, spec = {}, status = {} }: Pick<coreV1.Node, 'spec' | 'status'> & Annotated,
  dialect: Dialect,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  yield* validateAvoidPods(errors, metadata.annotations, dialect);
  // Kubernetes reports this path although the taints are in the spec.
  yield* validateTaints(errors, 'metadata.taints', spec.taints);
  for (const field of ['capacity', 'allocatable'] as const) {
    const amounts = status[field] ?? {};
    for (const name in amounts) {
      if (errors.spend()) yield;
      const amount = amounts[name] ?? '0';
      if ((parseQuantity(amount)?.unscaled ?? 0n) < 0n)
        errors.push(invalid(`status.${field}[${name}]`, amount, NOT_NEGATIVE));
    }
  }
  yield* validateRanges(errors, 'spec.podCIDRs', spec.podCIDRs ?? []);
  return errors;
}

/** Validates an update of the status of a node, which may change its annotations. */
export function* validateNodeStatus(
  node: Pick<coreV1.Node, 'spec' | 'status'> & Annotated,
  old: Pick<coreV1.Node, 'spec' | 'status'>,
  dialect: Dialect,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = yield* validateNodeUpdate(node, old, work);
  yield* validateAvoidPods(errors, node.metadata.annotations, dialect);
  return errors;
}

/** Validates an update of a node. The pod CIDRs and the provider ID are set once. */
export function* validateNodeUpdate(
  { spec = {}, status = {} }: Pick<coreV1.Node, 'spec' | 'status'>,
  { spec: old = {} }: Pick<coreV1.Node, 'spec' | 'status'>,
  work: Work | undefined,
): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const addresses = new Set<string>();
  for (const [index, address] of (status.addresses ?? []).entries()) {
    if (errors.spend()) yield;
    const key = `${address.type}\0${address.address}`;
    if (addresses.has(key)) errors.push(new FieldError('Duplicate', `status.addresses[${index}]`, address, ''));
    addresses.add(key);
  }
  const ranges = old.podCIDRs ?? [];
  if (ranges.length > 0 && !equalJson(spec.podCIDRs ?? [], ranges)) {
    errors.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  if (old.providerID && spec.providerID !== old.providerID) {
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  if ((spec.externalID ?? '') !== (old.externalID ?? ''))
    errors.push(forbidden('spec.externalID', 'may not be updated'));
  return errors;
}
