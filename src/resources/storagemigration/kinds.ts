import { builtinKind } from '../builtin-kind.js';
import type { storagemigrationV1alpha1 } from '../../kinds/index.js';
import { plain } from '../plain.js';

/** StorageVersionMigration of version v1alpha1. */
export const StorageVersionMigration = builtinKind<storagemigrationV1alpha1.StorageVersionMigration>(
  'storagemigration.v1alpha1.StorageVersionMigration',
  { load: plain },
);
