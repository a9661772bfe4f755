import { FieldErrorList, type Steps, type Work } from '../../../../foundation/index.js';
import type { RequestContext, Strategy, SubresourceStrategy } from '../../../../registry/index.js';
import type { coreV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { accessModesText } from '../../shared/access-modes.js';
import { selectorErrors } from '../../shared/selectors/label-selectors.js';
import {
  ATTRIBUTES_CLASS_GATE,
  dropAttributesClass,
  storageClassOf,
  storageClassWarnings,
  UNSET,
} from '../../shared/volume-class.js';
import { completeSources, dropForeignSource, dropUnknownSource } from './data-source.js';
import { amountWarnings, validateClaimSpec } from './validate-spec.js';
import { validateClaimStatus, validateClaimUpdate } from './validate-update.js';

type Claim = StoredKind<coreV1.PersistentVolumeClaim>;

const PENDING = 'Pending';

const hasAttributesClasses = ({ featureGates }: RequestContext): boolean => featureGates.enabled(ATTRIBUTES_CLASS_GATE);

/** Returns whether the rules for undoing an expansion apply: while the feature is enabled, or the claim uses it. */
const hasRecovery = ({ featureGates }: RequestContext, { status = {} }: Claim): boolean =>
  featureGates.enabled('RecoverVolumeExpansionFailure') ||
  status.allocatedResources !== undefined ||
  status.allocatedResourceStatuses !== undefined;

function* hasInvalidSelector({ spec }: Claim, work: Work | undefined): Steps<boolean> {
  const errors = new FieldErrorList(work);
  yield* selectorErrors(errors, 'selector', spec?.selector);
  return errors.length > 0;
}

const hasSourceGroup = ({ spec }: Claim): boolean =>
  (spec?.dataSource?.apiGroup ?? spec?.dataSourceRef?.apiGroup ?? undefined) !== undefined;

function dropFields(spec: Parameters<typeof completeSources>[0], old: Claim['spec'], context: RequestContext): void {
  const { featureGates, dialect } = context;
  dropAttributesClass(spec, old, hasAttributesClasses(context));
  dropForeignSource(spec, old, featureGates.enabled('CrossNamespaceVolumeDataSource'));
  dropUnknownSource(spec, old, dialect);
}

const strategy: Strategy<Claim> = {
  defaults(claim) {
    claim.spec ??= { volumeMode: 'Filesystem' };
    claim.status ??= {};
    claim.status.phase ||= PENDING;
  },
  prepareForCreate(claim, context) {
    claim.status = { phase: PENDING };
    claim.spec ??= {};
    dropFields(claim.spec, undefined, context);
    completeSources(claim.spec);
  },
  prepareForUpdate(claim, old, context) {
    claim.status = old.status;
    if (claim.spec !== undefined) dropFields(claim.spec, old.spec, context);
  },
  *validate({ spec = {} }, context, old) {
    const errors = new FieldErrorList(context.work);
    yield* validateClaimSpec(errors, 'spec', spec, {
      dialect: context.dialect,
      attributesClass: hasAttributesClasses(context) || old?.spec?.volumeAttributesClassName !== undefined,
      allowInvalidSelectorValues: old !== undefined && (yield* hasInvalidSelector(old, context.work)),
      allowInvalidSourceGroup: old !== undefined && hasSourceGroup(old),
    });
    return errors;
  },
  *validateUpdate(claim, old, context) {
    const errors = new FieldErrorList(context.work);
    yield* validateClaimUpdate(errors, claim, old, {
      dialect: context.dialect,
      attributesClass: hasAttributesClasses(context),
      recovery: hasRecovery(context, old),
    });
    return errors;
  },
  warnings: (claim, _old, { dialect }) => [
    ...storageClassWarnings(claim, dialect),
    ...amountWarnings('spec', claim.spec ?? {}),
  ],
};

/** Drops the status of a change of the attributes class while the feature is disabled, unless the old claim has it. */
function dropStatusFields(status: NonNullable<Claim['status']>, old: Claim['status'], context: RequestContext): void {
  if (hasAttributesClasses(context)) return;
  if (old?.currentVolumeAttributesClassName === undefined) delete status.currentVolumeAttributesClassName;
  if (old?.modifyVolumeStatus === undefined) delete status.modifyVolumeStatus;
}

const statusStrategy: SubresourceStrategy<Claim> = {
  resetFields: [['spec']],
  prepareForUpdate(claim, old, context) {
    claim.spec = old.spec;
    if (claim.status !== undefined) dropStatusFields(claim.status as NonNullable<Claim['status']>, old.status, context);
  },
  *validateUpdate(claim, old, context) {
    const errors = new FieldErrorList(context.work);
    yield* validateClaimStatus(errors, claim, { dialect: context.dialect, recovery: hasRecovery(context, old) });
    return errors;
  },
};

const isBound = ({ spec }: Claim): boolean => (spec?.volumeName ?? '') !== '';

/** The behaviour of PersistentVolumeClaims. */
export const persistentVolumeClaimBehaviour: Behaviour<coreV1.PersistentVolumeClaim> = {
  strategy,
  subresources: { status: statusStrategy },
  cells: {
    Status: ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating',
    Volume: ({ spec }) => spec?.volumeName ?? '',
    Capacity: (claim) => (isBound(claim) ? (claim.status?.capacity?.['storage'] ?? '0') : ''),
    'Access Modes': (claim) => (isBound(claim) ? accessModesText(claim.status?.accessModes) : ''),
    StorageClass: (claim) => storageClassOf(claim),
    VolumeAttributesClass: ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
    VolumeMode: ({ spec }) => spec?.volumeMode ?? UNSET,
  },
};
