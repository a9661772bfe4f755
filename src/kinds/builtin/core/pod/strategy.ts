import {
  appendErrors,
  definedOnly,
  dnsLabelErrors,
  FieldErrorList,
  forbidden,
  type ObjectMeta,
  type Steps,
} from '../../../../foundation/index.js';
import type { RequestContext, Strategy, SubresourceStrategy, Unvalidated } from '../../../../registry/index.js';
import { expandLabelKeys } from './affinity-label-keys.js';
import { syncAppArmor } from './app-armor-fields.js';
import { writtenCondition } from './conditions.js';
import { defaultPod } from './defaults.js';
import { dropDisabledSpecFields, dropDisabledStatusFields } from './disabled-fields.js';
import { qosClass } from './qos.js';
import { podRules } from './rules.js';
import { validatePodStatusUpdate } from './status-update.js';
import type { PodSpec, PodStatus, StoredPod } from './types.js';
import { validateEphemeralUpdate, validatePodSpecUpdate } from './update.js';
import { mirrorAnnotation, validateAnnotationUpdate } from './validate/validate-annotations.js';
import { validateNewPod, validatePod } from './validate/validate.js';
import { podWarnings } from './warnings/warnings.js';

const NO_SPEC: PodSpec = Object.freeze({ containers: [] });
/** Default grace period of a pod, in seconds. */
const DEFAULT_GRACE_SECONDS = 30;

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

function* prepareForCreate(pod: Unvalidated<StoredPod>, context: RequestContext): Steps<void> {
  const { featureGates } = context;
  const spec = (pod.spec ?? NO_SPEC) as PodSpec;
  pod.status = { phase: 'Pending', qosClass: qosClass(spec) };
  yield* dropDisabledSpecFields(spec, undefined, context);
  if ((spec.schedulingGates ?? []).length > 0) pod.status.conditions = [writtenCondition(GATED)];
  if (featureGates.enabled('MatchLabelKeysInPodAffinity')) expandLabelKeys(spec, pod.metadata.labels ?? {});
  syncAppArmor(pod, context);
}

const annotationsOf = ({ metadata }: StoredPod): Readonly<Record<string, string>> => metadata.annotations ?? {};

/** Validates a pod after a change of its spec or metadata. Values that it had before stay allowed. */
function* validateChangedPod(pod: StoredPod, old: StoredPod, context: RequestContext): Steps<FieldErrorList> {
  const { spec = NO_SPEC, metadata } = pod;
  const before = { spec: old.spec ?? NO_SPEC, annotations: annotationsOf(old) };
  const rules = yield* podRules(context, { isPod: true, podName: metadata.name }, before);
  const errors = yield* validatePod(spec, annotationsOf(pod), rules, context.work);
  yield* validateAnnotationUpdate(
    errors,
    'metadata.annotations',
    annotationsOf(pod),
    before.annotations,
    context.dialect,
  );
  return errors;
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
  *prepareForUpdate(pod, old, context) {
    pod.status = old.status;
    yield* dropDisabledSpecFields((pod.spec ??= {}) as PodSpec, old.spec, context);
  },
  *validate(pod, context, old) {
    // Changes are checked below, those of subresources by their own strategies.
    if (old !== undefined) return [];
    const { spec = NO_SPEC } = pod;
    const annotations = annotationsOf(pod);
    const rules = yield* podRules(context, { isPod: true, podName: pod.metadata.name });
    const errors = yield* validatePod(spec, annotations, rules, context.work);
    appendErrors(errors, yield* validateNewPod(spec, annotations, rules, context.work));
    return errors;
  },
  *validateUpdate(pod, old, context) {
    const errors = yield* validateChangedPod(pod, old, context);
    appendErrors(errors, yield* validatePodSpecUpdate(pod.spec ?? NO_SPEC, old.spec ?? NO_SPEC, context.work));
    return errors;
  },
  *warnings({ metadata, spec = NO_SPEC }, old, { dialect, work }) {
    // Programs change pods often, and nobody reads their warnings.
    if (old !== undefined) return [];
    const { name = '', annotations = {} } = metadata;
    return [...nameWarnings(name), ...(yield* podWarnings({ spec, annotations, dialect }, work))];
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
  prepareForUpdate(pod, old, { featureGates }) {
    pod.spec = old.spec;
    pod.status = { ...pod.status, qosClass: pod.status?.qosClass || old.status?.qosClass };
    dropDisabledStatusFields(pod.status as PodStatus, old, featureGates);
    // Old node agents corrupt owner references, which breaks garbage collection.
    if (old.metadata.ownerReferences === undefined) delete pod.metadata.ownerReferences;
    else pod.metadata.ownerReferences = old.metadata.ownerReferences;
  },
  *validateUpdate(pod, old, { dialect, work }) {
    const errors = new FieldErrorList(work);
    yield* validateAnnotationUpdate(errors, 'metadata.annotations', annotationsOf(pod), annotationsOf(old), dialect);
    appendErrors(errors, yield* validatePodStatusUpdate(pod, old, work));
    return errors;
  },
};

/**
 * Returns the old metadata with the new resourceVersion and managedFields, as Kubernetes does for most subresources.
 */
function keptMetadata({ managedFields, resourceVersion }: ObjectMeta, old: ObjectMeta): ObjectMeta {
  return { ...old, ...definedOnly({ managedFields, resourceVersion }) };
}

/** The strategy of `/ephemeralcontainers`, which only adds containers. */
export const podEphemeralContainersStrategy: SubresourceStrategy<StoredPod> = {
  *prepareForUpdate(pod, old, context) {
    const { ephemeralContainers } = (pod.spec ?? NO_SPEC) as PodSpec;
    const spec: PodSpec = { ...(old.spec ?? NO_SPEC), ephemeralContainers };
    // The other containers are the stored ones, which must not be changed.
    yield* dropDisabledSpecFields({ containers: [], ephemeralContainers }, old.spec, context);
    pod.spec = spec;
    pod.status = old.status;
    pod.metadata = keptMetadata(pod.metadata, old.metadata);
  },
  *validateUpdate(pod, old, context) {
    if (annotationsOf(old)[mirrorAnnotation(context.dialect)] !== undefined)
      return [forbidden('', 'static pods do not support ephemeral containers')];
    const errors = yield* validateChangedPod(pod, old, context);
    appendErrors(errors, yield* validateEphemeralUpdate(pod.spec ?? NO_SPEC, old.spec ?? NO_SPEC, context.work));
    return errors;
  },
};
