import { FieldErrorList, goQuote } from '../../../../foundation/index.js';
import type { RequestContext, Unvalidated } from '../../../../registry/index.js';
import { allContainers } from './containers.js';
import type { Container, EphemeralContainer, PodSpec, StoredPod } from './types.js';
import { appArmorPrefix } from './validate/validate-annotations.js';
import { validateAppArmor } from './validate/validate-security.js';

type Profile = NonNullable<NonNullable<PodSpec['securityContext']>['appArmorProfile']>;

const LOCALHOST = 'localhost/';

/** Returns the annotation that means the same as a field. */
function annotationOf({ type, localhostProfile }: Profile): string {
  if (type === 'Unconfined') return 'unconfined';
  if (type === 'RuntimeDefault') return 'runtime/default';
  return type === 'Localhost' && localhostProfile !== undefined ? `${LOCALHOST}${localhostProfile}` : '';
}

/** Returns the field that means the same as an annotation; undefined for one that means nothing or is invalid. */
function fieldOf(annotation: string): Profile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith(LOCALHOST)) return undefined;
  const profile = { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST.length) };
  const errors = new FieldErrorList();
  validateAppArmor(errors, '', profile);
  return errors.length === 0 ? profile : undefined;
}

/** Copies the profile of a container from its annotation. Returns whether the container got it. */
function copyToField(
  container: Container | EphemeralContainer,
  annotation: string,
  ofPod: Profile | undefined,
): boolean {
  const profile = fieldOf(annotation);
  if (profile === undefined) return false;
  if (profile.type === ofPod?.type && profile.localhostProfile === ofPod.localhostProfile) return false;
  container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  return true;
}

/**
 * Copies AppArmor profiles of a new pod between its annotations and its fields, so that nodes of any release understand
 * them, and warns of annotations that have no field.
 */
export function syncAppArmor(pod: Unvalidated<StoredPod>, { dialect, warn }: RequestContext): void {
  const spec = pod.spec as PodSpec;
  if (spec.os?.name === 'windows') return;
  const ofPod = spec.securityContext?.appArmorProfile;
  for (const container of allContainers(spec)) {
    const key = `${appArmorPrefix(dialect)}${container.name}`;
    const annotation = pod.metadata.annotations?.[key];
    const profile = container.securityContext?.appArmorProfile ?? ofPod;
    if (annotation === undefined) {
      const text = profile === undefined ? '' : annotationOf(profile);
      if (text !== '') pod.metadata.annotations = { ...pod.metadata.annotations, [key]: text };
    } else if (container.securityContext?.appArmorProfile === undefined && copyToField(container, annotation, ofPod))
      warn(`metadata.annotations[${key}]: deprecated since v1.30; use the ${goQuote('appArmorProfile')} field instead`);
  }
}
