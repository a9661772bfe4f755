import {
  forbidden,
  goQuote,
  invalid,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
/**
 * Annotations with a meaning: mirror pods, costs of deletion, and the older way to set profiles of seccomp and AppArmor.
 *
 * @module
 */
import { placedContainers } from '../containers.js';
import { isEmptyMap } from '../empty-map.js';
import { deletionCostAnnotation, deletionCostError } from '../deletion-cost.js';
import type { PodRules } from '../rules.js';
import type { PodSpec } from '../types.js';
import { descendingPath } from './validate-paths.js';

type Annotations = Readonly<Record<string, string>>;
type Profile = { readonly type: string; readonly localhostProfile?: string | undefined };

/** Returns the annotation of a mirror pod: a pod that a node started from a file. */
export const mirrorAnnotation = ({ labelDomain }: Dialect): string => `${labelDomain}/config.mirror`;

const seccompOfPod = ({ labelDomain }: Dialect): string => `seccomp.security.alpha.${labelDomain}/pod`;
const seccompOfContainers = ({ labelDomain }: Dialect): string => `container.seccomp.security.alpha.${labelDomain}/`;
/** Returns the beginning of the annotations with the AppArmor profiles of containers, which their names follow. */
export const appArmorPrefix = ({ labelDomain }: Dialect): string => `container.apparmor.security.beta.${labelDomain}/`;

const LOCALHOST = 'localhost/';

function validateSeccompText(errors: FieldError[], path: string, profile: string): void {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return;
  if (profile.startsWith(LOCALHOST)) descendingPath(errors, path, profile.slice(LOCALHOST.length));
  else errors.push(invalid(path, profile, 'must be a valid seccomp profile'));
}

function validateAppArmorText(errors: FieldError[], path: string, profile: string): void {
  if (profile === '' || profile === 'runtime/default' || profile === 'unconfined') return;
  if (!profile.startsWith(LOCALHOST))
    errors.push(invalid(path, profile, `invalid AppArmor profile name: ${goQuote(profile)}`));
}

function* validateProfiles(
  errors: FieldErrorList,
  path: string,
  annotations: Annotations,
  spec: PodSpec,
  dialect: Dialect,
): Steps<void> {
  const ofPod = annotations[seccompOfPod(dialect)];
  if (ofPod !== undefined) validateSeccompText(errors, `${path}.${seccompOfPod(dialect)}`, ofPod);
  for (const [key, profile] of Object.entries(annotations)) {
    if (errors.spend()) yield;
    if (key.startsWith(seccompOfContainers(dialect))) validateSeccompText(errors, `${path}.${key}`, profile);
  }
  const names = new Set(placedContainers('', spec).map(({ container }) => container.name));
  for (const [key, profile] of Object.entries(annotations)) {
    if (errors.spend()) yield;
    if (!key.startsWith(appArmorPrefix(dialect))) continue;
    const name = key.slice(appArmorPrefix(dialect).length);
    if (!names.has(name)) errors.push(invalid(`${path}[${key}]`, name, 'container not found'));
    validateAppArmorText(errors, `${path}[${key}]`, profile);
  }
}

/** Validates the annotations with a meaning of a pod or template. */
export function* validatePodAnnotations(
  errors: FieldErrorList,
  path: string,
  annotations: Annotations,
  spec: PodSpec,
  { dialect, allowsInvalidDeletionCost }: PodRules,
): Steps<void> {
  const mirror = mirrorAnnotation(dialect);
  const value = annotations[mirror];
  if (value !== undefined && !spec.nodeName)
    errors.push(invalid(`${path}[${mirror}]`, value, 'must set spec.nodeName if mirror pod annotation is set'));
  const cost = allowsInvalidDeletionCost ? undefined : deletionCostError(annotations, dialect);
  if (cost !== undefined)
    errors.push(invalid(`${path}[${deletionCostAnnotation(dialect)}]`, cost, 'must be a 32bit integer'));
  if (!isEmptyMap(annotations)) yield* validateProfiles(errors, path, annotations, spec, dialect);
}

/** Validates a change of annotations: those of mirror pods and of AppArmor stay as they are. */
export function* validateAnnotationUpdate(
  errors: FieldErrorList,
  path: string,
  annotations: Annotations,
  old: Annotations,
  dialect: Dialect,
): Steps<void> {
  const mirror = mirrorAnnotation(dialect);
  const prefix = appArmorPrefix(dialect);
  const check = (key: string, verb: string): void => {
    if (key.startsWith(prefix)) errors.push(forbidden(`${path}[${key}]`, `may not ${verb} AppArmor annotations`));
    if (key === mirror) errors.push(forbidden(`${path}[${key}]`, `may not ${verb} mirror pod annotation`));
  };
  for (const [key, value] of Object.entries(old)) {
    if (errors.spend()) yield;
    if (annotations[key] !== value) check(key, 'remove or update');
  }
  for (const key of Object.keys(annotations)) {
    if (errors.spend()) yield;
    if (old[key] === undefined) check(key, 'add');
  }
}

/** Returns the part of a profile that an annotation contradicts; undefined when they agree. */
function contradiction(
  { type, localhostProfile }: Profile,
  annotation: string,
  defaults: readonly string[],
): 'type' | 'localhostProfile' | undefined {
  if (type === 'Unconfined') return annotation === 'unconfined' ? undefined : 'type';
  if (type === 'RuntimeDefault') return defaults.includes(annotation) ? undefined : 'type';
  if (type !== 'Localhost') return undefined;
  if (!annotation.startsWith(LOCALHOST)) return 'type';
  return annotation.slice(LOCALHOST.length) === localhostProfile ? undefined : 'localhostProfile';
}

function requireAgreement(
  errors: FieldError[],
  path: string,
  name: 'seccomp' | 'apparmor',
  profile: Profile | undefined,
  annotation: string | undefined,
): void {
  if (profile === undefined || annotation === undefined) return;
  const defaults = name === 'seccomp' ? ['runtime/default', 'docker/default'] : ['runtime/default'];
  const field = contradiction(profile, annotation, defaults);
  if (field === undefined) return;
  const part = field === 'type' ? 'type' : 'profile';
  errors.push(forbidden(`${path}.${field}`, `${name} ${part} in annotation and field must match`));
}

/** Validates that profiles in annotations are those of the fields of a pod or template. */
export function* validateSeccompAgreement(
  errors: FieldErrorList,
  path: string,
  annotations: Annotations,
  spec: PodSpec,
  dialect: Dialect,
): Steps<void> {
  if (isEmptyMap(annotations)) return;
  const ofPod = spec.securityContext?.seccompProfile;
  requireAgreement(
    errors,
    `${path}.securityContext.seccompProfile`,
    'seccomp',
    ofPod,
    annotations[seccompOfPod(dialect)],
  );
  for (const { container, path: at } of placedContainers(path, spec)) {
    if (errors.spend()) yield;
    const annotation = annotations[`${seccompOfContainers(dialect)}${container.name}`];
    const profile = container.securityContext?.seccompProfile;
    requireAgreement(errors, `${at}.securityContext.seccompProfile`, 'seccomp', profile, annotation);
  }
}

/** Validates that AppArmor profiles in the annotations of a new pod are those of its fields. */
export function* validateAppArmorAgreement(
  errors: FieldErrorList,
  path: string,
  annotations: Annotations,
  spec: PodSpec,
  dialect: Dialect,
): Steps<void> {
  if (spec.os?.name === 'windows' || isEmptyMap(annotations)) return;
  for (const { container, path: at } of placedContainers(path, spec)) {
    if (errors.spend()) yield;
    const profile = container.securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
    const annotation = annotations[`${appArmorPrefix(dialect)}${container.name}`];
    requireAgreement(errors, `${at}.securityContext.appArmorProfile`, 'apparmor', profile, annotation);
  }
}
