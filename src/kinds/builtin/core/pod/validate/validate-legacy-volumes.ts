/**
 * The rules for volumes of vendors and older drivers.
 *
 * @module
 */
import {
  dnsLabelErrors,
  invalid,
  notSupported,
  ownMember,
  required,
  type FieldError,
  type FieldErrorList,
  type MaybeSteps,
} from '../../../../../foundation/index.js';
import { nameErrors } from '../../../shared/validate.js';
import type { PodRules } from '../rules.js';
import type { Volume } from '../types.js';

const PARTITION = 'must be between 1 and 255, inclusive';
const LUN = 'must be between 0 and 255, inclusive';
const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas';
const MAX_TENANT = 64;
const MAX_ISCSI_NAME = 64;

type Sources =
  | 'awsElasticBlockStore'
  | 'azureDisk'
  | 'azureFile'
  | 'cephfs'
  | 'cinder'
  | 'fc'
  | 'flexVolume'
  | 'flocker'
  | 'gcePersistentDisk'
  | 'glusterfs'
  | 'iscsi'
  | 'photonPersistentDisk'
  | 'portworxVolume'
  | 'quobyte'
  | 'rbd'
  | 'scaleIO'
  | 'storageos'
  | 'vsphereVolume';

type Check<Name extends Sources> = (
  errors: FieldErrorList,
  path: string,
  source: NonNullable<Volume[Name]>,
  rules: PodRules,
) => MaybeSteps<void>;

/** Requires fields that are texts. */
function requireTexts(errors: FieldError[], path: string, fields: Readonly<Record<string, string | undefined>>): void {
  for (const [field, value] of Object.entries(fields)) if (!value) errors.push(required(`${path}.${field}`));
}

function validatePartition(errors: FieldError[], path: string, partition = 0): void {
  if (partition < 0 || partition > 255) errors.push(invalid(`${path}.partition`, partition, PARTITION));
}

function requireSecretName(
  errors: FieldError[],
  path: string,
  secret: { name?: string | undefined } | undefined,
): void {
  if (secret !== undefined && !secret.name) errors.push(required(`${path}.secretRef.name`));
}

/** The forms of the names of iSCSI nodes (RFC 3721), by their first three letters. */
const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

function validateIscsiNode(errors: FieldError[], path: string, name: string): void {
  const form = ownMember(ISCSI_NAMES, name.slice(0, 3));
  if (form === undefined) errors.push(invalid(path, name, 'must be valid format starting with iqn, eui, or naa'));
  else if (!form.test(name)) errors.push(invalid(path, name, 'must be valid format'));
}

/** Validates the length of the name that a node gives to an iSCSI volume with its own initiator. */
export function validateIscsiName(errors: FieldError[], path: string, { name, iscsi }: Volume): void {
  if (iscsi?.initiatorName === undefined || `${name}:${iscsi.targetPortal}`.length <= MAX_ISCSI_NAME) return;
  errors.push(
    invalid(
      `${path}.name`,
      name,
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
    ),
  );
}

const iscsi: Check<'iscsi'> = (errors, path, source) => {
  const { targetPortal, iqn, lun, chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  if (!targetPortal) errors.push(required(`${path}.targetPortal`));
  if (!iqn) errors.push(required(`${path}.iqn`));
  else validateIscsiNode(errors, `${path}.iqn`, iqn);
  if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, LUN));
  if ((chapAuthDiscovery || chapAuthSession) && secretRef === undefined) errors.push(required(`${path}.secretRef`));
  if (initiatorName !== undefined) validateIscsiNode(errors, `${path}.initiatorname`, initiatorName);
};

const fc: Check<'fc'> = (errors, path, { targetWWNs = [], wwids = [], lun }) => {
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length === 0) return;
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
  else if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, LUN));
};

const flocker: Check<'flocker'> = (errors, path, { datasetName = '', datasetUUID = '' }) => {
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
};

const isHostPort = (text: string): boolean => /^(\[[^[\]]*\]|[^:[\]]*):[^:]*$/.test(text);

