import {
  appendErrors,
  dnsLabelErrors,
  dnsSubdomain,
  duplicate,
  FieldErrorList,
  forbidden,
  goQuote,
  invalid,
  isSteps,
  notSupported,
  ownMember,
  parseQuantity,
  required,
  type FieldError,
  type MaybeSteps,
  type Steps,
} from '../../../../../foundation/index.js';
import { nameErrors, oneOf } from '../../../shared/validate.js';
import type { PodRules } from '../rules.js';
import type { Volume } from '../types.js';
import { validateEphemeralVolume } from './validate-ephemeral-volume.js';
import { legacyChecks, validateIscsiName } from './validate-legacy-volumes.js';
import { descendingPath, fileMode, noBacksteps } from './validate-paths.js';
import { validateProjected } from './validate-projected.js';
import { validateDownwardItems, validateItems } from './validate-volume-items.js';

/** The valid volumes by name, so that a mount of an invalid volume is reported as not found. */
export type VolumesByName = ReadonlyMap<string, Volume>;

type SourceName = Exclude<keyof Volume, 'name'>;
type Check<Name extends SourceName> = (
  errors: FieldErrorList,
  path: string,
  source: NonNullable<Volume[Name]>,
  rules: PodRules,
) => MaybeSteps<void>;

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
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

const checks: { readonly [Name in SourceName]?: Check<Name> } = {
  ...legacyChecks,
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
    descendingPath(errors, `${path}.directory`, directory ?? '');
  },
  *secret(errors, path, { secretName, items, defaultMode }) {
    if (!secretName) errors.push(required(`${path}.secretName`));
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    yield* validateItems(errors, `${path}.items`, items);
  },
  nfs(errors, path, { server, path: target }) {
    if (!server) errors.push(required(`${path}.server`));
    if (!target) errors.push(required(`${path}.path`));
    if (!target.startsWith('/')) errors.push(invalid(`${path}.path`, target, 'must be an absolute path'));
  },
  persistentVolumeClaim(errors, path, { claimName }) {
    if (!claimName) errors.push(required(`${path}.claimName`));
  },
  *downwardAPI(errors, path, { items, defaultMode }) {
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    yield* validateDownwardItems(errors, path, items);
  },
  *configMap(errors, path, { name, items, defaultMode }) {
    if (!name) errors.push(required(`${path}.name`));
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    yield* validateItems(errors, `${path}.items`, items);
  },
  projected: validateProjected,
  csi(errors, path, { driver, nodePublishSecretRef: secret }) {
    if (!driver) errors.push(required(`${path}.driver`));
    else nameErrors(errors, `${path}.driver`, driver, dnsSubdomain(driver.toLowerCase(), false));
    if (secret === undefined) return;
    if (!secret.name) errors.push(required(`${path}.nodePublishSecretRef.name`));
    else nameErrors(errors, `${path}.nodePublishSecretRef.name`, secret.name, dnsSubdomain(secret.name, false));
  },
  ephemeral: validateEphemeralVolume,
  image(errors, path, { reference, pullPolicy }, { isPod }) {
    if (isPod && !reference) errors.push(required(`${path}.reference`));
    oneOf(errors, `${path}.pullPolicy`, pullPolicy, PULL_POLICIES);
  },
};

const NO_NAMES: ReadonlySet<string> = new Set();

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

/** Names that errors show instead of the field's, when a source is the second one, and when it is checked. */
const SECOND_NAMES: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
const CHECKED_NAMES: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

function validateSource<Name extends SourceName>(
  errors: FieldErrorList,
  path: string,
  volume: Volume,
  name: Name,
  rules: PodRules,
): MaybeSteps<void> {
  const source = volume[name];
  const check = checks[name];
  if (source !== undefined && source !== null)
    return check?.(errors, `${path}.${ownMember(CHECKED_NAMES, name) ?? name}`, source, rules);
}

/** Returns the sources of a volume, in the order in which Kubernetes checks them. */
function sourcesOf(volume: Volume): readonly SourceName[] {
  const present: SourceName[] = [];
  for (const field in volume)
    if (field !== 'name' && volume[field as SourceName] !== undefined) present.push(field as SourceName);
  // One source, as a valid volume has, needs no order.
  return present.length < 2 ? present : SOURCES.filter((name) => present.includes(name));
}

function* validateSources(errors: FieldErrorList, path: string, volume: Volume, rules: PodRules): Steps<void> {
  let found = 0;
  for (const name of sourcesOf(volume)) {
    if (found > 0)
      errors.push(
        forbidden(`${path}.${ownMember(SECOND_NAMES, name) ?? name}`, 'may not specify more than 1 volume type'),
      );
    else {
      const steps = validateSource(errors, path, volume, name, rules);
      if (isSteps(steps)) yield* steps;
    }
    if (name === 'iscsi') validateIscsiName(errors, path, volume);
    found += 1;
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
  if (volume.ephemeral !== undefined) validateClaimName(errors, path, volume, rules);
}

/** Validates the name of the claim that a pod creates for a volume. */
function validateClaimName(errors: FieldError[], path: string, { name }: Volume, { podName }: PodRules): void {
  if (podName === '' || name === '') return;
  const claim = `${podName}-${name}`;
  for (const problem of dnsSubdomain(claim, false))
    errors.push(invalid(`${path}.name`, name, `PVC name ${goQuote(claim)}: ${problem}`));
}

/** Refuses a claim that the pod itself creates for another volume. */
function validateOwnClaim(
  errors: FieldError[],
  path: string,
  { persistentVolumeClaim: claim }: Volume,
  created: ReadonlySet<string>,
): void {
  if (claim === undefined || !created.has(claim.claimName)) return;
  errors.push(
    invalid(
      `${path}.persistentVolumeClaim.claimName`,
      claim.claimName,
      'must not reference a PVC that gets created for an ephemeral volume',
    ),
  );
}

/** Validates the volumes of a pod. @returns the valid volumes by name */
export function* validateVolumes(
  errors: FieldErrorList,
  path: string,
  volumes: readonly Volume[],
  rules: PodRules,
): Steps<VolumesByName> {
  const { podName } = rules;
  const created =
    podName === ''
      ? NO_NAMES
      : new Set(volumes.filter(({ ephemeral }) => ephemeral !== undefined).map(({ name }) => `${podName}-${name}`));
  const good = new Map<string, Volume>();
  for (const [index, volume] of volumes.entries()) {
    if (errors.spend()) yield;
    const at = `${path}[${index}]`;
    const found = new FieldErrorList(errors.work);
    yield* validateSources(found, at, volume, rules);
    if (!volume.name) found.push(required(`${at}.name`));
    else nameErrors(found, `${at}.name`, volume.name, dnsLabelErrors(volume.name));
    if (good.has(volume.name)) found.push(duplicate(`${at}.name`, volume.name));
    if (found.length === 0) good.set(volume.name, volume);
    else appendErrors(errors, found);
    validateOwnClaim(errors, at, volume, created);
  }
  return good;
}
