import {
  duplicate,
  FieldErrorList,
  invalid,
  notSupported,
  required,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { RequestContext, Strategy } from '../../../registry/index.js';
import type { storageV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { goSlice } from '../shared/go/go-values.js';
import { semanticallyEqual } from '../shared/go/semantic-equal.js';
import { IMMUTABLE, immutableField } from '../shared/validate.js';
import { UNSET } from '../shared/volume-class.js';

type Driver = StoredKind<storageV1.CSIDriver>;
type Spec = storageV1.CSIDriverSpec;

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 600;
const MAX_TOKEN_SECONDS = 2 ** 32;

const hasSELinuxMount = ({ featureGates }: RequestContext): boolean =>
  featureGates.enabled('SELinuxMountReadWriteOncePod');

function* validateTokenRequests(
  errors: FieldErrorList,
  path: string,
  requests: Spec['tokenRequests'] = [],
): Steps<void> {
  const audiences = new Set<string>();
  for (const [index, { audience, expirationSeconds }] of requests.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    if (audiences.has(audience)) {
      errors.push(duplicate(`${at}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    if (expirationSeconds === undefined) continue;
    const shown = `${at}.expirationSeconds`;
    if (expirationSeconds < MIN_TOKEN_SECONDS)
      errors.push(invalid(shown, expirationSeconds, 'may not specify a duration less than 10 minutes'));
    if (expirationSeconds > MAX_TOKEN_SECONDS)
      errors.push(invalid(shown, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  }
}

function* validateSpec(spec: Spec, seLinuxMount: boolean, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  // Kubernetes spells this path differently from the field.
  if (spec.attachRequired === undefined) errors.push(required('spec.attachedRequired'));
  if (spec.podInfoOnMount === undefined) errors.push(required('spec.podInfoOnMount'));
  if (spec.storageCapacity === undefined) errors.push(required('spec.storageCapacity'));
  const { fsGroupPolicy, volumeLifecycleModes = [] } = spec;
  if (fsGroupPolicy !== undefined && !FS_GROUP_POLICIES.includes(fsGroupPolicy))
    errors.push(notSupported('spec.fsGroupPolicy', fsGroupPolicy, FS_GROUP_POLICIES));
  yield* validateTokenRequests(errors, 'spec.tokenRequests', spec.tokenRequests);
  for (const mode of volumeLifecycleModes) {
    if (errors.spend()) yield;
    if (!LIFECYCLE_MODES.includes(mode)) errors.push(notSupported('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES));
  }
  if (seLinuxMount && spec.seLinuxMount === undefined) errors.push(required('spec.seLinuxMount'));
  return errors;
}

const strategy: Strategy<Driver> = {
  allowUnconditionalUpdate: false,
  countsGeneration: true,
  defaults({ spec }, context) {
    if (spec === undefined) return;
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    if (hasSELinuxMount(context)) spec.seLinuxMount ??= false;
  },
  prepareForCreate({ spec }, context) {
    if (!hasSELinuxMount(context)) delete spec?.seLinuxMount;
  },
  prepareForUpdate({ spec }, old, context) {
    if (!hasSELinuxMount(context) && old.spec.seLinuxMount === undefined) delete spec?.seLinuxMount;
  },
  validate: ({ spec }, context) => validateSpec(spec, hasSELinuxMount(context), context.work),
  validateUpdate({ spec }, old) {
    const errors = new FieldErrorList();
    immutableField(errors, 'spec.attachedRequired', spec.attachRequired, old.spec.attachRequired);
    const { volumeLifecycleModes: modes = [] } = spec;
    if (!semanticallyEqual(modes, old.spec.volumeLifecycleModes))
      errors.push(invalid('spec.volumeLifecycleModes', goSlice('storage.VolumeLifecycleMode', modes), IMMUTABLE));
    return errors;
  },
};

/** The behaviour of CSIDrivers. */
export const csiDriverBehaviour: Behaviour<storageV1.CSIDriver> = {
  strategy,
  cells: {
    AttachRequired: ({ spec }) => spec.attachRequired ?? true,
    PodInfoOnMount: ({ spec }) => spec.podInfoOnMount ?? false,
    StorageCapacity: ({ spec }) => spec.storageCapacity ?? false,
    TokenRequests: ({ spec: { tokenRequests } }) =>
      tokenRequests === undefined ? UNSET : tokenRequests.map(({ audience }) => audience).join(','),
    RequiresRepublish: ({ spec }) => spec.requiresRepublish ?? false,
    Modes: ({ spec }) => spec.volumeLifecycleModes?.join(',') || NONE,
  },
};
