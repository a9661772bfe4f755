import { dnsLabelErrors } from '../../../meta/names.js';
import type { ApiObject } from '../../../meta/object.js';
import type { Strategy, SubresourceStrategy } from '../../../registry/strategy.js';
import { isNew } from '../../shared/is-new.js';
import { expandLabelKeys } from './affinity-label-keys.js';
import { defaultPod } from './defaults.js';
import { qosClass } from './qos.js';
import { validatePodStatusUpdate } from './status-update.js';
import type { PodObject, PodSpec, StoredPod } from './types.js';
import { validateEphemeralUpdate, validatePodSpecUpdate } from './update.js';
import { validateNewPod, validatePodSpec } from './validate.js';

const NO_SPEC: PodSpec = Object.freeze({ containers: [] });
/** Default grace period of a pod, in seconds. */
const DEFAULT_GRACE_SECONDS = 30;

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: null,
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

function prepareForCreate(object: ApiObject): void {
  const pod = object as PodObject;
  const spec = pod.spec ?? NO_SPEC;
  pod.status = { phase: 'Pending', qosClass: qosClass(spec) };
  if ((spec.schedulingGates ?? []).length > 0) pod.status.conditions = [{ ...GATED }];
  expandLabelKeys(spec, object.metadata.labels ?? {});
}

/** The strategy of the main resource. */
export const podStrategy: Strategy = {
  // Kubernetes 1.31 does not count generations of pods.
  countsGeneration: false,
  deleteReturnsObject: true,
  defaults: defaultPod,
  prepareForCreate,
  prepareForUpdate(object, old) {
    (object as PodObject).status = (old as StoredPod).status;
  },
  validate(object, { dialect }) {
    const { spec = NO_SPEC } = object as StoredPod;
    const errors = validatePodSpec(spec, dialect);
    if (isNew(object)) errors.push(...validateNewPod(spec));
    return errors;
  },
  validateUpdate: (object, old) =>
    validatePodSpecUpdate((object as StoredPod).spec ?? NO_SPEC, (old as StoredPod).spec ?? NO_SPEC),
  warnings(object, old) {
    const problems = old === undefined ? dnsLabelErrors(object.metadata.name ?? '') : [];
    if (problems.length === 0) return [];
    const texts = `[${problems.join(' ')}]`;
    return [
      `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: ${texts}`,
    ];
  },
  gracePeriodSeconds(object, requested) {
    const { spec, status } = object as StoredPod;
    // The pod is not scheduled or has ended, so there is nothing to wait for.
    if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    return seconds < 0 ? 1 : seconds;
  },
};

/** The strategy of `/status`, which the node agent writes. */
export const podStatusStrategy: SubresourceStrategy = {
  prepareForUpdate(object, old) {
    const pod = object as PodObject;
    const previous = old as StoredPod;
    pod.spec = previous.spec;
    pod.status = { ...pod.status, qosClass: pod.status?.qosClass || previous.status?.qosClass };
    // Old node agents corrupt owner references, which breaks garbage collection.
    if (previous.metadata.ownerReferences === undefined) delete object.metadata.ownerReferences;
    else object.metadata.ownerReferences = previous.metadata.ownerReferences;
  },
  validateUpdate: validatePodStatusUpdate,
};

/**
 * Returns the old metadata with the new resourceVersion and managedFields, as Kubernetes does for most subresources.
 */
function keepMetadata(object: ApiObject, old: StoredPod): void {
  const { managedFields, resourceVersion } = object.metadata;
  object.metadata = { ...old.metadata };
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
}

/** The strategy of `/ephemeralcontainers`, which only adds containers. */
export const podEphemeralContainersStrategy: SubresourceStrategy = {
  prepareForUpdate(object, old) {
    const pod = object as PodObject;
    const previous = old as StoredPod;
    const { ephemeralContainers } = pod.spec ?? NO_SPEC;
    pod.spec = { ...(previous.spec ?? NO_SPEC), ephemeralContainers };
    pod.status = previous.status;
    keepMetadata(object, previous);
  },
  validateUpdate: (object, old) =>
    validateEphemeralUpdate((object as StoredPod).spec ?? NO_SPEC, (old as StoredPod).spec ?? NO_SPEC),
};
