/**
 * The warnings of Kubernetes about pods and pod templates: values that have no effect, are deprecated, or look like
 * mistakes. The texts and their order are those of release 1.31.
 *
 * @module
 */
import { goQuote, WarningList, type Dialect, type Steps, type Work } from '../../../../../foundation/index.js';
import { placedContainers } from '../containers.js';
import { isEmptyMap } from '../empty-map.js';
import type { PodSpec } from '../types.js';
import { warnOfContainer, warnOfFractions } from './warnings-containers.js';
import { warnOfPorts } from './warnings-ports.js';
import { warnOfAffinity, warnOfNodeLabels } from './warnings-scheduling.js';
import { warnOfProjectedPaths, warnOfVolumes } from './warnings-volumes.js';

type Annotations = Readonly<Record<string, string>>;

/** The subject of the warnings: a pod, or a pod template. */
export interface WarnedPod {
  /** Path of the template; empty for a pod. */
  readonly path: string;
  readonly spec: PodSpec;
  readonly annotations: Annotations;
  readonly dialect: Dialect;
}

/** Annotations that have no effect any more, with the domain of the dialect. */
const deprecatedAnnotations = ({ labelDomain }: Dialect): readonly (readonly [key: string, text: string])[] => [
  [
    `scheduler.alpha.${labelDomain}/critical-pod`,
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [`security.alpha.${labelDomain}/sysctls`, 'non-functional in v1.11+; use the "sysctls" field instead'],
  [`security.alpha.${labelDomain}/unsafe-sysctls`, 'non-functional in v1.11+; use the "sysctls" field instead'],
];

function warnOfAnnotations(warnings: string[], { path, annotations, dialect }: WarnedPod): void {
  if (isEmptyMap(annotations)) return;
  for (const [key, text] of deprecatedAnnotations(dialect))
    if (annotations[key] !== undefined) warnings.push(`${path}metadata.annotations[${key}]: ${text}`);
}

/** Warns of values that occur before in the list. */
function* warnOfDuplicates(warnings: WarningList, path: string, field: string, values: readonly string[]): Steps<void> {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (warnings.isFull) return;
    if (warnings.spend()) yield;
    if (seen.has(value)) warnings.push(`${path}[${index}].${field}: duplicate ${field} ${goQuote(value)}`);
    else seen.add(value);
  }
}

function* warnOfPullSecrets(
  warnings: WarningList,
  path: string,
  secrets: NonNullable<PodSpec['imagePullSecrets']>,
): Steps<void> {
  const names = secrets.map(({ name = '' }) => name);
  yield* warnOfDuplicates(warnings, path, 'name', names);
  for (const [index, name] of names.entries())
    if (name === '') warnings.push(`${path}[${index}].name: invalid empty name ""`);
}

function warnOfSeccompAnnotation(warnings: string[], { path, spec, annotations, dialect }: WarnedPod): void {
  const key = `seccomp.security.alpha.${dialect.labelDomain}/pod`;
  if (spec.securityContext?.seccompProfile !== undefined || annotations[key] === undefined) return;
  warnings.push(
    `${path}metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`,
  );
}

/** Returns the warnings about a pod or a pod template: as many as a response can hold. */
export function* podWarnings(
  pod: Omit<WarnedPod, 'path'> & { readonly path?: string | undefined },
  work: Work | undefined,
): Steps<WarningList> {
  const { spec, annotations, dialect } = pod;
  const warned: WarnedPod = { path: pod.path === undefined ? '' : `${pod.path}.`, spec, annotations, dialect };
  const at = `${warned.path}spec`;
  const warnings = new WarningList(work);
  yield* warnOfNodeLabels(warnings, at, spec, dialect);
  warnOfAnnotations(warnings, warned);
  if (spec.volumes !== undefined) {
    yield* warnOfVolumes(warnings, `${at}.volumes`, spec.volumes);
    yield* warnOfProjectedPaths(warnings, `${at}.volumes`, spec.volumes);
  }
  if (spec.hostAliases !== undefined)
    yield* warnOfDuplicates(
      warnings,
      `${at}.hostAliases`,
      'ip',
      spec.hostAliases.map(({ ip }) => ip),
    );
  if (spec.imagePullSecrets !== undefined)
    yield* warnOfPullSecrets(warnings, `${at}.imagePullSecrets`, spec.imagePullSecrets);
  warnOfFractions(warnings, `${at}.overhead`, spec.overhead);
  warnOfSeccompAnnotation(warnings, warned);
  const containers = placedContainers(at, spec);
  for (const placed of containers) {
    if (warnings.spend()) yield;
    yield* warnOfContainer(warnings, placed, warned);
  }
  yield* warnOfPorts(warnings, containers);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    warnings.push(
      `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  if (spec.affinity !== undefined) yield* warnOfAffinity(warnings, `${at}.affinity`, spec.affinity);
  return warnings;
}
