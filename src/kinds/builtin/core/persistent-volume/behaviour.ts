import { appendAll, FieldErrorList, formatTime, WarningList, type Steps } from '../../../../foundation/index.js';
import type { RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { accessModesText } from '../../shared/access-modes.js';
import {
  ATTRIBUTES_CLASS_GATE,
  dropAttributesClass,
  storageClassOf,
  storageClassWarnings,
  UNSET,
} from '../../shared/volume-class.js';
import { warnOfNodeSelectorTerm } from '../deprecated-node-labels.js';
import { validateVolumeSpec } from './validate-spec.js';
import { validateVolumeUpdate } from './validate-update.js';

type Volume = StoredKind<coreV1.PersistentVolume>;

const PENDING = 'Pending';

const hasAttributesClasses = ({ featureGates }: RequestContext): boolean => featureGates.enabled(ATTRIBUTES_CLASS_GATE);

function* warningsOf(volume: Volume, { dialect, work }: RequestContext): Steps<WarningList> {
  const warnings = new WarningList(work);
  appendAll(warnings, storageClassWarnings(volume, dialect));
  const { persistentVolumeReclaimPolicy: policy, nodeAffinity } = volume.spec ?? {};
  if (policy === 'Recycle') {
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  for (const [index, term] of (nodeAffinity?.required?.nodeSelectorTerms ?? []).entries())
    yield* warnOfNodeSelectorTerm(warnings, term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, dialect);
  return warnings;
}

const strategy: Strategy<Volume> = {
  defaults(volume) {
    volume.spec ??= {};
    volume.spec.persistentVolumeReclaimPolicy ??= 'Retain';
    volume.spec.volumeMode ??= 'Filesystem';
    volume.status ??= {};
    volume.status.phase ||= PENDING;
  },
  prepareForCreate(volume, context) {
    volume.status = { phase: PENDING, lastPhaseTransitionTime: formatTime(context.clock.now()) };
    if (volume.spec !== undefined) dropAttributesClass(volume.spec, undefined, hasAttributesClasses(context));
  },
  prepareForUpdate(volume, old, context) {
    volume.status = old.status;
    if (volume.spec !== undefined) dropAttributesClass(volume.spec, old.spec, hasAttributesClasses(context));
  },
  *validate({ metadata, spec = {} }, context, old) {
    const errors = new FieldErrorList(context.work);
    yield* validateVolumeSpec(errors, 'spec', spec, {
      volumeName: metadata.name ?? '',
      dialect: context.dialect,
      attributesClass: hasAttributesClasses(context) || old?.spec?.volumeAttributesClassName !== undefined,
    });
    return errors;
  },
  *validateUpdate({ spec = {} }, old, context) {
    const errors = new FieldErrorList(context.work);
    const rules = { dialect: context.dialect, attributesClass: hasAttributesClasses(context) };
    yield* validateVolumeUpdate(errors, spec, old.spec ?? {}, rules);
    return errors;
  },
  warnings: (volume, _old, context) => warningsOf(volume, context),
};

/** Writes the status, and records when the phase changed, unless the client does. */
const statusStrategy: SubresourceStrategy<Volume> = {
  resetFields: [['spec']],
  prepareForUpdate(volume, old, { clock }) {
    volume.spec = old.spec;
    const { status } = volume;
    if (status === undefined || status.phase === old.status?.phase) return;
    const { lastPhaseTransitionTime: given } = status;
    if (given === undefined || given === old.status?.lastPhaseTransitionTime)
      status.lastPhaseTransitionTime = formatTime(clock.now());
  },
};

function claimText({ spec }: Volume): string {
  const { claimRef } = spec ?? {};
  return claimRef === undefined ? '' : `${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`;
}

/** The behaviour of PersistentVolumes. */
export const persistentVolumeBehaviour: Behaviour<coreV1.PersistentVolume> = {
  strategy,
  subresources: { status: statusStrategy },
  cells: {
    Capacity: ({ spec }) => spec?.capacity?.['storage'] ?? '0',
    'Access Modes': ({ spec }) => accessModesText(spec?.accessModes),
    'Reclaim Policy': ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
    Status: ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
    Claim: claimText,
    StorageClass: (volume) => storageClassOf(volume),
    VolumeAttributesClass: ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
    Reason: ({ status }) => status?.reason ?? '',
    VolumeMode: ({ spec }) => spec?.volumeMode ?? UNSET,
  },
};
