import {
  definedOnly,
  equalJson,
  equalValueSteps,
  FieldErrorList,
  forbidden,
  invalid,
  required,
  type FieldError,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';
import { shownJson } from '../../shared/go/go-difference.js';
import type { Container, PodSpec } from './types.js';
import { validateImageSpace } from './validate/validate-containers.js';
import { validateTolerationUpdate } from './validate/validate-tolerations.js';

const MAX_INT32 = 2 ** 31 - 1;
const CHANGEABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/**
 * Validates that containers stay and keep an image. Returns true when the lists differ in length and validation must
 * stop.
 */
function* validateContainerUpdates(
  errors: FieldErrorList,
  path: string,
  containers: readonly Container[],
  old: readonly Container[],
): Steps<boolean> {
  if (containers.length !== old.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'));
    return true;
  }
  for (const [index, { image }] of containers.entries()) {
    if (errors.spend()) yield;
    if (!image) errors.push(required(`${path}[${index}].image`));
    validateImageSpace(errors, `${path}[${index}].image`, image);
  }
  return false;
}

/** Validates that a deadline is only set or shortened. Returns true when it is invalid and validation must stop. */
function validateDeadline(errors: FieldError[], deadline: number | undefined, old: number | undefined): boolean {
  const path = 'spec.activeDeadlineSeconds';
  const before = errors.length;
  if (deadline === undefined) {
    if (old !== undefined) errors.push(invalid(path, null, 'must not update from a positive integer to nil value'));
    return false;
  }
  if (deadline < 0 || deadline > MAX_INT32)
    errors.push(invalid(path, deadline, `must be between 0 and ${MAX_INT32}, inclusive`));
  else if (old !== undefined && deadline > old)
    errors.push(invalid(path, deadline, 'must be less than or equal to previous value'));
  return errors.length > before;
}

const withImages = (containers: readonly Container[], from: readonly Container[]): Container[] =>
  containers.map((container, index) => ({ ...container, image: from[index]?.image }));

type Selector = NonNullable<PodSpec['nodeSelector']>;
type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;

/** Validates that a selector of nodes only becomes stricter. */
function validateNodeSelectorChange(errors: FieldError[], selector: Selector = {}, old: Selector = {}): void {
  const path = 'spec.nodeSelector';
  const stricter = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  if (Object.keys(old).some((key) => selector[key] !== old[key])) errors.push(invalid(path, selector, stricter));
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const ADDITIONS = 'only additions are allowed (no mutations or deletions)';

/** Validates that the required affinity to nodes only becomes stricter; the preferred one may change. */
function* validateNodeAffinityChange(
  errors: FieldErrorList,
  affinity: NodeAffinity = {},
  old: NodeAffinity = {},
): Steps<void> {
  const path = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  const terms = old[REQUIRED]?.nodeSelectorTerms ?? [];
  const now = affinity[REQUIRED]?.nodeSelectorTerms;
  if (terms.length > 0 && terms.length !== (now ?? []).length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return void errors.push(invalid(path, now, detail));
  }
  for (const [index, term] of terms.entries()) {
    if (errors.spend()) yield;
    const changed = now?.[index] ?? {};
    const keeps = (list: 'matchExpressions' | 'matchFields'): boolean =>
      (term[list] ?? []).every((requirement, at) => equalJson(requirement, changed[list]?.[at]));
    // A term without requirements selects nothing, and would select something with one.
    const isEmpty = (term.matchExpressions ?? []).length === 0 && (term.matchFields ?? []).length === 0;
    const stays = equalJson(changed, term);
    if (isEmpty ? !stays : !keeps('matchExpressions') || !keeps('matchFields'))
      errors.push(invalid(`${path}[${index}]`, changed, ADDITIONS));
  }
}

/** Returns the affinity with the old affinity to nodes, which a gated pod may change. */
function withNodeAffinity(affinity: PodSpec['affinity'], old: PodSpec['affinity']): PodSpec['affinity'] {
  const { nodeAffinity, ...rest } = affinity ?? {};
  const before = old?.nodeAffinity;
  if (before === undefined && old === undefined && Object.values(rest).every((side) => side === undefined))
    return undefined;
  if (nodeAffinity === undefined && before === undefined) return affinity;
  return definedOnly({ ...rest, nodeAffinity: before });
}

/** Returns the new spec with all fields that may change reset to the old values. */
function withoutChanges(spec: PodSpec, old: PodSpec): PodSpec {
  const grace = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  const gated = (old.schedulingGates ?? []).length > 0;
  return {
    ...spec,
    containers: withImages(spec.containers, old.containers),
    initContainers: spec.initContainers && withImages(spec.initContainers, old.initContainers ?? []),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    tolerations: old.tolerations,
    schedulingGates: old.schedulingGates,
    ...(grace ? { terminationGracePeriodSeconds: old.terminationGracePeriodSeconds } : {}),
    ...(gated ? { nodeSelector: old.nodeSelector, affinity: withNodeAffinity(spec.affinity, old.affinity) } : {}),
  };
}

/** Validates that the selection of nodes of a pod with scheduling gates only becomes stricter. */
function* validateGatedChange(errors: FieldErrorList, spec: PodSpec, old: PodSpec): Steps<void> {
  if ((old.schedulingGates ?? []).length === 0) return;
  validateNodeSelectorChange(errors, spec.nodeSelector, old.nodeSelector);
  yield* validateNodeAffinityChange(errors, spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity);
}

/** Formats the differing fields, one per line: the old value with a minus, the new value with a plus. */
function* difference(spec: PodSpec, old: PodSpec, work: Work): Steps<string> {
  const now = spec as Readonly<Record<string, JsonValue | undefined>>;
  const before = old as Readonly<Record<string, JsonValue | undefined>>;
  const lines = ['  core.PodSpec{'];
  for (const field of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (yield* equalValueSteps(now[field], before[field], work)) continue;
    if (before[field] !== undefined) lines.push(`- \t${field}: ${shownJson(before[field])},`);
    if (now[field] !== undefined) lines.push(`+ \t${field}: ${shownJson(now[field])},`);
  }
  return [...lines, '  }', ''].join('\n');
}

/** Validates an update of a pod's spec. */
export function* validatePodSpecUpdate(spec: PodSpec, old: PodSpec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  if (yield* validateContainerUpdates(errors, 'spec.containers', spec.containers, old.containers)) return errors;
  if (
    yield* validateContainerUpdates(errors, 'spec.initContainers', spec.initContainers ?? [], old.initContainers ?? [])
  )
    return errors;
  if (validateDeadline(errors, spec.activeDeadlineSeconds, old.activeDeadlineSeconds)) return errors;
  yield* validateTolerationUpdate(errors, 'spec.tolerations', spec.tolerations ?? [], old.tolerations ?? []);
  const gates = new Set(old.schedulingGates?.map((gate) => gate.name));
  for (const [index, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (errors.spend()) yield;
    if (!gates.has(name))
      errors.push(
        forbidden(
          `spec.schedulingGates[${index}].name`,
          `only deletion is allowed, but found new scheduling gate '${name}'`,
        ),
      );
  }
  yield* validateGatedChange(errors, spec, old);
  const unchanged = withoutChanges(spec, old);
  if (!(yield* equalValueSteps(unchanged, old, work)))
    errors.push(forbidden('spec', `${CHANGEABLE}\n${yield* difference(unchanged, old, errors.work)}`));
  return errors;
}

/** Validates ephemeral containers: they may be added, but not changed or removed. */
export function* validateEphemeralUpdate(spec: PodSpec, old: PodSpec, work: Work | undefined): Steps<FieldErrorList> {
  const errors = new FieldErrorList(work);
  const now = new Map(spec.ephemeralContainers?.map((container) => [container.name, container]));
  for (const container of old.ephemeralContainers ?? []) {
    if (errors.spend()) yield;
    const found = now.get(container.name);
    if (found === undefined)
      errors.push(
        forbidden('spec.ephemeralContainers', `existing ephemeral containers "${container.name}" may not be removed\n`),
      );
    else if (!(yield* equalValueSteps(found, container, work))) {
      errors.push(
        forbidden(
          'spec.ephemeralContainers',
          `existing ephemeral containers "${container.name}" may not be changed\n${shownJson(container)}`,
        ),
      );
    }
  }
  return errors;
}
