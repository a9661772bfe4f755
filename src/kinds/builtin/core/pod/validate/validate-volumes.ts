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
  ownMember,
  parseQuantity,
  required,
  type FieldError,
  type MaybeSteps,
  type Steps,
} from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { fields, mandatory, oneOf, valid } from '../../../shared/field-rules.js';
import { nameErrors } from '../../../shared/validate.js';
import { CHECKED_NAMES, driverOptionsErrors, SECOND_NAMES } from '../../volume-sources.js';
import type { PodRules } from '../rules.js';
import type { Volume } from '../types.js';
import { validateEphemeralVolume } from './validate-ephemeral-volume.js';
import { legacyRules, validateIscsiName } from './validate-legacy-volumes.js';
import { descendingPath, fileMode } from './validate-paths.js';
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

const pullPolicy = mandatory(oneOf(['Always', 'IfNotPresent', 'Never']));

const checks: { readonly [Name in SourceName]?: Check<Name> } = {
  ...legacyRules,
  *flexVolume(errors, path, { driver, options }, { dialect }) {
    if (!driver) errors.push(required(`${path}.driver`));
    yield* driverOptionsErrors(errors, `${path}.options`, options, dialect);
  },
  emptyDir(errors, path, { sizeLimit }) {
    if (sizeLimit !== undefined && (parseQuantity(sizeLimit)?.unscaled ?? 0n) < 0n) {
      errors.push(forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
    }
  },
  gitRepo: fields<coreV1.GitRepoVolumeSource>({
    repository: mandatory(),
    directory: (errors, path, directory = '') => descendingPath(errors, path, directory),
  }),
  secret: fields<coreV1.SecretVolumeSource>({ secretName: mandatory(), defaultMode: fileMode, items: validateItems }),
  persistentVolumeClaim: fields<coreV1.PersistentVolumeClaimVolumeSource>({ claimName: mandatory() }),
  *downwardAPI(errors, path, { items, defaultMode }) {
    fileMode(errors, `${path}.defaultMode`, defaultMode);
    yield* validateDownwardItems(errors, path, items);
  },
  configMap: fields<coreV1.ConfigMapVolumeSource>({ name: mandatory(), defaultMode: fileMode, items: validateItems }),
  projected: validateProjected,
  csi: fields<coreV1.CSIVolumeSource>({
    driver: mandatory(valid((driver: string) => dnsSubdomain(driver.toLowerCase(), false))),
    nodePublishSecretRef: fields<coreV1.LocalObjectReference>({ name: mandatory(valid(dnsSubdomain)) }),
  }),
  ephemeral: validateEphemeralVolume,
  image(errors, path, source, { isPod }) {
    if (isPod && !source.reference) errors.push(required(`${path}.reference`));
    pullPolicy(errors, `${path}.pullPolicy`, source.pullPolicy);
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
