import {
  invalid,
  notSupported,
  ownMember,
  required,
  type Dialect,
  type FieldError,
  type FieldErrorList,
  type Steps,
} from '../../../../foundation/index.js';
/** The rules of the volume sources with more than a few required fields. */
import type { coreV1 } from '../../../types/index.js';

const PARTITION = 'must be between 1 and 255, inclusive';
const LUN = 'must be between 0 and 255, inclusive';
const MAX_BYTE = 255;
const isByte = (value: number): boolean => value >= 0 && value <= MAX_BYTE;

/** Validates a disk of a cloud: an identifier and a partition. */
export function validateDisk(
  errors: FieldError[],
  path: string,
  field: string,
  id: string,
  { partition = 0 }: { readonly partition?: number | undefined },
): void {
  if (id === '') errors.push(required(`${path}.${field}`));
  if (!isByte(partition)) errors.push(invalid(`${path}.partition`, partition, PARTITION));
}

const CACHING_MODES = ['None', 'ReadOnly', 'ReadWrite'];
const DISK_KINDS = ['Dedicated', 'Managed', 'Shared'];
const MANAGED_URI = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_URI = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** Validates a disk of Azure. Its kind decides the form of the URI. */
export function validateAzureDisk(
  errors: FieldError[],
  path: string,
  { diskName, diskURI, cachingMode, kind }: coreV1.AzureDiskVolumeSource,
): void {
  if (diskName === '') errors.push(required(`${path}.diskName`));
  if (diskURI === '') errors.push(required(`${path}.diskURI`));
  if (cachingMode !== undefined && !CACHING_MODES.includes(cachingMode))
    errors.push(notSupported(`${path}.cachingMode`, cachingMode, CACHING_MODES));
  if (kind === undefined) return;
  if (!DISK_KINDS.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, DISK_KINDS));
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/'))
    errors.push(notSupported(`${path}.diskURI`, diskURI, [MANAGED_URI]));
  if (kind !== 'Managed' && !diskURI.startsWith('https://'))
    errors.push(notSupported(`${path}.diskURI`, diskURI, [BLOB_URI]));
}

/** Validates a Fibre Channel disk: worldwide names of targets with a unit, or identifiers of the disk. */
export function validateFibreChannel(
  errors: FieldError[],
  path: string,
  { targetWWNs = [], wwids = [], lun }: coreV1.FCVolumeSource,
): void {
  if (targetWWNs.length === 0 && wwids.length === 0)
    errors.push(required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    errors.push(invalid(`${path}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length === 0) return;
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
  else if (!isByte(lun)) errors.push(invalid(`${path}.lun`, lun, LUN));
}

/** Adds the errors of the options of a FlexVolume driver: keys in the domains of the product are reserved. */
export function* validateDriverOptions(
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

/** The forms of iSCSI names, by their first three letters. */
const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([a-z0-9-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui\.[A-Fa-f0-9]{16}$/,
  naa: /^naa\.([A-Fa-f0-9]{16}|[A-Fa-f0-9]{32})$/,
};
const FORMAT = 'must be valid format';
const MAX_NAME_AND_PORTAL = 64;

const isIscsiName = (name: string): boolean => ownMember(ISCSI_NAMES, name.slice(0, 3))?.test(name) === true;

/**
 * Validates an iSCSI target.
 *
 * @param volumeName name of the volume, which is part of the names of its device
 */
export function validateTarget(
  errors: FieldError[],
  path: string,
  source: coreV1.ISCSIPersistentVolumeSource,
  volumeName: string,
): void {
  const { targetPortal, iqn, lun, secretRef, initiatorName, chapAuthDiscovery, chapAuthSession } = source;
  if (targetPortal === '') errors.push(required(`${path}.targetPortal`));
  if (initiatorName !== undefined && `${volumeName}:${targetPortal}`.length > MAX_NAME_AND_PORTAL) {
    errors.push(
      invalid(
        `${path}.targetportal`,
        targetPortal,
        'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
      ),
    );
  }
  if (iqn === '') errors.push(required(`${path}.iqn`));
  else if (!isIscsiName(iqn)) errors.push(invalid(`${path}.iqn`, iqn, FORMAT));
  if (!isByte(lun)) errors.push(invalid(`${path}.lun`, lun, LUN));
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined)
    errors.push(required(`${path}.secretRef`));
  if (secretRef !== undefined && !secretRef.name) errors.push(required(`${path}.secretRef.name`));
  if (initiatorName !== undefined && !isIscsiName(initiatorName))
    errors.push(invalid(`${path}.initiatorname`, initiatorName, FORMAT));
}
