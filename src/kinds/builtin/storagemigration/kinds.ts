import type { storagemigrationV1alpha1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';

/** StorageVersionMigration of version v1alpha1. */
export const StorageVersionMigration = builtinKind<storagemigrationV1alpha1.StorageVersionMigration>(
  'storagemigration.v1alpha1.StorageVersionMigration',
  { load: () => import('./storage-version-migration.js').then((m) => m.storageVersionMigration) },
);

/** An object of the kind {@link StorageVersionMigration}. */
export type StorageVersionMigration = storagemigrationV1alpha1.StorageVersionMigration;
