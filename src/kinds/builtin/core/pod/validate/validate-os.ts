import { forbidden, notSupported, required, type FieldErrorList, type Steps } from '../../../../../foundation/index.js';
import { placedContainers } from '../containers.js';
import type { Container, PodSpec } from '../types.js';

const SYSTEMS = ['linux', 'windows'];
const NOT_LINUX = 'windows options cannot be set for a linux pod';
const NOT_WINDOWS = 'cannot be set for a windows pod';

type PodSecurity = NonNullable<PodSpec['securityContext']>;
type ContainerSecurity = NonNullable<Container['securityContext']>;

/** Settings of a pod that Windows does not have, in the order of the errors; those with a dot are of the spec. */
const POD_FIELDS: readonly (keyof PodSecurity | `.${keyof PodSpec}`)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  '.hostUsers',
  '.hostPID',
  '.hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  '.shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
];

/** Settings of a container that Windows does not have. */
const CONTAINER_FIELDS: readonly (keyof ContainerSecurity)[] = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

function* validateLinux(errors: FieldErrorList, path: string, spec: PodSpec): Steps<void> {
  if (spec.securityContext?.windowsOptions !== undefined)
    errors.push(forbidden(`${path}.securityContext.windowsOptions`, NOT_LINUX));
  for (const { container, path: at } of placedContainers(path, spec)) {
    if (errors.spend()) yield;
    if (container.securityContext?.windowsOptions !== undefined)
      errors.push(forbidden(`${at}.securityContext.windowsOptions`, NOT_LINUX));
  }
}

/** Returns whether a field has a value. Go omits `false` of these fields of the spec, which have no pointer. */
const isSet = (spec: PodSpec, field: string): boolean => {
  const value = (spec as Readonly<Record<string, unknown>>)[field];
  return value !== undefined && (value !== false || (field !== 'hostPID' && field !== 'hostIPC'));
};

function* validateWindows(errors: FieldErrorList, path: string, spec: PodSpec): Steps<void> {
  const { securityContext = {} } = spec;
  for (const field of POD_FIELDS) {
    if (field.startsWith('.')) {
      if (isSet(spec, field.slice(1))) errors.push(forbidden(`${path}${field}`, NOT_WINDOWS));
    } else if (securityContext[field as keyof PodSecurity] !== undefined)
      errors.push(forbidden(`${path}.securityContext.${field}`, NOT_WINDOWS));
  }
  for (const { container, path: at } of placedContainers(path, spec)) {
    if (errors.spend()) yield;
    for (const field of CONTAINER_FIELDS)
      if (container.securityContext?.[field] !== undefined)
        errors.push(forbidden(`${at}.securityContext.${field}`, NOT_WINDOWS));
  }
}

/** Validates the operating system of a pod, and the settings that it does not have. */
export function* validateOs(errors: FieldErrorList, path: string, spec: PodSpec): Steps<void> {
  const { os } = spec;
  if (os === undefined) return;
  if (os.name === '') errors.push(required(`${path}.os.name`, 'cannot be empty'));
  else if (!SYSTEMS.includes(os.name)) errors.push(notSupported(`${path}.os`, os.name, SYSTEMS));
  else if (os.name === 'linux') yield* validateLinux(errors, path, spec);
  else yield* validateWindows(errors, path, spec);
}
