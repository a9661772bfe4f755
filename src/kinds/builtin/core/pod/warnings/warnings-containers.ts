import {
  canonicalQuantity,
  goQuote,
  quantityToBigInt,
  type Steps,
  type WarningList,
} from '../../../../../foundation/index.js';
import type { PlacedContainer } from '../containers.js';
import { isEmptyMap } from '../empty-map.js';
import type { Container } from '../types.js';
import type { WarnedPod } from './warnings.js';

/** Amounts without a part that could be smaller than one. */
const WHOLE = /^[0-9]+([kKMGTPE]i?)?$/;

/** Warns of an amount of bytes that is not a whole number. */
export function warnOfFraction(
  warnings: string[],
  path: string,
  amounts: Readonly<Record<string, string>> | undefined,
  resource: string,
): void {
  const amount = amounts?.[resource];
  if (amount === undefined || WHOLE.test(amount) || (quantityToBigInt(amount, -3) ?? 0n) % 1000n === 0n) return;
  const text = goQuote(canonicalQuantity(amount) ?? amount);
  warnings.push(`${path}[${resource}]: fractional byte value ${text} is invalid, must be an integer`);
}

/** Resources that are measured in bytes. */
const BYTES = ['memory', 'ephemeral-storage'] as const;

/** Warns of amounts of bytes that are not whole numbers. */
export function warnOfFractions(
  warnings: string[],
  path: string,
  amounts: Readonly<Record<string, string>> | undefined,
): void {
  if (amounts !== undefined) for (const resource of BYTES) warnOfFraction(warnings, path, amounts, resource);
}

/** Warns of variables that hide an earlier one of the same name, except those that refer to it. */
function* warnOfHiddenVariables(
  warnings: WarningList,
  path: string,
  variables: NonNullable<Container['env']>,
): Steps<void> {
  const seen = new Set<string>();
  for (const [index, { name, value = '', valueFrom }] of variables.entries()) {
    if (warnings.isFull) return;
    if (warnings.spend()) yield;
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    const reference = `$(${name})`;
    if (valueFrom === undefined && value !== reference && value.includes(reference)) continue;
    warnings.push(
      `${path}[${index}]: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
    );
  }
}

/** Warns of the annotations with profiles that the fields of the container replace. */
function warnOfProfiles(
  warnings: string[],
  { name, securityContext }: Container,
  { path, spec, annotations, dialect }: WarnedPod,
): void {
  if (isEmptyMap(annotations)) return;
  const at = (key: string): string => `${path}metadata.annotations[${key}]`;
  const seccomp = `container.seccomp.security.alpha.${dialect.labelDomain}/${name}`;
  if (securityContext?.seccompProfile === undefined && annotations[seccomp] !== undefined)
    warnings.push(`${at(seccomp)}: non-functional in v1.27+; use the "seccompProfile" field instead`);
  const appArmor = `container.apparmor.security.beta.${dialect.labelDomain}/${name}`;
  const hasProfile =
    spec.securityContext?.appArmorProfile !== undefined || securityContext?.appArmorProfile !== undefined;
  // A pod gets this warning when the annotation is copied to the field.
  if (path !== '' && !hasProfile && annotations[appArmor] !== undefined)
    warnings.push(`${at(appArmor)}: deprecated since v1.30; use the "appArmorProfile" field instead`);
}

/** Warns about one container of any type. */
export function* warnOfContainer(
  warnings: WarningList,
  { container, path }: PlacedContainer,
  pod: WarnedPod,
): Steps<void> {
  warnOfProfiles(warnings, container, pod);
  const { limits, requests } = container.resources ?? {};
  for (const resource of BYTES) {
    warnOfFraction(warnings, `${path}.resources.limits`, limits, resource);
    warnOfFraction(warnings, `${path}.resources.requests`, requests, resource);
  }
  if (container.env !== undefined && container.env.length > 1)
    yield* warnOfHiddenVariables(warnings, `${path}.env`, container.env);
}
