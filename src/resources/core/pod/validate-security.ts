import { invalid, notSupported, required, type FieldError } from '../../../meta/field-error.js';
import type { Container, PodSpec } from './types.js';

const ID_RANGE = 'must be between 0 and 2147483647, inclusive';
const MAX_ID = 2 ** 31 - 1;
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateId(errors: FieldError[], path: string, id: number | undefined): void {
  if (id !== undefined && (id < 0 || id > MAX_ID)) errors.push(invalid(path, id, ID_RANGE));
}

type Profile = { type: string; localhostProfile?: string | undefined };

function validateSeccomp(errors: FieldError[], path: string, profile: Profile | undefined): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (!type) return void errors.push(required(`${path}.type`, 'type is required when seccompProfile is set'));
  if (!PROFILE_TYPES.includes(type)) return void errors.push(notSupported(`${path}.type`, type, PROFILE_TYPES));
  if (type === 'Localhost') {
    // Kubernetes writes this trailing space.
    if (localhostProfile === undefined)
      errors.push(required(`${path}.localhostProfile`, 'must be set when seccomp type is Localhost '));
  } else if (localhostProfile !== undefined) {
    errors.push(invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost'));
  }
}

function validateAppArmor(errors: FieldError[], path: string, profile: Profile | undefined): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (type === 'Localhost') {
    if (localhostProfile === undefined)
      errors.push(required(`${path}.localhostProfile`, 'must be set when AppArmor type is Localhost'));
  } else if (localhostProfile !== undefined) {
    errors.push(
      invalid(`${path}.localhostProfile`, localhostProfile, 'can only be set when AppArmor type is Localhost'),
    );
  }
  if (!type) errors.push(required(`${path}.type`, 'type is required when appArmorProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, PROFILE_TYPES));
}

/** Validates the security settings of a pod. */
export function validatePodSecurity(errors: FieldError[], path: string, spec: PodSpec): void {
  const { securityContext } = spec;
  if (securityContext === undefined) return;
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup'] as const)
    validateId(errors, `${path}.${field}`, securityContext[field]);
  for (const [index, group] of (securityContext.supplementalGroups ?? []).entries())
    validateId(errors, `${path}.supplementalGroups[${index}]`, group);
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(
      invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  }
  validateSeccomp(errors, `${path}.seccompProfile`, securityContext.seccompProfile);
  validateAppArmor(errors, `${path}.appArmorProfile`, securityContext.appArmorProfile);
}

/** Validates the security settings of a container. */
export function validateContainerSecurity(
  errors: FieldError[],
  path: string,
  context: Container['securityContext'],
): void {
  if (context === undefined) return;
  validateId(errors, `${path}.runAsUser`, context.runAsUser);
  validateId(errors, `${path}.runAsGroup`, context.runAsGroup);
  validateSeccomp(errors, `${path}.seccompProfile`, context.seccompProfile);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged)
      errors.push(invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
    if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) {
      errors.push(
        invalid(path, context, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'),
      );
    }
  }
  validateAppArmor(errors, `${path}.appArmorProfile`, context.appArmorProfile);
}
