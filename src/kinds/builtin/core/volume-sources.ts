/**
 * The rules of the sources that volumes of pods and PersistentVolumes have in common.
 *
 * @see release 1.31, `pkg/apis/core/validation`
 * @module
 */
import {
  invalid,
  notSupported,
  ownMember,
  required,
  type Dialect,
  type FieldErrorList,
  type Steps,
} from '../../../foundation/index.js';
import type { coreV1 } from '../../types/index.js';
import { allOf, between, fields, mandatory, oneOf, valid, type Check } from '../shared/field-rules.js';
import { noBacksteps } from './pod/validate/validate-paths.js';

const MAX_BYTE = 255;
const MAX_TENANT = 64;
const HOST_PORTS = 'must be a host:port pair or multiple pairs separated by commas';
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

// Kubernetes allows the partition 0, too.
const partition = between(0, MAX_BYTE, 'must be between 1 and 255, inclusive');
const lun = between(0, MAX_BYTE);
const absolutePath = valid((path: string) => (path.startsWith('/') ? [] : ['must be an absolute path']));

const hostPath: Check<coreV1.HostPathVolumeSource> = (errors, path, { path: target, type = '' } = { path: '' }) => {
  if (!target) return void errors.push(required(`${path}.path`));
  noBacksteps(errors, `${path}.path`, target);
  hostPathType(errors, `${path}.type`, type);
};
const hostPathType = oneOf(HOST_PATH_TYPES);

const flocker: Check<coreV1.FlockerVolumeSource> = (errors, path, { datasetName = '', datasetUUID = '' } = {}) => {
  if (datasetName === '' && datasetUUID === '')
    errors.push(required(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName !== '' && datasetUUID !== '')
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName.includes('/')) errors.push(invalid(`${path}.datasetName`, datasetName, "must not contain '/'"));
};

/** Returns true for `host:port` and `[host]:port`, both parts possibly empty. */
const isHostAndPort = (text: string): boolean => /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(text);

/** The length of the tenant is an error in place of those of the registry. */
const quobyteRegistry: Check<coreV1.QuobyteVolumeSource> = (errors, path, { registry, tenant = '' } = NO_QUOBYTE) => {
  if (!registry) errors.push(required(`${path}.registry`, HOST_PORTS));
  else if (tenant.length > MAX_TENANT)
    errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  else
    for (const pair of registry.split(','))
      if (!isHostAndPort(pair)) errors.push(invalid(`${path}.registry`, registry, HOST_PORTS));
};
const NO_QUOBYTE: coreV1.QuobyteVolumeSource = { registry: '', volume: '' };

/** Worldwide names of targets with a unit, or identifiers of the disk. */
const fc: Check<coreV1.FCVolumeSource> = (errors, path, { targetWWNs = [], wwids = [], lun: unit } = {}) => {
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length > 0) unitOfTarget(errors, `${path}.lun`, unit);
};
const unitOfTarget = mandatory('lun is required if targetWWNs is specified', lun);

const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** The kind of a disk decides the form of its URI. */
const azureDiskUri: Check<coreV1.AzureDiskVolumeSource> = (errors, path, disk) => {
  if (disk?.kind === undefined) return;
  const [prefix, form] = disk.kind === 'Managed' ? ['/subscriptions/', MANAGED_URI] : ['https://', BLOB_URI];
  if (!disk.diskURI.startsWith(prefix)) errors.push(notSupported(`${path}.diskURI`, disk.diskURI, [form]));
};

/** The fields of a Gluster volume that both kinds of volumes have. */
export const glusterfsFields = { endpoints: mandatory(), path: mandatory() };

/** The fields of a file share of Azure that both kinds of volumes have. */
export const azureFileFields = { secretName: mandatory(), shareName: mandatory() };

