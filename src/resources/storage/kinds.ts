import { builtinKind } from '../builtin-kind.js';
import type { storageV1, storageV1alpha1, storageV1beta1 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** CSIDriver of version v1. */
export const CSIDriver = builtinKind<storageV1.CSIDriver>('storage.v1.CSIDriver', { load: plain });

/** CSINode of version v1. */
export const CSINode = builtinKind<storageV1.CSINode>('storage.v1.CSINode', { load: plain });

/** CSIStorageCapacity of version v1. */
export const CSIStorageCapacity = builtinKind<storageV1.CSIStorageCapacity>('storage.v1.CSIStorageCapacity', {
  load: plain,
});

/** StorageClass of version v1. */
export const StorageClass = builtinKind<storageV1.StorageClass>('storage.v1.StorageClass', { load: plain });

/** VolumeAttachment of version v1. */
export const VolumeAttachment = builtinKind<storageV1.VolumeAttachment>('storage.v1.VolumeAttachment', { load: plain });

/** VolumeAttributesClass of version v1beta1. */
export const VolumeAttributesClass = builtinKind<storageV1beta1.VolumeAttributesClass>(
  'storage.v1beta1.VolumeAttributesClass',
  { load: plain },
);

/** VolumeAttributesClass of version v1alpha1. */
export const VolumeAttributesClassV1alpha1 = builtinKind<storageV1alpha1.VolumeAttributesClass>(
  'storage.v1alpha1.VolumeAttributesClass',
  { load: plain, hub: VolumeAttributesClass },
);
