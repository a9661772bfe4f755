import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  forbidden,
  invalid,
  notSupported,
  ownMember,
  required,
  resultOf,
  tooLong,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type MaybeSteps,
  type Steps,
} from '../../../../foundation/index.js';
import type { coreV1 } from '../../../types/index.js';
import { nameErrors } from '../../shared/validate.js';
import { noBacksteps } from '../pod/validate/validate-paths.js';
import {
  validateAzureDisk,
  validateDisk,
  validateDriverOptions,
  validateFibreChannel,
  validateTarget,
} from './validate-disks.js';

type Spec = coreV1.PersistentVolumeSpec;

/** Names of the sources of a volume, in the order in which Kubernetes checks them: the first one counts. */
export const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof Spec)[];

type SourceName = (typeof SOURCES)[number];

/** The facts that the checks of sources need besides the source. */
export interface SourceContext {
  /** Name of the volume; empty for one that is part of another object. */
  readonly volumeName: string;
  readonly dialect: Dialect;
}

type Check<Name extends SourceName> = (
  errors: FieldErrorList,
  path: string,
  source: NonNullable<Spec[Name]>,
  context: SourceContext,
) => MaybeSteps<void>;

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

const HOST_AND_PORTS = 'must be a host:port pair or multiple pairs separated by commas';
const MAX_TENANT_BYTES = 64;
const MAX_DRIVER_NAME_BYTES = 63;

/** Adds an error for each field that is absent or empty. */
function requireFields<Source extends object>(
  errors: FieldError[],
  path: string,
  source: Source,
  ...fields: readonly (keyof Source & string)[]
): void {
  for (const field of fields) {
    const value = source[field];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      errors.push(required(`${path}.${field}`));
  }
}

