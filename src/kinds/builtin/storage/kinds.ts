import type { storageV1, storageV1alpha1, storageV1beta1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** CSIDriver of version v1. */
export const CSIDriver = builtinKind<storageV1.CSIDriver>('storage.v1.CSIDriver', {
  load: () => import('./csi-driver.js').then((m) => m.csiDriverBehaviour),
});

/** An object of the kind {@link CSIDriver}. */
export type CSIDriver = storageV1.CSIDriver;

/** CSINode of version v1. */
export const CSINode = builtinKind<storageV1.CSINode>('storage.v1.CSINode', {
  load: () => import('./csi-node.js').then((m) => m.csiNodeBehaviour),
});

/** An object of the kind {@link CSINode}. */
export type CSINode = storageV1.CSINode;

/** CSIStorageCapacity of version v1. */
export const CSIStorageCapacity = builtinKind<storageV1.CSIStorageCapacity>('storage.v1.CSIStorageCapacity', {
  load: () => import('./csi-storage-capacity.js').then((m) => m.csiStorageCapacityBehaviour),
});

/** An object of the kind {@link CSIStorageCapacity}. */
export type CSIStorageCapacity = storageV1.CSIStorageCapacity;

/** StorageClass of version v1. */
export const StorageClass = builtinKind<storageV1.StorageClass>('storage.v1.StorageClass', {
  load: () => import('./storage-class.js').then((m) => m.storageClassBehaviour),
});

/** An object of the kind {@link StorageClass}. */
export type StorageClass = storageV1.StorageClass;

/** VolumeAttachment of version v1. */
export const VolumeAttachment = builtinKind<storageV1.VolumeAttachment>('storage.v1.VolumeAttachment', {
  load: () => import('./volume-attachment.js').then((m) => m.volumeAttachmentBehaviour),
});

/** An object of the kind {@link VolumeAttachment}. */
export type VolumeAttachment = storageV1.VolumeAttachment;

/** VolumeAttributesClass of version v1beta1. */
export const VolumeAttributesClass = builtinKind<storageV1beta1.VolumeAttributesClass>(
  'storage.v1beta1.VolumeAttributesClass',
  { load: () => import('./volume-attributes-class.js').then((m) => m.volumeAttributesClassBehaviour) },
);

/** An object of the kind {@link VolumeAttributesClass}. */
export type VolumeAttributesClass = storageV1beta1.VolumeAttributesClass;

/** VolumeAttributesClass of version v1alpha1. */
export const VolumeAttributesClassV1alpha1 = builtinKind<storageV1alpha1.VolumeAttributesClass>(
  'storage.v1alpha1.VolumeAttributesClass',
  {
    load: () => import('./volume-attributes-class.js').then((m) => m.volumeAttributesClassBehaviour),
    hub: VolumeAttributesClass,
  },
);

/** An object of the kind {@link VolumeAttributesClassV1alpha1}. */
export type VolumeAttributesClassV1alpha1 = storageV1alpha1.VolumeAttributesClass;
