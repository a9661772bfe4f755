import { duplicate, forbidden, invalid, notSupported, required, type FieldError } from '../../../meta/field-error.js';
import { dnsLabelErrors, dnsSubdomain } from '../../../meta/names.js';
import { parseQuantity } from '../../../meta/quantity.js';
import { nameErrors } from '../../shared/validate.js';
import type { Volume } from './types.js';
import { fileMode, fileWithinVolume, noBacksteps } from './validate-paths.js';
import { validateProjected } from './validate-projected.js';
import { validateDownwardItems, validateItems } from './validate-volume-items.js';

/** The valid volumes by name, so that a mount of an invalid volume is reported as not found. */
export type VolumesByName = ReadonlyMap<string, Volume>;

type SourceName = Exclude<keyof Volume, 'name'>;
type Check<Name extends SourceName> = (errors: FieldError[], path: string, source: NonNullable<Volume[Name]>) => void;

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** The sources whose fields are validated. Vendor-specific sources are only counted. */
const checks: { readonly [Name in SourceName]?: Check<Name> } = {
  emptyDir(errors, path, { sizeLimit }) {
    if (sizeLimit !== undefined && (parseQuantity(sizeLimit)?.unscaled ?? 0n) < 0n) {
      errors.push(forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
    }
  },
  hostPath(errors, path, { path: target, type = '' }) {
    if (!target) return void errors.push(required(`${path}.path`));
    noBacksteps(errors, `${path}.path`, target);
    if (!HOST_PATH_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, HOST_PATH_TYPES));
  },
  gitRepo(errors, path, { repository, directory }) {
    if (!repository) errors.push(required(`${path}.repository`));
    fileWithinVolume(errors, `${path}.directory`, directory ?? '');
  },
  secret(errors, path, { secretName, items, defaultMode }) {
    if (!secretName) errors.push(required(`${path}.secretName`));
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    validateItems(errors, `${path}.items`, items);
  },
  nfs(errors, path, { server, path: target }) {
    if (!server) errors.push(required(`${path}.server`));
    if (!target) errors.push(required(`${path}.path`));
    if (!target.startsWith('/')) errors.push(invalid(`${path}.path`, target, 'must be an absolute path'));
  },
  persistentVolumeClaim(errors, path, { claimName }) {
    if (!claimName) errors.push(required(`${path}.claimName`));
  },
  downwardAPI(errors, path, { items, defaultMode }) {
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    validateDownwardItems(errors, path, items);
  },
  configMap(errors, path, { name, items, defaultMode }) {
    if (!name) errors.push(required(`${path}.name`));
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    validateItems(errors, `${path}.items`, items);
  },
  projected: validateProjected,
  csi(errors, path, { driver, nodePublishSecretRef: secret }) {
    if (!driver) errors.push(required(`${path}.driver`));
    else nameErrors(errors, `${path}.driver`, driver, dnsSubdomain(driver.toLowerCase(), false));
    if (secret === undefined) return;
    if (!secret.name) errors.push(required(`${path}.nodePublishSecretRef.name`));
    else nameErrors(errors, `${path}.nodePublishSecretRef.name`, secret.name, dnsSubdomain(secret.name, false));
  },
  ephemeral(errors, path, { volumeClaimTemplate }) {
    if (volumeClaimTemplate === undefined) return void errors.push(required(`${path}.volumeClaimTemplate`));
    const at = `${path}.volumeClaimTemplate.spec`;
    const { accessModes = [], resources } = volumeClaimTemplate.spec;
    if (accessModes.length === 0) errors.push(required(`${at}.accessModes`, 'at least 1 access mode is required'));
    if (resources?.requests?.['storage'] === undefined) errors.push(required(`${at}.resources[storage]`));
  },
  image(errors, path, { reference }) {
    if (!reference) errors.push(required(`${path}.reference`));
  },
};

/** The order in which Kubernetes checks sources: the first one counts, further ones are errors. */
const SOURCES: readonly SourceName[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

function validateSource<Name extends SourceName>(errors: FieldError[], path: string, volume: Volume, name: Name): void {
  const source = volume[name];
  const check = checks[name];
  if (source !== undefined && source !== null) check?.(errors, `${path}.${name}`, source);
}

function validateSources(errors: FieldError[], path: string, volume: Volume): void {
  let found = 0;
  for (const name of SOURCES) {
    if (volume[name] === undefined) continue;
    if (found > 0) errors.push(forbidden(`${path}.${name}`, 'may not specify more than 1 volume type'));
    else validateSource(errors, path, volume, name);
    found += 1;
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
}

/** Validates the volumes of a pod. @returns the valid volumes by name */
export function validateVolumes(errors: FieldError[], path: string, volumes: readonly Volume[]): VolumesByName {
  const good = new Map<string, Volume>();
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`;
    const found: FieldError[] = [];
    validateSources(found, at, volume);
    if (!volume.name) found.push(required(`${at}.name`));
    else nameErrors(found, `${at}.name`, volume.name, dnsLabelErrors(volume.name));
    if (good.has(volume.name)) found.push(duplicate(`${at}.name`, volume.name));
    if (found.length === 0) good.set(volume.name, volume);
    else errors.push(...found);
  }
  return good;
}