const quobyte: Check<'quobyte'> = (errors, path, { registry, volume, tenant = '' }) => {
  if (!registry) errors.push(required(`${path}.registry`, HOST_PORTS));
  else if (tenant.length > MAX_TENANT)
    errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of registry.split(','))
      if (!isHostPort(pair)) errors.push(invalid(`${path}.registry`, registry, HOST_PORTS));
  if (!volume) errors.push(required(`${path}.volume`));
};

const flexVolume: Check<'flexVolume'> = (errors, path, { driver, options = {} }, { dialect }) => {
  if (!driver) errors.push(required(`${path}.driver`));
  const reserved = [dialect.labelDomain, dialect.groupSuffix];
  for (const key of Object.keys(options)) {
    const [namespace = ''] = key.toLowerCase().split('/');
    if (!reserved.some((domain) => `.${namespace}`.endsWith(`.${domain}`))) continue;
    const detail = `${reserved.join(' and ')} namespaces are reserved`;
    errors.push(invalid(`${path}.options[${key}]`, key, detail));
  }
};

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const azureDisk: Check<'azureDisk'> = (errors, path, { diskName, diskURI, cachingMode, kind }) => {
  requireTexts(errors, path, { diskName, diskURI });
  if (cachingMode !== undefined && !CACHING_MODES.includes(cachingMode))
    errors.push(notSupported(`${path}.cachingMode`, cachingMode, CACHING_MODES));
  if (kind === undefined) return;
  if (!DISK_KINDS.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, DISK_KINDS));
  const [prefix, form] = kind === 'Managed' ? ['/subscriptions/', MANAGED_URI] : ['https://', BLOB_URI];
  if (!diskURI.startsWith(prefix)) errors.push(notSupported(`${path}.diskURI`, diskURI, [form]));
};

const storageos: Check<'storageos'> = (errors, path, { volumeName, volumeNamespace, secretRef }) => {
  if (!volumeName) errors.push(required(`${path}.volumeName`));
  else nameErrors(errors, `${path}.volumeName`, volumeName, dnsLabelErrors(volumeName));
  if (volumeNamespace) nameErrors(errors, `${path}.volumeNamespace`, volumeNamespace, dnsLabelErrors(volumeNamespace));
  requireSecretName(errors, path, secretRef);
};

/** Requires monitors, and further fields. */
function requireMonitors(errors: FieldError[], path: string, monitors: readonly string[]): void {
  if (monitors.length === 0) errors.push(required(`${path}.monitors`));
}

/** The checks by source. */
export const legacyChecks: { readonly [Name in Sources]: Check<Name> } = {
  ...{ iscsi, fc, flocker, quobyte, flexVolume, azureDisk, storageos },
  gcePersistentDisk(errors, path, { pdName, partition }) {
    requireTexts(errors, path, { pdName });
    validatePartition(errors, path, partition);
  },
  awsElasticBlockStore(errors, path, { volumeID, partition }) {
    requireTexts(errors, path, { volumeID });
    validatePartition(errors, path, partition);
  },
  glusterfs: (errors, path, { endpoints, path: target }) => requireTexts(errors, path, { endpoints, path: target }),
  rbd(errors, path, { monitors, image }) {
    requireMonitors(errors, path, monitors);
    requireTexts(errors, path, { image });
  },
  cinder(errors, path, { volumeID, secretRef }) {
    requireTexts(errors, path, { volumeID });
    requireSecretName(errors, path, secretRef);
  },
  cephfs: (errors, path, { monitors }) => requireMonitors(errors, path, monitors),
  azureFile: (errors, path, { secretName, shareName }) => requireTexts(errors, path, { secretName, shareName }),
  vsphereVolume: (errors, path, { volumePath }) => requireTexts(errors, path, { volumePath }),
  photonPersistentDisk: (errors, path, { pdID }) => requireTexts(errors, path, { pdID }),
  portworxVolume: (errors, path, { volumeID }) => requireTexts(errors, path, { volumeID }),
  scaleIO: (errors, path, { gateway, system, volumeName }) =>
    requireTexts(errors, path, { gateway, system, volumeName }),
};
