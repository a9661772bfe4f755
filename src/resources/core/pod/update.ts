import { forbidden, invalid, type FieldError } from '../../../meta/field-error.js';
import { equalJson, type JsonValue } from '../../../meta/json.js';
import type { Container, PodSpec } from './types.js';
import { validateImage } from './validate-containers.js';
import { validateTolerationUpdate } from './validate-tolerations.js';

const MAX_INT32 = 2 ** 31 - 1;
const CHANGEABLE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/**
 * Validates that containers stay and keep an image. Returns true when the lists differ in length and validation must
 * stop.
 */
function validateContainerUpdates(
  errors: FieldError[],
  path: string,
  containers: readonly Container[],
  old: readonly Container[],
): boolean {
  if (containers.length !== old.length) {
    errors.push(forbidden(path, 'pod updates may not add or remove containers'));
    return true;
  }
  for (const [index, { image }] of containers.entries()) validateImage(errors, `${path}[${index}].image`, image);
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

/** Returns the new spec with all mutable fields reset to the old values. */
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
    // While a pod has scheduling gates, its node selection may become stricter.
    ...(gated && addsOnly(spec.nodeSelector, old.nodeSelector) ? { nodeSelector: old.nodeSelector } : {}),
  };
}

type Selector = Readonly<Record<string, string>>;

function addsOnly(selector: Selector = {}, old: Selector = {}): boolean {
  return Object.keys(old).every((key) => selector[key] === old[key]);
}

/** Formats the differing fields, one per line: the old value with a minus, the new value with a plus. */
function difference(spec: PodSpec, old: PodSpec): string {
  const now = spec as Readonly<Record<string, JsonValue | undefined>>;
  const before = old as Readonly<Record<string, JsonValue | undefined>>;
  const lines = ['  core.PodSpec{'];
  for (const field of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (equalJson(now[field], before[field])) continue;
    if (before[field] !== undefined) lines.push(`- \t${field}: ${JSON.stringify(before[field])},`);
    if (now[field] !== undefined) lines.push(`+ \t${field}: ${JSON.stringify(now[field])},`);
  }
  return [...lines, '  }', ''].join('\n');
}

/** Validates an update of a pod's spec. */
export function validatePodSpecUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (validateContainerUpdates(errors, 'spec.containers', spec.containers, old.containers)) return errors;
  if (validateContainerUpdates(errors, 'spec.initContainers', spec.initContainers ?? [], old.initContainers ?? []))
    return errors;
  if (validateDeadline(errors, spec.activeDeadlineSeconds, old.activeDeadlineSeconds)) return errors;
  validateTolerationUpdate(errors, 'spec.tolerations', spec.tolerations ?? [], old.tolerations ?? []);
  const gates = new Set(old.schedulingGates?.map((gate) => gate.name));
  for (const [index, { name }] of (spec.schedulingGates ?? []).entries()) {
    if (!gates.has(name))
      errors.push(
        forbidden(
          `spec.schedulingGates[${index}]`,
          `only deletion is allowed, but found new scheduling gate '${name}'`,
        ),
      );
  }
  const unchanged = withoutChanges(spec, old);
  if (!equalJson(unchanged, old)) errors.push(forbidden('spec', `${CHANGEABLE}\n${difference(unchanged, old)}`));
  return errors;
}

/** Validates ephemeral containers: they may be added, but not changed or removed. */
export function validateEphemeralUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const now = new Map(spec.ephemeralContainers?.map((container) => [container.name, container]));
  for (const [index, container] of (old.ephemeralContainers ?? []).entries()) {
    const found = now.get(container.name);
    if (found === undefined)
      errors.push(
        forbidden('spec.ephemeralContainers', `existing ephemeral containers "${container.name}" may not be removed\n`),
      );
    else if (!equalJson(found, container)) {
      errors.push(
        forbidden(
          'spec.ephemeralContainers',
          `existing ephemeral containers "${container.name}" may not be changed\n${JSON.stringify(old.ephemeralContainers?.[index])}`,
        ),
      );
    }
  }
  return errors;
}
