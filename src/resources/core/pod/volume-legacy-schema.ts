/** Volumes of single vendors and drivers that the platform once had built in. Their fields are still read and kept. */
import * as z from 'zod';
import {
  always,
  atomicList,
  enumOf,
  goNamed,
  int32,
  optional,
  mapOf,
  omitted,
  struct,
} from '../../../schema/vocabulary.js';
import { unsetIsNull } from '../../shared/facts.js';
import { once } from '../../shared/once.js';
import { localObjectReference } from '../references.js';

const text = (number: number) => omitted(number, z.string());
const needed = (number: number) => always(number, z.string());
const flag = (number: number) => omitted(number, z.boolean());
const secret = (number: number) => optional(number, localObjectReference());
const texts = (number: number) => omitted(number, atomicList(z.string()));

/** The optional fields of a volume source, by name and in the order of production's type. */
export const legacyVolumes = once(() => ({
  gcePersistentDisk: optional(
    3,
    struct('GCEPersistentDiskVolumeSource', {
      pdName: needed(1),
      fsType: text(2),
      partition: omitted(3, int32()),
      readOnly: flag(4),
    }),
  ),
  awsElasticBlockStore: optional(
    4,
    struct('AWSElasticBlockStoreVolumeSource', {
      volumeID: needed(1),
      fsType: text(2),
      partition: omitted(3, int32()),
      readOnly: flag(4),
    }),
  ),
  gitRepo: optional(5, struct('GitRepoVolumeSource', { repository: needed(1), revision: text(2), directory: text(3) })),
  iscsi: optional(
    8,
    struct('ISCSIVolumeSource', {
      targetPortal: needed(1),
      iqn: needed(2),
      lun: always(3, int32()),
      iscsiInterface: omitted(4, z.string(), { default: 'default' }),
      fsType: text(5),
      readOnly: flag(6),
      portals: texts(7),
      chapAuthDiscovery: flag(8),
      chapAuthSession: flag(11),
      secretRef: secret(10),
      initiatorName: optional(12, z.string()),
    }),
  ),
  glusterfs: optional(9, struct('GlusterfsVolumeSource', { endpoints: needed(1), path: needed(2), readOnly: flag(3) })),
  rbd: optional(
    11,
    struct('RBDVolumeSource', {
      monitors: always(1, atomicList(z.string())),
      image: needed(2),
      fsType: text(3),
      pool: omitted(4, z.string(), { default: 'rbd' }),
      user: omitted(5, z.string(), { default: 'admin' }),
      keyring: omitted(6, z.string(), { default: '/etc/ceph/keyring' }),
      secretRef: secret(7),
      readOnly: flag(8),
    }),
  ),
  flexVolume: optional(
    12,
    struct('FlexVolumeSource', {
      driver: needed(1),
      fsType: text(2),
      secretRef: secret(3),
      readOnly: flag(4),
      options: omitted(5, mapOf(z.string())),
    }),
  ),
  cinder: optional(
    13,
    struct('CinderVolumeSource', { volumeID: needed(1), fsType: text(2), readOnly: flag(3), secretRef: secret(4) }),
  ),
  cephfs: optional(
    14,
    struct('CephFSVolumeSource', {
      monitors: always(1, atomicList(z.string())),
      path: text(2),
      user: text(3),
      secretFile: text(4),
      secretRef: secret(5),
      readOnly: flag(6),
    }),
  ),
  flocker: optional(15, struct('FlockerVolumeSource', { datasetName: text(1), datasetUUID: text(2) })),
  fc: optional(
    17,
    struct('FCVolumeSource', {
      targetWWNs: texts(1),
      lun: optional(2, int32()),
      fsType: text(3),
      readOnly: flag(4),
      wwids: texts(5),
    }),
  ),
  azureFile: optional(
    18,
    struct('AzureFileVolumeSource', { secretName: needed(1), shareName: needed(2), readOnly: flag(3) }),
  ),
  vsphereVolume: optional(
    20,
    struct('VsphereVirtualDiskVolumeSource', {
      volumePath: needed(1),
      fsType: text(2),
      storagePolicyName: text(3),
      storagePolicyID: text(4),
    }),
  ),
  quobyte: optional(
    21,
    struct('QuobyteVolumeSource', {
      registry: needed(1),
      volume: needed(2),
      readOnly: flag(3),
      user: text(4),
      group: text(5),
      tenant: text(6),
    }),
  ),
  azureDisk: optional(
    22,
    struct('AzureDiskVolumeSource', {
      diskName: needed(1),
      diskURI: needed(2),
      cachingMode: optional(3, goNamed('v1.AzureDataDiskCachingMode', enumOf('None', 'ReadOnly', 'ReadWrite')), {
        default: 'ReadWrite',
      }),
      fsType: optional(4, z.string(), { default: 'ext4' }),
      readOnly: optional(5, z.boolean(), { default: false }),
      kind: optional(6, goNamed('v1.AzureDataDiskKind', enumOf('Dedicated', 'Managed', 'Shared')), {
        default: 'Shared',
      }),
    }),
  ),
  photonPersistentDisk: optional(23, struct('PhotonPersistentDiskVolumeSource', { pdID: needed(1), fsType: text(2) })),
  portworxVolume: optional(
    24,
    struct('PortworxVolumeSource', { volumeID: needed(1), fsType: text(2), readOnly: flag(3) }),
  ),
  scaleIO: optional(
    25,
    struct(
      'ScaleIOVolumeSource',
      {
        gateway: needed(1),
        system: needed(2),
        secretRef: unsetIsNull(3, localObjectReference()),
        sslEnabled: flag(4),
        protectionDomain: text(5),
        storagePool: text(6),
        storageMode: omitted(7, z.string(), { default: 'ThinProvisioned' }),
        volumeName: text(8),
        fsType: omitted(9, z.string(), { default: 'xfs' }),
        readOnly: flag(10),
      },
      { publishedRequired: ['secretRef'] },
    ),
  ),
  storageos: optional(
    27,
    struct('StorageOSVolumeSource', {
      volumeName: text(1),
      volumeNamespace: text(2),
      fsType: text(3),
      readOnly: flag(4),
      secretRef: secret(5),
    }),
  ),
}));
