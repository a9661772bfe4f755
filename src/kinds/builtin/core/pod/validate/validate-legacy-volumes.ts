/**
 * The rules for volumes of vendors and older drivers.
 *
 * @module
 */
import { dnsLabelErrors, invalid, type FieldError } from '../../../../../foundation/index.js';
import type { coreV1 } from '../../../../types/index.js';
import { allOf, fields, filled, mandatory, valid, type Check } from '../../../shared/field-rules.js';
import {
  azureFileFields,
  glusterfsFields,
  ISCSI_LENGTH,
  iscsiName,
  iscsiSecret,
  iscsiUnit,
  isLongForIscsi,
  sharedSources,
} from '../../volume-sources.js';
import type { Volume } from '../types.js';

const secretRef = fields<coreV1.LocalObjectReference>({ name: mandatory() });
const nodeName = iscsiName('must be valid format starting with iqn, eui, or naa');

// Kubernetes writes this field in lower case.
const initiatorName: Check<coreV1.ISCSIVolumeSource> = (errors, path, target) =>
  nodeName(errors, `${path}.initiatorname`, target?.initiatorName);

/** Validates the length of the name that a node gives to an iSCSI volume with its own initiator. */
export function validateIscsiName(errors: FieldError[], path: string, { name, iscsi }: Volume): void {
  if (iscsi !== undefined && isLongForIscsi(name, iscsi)) errors.push(invalid(`${path}.name`, name, ISCSI_LENGTH));
}

/** The rules by source. */
export const legacyRules = {
  ...sharedSources,
  iscsi: allOf(
    fields<coreV1.ISCSIVolumeSource>({ targetPortal: mandatory(), iqn: mandatory(nodeName), lun: iscsiUnit }),
    iscsiSecret,
    initiatorName,
  ),
  glusterfs: fields<coreV1.GlusterfsVolumeSource>(glusterfsFields),
  cinder: fields<coreV1.CinderVolumeSource>({ volumeID: mandatory(), secretRef }),
  azureFile: fields<coreV1.AzureFileVolumeSource>(azureFileFields),
  storageos: fields<coreV1.StorageOSVolumeSource>({
    volumeName: mandatory(valid(dnsLabelErrors)),
    volumeNamespace: filled(valid(dnsLabelErrors)),
    secretRef,
  }),
};
