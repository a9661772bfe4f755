import { definedOnly } from '../../../meta/defined-only.js';
import { dnsLabelErrors } from '../../../meta/names.js';
import type { ObjectMeta } from '../../../meta/object.js';
import type { Unvalidated } from '../../../registry/object-types.js';
import type { RequestContext } from '../../../registry/context.js';
import type { Strategy, SubresourceStrategy } from '../../../registry/strategy.js';
import { expandLabelKeys } from './affinity-label-keys.js';
import { writtenCondition } from './conditions.js';
import { defaultPod } from './defaults.js';
import { dropDisabledSpecFields } from './disabled-fields.js';
import { qosClass } from './qos.js';
import { validatePodStatusUpdate } from './status-update.js';
import type { PodSpec, StoredPod } from './types.js';
import { validateEphemeralUpdate, validatePodSpecUpdate } from './update.js';
import { validateNewPod, validatePodSpec } from './validate.js';
import { podWarnings } from './warnings.js';

const NO_SPEC: PodSpec = Object.freeze({ containers: [] });
/** Default grace period of a pod, in seconds. */
const DEFAULT_GRACE_SECONDS = 30;

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

function prepareForCreate(pod: Unvalidated<StoredPod>, { featureGates }: RequestContext): void {
  const spec = (pod.spec ?? NO_SPEC) as PodSpec;
  pod.status = { phase: 'Pending', qosClass: qosClass(spec) };
  dropDisabledSpecFields(spec, undefined, featureGates);
  if ((spec.schedulingGates ?? []).length > 0) pod.status.conditions = [writtenCondition(GATED)];
  if (featureGates.enabled('MatchLabelKeysInPodAffinity')) expandLabelKeys(spec, pod.metadata.labels ?? {});
}

function nameWarnings(name: string): string[] {
  const problems = dnsLabelErrors(name);
  if (problems.length === 0) return [];
  const texts = `[${problems.join(' ')}]`;
  return [
    `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: ${texts}`,
  ];
}

/** The strategy of the main resource. */
export const podStrategy: Strategy<StoredPod> = {
  // Kubernetes 1.31 does not count generations of pods.
  countsGeneration: false,
  deleteReturnsObject: true,
  defaults: defaultPod,
  prepareForCreate,
  prepareForUpdate(pod, old, { featureGates }) {
    pod.status = old.status;
    dropDisabledSpecFields((pod.spec ??= {}) as PodSpec, old.spec, featureGates);
  },
  validate({ spec = NO_SPEC }, { dialect }, old) {
    // A change of the main resource validates the spec as well; a change of a subresource does not.
    if (old !== undefined) return [];
    return [...validatePodSpec('spec', spec, dialect), ...validateNewPod(spec)];
  },
  validateUpdate: ({ spec = NO_SPEC }, { spec: old = NO_SPEC }, { dialect }) => [
    ...validatePodSpec('spec', spec, dialect),
    ...validatePodSpecUpdate(spec, old),
  ],
  warnings({ metadata, spec = NO_SPEC }, old, { dialect }) {
    // Programs change pods often, and nobody reads their warnings.
    if (old !== undefined) return [];
    const { name = '', annotations = {} } = metadata;
    return [...nameWarnings(name), ...podWarnings({ spec, annotations, dialect })];
  },
  gracePeriodSeconds({ spec, status }, requested) {
    // The pod is not scheduled or has ended, so there is nothing to wait for.
    if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
    const seconds = requested ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    return seconds < 0 ? 1 : seconds;
  },
};

/** The strategy of `/status`, which the node agent writes. */
export const podStatusStrategy: SubresourceStrategy<StoredPod> = {
  prepareForUpdate(pod, old) {
    pod.spec = old.spec;
    pod.status = { ...pod.status, qosClass: pod.status?.qosClass || old.status?.qosClass };
    // Old node agents corrupt owner references, which breaks garbage collection.
    if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
    else pod.metadata.ownerReferences = old.metadata.ownerReferences;
  },
  validateUpdate: validatePodStatusUpdate,
};

/**
 * Returns the old metadata with the new resourceVersion and managedFields, as Kubernetes does for most subresources.
 */
function keptMetadata({ managedFields, resourceVersion }: ObjectMeta, old: ObjectMeta): ObjectMeta {
  return { ...old, ...definedOnly({ managedFields, resourceVersion }) };
}

/** The strategy of `/ephemeralcontainers`, which only adds containers. */
export const podEphemeralContainersStrategy: SubresourceStrategy<StoredPod> = {
  prepareForUpdate(pod, old) {
    const { ephemeralContainers } = (pod.spec ?? NO_SPEC) as PodSpec;
    pod.spec = { ...(old.spec ?? NO_SPEC), ephemeralContainers };
    pod.status = old.status;
    pod.metadata = keptMetadata(pod.metadata, old.metadata);
  },
  validateUpdate: (pod, old) => validateEphemeralUpdate(pod.spec ?? NO_SPEC, old.spec ?? NO_SPEC),
};
