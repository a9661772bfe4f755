import type { StructuralSchema } from '../../../schema/structural.js';
import { templateMetaSchema } from '../../../schema/object-meta.js';
import * as z from 'zod';
import {
  always,
  alwaysStruct,
  annotate,
  atomicList,
  enumOf,
  type FieldMetadata,
  goNamed,
  mapOf,
  omitted,
  optional,
  quantity,
  struct,
} from '../../../schema/vocabulary.js';
import { inlined, unsetIsNull } from '../../shared/facts.js';
import { labelSelector } from '../../shared/label-selector.js';

import { once } from '../../shared/once.js';
import { resourceList } from '../../shared/resource-list.js';
import { localObjectReference } from '../references.js';
import { configMapVolume, downwardVolume, projectedVolume, secretVolume } from './volume-files-schema.js';
import { legacyVolumes } from './volume-legacy-schema.js';

/**
 * Metadata of a template. The properties of the structural schema replace the few zod fields, which exist for the
 * static type.
 */
const templateMeta = once(() => {
  const { name, description, properties, protoKind } = templateMetaSchema;
  const facts = { name, description, properties, protoKind } as FieldMetadata & Pick<StructuralSchema, 'properties'>;
  return annotate(
    z.object({
      name: z.string().optional(),
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
    facts,
  );
});

const claimSpec = once(() =>
  struct('PersistentVolumeClaimSpec', {
    accessModes: omitted(
      1,
      atomicList(
        goNamed(
          'v1.PersistentVolumeAccessMode',
          enumOf('ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'),
        ),
      ),
      {
        description:
          'The permitted ways to mount the volume: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      },
    ),
    selector: optional(4, labelSelector(), { description: 'Selects the candidate volumes.' }),
    resources: alwaysStruct(
      2,
      struct('VolumeResourceRequirements', {
        limits: omitted(1, resourceList(), { description: 'Maximum of each resource.' }),
        requests: omitted(2, resourceList(), { description: 'Minimum of each resource.' }),
      }),
    ),
    volumeName: omitted(3, z.string(), { description: 'The volume that the claim is bound to.' }),
    storageClassName: optional(5, z.string(), {
      description: 'The storage class; empty for none, absent for the default.',
    }),
    volumeMode: optional(6, goNamed('v1.PersistentVolumeMode', enumOf('Block', 'Filesystem')), {
      description: 'Filesystem or Block.',
    }),
    dataSource: optional(
      7,
      struct(
        'TypedLocalObjectReference',
        { apiGroup: unsetIsNull(1, z.string()), kind: always(2, z.string()), name: always(3, z.string()) },
        { mapType: 'atomic' },
      ),
    ),
    dataSourceRef: optional(
      8,
      struct('TypedObjectReference', {
        apiGroup: unsetIsNull(1, z.string()),
        kind: always(2, z.string()),
        name: always(3, z.string()),
        namespace: optional(4, z.string()),
      }),
    ),
    volumeAttributesClassName: optional(9, z.string()),
  }),
);

const volumeSource = once(() => {
  const legacy = legacyVolumes();
  return inlined(2, {
    hostPath: optional(
      1,
      struct('HostPathVolumeSource', {
        path: always(1, z.string(), { description: 'The path on the node.' }),
        type: optional(
          2,
          goNamed(
            'v1.HostPathType',
            enumOf('', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'),
          ),
          { description: 'Required type of the path, such as Directory or FileOrCreate; empty for no check.' },
        ),
      }),
      { description: 'A file or directory of the node.' },
    ),
    emptyDir: optional(
      2,
      struct('EmptyDirVolumeSource', {
        medium: omitted(1, goNamed('v1.StorageMedium', z.string()), {
          description: 'Storage medium: empty for the default of the node, or Memory.',
        }),
        sizeLimit: optional(2, quantity(), { description: 'Maximum size.' }),
      }),
      { description: 'An empty directory that lives as long as the pod.' },
    ),
    gcePersistentDisk: legacy.gcePersistentDisk,
    awsElasticBlockStore: legacy.awsElasticBlockStore,
    gitRepo: legacy.gitRepo,
    secret: optional(6, secretVolume(), { description: 'A secret as files.' }),
    nfs: optional(
      7,
      struct('NFSVolumeSource', {
        server: always(1, z.string()),
        path: always(2, z.string()),
        readOnly: omitted(3, z.boolean()),
      }),
      { description: 'A directory of an NFS server.' },
    ),
    iscsi: legacy.iscsi,
    glusterfs: legacy.glusterfs,
    persistentVolumeClaim: optional(
      10,
      struct('PersistentVolumeClaimVolumeSource', {
        claimName: always(1, z.string(), { description: "Name of the claim in the pod's namespace." }),
        readOnly: omitted(2, z.boolean(), { description: 'Mounts are read-only.' }),
      }),
      { description: 'A volume that a claim is bound to.' },
    ),
    rbd: legacy.rbd,
    flexVolume: legacy.flexVolume,
    cinder: legacy.cinder,
    cephfs: legacy.cephfs,
    flocker: legacy.flocker,
    downwardAPI: optional(16, downwardVolume(), { description: 'Pod fields as files.' }),
    fc: legacy.fc,
    azureFile: legacy.azureFile,
    configMap: optional(19, configMapVolume(), { description: 'A config map as files.' }),
    vsphereVolume: legacy.vsphereVolume,
    quobyte: legacy.quobyte,
    azureDisk: legacy.azureDisk,
    photonPersistentDisk: legacy.photonPersistentDisk,
    projected: optional(26, projectedVolume(), { description: 'Several sources in one directory.' }),
    portworxVolume: legacy.portworxVolume,
    scaleIO: legacy.scaleIO,
    storageos: legacy.storageos,
    csi: optional(
      28,
      struct('CSIVolumeSource', {
        driver: always(1, z.string()),
        readOnly: optional(2, z.boolean()),
        fsType: optional(3, z.string()),
        volumeAttributes: omitted(4, mapOf(z.string())),
        nodePublishSecretRef: optional(5, localObjectReference()),
      }),
      { description: 'A volume of a storage driver that lives as long as the pod.' },
    ),
    ephemeral: optional(
      29,
      struct('EphemeralVolumeSource', {
        volumeClaimTemplate: optional(
          1,
          struct('PersistentVolumeClaimTemplate', {
            metadata: alwaysStruct(1, templateMeta()),
            spec: always(2, claimSpec()),
          }),
          {
            description: 'Template of the claim, which is created and deleted with the pod.',
          },
        ),
      }),
      { description: 'A claim that belongs to the pod.' },
    ),
    image: optional(
      30,
      struct('ImageVolumeSource', {
        reference: omitted(1, z.string()),
        pullPolicy: omitted(2, goNamed('v1.PullPolicy', enumOf('Always', 'IfNotPresent', 'Never'))),
      }),
      { description: 'The content of an image, read-only.' },
    ),
  });
});

/** A directory or device that containers mount by name. Exactly one source must be set. */
export const volume = once(() =>
  struct('Volume', {
    name: always(1, z.string(), { description: 'Name of the volume, a DNS label.' }),
    ...volumeSource(),
  }),
);
