import type { Dialect } from '../../../foundation/index.js';
import { PersistentVolumeClaim, storageClassAnnotation, type StorageClass } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type ObjectOf } from '../../../registry/index.js';
import type { MirroredKind } from '../mirrored-kind.js';
import { defaultClass } from './default-class.js';

/** Gives new claims without a storage class the default one, if there is one. */
export function defaultStorageClass(
  dialect: Dialect,
  classes: MirroredKind<ObjectOf<typeof StorageClass>>,
): AdmissionPlugin {
  const { labelDomain } = dialect;
  const marks = [`storageclass.${labelDomain}/is-default-class`, `storageclass.beta.${labelDomain}/is-default-class`];
  const annotation = storageClassAnnotation(dialect);
  return defineAdmissionPlugin({
    name: 'DefaultStorageClass',
    kinds: [PersistentVolumeClaim],
    operations: ['CREATE'],
    mutate({ object, subresource }) {
      if (subresource !== '' || object.spec === undefined) return;
      if (object.spec.storageClassName !== undefined || object.metadata.annotations?.[annotation] !== undefined) return;
      const found = defaultClass(classes.in(''), marks)?.metadata.name;
      if (found !== undefined) object.spec.storageClassName = found;
    },
  });
}