interface Reference {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Requires the name and the namespace of a secret, if it is referred to. */
function completeReference(errors: FieldError[], path: string, secret: Reference | undefined): void {
  if (secret === undefined) return;
  if (!secret.name) errors.push(required(`${path}.name`));
  if (!secret.namespace) errors.push(required(`${path}.namespace`));
}

/** Requires a valid name and namespace of a secret, if it is referred to. */
function validReference(errors: FieldError[], path: string, secret: Reference | undefined): void {
  if (secret === undefined) return;
  const { name = '', namespace = '' } = secret;
  if (name === '') errors.push(required(`${path}.name`));
  else nameErrors(errors, `${path}.name`, name, dnsSubdomainErrors(name));
  if (namespace === '') errors.push(required(`${path}.namespace`));
  else nameErrors(errors, `${path}.namespace`, namespace, dnsLabelErrors(namespace));
}

/** Adds the errors of the name of a CSI driver. */
export function validateDriverName(errors: FieldError[], path: string, name: string): void {
  if (name === '') errors.push(required(path));
  if (name.length > MAX_DRIVER_NAME_BYTES) errors.push(tooLong(path, '', MAX_DRIVER_NAME_BYTES));
  nameErrors(errors, path, name, dnsSubdomainErrors(name.toLowerCase()));
}

const checks: { readonly [Name in SourceName]: Check<Name> } = {
  hostPath(errors, path, { path: target, type = '' }) {
    if (!target) return void errors.push(required(`${path}.path`));
    noBacksteps(errors, `${path}.path`, target);
    if (!HOST_PATH_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, HOST_PATH_TYPES));
  },
  // Kubernetes reports another name here.
  gcePersistentDisk: (errors, path, source) =>
    validateDisk(errors, path.replace(/gcePersistentDisk$/, 'persistentDisk'), 'pdName', source.pdName, source),
  awsElasticBlockStore: (errors, path, source) => validateDisk(errors, path, 'volumeID', source.volumeID, source),
  glusterfs(errors, path, source) {
    requireFields(errors, path, source, 'endpoints', 'path');
    const { endpointsNamespace: namespace } = source;
    if (namespace === undefined) return;
    const problems =
      namespace === ''
        ? ['if the endpointnamespace is set, it must be a valid namespace name']
        : dnsLabelErrors(namespace);
    nameErrors(errors, `${path}.endpointsNamespace`, namespace, problems);
  },
  flocker(errors, path, { datasetName = '', datasetUUID = '' }) {
    if (datasetName === '' && datasetUUID === '')
      errors.push(required(path, 'one of datasetName and datasetUUID is required'));
    if (datasetName !== '' && datasetUUID !== '')
      errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
    if (datasetName.includes('/')) errors.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
  },
  nfs(errors, path, source) {
    requireFields(errors, path, source, 'server', 'path');
    if (!source.path.startsWith('/')) errors.push(invalid(`${path}.path`, source.path, 'must be an absolute path'));
  },
  rbd: (errors, path, source) => requireFields(errors, path, source, 'monitors', 'image'),
  quobyte(errors, path, { registry, tenant = '', volume }) {
    if (registry === '') errors.push(required(`${path}.registry`, HOST_AND_PORTS));
    else if (tenant.length > MAX_TENANT_BYTES)
      errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
    else
      for (const pair of registry.split(','))
        if (!isHostAndPort(pair)) errors.push(invalid(`${path}.registry`, registry, HOST_AND_PORTS));
    if (volume === '') errors.push(required(`${path}.volume`));
  },
  cephfs: (errors, path, source) => requireFields(errors, path, source, 'monitors'),
  iscsi: (errors, path, source, { volumeName }) => validateTarget(errors, path, source, volumeName),
  cinder(errors, path, source) {
    requireFields(errors, path, source, 'volumeID');
    completeReference(errors, `${path}.secretRef`, source.secretRef);
  },
  fc: validateFibreChannel,
  *flexVolume(errors, path, source, { dialect }) {
    requireFields(errors, path, source, 'driver');
    yield* validateDriverOptions(errors, `${path}.options`, source.options, dialect);
  },
  azureFile(errors, path, source) {
    requireFields(errors, path, source, 'secretName', 'shareName');
    if (source.secretNamespace === '') errors.push(required(`${path}.secretNamespace`));
  },
  vsphereVolume: (errors, path, source) => requireFields(errors, path, source, 'volumePath'),
  photonPersistentDisk: (errors, path, source) => requireFields(errors, path, source, 'pdID'),
  portworxVolume: (errors, path, source) => requireFields(errors, path, source, 'volumeID'),
  azureDisk: validateAzureDisk,
  scaleIO(errors, path, source) {
    requireFields(errors, path, source, 'gateway', 'system', 'volumeName');
  },
  local(errors, path, { path: target }) {
    if (!target) return void errors.push(required(`${path}.path`));
    noBacksteps(errors, `${path}.path`, target);
  },
  storageos(errors, path, { volumeName = '', volumeNamespace = '', secretRef }) {
    if (volumeName === '') errors.push(required(`${path}.volumeName`));
    else nameErrors(errors, `${path}.volumeName`, volumeName, dnsLabelErrors(volumeName));
    if (volumeNamespace !== '')
      nameErrors(errors, `${path}.volumeNamespace`, volumeNamespace, dnsLabelErrors(volumeNamespace));
    completeReference(errors, `${path}.secretRef`, secretRef);
  },
  csi(errors, path, source) {
    validateDriverName(errors, `${path}.driver`, source.driver);
    requireFields(errors, path, source, 'volumeHandle');
    for (const field of [
      'controllerPublishSecretRef',
      'controllerExpandSecretRef',
      'nodePublishSecretRef',
      'nodeExpandSecretRef',
    ] as const)
      validReference(errors, `${path}.${field}`, source[field]);
  },
};

/** Returns true for `host:port` and `[host]:port`, both parts possibly empty. */
const isHostAndPort = (text: string): boolean => /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text);

/** Kubernetes spells one source differently when it is the second one. */
const SECOND_SOURCE: Readonly<Record<string, string>> = { cephfs: 'cephFS' };

function validateSource<Name extends SourceName>(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  name: Name,
  context: SourceContext,
): MaybeSteps<void> {
  const source = spec[name];
  const check: Check<Name> = checks[name];
  return source === undefined || source === null ? undefined : check(errors, `${path}.${name}`, source, context);
}

/** Adds the errors of the sources of a volume: exactly one is required. */
export function* validateSources(
  errors: FieldErrorList,
  path: string,
  spec: Spec,
  context: SourceContext,
): Steps<void> {
  let found = 0;
  for (const name of SOURCES) {
    if (spec[name] === undefined) continue;
    // Kubernetes checks this source although it is not the first one.
    if (found > 0 && name !== 'flexVolume')
      errors.push(
        forbidden(`${path}.${ownMember(SECOND_SOURCE, name) ?? name}`, 'may not specify more than 1 volume type'),
      );
    else {
      yield* resultOf(validateSource(errors, path, spec, name, context));
      if (name === 'local' && spec.nodeAffinity?.required === undefined)
        errors.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'));
    }
    found += 1;
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'));
}
