import {
  appendErrors,
  checkAnnotations,
  checkLabels,
  FieldErrorList,
  forbidden,
  goQuote,
  invalid,
  notSupported,
  required,
  VerbatimValue,
  type FieldError,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import type { appsV1, coreV1 } from '../../../types/index.js';
import { semanticallyEqualSteps } from '../../shared/go/semantic-equal.js';
import { shownIntOrString } from '../../shared/go/shown-values.js';
import { atMostAll, intOrPercentErrors, numberOf } from '../../shared/scale/int-or-percent.js';
import { atMostReplicas, availableAreReady, collisionsGrow, countErrors } from '../../shared/scale/replica-status.js';
import { nonNegative } from '../../shared/validate.js';
import { endlessPodErrors, requiredSelectorErrors, selectedLabelsErrors } from '../replica-template.js';

const RETENTION = ['Retain', 'Delete'];

/** The fields of a spec that may change. */
const MUTABLE: ReadonlySet<string> = new Set([
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'persistentVolumeClaimRetentionPolicy',
]);

function managementErrors(errors: FieldError[], policy: string | undefined): void {
  const path = 'spec.podManagementPolicy';
  if (!policy) errors.push(required(path));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel')
    errors.push(invalid(path, policy, "must be 'OrderedReady' or 'Parallel'"));
}

function rollingUpdateErrors(
  errors: FieldError[],
  path: string,
  { partition, maxUnavailable }: appsV1.RollingUpdateStatefulSetStrategy,
): void {
  nonNegative(errors, `${path}.partition`, partition);
  if (maxUnavailable === undefined) return;
  const field = `${path}.maxUnavailable`;
  intOrPercentErrors(errors, field, maxUnavailable);
  if (numberOf(maxUnavailable) === 0) errors.push(invalid(field, shownIntOrString(maxUnavailable), 'cannot be 0'));
  atMostAll(errors, field, maxUnavailable);
}

/** Returns a rolling update as Kubernetes shows it, except that it shows the address of a set maxUnavailable. */
const shownRollingUpdate = (rollingUpdate: appsV1.RollingUpdateStatefulSetStrategy): unknown =>
  rollingUpdate.maxUnavailable === undefined
    ? new VerbatimValue(
        `apps.RollingUpdateStatefulSetStrategy{Partition:${rollingUpdate.partition ?? 0}, MaxUnavailable:(*intstr.IntOrString)(nil)}`,
      )
    : rollingUpdate;

/** Returns an unsupported strategy as Kubernetes shows it, except that it shows the address of a set rollingUpdate. */
const shownStrategy = ({ type = '', rollingUpdate }: appsV1.StatefulSetUpdateStrategy): unknown =>
  rollingUpdate === undefined
    ? new VerbatimValue(
        `apps.StatefulSetUpdateStrategy{Type:${goQuote(type)}, RollingUpdate:(*apps.RollingUpdateStatefulSetStrategy)(nil)}`,
      )
    : { type, rollingUpdate };

function strategyErrors(errors: FieldError[], strategy: appsV1.StatefulSetUpdateStrategy): void {
  const path = 'spec.updateStrategy';
  const { type, rollingUpdate } = strategy;
  if (!type) errors.push(required(path));
  else if (type === 'OnDelete') {
    const text = "only allowed for updateStrategy 'RollingUpdate'";
    if (rollingUpdate !== undefined)
      errors.push(invalid(`${path}.rollingUpdate`, shownRollingUpdate(rollingUpdate), text));
  } else if (type !== 'RollingUpdate')
    errors.push(invalid(path, shownStrategy(strategy), "must be 'RollingUpdate' or 'OnDelete'"));
  else if (rollingUpdate !== undefined) rollingUpdateErrors(errors, `${path}.rollingUpdate`, rollingUpdate);
}

function retentionErrors(
  errors: FieldError[],
  policy: appsV1.StatefulSetPersistentVolumeClaimRetentionPolicy | undefined,
): void {
  if (policy === undefined) return;
  for (const field of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[field] ?? '';
    const path = `spec.persistentVolumeClaimRetentionPolicy.${field}`;
    if (!RETENTION.includes(value)) errors.push(notSupported(path, value, RETENTION));
  }
}

/** Adds the errors of the labels and annotations of the template. The release does not validate its pods. */
function* templateMetaErrors(errors: FieldErrorList, { metadata }: coreV1.PodTemplateSpec): Steps<void> {
  appendErrors(errors, yield* checkLabels(metadata?.labels, 'spec.template.labels', errors.work));
  appendErrors(errors, yield* checkAnnotations(metadata?.annotations, 'spec.template.annotations', errors.work));
}

/** Returns the errors of the spec of a StatefulSet. */
export function* validateStatefulSetSpec(spec: appsV1.StatefulSetSpec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const { template } = spec;
  managementErrors(errors, spec.podManagementPolicy);
  strategyErrors(errors, spec.updateStrategy ?? {});
  retentionErrors(errors, spec.persistentVolumeClaimRetentionPolicy);
  nonNegative(errors, 'spec.replicas', spec.replicas);
  nonNegative(errors, 'spec.minReadySeconds', spec.minReadySeconds);
  nonNegative(errors, 'spec.ordinals.start', spec.ordinals?.start);
  yield* requiredSelectorErrors(errors, spec.selector, 'empty selector is invalid for statefulset');
  if (yield* selectedLabelsErrors(errors, spec.selector, template, '')) yield* templateMetaErrors(errors, template);
  endlessPodErrors(errors, template, 'StatefulSet');
  return errors;
}

/** Adds the error of a change of a field that is immutable. */
export function* immutableSpecErrors(
  errors: FieldErrorList,
  spec: appsV1.StatefulSetSpec,
  old: appsV1.StatefulSetSpec,
): Steps<void> {
  const fields = new Set([...Object.keys(spec), ...Object.keys(old)] as (keyof appsV1.StatefulSetSpec)[]);
  for (const field of fields) {
    if (MUTABLE.has(field) || (yield* semanticallyEqualSteps(spec[field], old[field], errors.work))) continue;
    const text =
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    return void errors.push(forbidden('spec', text));
  }
}

/** Returns the errors of a change of the status of a StatefulSet. */
export function validateStatefulSetStatus(
  status: appsV1.StatefulSetStatus,
  old: appsV1.StatefulSetStatus,
): FieldError[] {
  const errors = new FieldErrorList();
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas } = status;
  const { observedGeneration, collisionCount } = status;
  const parts = { readyReplicas, currentReplicas, updatedReplicas, availableReplicas };
  countErrors(errors, { replicas, ...parts, observedGeneration, collisionCount });
  atMostReplicas(errors, replicas, parts);
  availableAreReady(errors, status, 'status.readyReplicas');
  collisionsGrow(errors, collisionCount, old.collisionCount);
  return errors;
}
