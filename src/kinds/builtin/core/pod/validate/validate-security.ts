import {
  forbidden,
  invalid,
  isSteps,
  notSupported,
  required,
  tooLong,
  utf8Length,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { between, each, fields, oneOf } from '../../../shared/field-rules.js';
import type { PodRules } from '../rules.js';
import type { Container, PodSpec } from '../types.js';
import { descendingPath } from './validate-paths.js';
import { validateSysctls } from './validate-sysctls.js';
import { validateWindowsOptions } from './validate-windows.js';

const id = between(0, 2 ** 31 - 1);
const idRules = fields<coreV1.PodSecurityContext>({
  fsGroup: id,
  runAsUser: id,
  runAsGroup: id,
  supplementalGroups: each(id),
});
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

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
    else descendingPath(errors, `${path}.localhostProfile`, localhostProfile);
  } else if (localhostProfile !== undefined) {
    errors.push(invalid(`${path}.localhostProfile`, profile, 'can only be set when seccomp type is Localhost'));
  }
}

const MAX_PROFILE_LENGTH = 4095;
const PROFILE_REQUIRED = 'must be set when AppArmor type is Localhost';

function validateLocalProfile(errors: FieldError[], path: string, profile: string | undefined): void {
  if (profile === undefined) return void errors.push(required(path, PROFILE_REQUIRED));
  if (profile.trim() !== profile) errors.push(invalid(path, profile, 'must not be padded with whitespace'));
  else if (profile === '') errors.push(required(path, PROFILE_REQUIRED));
  if (utf8Length(profile) > MAX_PROFILE_LENGTH) errors.push(tooLong(path, '', MAX_PROFILE_LENGTH));
}

/** Validates an AppArmor profile. */
export function validateAppArmor(errors: FieldError[], path: string, profile: Profile | undefined): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (type === 'Localhost') return validateLocalProfile(errors, `${path}.localhostProfile`, localhostProfile);
  if (type === '') errors.push(required(`${path}.type`, 'type is required when appArmorProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, PROFILE_TYPES));
  else if (localhostProfile !== undefined)
    errors.push(
      invalid(`${path}.localhostProfile`, localhostProfile, 'can only be set when AppArmor type is Localhost'),
    );
}

const policyRules = fields<coreV1.PodSecurityContext>({
  fsGroupChangePolicy: oneOf(['Always', 'OnRootMismatch']),
  seccompProfile: validateSeccomp,
  windowsOptions: validateWindowsOptions,
  appArmorProfile: validateAppArmor,
  supplementalGroupsPolicy: oneOf(['Merge', 'Strict']),
});

/** Validates the security settings of a pod. */
export function* validatePodSecurity(
  errors: FieldErrorList,
  path: string,
  spec: PodSpec,
  { allowsHostSysctls }: PodRules,
): Steps<void> {
  const { securityContext } = spec;
  if (securityContext === undefined) return;
  const groups = idRules(errors, path, securityContext);
  if (isSteps(groups)) yield* groups;
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(
      invalid(`${path}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  }
  if (securityContext.sysctls !== undefined) yield* validateSysctls(errors, `${path}.sysctls`, spec, allowsHostSysctls);
  const policies = policyRules(errors, path, securityContext);
  if (isSteps(policies)) yield* policies;
}

const PROC_MOUNTS = ['Default', 'Unmasked'];

function validateProcMount(errors: FieldError[], path: string, procMount: string, hostUsers: boolean): void {
  if (!PROC_MOUNTS.includes(procMount)) errors.push(notSupported(path, procMount, PROC_MOUNTS));
  if (hostUsers && procMount === 'Unmasked')
    errors.push(invalid(path, procMount, '`hostUsers` must be false to use `Unmasked`'));
}

/** Validates the security settings of a container. */
export function validateContainerSecurity(
  errors: FieldErrorList,
  path: string,
  context: Container['securityContext'],
  { hostUsers, rules }: { readonly hostUsers: boolean; readonly rules: PodRules },
): void {
  if (context === undefined) return;
  if (context.privileged === true && !rules.allowsPrivileged)
    errors.push(forbidden(`${path}.privileged`, 'disallowed by cluster policy'));
  id(errors, `${path}.runAsUser`, context.runAsUser);
  id(errors, `${path}.runAsGroup`, context.runAsGroup);
  if (context.procMount !== undefined) validateProcMount(errors, `${path}.procMount`, context.procMount, hostUsers);
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
  validateWindowsOptions(errors, `${path}.windowsOptions`, context.windowsOptions);
  validateAppArmor(errors, `${path}.appArmorProfile`, context.appArmorProfile);
}
