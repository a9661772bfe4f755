import type { Dialect } from '../../../foundation/index.js';
import { PersistentVolume, PersistentVolumeClaim } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin } from '../../../registry/index.js';

/** Keeps volumes and claims until nothing uses them; the controllers `pv-protection` and `pvc-protection` let them go. */
export function storageObjectInUseProtection({ labelDomain }: Dialect): AdmissionPlugin {
  return defineAdmissionPlugin({
    name: 'StorageObjectInUseProtection',
    kinds: [PersistentVolume, PersistentVolumeClaim],
    operations: ['CREATE'],
    mutate({ object: { metadata }, info, subresource }) {
      if (subresource !== '') return;
      const finalizer = `${labelDomain}/${info.definition === PersistentVolume ? 'pv' : 'pvc'}-protection`;
      if (metadata.finalizers?.includes(finalizer) !== true)
        metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    },
  });
}
