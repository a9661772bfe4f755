import {
  forbidden,
  invalid,
  notFoundField,
  notSupported,
  required,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../../foundation/index.js';
import type { Container } from '../types.js';
import { descendingPath } from './validate-paths.js';
import type { VolumesByName } from './validate-volumes.js';

type Mount = NonNullable<Container['volumeMounts']>[number];

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible'];
const UNIQUE = 'must be unique';

function validatePropagation(
  errors: FieldError[],
  path: string,
  propagation: string | undefined,
  privileged: boolean,
): void {
  if (propagation === undefined) return;
  if (!PROPAGATIONS.includes(propagation)) errors.push(notSupported(path, propagation, PROPAGATIONS));
  if (propagation === 'Bidirectional' && !privileged) {
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
  }
}

function validateRecursiveReadOnly(
  errors: FieldError[],
  path: string,
  { recursiveReadOnly, readOnly, mountPropagation }: Mount,
): void {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return;
  if (!RECURSIVE_READ_ONLY.includes(recursiveReadOnly))
    return void errors.push(notSupported(path, recursiveReadOnly, RECURSIVE_READ_ONLY));
  if (!readOnly) errors.push(forbidden(path, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'));
  }
}

/** Refuses parts of the volume of an image. */
function validateImageMount(errors: FieldError[], path: string, mount: Mount, volumes: VolumesByName): void {
  if (volumes.get(mount.name)?.image === undefined) return;
  for (const field of ['subPath', 'subPathExpr'] as const) {
    const value = mount[field];
    if (value) errors.push(invalid(`${path}.${field}`, value, 'not allowed in image volume sources'));
  }
}

/** Kubernetes reports the path of the list, not of the mount, for these fields. */
function validateSubPaths(errors: FieldError[], path: string, at: string, { subPath, subPathExpr }: Mount): void {
  if (subPath) descendingPath(errors, `${path}.subPath`, subPath);
  if (!subPathExpr) return;
  if (subPath) errors.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  descendingPath(errors, `${path}.subPathExpr`, subPathExpr);
}

/** Validates the volume mounts of a container. */
export function* validateMounts(
  errors: FieldErrorList,
  path: string,
  container: Container,
  volumes: VolumesByName,
): Steps<void> {
  const { volumeMounts = [], volumeDevices = [], securityContext } = container;
  const taken = new Set<string>();
  const deviceNames = new Set(volumeDevices.map((device) => device.name));
  const devicePaths = new Set(volumeDevices.map((device) => device.devicePath));
  for (const [index, mount] of volumeMounts.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const { name, mountPath } = mount;
    if (!name) errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFoundField(`${at}.name`, name));
    if (!mountPath) errors.push(required(`${at}.mountPath`));
    if (taken.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, UNIQUE));
    taken.add(mountPath);
    if (deviceNames.has(name)) errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    }
    validateImageMount(errors, at, mount, volumes);
    validateSubPaths(errors, path, at, mount);
    validatePropagation(
      errors,
      `${path}.mountPropagation`,
      mount.mountPropagation,
      securityContext?.privileged === true,
    );
    validateRecursiveReadOnly(errors, `${path}.recursiveReadOnly`, mount);
  }
}

/** Validates the block devices of a container, which must be claims. */
export function* validateDevices(
  errors: FieldErrorList,
  path: string,
  container: Container,
  volumes: VolumesByName,
): Steps<void> {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mountNames = new Set(container.volumeMounts?.map((mount) => mount.name));
  const mountPaths = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath));
  for (const [index, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const volume = volumes.get(name);
    if (!name) errors.push(required(`${at}.name`));
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, UNIQUE));
    if (volume === undefined) errors.push(notFoundField(`${at}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      errors.push(
        invalid(
          `${at}.name`,
          name,
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
        ),
      );
    }
    if (!devicePath) errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, UNIQUE));
    if (devicePath.split('/').includes('..'))
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mountNames.has(name)) errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'));
    if (mountPaths.has(devicePath))
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name) names.add(name);
  }
}
