// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

/** CSIDriver of version v1 of the group storage. */
export type CSIDriver = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: CSIDriverSpec;
};

/** CSIDriverList of version v1 of the group storage. */
export type CSIDriverList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CSIDriver[];
};

export type CSIDriverSpec = {
  attachRequired?: boolean | undefined;
  podInfoOnMount?: boolean | undefined;
  volumeLifecycleModes?: string[] | undefined;
  storageCapacity?: boolean | undefined;
  fsGroupPolicy?: string | undefined;
  tokenRequests?: TokenRequest[] | undefined;
  requiresRepublish?: boolean | undefined;
  seLinuxMount?: boolean | undefined;
};

/** CSINode of version v1 of the group storage. */
export type CSINode = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: CSINodeSpec;
};

export type CSINodeDriver = {
  name: string;
  nodeID: string;
  topologyKeys?: string[] | null | undefined;
  allocatable?: VolumeNodeResources | undefined;
};

/** CSINodeList of version v1 of the group storage. */
export type CSINodeList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CSINode[];
};

export type CSINodeSpec = {
  drivers: CSINodeDriver[] | null;
};

/** CSIStorageCapacity of version v1 of the group storage. */
export type CSIStorageCapacity = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  nodeTopology?: LabelSelector | undefined;
  storageClassName: string;
  capacity?: string | undefined;
  maximumVolumeSize?: string | undefined;
};

/** CSIStorageCapacityList of version v1 of the group storage. */
export type CSIStorageCapacityList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: CSIStorageCapacity[];
};

/** StorageClass of version v1 of the group storage. */
export type StorageClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  provisioner: string;
  parameters?: Record<string, string> | undefined;
  reclaimPolicy?: string | undefined;
  mountOptions?: string[] | undefined;
  allowVolumeExpansion?: boolean | undefined;
  volumeBindingMode?: string | undefined;
  allowedTopologies?: TopologySelectorTerm[] | undefined;
};

/** StorageClassList of version v1 of the group storage. */
export type StorageClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: StorageClass[];
};

export type TokenRequest = {
  audience: string;
  expirationSeconds?: number | undefined;
};

/** VolumeAttachment of version v1 of the group storage. */
export type VolumeAttachment = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus | undefined;
};

/** VolumeAttachmentList of version v1 of the group storage. */
export type VolumeAttachmentList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: VolumeAttachment[];
};

export type VolumeAttachmentSource = {
  persistentVolumeName?: string | undefined;
  inlineVolumeSpec?: PersistentVolumeSpec | undefined;
};

export type VolumeAttachmentSpec = {
  attacher: string;
  source: VolumeAttachmentSource;
  nodeName: string;
};

export type VolumeAttachmentStatus = {
  attached: boolean;
  attachmentMetadata?: Record<string, string> | undefined;
  attachError?: VolumeError | undefined;
  detachError?: VolumeError | undefined;
};

export type VolumeError = {
  time?: string | null | undefined;
  message?: string | undefined;
};

export type VolumeNodeResources = {
  count?: number | undefined;
};
