// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

export type GroupVersionResource = {
  group?: string | undefined;
  version?: string | undefined;
  resource?: string | undefined;
};

export type MigrationCondition = {
  type: string;
  status: string;
  lastUpdateTime?: string | null | undefined;
  reason?: string | undefined;
  message?: string | undefined;
};

/** StorageVersionMigration of version v1alpha1 of the group storagemigration. */
export type StorageVersionMigration = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: StorageVersionMigrationSpec | undefined;
  status?: StorageVersionMigrationStatus | undefined;
};

/** StorageVersionMigrationList of version v1alpha1 of the group storagemigration. */
export type StorageVersionMigrationList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: StorageVersionMigration[];
};

export type StorageVersionMigrationSpec = {
  resource: GroupVersionResource;
  continueToken?: string | undefined;
};

export type StorageVersionMigrationStatus = {
  conditions?: MigrationCondition[] | undefined;
  resourceVersion?: string | undefined;
};
