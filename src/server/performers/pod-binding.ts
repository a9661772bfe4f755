import {
  aggregateText,
  ApiError,
  cloneJson,
  errors,
  FieldErrorList,
  formatTime,
  notSupported,
  required,
  type FieldError,
  type StoredObject,
} from '../../foundation/index.js';
import { withPodCondition, type coreV1, type PodSpec, type StoredKind, type StoredPod } from '../../kinds/index.js';
import type { Perform, ResourceStore } from '../../registry/index.js';
import { SUCCESS, uncheckedPodUpdate } from './pod-operation.js';

type StoredBinding = StoredKind<coreV1.Binding>;

const bindings = { group: '', resource: 'pods/binding' };

function bindingErrors({ target }: StoredBinding): FieldError[] {
  const found = new FieldErrorList();
  const { kind = '', name = '' } = target;
  if (kind !== '' && kind !== 'Node') found.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  if (name === '') found.push(required('target.name'));
  return found;
}

/** Returns why a pod cannot be bound; undefined when it can. */
function refusal({ metadata, spec }: StoredPod): string | undefined {
  const { name = '', deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${name} is already assigned to node "${spec.nodeName}"`;
  if ((spec?.schedulingGates ?? []).length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

/** Returns a pod that runs on the node of a binding, with the annotations of the binding. */
function bound(pod: StoredPod, { target, metadata }: StoredBinding, nowMs: number): StoredPod {
  const changed = cloneJson(pod) as StoredPod;
  changed.spec = { ...(changed.spec as PodSpec), nodeName: target.name ?? '' };
  if (metadata.annotations !== undefined)
    changed.metadata.annotations = { ...changed.metadata.annotations, ...metadata.annotations };
  changed.status = withPodCondition(changed.status ?? {}, { type: 'PodScheduled', status: 'True' }, formatTime(nowMs));
  return changed;
}

/** Refuses a pod that is not the one, or not in the version, that the binding names. @throws ApiError 409 */
function checkPreconditions(
  store: ResourceStore,
  { metadata: wanted }: StoredBinding,
  { metadata }: StoredObject,
): void {
  const name = metadata.name ?? '';
  for (const [what, value, found] of [
    ['UID', wanted.uid, metadata.uid],
    ['ResourceVersion', wanted.resourceVersion, metadata.resourceVersion],
  ] as const)
    if (value && value !== found) throw errors.preconditionFailed(store.info, name, what, value, found ?? '');
}

/**
 * Creates the operation of Binding: assigns a pod to a node, with the condition PodScheduled and the annotations of the
 * binding. It answers with a Status.
 *
 * @param pods returns the store of pods; called for each request
 */
export function bindPerformer(pods: () => ResourceStore): Perform {
  return async (object, { context, namespace, name, dryRun, admit }) => {
    const binding = object as StoredBinding;
    const pod = binding.metadata.name ?? '';
    if (name !== '' && name !== pod) throw errors.badRequest('name in URL does not match name in Binding object');
    const problems = bindingErrors(binding);
    // Kubernetes answers 500 here.
    if (problems.length > 0) throw new ApiError({ message: aggregateText(problems), code: 500 });
    await admit();
    if (pod === '') throw errors.badRequest('Name parameter required.');
    const store = pods();
    await store.update(
      context,
      namespace,
      pod,
      (current) => {
        if (current === undefined) throw errors.notFound(store.info, pod);
        checkPreconditions(store, binding, current);
        const why = refusal(current);
        if (why !== undefined) throw errors.conflict(bindings, pod, why);
        const changed = bound(current, binding, context.clock.now());
        // Without its version the pod is read again after a conflict with another write.
        delete changed.metadata.resourceVersion;
        return changed;
      },
      { dryRun, subresource: uncheckedPodUpdate },
    );
    return SUCCESS;
  };
}
