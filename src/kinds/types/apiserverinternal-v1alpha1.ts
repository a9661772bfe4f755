// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

export type ServerStorageVersion = {
  apiServerID?: string | undefined;
  encodingVersion?: string | undefined;
  decodableVersions?: string[] | undefined;
  servedVersions?: string[] | undefined;
};

/** StorageVersion of version v1alpha1 of the group internal. */
export type StorageVersion = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: StorageVersionSpec;
  status: StorageVersionStatus;
};

export type StorageVersionCondition = {
  type: string;
  status: string;
  observedGeneration?: number | undefined;
  lastTransitionTime?: string | null | undefined;
  reason: string;
  message: string;
};

/** StorageVersionList of version v1alpha1 of the group internal. */
export type StorageVersionList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: StorageVersion[];
};

export type StorageVersionSpec = object;

export type StorageVersionStatus = {
  storageVersions?: ServerStorageVersion[] | undefined;
  commonEncodingVersion?: string | undefined;
  conditions?: StorageVersionCondition[] | undefined;
};
