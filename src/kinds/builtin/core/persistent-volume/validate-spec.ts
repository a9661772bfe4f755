import {
  forbidden,
  notSupported,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { validateAccessModes, VOLUME_MODES } from '../../shared/access-modes.js';
import { goResourceList } from '../../shared/go/go-quantity.js';
import { validateNonNegativeAmount, validatePositiveAmount } from '../../shared/resource-names.js';
import { validateNodeSelector } from '../../shared/selectors/validate-node-selector.js';
import { validateClassName } from '../../shared/volume-class.js';
import { validateSources } from './validate-sources.js';

type Spec = coreV1.PersistentVolumeSpec;

const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const INLINE = 'in the context of inline volumes';

/** The facts that the rules depend on besides the spec. */
export interface VolumeSpecRules {
  /** Name of the volume. */
  readonly volumeName: string;
  readonly dialect: Dialect;
  /** Whether `volumeAttributesClassName` is validated: while its feature is enabled, or the old object has one. */
  readonly attributesClass: boolean;
}

/** Adds the errors of the spec of a PersistentVolume. */
export function* validateVolumeSpec(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  rules: VolumeSpecRules,
): Steps<void> {
  yield* validateModes(errors, path, spec);
  yield* validateCapacity(errors, `${path}.capacity`, spec.capacity);
  const { persistentVolumeReclaimPolicy: policy = '', nodeAffinity, storageClassName = '', volumeMode } = spec;
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy))
    errors.push(notSupported(`${path}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES));
  if (nodeAffinity !== undefined) yield* validateNodeAffinity(errors, `${path}.nodeAffinity`, nodeAffinity);
  yield* validateSources(errors, path, spec, rules);
  validateRecycling(errors, path, spec);
  if (storageClassName !== '') validateClassName(errors, `${path}.storageClassName`, storageClassName);
  if (volumeMode !== undefined && !VOLUME_MODES.includes(volumeMode))
    errors.push(notSupported(`${path}.volumeMode`, volumeMode, VOLUME_MODES));
  if (rules.attributesClass) validateAttributesClass(errors, path, spec);
}

/**
 * Adds the errors of the spec of a volume that is part of a VolumeAttachment: only a CSI volume is possible, and fields
 * about claims and capacity are forbidden.
 */
export function* validateInlineVolumeSpec(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  dialect: Dialect,
): Steps<void> {
  const { claimRef, capacity = {}, csi, persistentVolumeReclaimPolicy: policy = '', nodeAffinity } = spec;
  if (claimRef !== undefined) errors.push(forbidden(`${path}.claimRef`, `may not be specified ${INLINE}`));
  if (Object.keys(capacity).length > 0) errors.push(forbidden(`${path}.capacity`, `may not be specified ${INLINE}`));
  if (csi === undefined) errors.push(required(`${path}.csi`, `has to be specified ${INLINE}`));
  yield* validateModes(errors, path, spec);
  if (policy !== '' && policy !== 'Retain')
    errors.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${INLINE}`));
  if (nodeAffinity !== undefined) errors.push(forbidden(`${path}.nodeAffinity`, `may not be specified ${INLINE}`));
  yield* validateSources(errors, path, spec, { volumeName: '', dialect });
  validateRecycling(errors, path, spec);
  if (spec.storageClassName) errors.push(forbidden(`${path}.storageClassName`, `may not be specified ${INLINE}`));
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem')
    errors.push(forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${INLINE}`));
}

function* validateModes(errors: FieldErrorList, path: string, { accessModes = [] }: Spec): Steps<void> {
  if (accessModes.length === 0) errors.push(required(`${path}.accessModes`));
  yield* validateAccessModes(errors, `${path}.accessModes`, accessModes);
}

function* validateCapacity(errors: FieldErrorList, path: string, capacity: Spec['capacity']): Steps<void> {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) errors.push(required(path));
  if (!names.includes('storage') || names.length > 1)
    errors.push(notSupported(path, goResourceList(capacity), ['storage']));
  for (const name of names) {
    if (errors.spend()) yield;
    const amount = capacity?.[name] ?? '';
    validateNonNegativeAmount(errors, `${path}[${name}]`, amount);
    validatePositiveAmount(errors, `${path}[${name}]`, amount);
  }
}

function* validateNodeAffinity(
  errors: FieldErrorList,
  path: string,
  { required: selector }: coreV1.VolumeNodeAffinity,
): Steps<void> {
  if (selector === undefined) errors.push(required(`${path}.required`, 'must specify required node constraints'));
  else yield* validateNodeSelector(errors, `${path}.required`, selector);
}

/** The root of a host is never emptied. */
function validateRecycling(
  errors: FieldError[],
  path: string,
  { hostPath, persistentVolumeReclaimPolicy }: Spec,
): void {
  if (hostPath === undefined || persistentVolumeReclaimPolicy !== 'Recycle' || !isRoot(hostPath.path)) return;
  errors.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"));
}

/** Returns whether a path leads to the root, after the removal of `.`, `..` and double slashes. */
function isRoot(path: string): boolean {
  if (!path.startsWith('/')) return false;
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1);
    else if (part !== '' && part !== '.') depth += 1;
  }
  return depth === 0;
}

function validateAttributesClass(errors: FieldError[], path: string, spec: Spec): void {
  const { volumeAttributesClassName: name, csi } = spec;
  if (name === undefined) return;
  const at = `${path}.volumeAttributesClassName`;
  if (name === '') errors.push(required(at, 'an empty string is disallowed'));
  else validateClassName(errors, at, name);
  if (csi === undefined)
    errors.push(required(`${path}.csi`, 'has to be specified when using volumeAttributesClassName'));
}
