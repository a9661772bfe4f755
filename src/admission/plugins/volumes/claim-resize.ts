import { compareQuantity, type Dialect } from '../../../foundation/index.js';
import { PersistentVolumeClaim, StorageClass, storageClassOf } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type Catalogue, type ObjectOf } from '../../../registry/index.js';
import { admissionRefusal } from '../../refusal.js';
import { findStored } from '../mirrored-kind.js';

type Claim = ObjectOf<typeof PersistentVolumeClaim>;

const NOT_RESIZABLE =
  'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

const sizeOf = ({ spec }: Claim): string => spec?.resources?.requests?.['storage'] ?? '0';

/** Lets only those claims grow that are bound and whose storage class allows it. */
export function persistentVolumeClaimResize(dialect: Dialect, catalogue: Catalogue): AdmissionPlugin {
  const allows = async (claim: Claim, old: Claim): Promise<boolean> => {
    const name = storageClassOf(claim, dialect);
    if (name === '' || name !== storageClassOf(old, dialect)) return false;
    return (await findStored(catalogue, StorageClass, '', name))?.allowVolumeExpansion === true;
  };
  return defineAdmissionPlugin({
    name: 'PersistentVolumeClaimResize',
    kinds: [PersistentVolumeClaim],
    operations: ['UPDATE'],
    async validate(attributes) {
      const { object, oldObject, subresource } = attributes;
      if (subresource !== '' || (compareQuantity(sizeOf(object), sizeOf(oldObject)) ?? 0) <= 0) return;
      if (oldObject.status?.phase !== 'Bound')
        throw admissionRefusal(attributes, 'Only bound persistent volume claims can be expanded');
      if (!(await allows(object, oldObject))) throw admissionRefusal(attributes, NOT_RESIZABLE);
    },
  });
}