/** The rules by source. */
export const sharedSources = {
  hostPath,
  flocker,
  fc,
  gcePersistentDisk: fields<coreV1.GCEPersistentDiskVolumeSource>({ pdName: mandatory(), partition }),
  awsElasticBlockStore: fields<coreV1.AWSElasticBlockStoreVolumeSource>({ volumeID: mandatory(), partition }),
  nfs: fields<coreV1.NFSVolumeSource>({ server: mandatory(), path: allOf(mandatory(), absolutePath) }),
  rbd: fields<Pick<coreV1.RBDVolumeSource, 'monitors' | 'image'>>({ monitors: mandatory(), image: mandatory() }),
  cephfs: fields<Pick<coreV1.CephFSVolumeSource, 'monitors'>>({ monitors: mandatory() }),
  quobyte: allOf(quobyteRegistry, fields<coreV1.QuobyteVolumeSource>({ volume: mandatory() })),
  vsphereVolume: fields<coreV1.VsphereVirtualDiskVolumeSource>({ volumePath: mandatory() }),
  photonPersistentDisk: fields<coreV1.PhotonPersistentDiskVolumeSource>({ pdID: mandatory() }),
  portworxVolume: fields<coreV1.PortworxVolumeSource>({ volumeID: mandatory() }),
  azureDisk: allOf(
    fields<coreV1.AzureDiskVolumeSource>({
      diskName: mandatory(),
      diskURI: mandatory(),
      cachingMode: oneOf(['None', 'ReadOnly', 'ReadWrite']),
      kind: oneOf(['Dedicated', 'Managed', 'Shared']),
    }),
    azureDiskUri,
  ),
  scaleIO: fields<Pick<coreV1.ScaleIOVolumeSource, 'gateway' | 'system' | 'volumeName'>>({
    gateway: mandatory(),
    system: mandatory(),
    volumeName: mandatory(),
  }),
};

/** The names that the errors of sources show, where Kubernetes has others than the field's. */
export const CHECKED_NAMES: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

/** The names that errors show of a second source, where Kubernetes has others than the field's. */
export const SECOND_NAMES: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };

/** Adds the errors of the options of a FlexVolume driver: keys in the domains of the product are reserved. */
export function* driverOptionsErrors(
  errors: FieldErrorList,
  path: string,
  options: Readonly<Record<string, string>> | undefined,
  { labelDomain, groupSuffix }: Dialect,
): Steps<void> {
  for (const key in options) {
    if (errors.spend()) yield;
    const slash = key.indexOf('/');
    const domain = `.${(slash < 0 ? key : key.slice(0, slash)).toLowerCase()}`;
    if (domain.endsWith(`.${labelDomain}`) || domain.endsWith(`.${groupSuffix}`))
      errors.push(invalid(`${path}[${key}]`, key, `${labelDomain} and ${groupSuffix} namespaces are reserved`));
  }
}

/** The forms of the names of iSCSI nodes (RFC 3721), by their first three letters. */
const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

/** Requires the name of an iSCSI node. `unknown` is what is said of a name without a known beginning. */
export const iscsiName = (unknown: string): Check<string> =>
  valid((name) => {
    const form = ownMember(ISCSI_NAMES, name.slice(0, 3));
    if (form === undefined) return [unknown];
    return form.test(name) ? [] : ['must be valid format'];
  });

/** The range of the unit of an iSCSI target. */
export const iscsiUnit = lun;

/** The words for a name of a volume that is too long for iSCSI with the portal of its target. */
export const ISCSI_LENGTH =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/** Returns whether the name of a volume, with its portal, is longer than a node allows. */
export const isLongForIscsi = (
  volumeName: string,
  { initiatorName, targetPortal }: Pick<coreV1.ISCSIVolumeSource, 'initiatorName' | 'targetPortal'>,
): boolean => initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > 64;

/** Requires a secret for the authentication of an iSCSI session, if there is one. */
export const iscsiSecret: Check<
  Pick<coreV1.ISCSIVolumeSource, 'chapAuthDiscovery' | 'chapAuthSession'> & { readonly secretRef?: object | undefined }
> = (errors, path, target) => {
  const authenticates = target?.chapAuthDiscovery === true || target?.chapAuthSession === true;
  if (authenticates && target.secretRef === undefined) errors.push(required(`${path}.secretRef`));
};
