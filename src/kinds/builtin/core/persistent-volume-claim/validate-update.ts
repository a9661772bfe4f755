import {
  compareQuantity,
  forbidden,
  invalid,
  notSupported,
  qualifiedName,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type JsonObject,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { StoredKind } from '../../behaviour.js';
import { goDifference } from '../../shared/go/go-difference.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { isNativeResource, validateAmount, validateNonNegativeAmount } from '../../shared/resource-names.js';
import { IMMUTABLE, immutableField } from '../../shared/validate.js';
import { storageClassAnnotation, validateAttributesClassChange } from '../../shared/volume-class.js';

type Claim = StoredKind<coreV1.PersistentVolumeClaim>;
type Spec = coreV1.PersistentVolumeClaimSpec;

/** The facts that the rules of a change depend on besides the two states. */
export interface ClaimUpdateRules {
  readonly dialect: Dialect;
  /** Whether the feature of `volumeAttributesClassName` is enabled. */
  readonly attributesClass: boolean;
  /** Whether a failed expansion may be undone: the request may then shrink, but not below the capacity. */
  readonly recovery: boolean;
}

const CHANGEABLE =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
const SIZE = 'spec.resources.requests.storage';

/** Adds the errors of a change: a bound claim may grow; a claim gets its volume and its class once. */
export function* validateClaimUpdate(
  errors: FieldErrorList,
  claim: Claim,
  old: Claim,
  rules: ClaimUpdateRules,
): Steps<void> {
  const spec = claim.spec ?? {};
  const before = old.spec ?? {};
  const annotation = storageClassAnnotation(rules.dialect);
  const annotated = old.metadata.annotations?.[annotation];
  const given = claim.metadata.annotations?.[annotation];
  const upgraded = isUpgrade(spec, before, annotated, given);
  if (!upgraded && (given ?? '') !== (annotated ?? ''))
    errors.push(invalid(`metadata.annotations[${annotation}]`, given ?? '', IMMUTABLE));
  const unchanged = withoutAllowedChanges(claim, before, { upgraded, annotated });
  const expected =
    before.volumeName || spec.volumeName === undefined ? before : { ...before, volumeName: spec.volumeName };
  if (!(yield* semanticallyEqualSteps(unchanged, { ...expected }, errors.work))) {
    const difference = yield* goDifference('core.PersistentVolumeClaimSpec', unchanged, expected, errors.work);
    errors.push(forbidden('spec', `${CHANGEABLE}\n${difference}`));
  }
  validateSize(errors, spec, old, rules.recovery);
  // Kubernetes reports this path without the spec.
  immutableField(errors, 'volumeMode', spec.volumeMode, before.volumeMode);
  validateAttributesClassChange(errors, spec, before, rules.attributesClass);
  if (
    before.volumeAttributesClassName !== undefined &&
    spec.volumeAttributesClassName === '' &&
    before.volumeAttributesClassName !== ''
  )
    errors.push(
      forbidden('spec.volumeAttributesClassName', 'update from non-nil value to an empty string is forbidden'),
    );
}

/** Returns whether the class moves from the deprecated annotation to the field. */
function isUpgrade(spec: Spec, old: Spec, annotated: string | undefined, given: string | undefined): boolean {
  return (
    annotated !== undefined &&
    old.storageClassName === undefined &&
    spec.storageClassName === annotated &&
    (given === undefined || given === annotated)
  );
}

/** Returns the spec with the old values of the fields that may change. */
function withoutAllowedChanges(
  { spec = {}, status }: Claim,
  old: Spec,
  { upgraded, annotated }: { readonly upgraded: boolean; readonly annotated: string | undefined },
): JsonObject {
  const { storageClassName, volumeAttributesClassName } = spec;
  const copy: Spec = { ...spec };
  const fromNone =
    storageClassName !== undefined &&
    old.storageClassName === undefined &&
    (annotated === undefined || annotated === storageClassName);
  if (upgraded || fromNone) delete copy.storageClassName;
  if (status?.phase !== 'Bound') return { ...copy };
  const { requests } = spec.resources ?? {};
  if (requests !== undefined) {
    const { storage: _changed, ...others } = requests;
    const size = old.resources?.requests?.['storage'];
    copy.resources = { ...spec.resources, requests: size === undefined ? others : { ...others, storage: size } };
  }
  if (volumeAttributesClassName !== undefined) {
    if (old.volumeAttributesClassName === undefined) delete copy.volumeAttributesClassName;
    else copy.volumeAttributesClassName = old.volumeAttributesClassName;
  }
  return { ...copy };
}

function validateSize(errors: FieldError[], spec: Spec, { spec: before = {}, status }: Claim, recovery: boolean): void {
  const size = spec.resources?.requests?.['storage'] ?? '0';
  const oldSize = before.resources?.requests?.['storage'] ?? '0';
  if ((compareQuantity(size, oldSize) ?? 0) >= 0) return;
  if (!recovery) errors.push(forbidden(SIZE, 'field can not be less than previous value'));
  else if ((compareQuantity(size, status?.capacity?.['storage'] ?? '0') ?? 0) <= 0)
    errors.push(forbidden(SIZE, 'field can not be less than status.capacity'));
}

/** The states of a resize, sorted. */
const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** Adds the errors of a change of the status. The fields of a resize are checked where the feature is in use. */
export function* validateClaimStatus(
  errors: FieldErrorList,
  { spec = {}, status = {} }: Claim,
  { dialect, recovery }: Pick<ClaimUpdateRules, 'dialect' | 'recovery'>,
): Steps<void> {
  // Kubernetes writes this capital letter.
  if ((spec.accessModes ?? []).length === 0) errors.push(required('Spec.accessModes'));
  for (const [name, amount] of Object.entries(status.capacity ?? {})) {
    if (errors.spend()) yield;
    validateNonNegativeAmount(errors, `status.capacity[${name}]`, amount);
  }
  if (!recovery) return;
  // Kubernetes reports this path, and the resource instead of its state.
  const states = 'status.allocatedResourceStatus';
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    if (errors.spend()) yield;
    validateResourceKey(errors, states, name, dialect);
    if (!RESIZE_STATES.includes(state)) errors.push(notSupported(states, name, RESIZE_STATES));
  }
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    if (errors.spend()) yield;
    const before = errors.length;
    validateResourceKey(errors, 'status.allocatedResources', name, dialect);
    if (errors.length === before)
      validateAmount(errors, `status.allocatedResources[${name}]`, { name: 'storage', amount }, dialect);
  }
}

function validateResourceKey(errors: FieldError[], path: string, name: string, dialect: Dialect): void {
  const problems = qualifiedName(name);
  for (const problem of problems) errors.push(invalid(path, name, problem));
  if (problems.length === 0 && isNativeResource(name, dialect) && name !== 'storage')
    errors.push(notSupported(path, name, ['storage']));
}
