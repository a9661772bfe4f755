// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { JsonValue, ObjectMeta } from '../../foundation/index.js';
import type { NodeSelector } from './core-v1.js';
import type { ListMeta } from './meta-v1.js';

export type AllocationResult = {
  devices?: DeviceAllocationResult | undefined;
  nodeSelector?: NodeSelector | undefined;
  controller?: string | undefined;
};

export type BasicDevice = {
  attributes?: Record<string, DeviceAttribute> | undefined;
  capacity?: Record<string, string> | undefined;
};

export type CELDeviceSelector = {
  expression: string;
};

export type Device = {
  name: string;
  basic?: BasicDevice | undefined;
};

export type DeviceAllocationConfiguration = {
  source: string;
  requests?: string[] | undefined;
  opaque?: OpaqueDeviceConfiguration | undefined;
};

export type DeviceAllocationResult = {
  results?: DeviceRequestAllocationResult[] | undefined;
  config?: DeviceAllocationConfiguration[] | undefined;
};

export type DeviceAttribute = {
  int?: number | undefined;
  bool?: boolean | undefined;
  string?: string | undefined;
  version?: string | undefined;
};

export type DeviceClaim = {
  requests?: DeviceRequest[] | null | undefined;
  constraints?: DeviceConstraint[] | undefined;
  config?: DeviceClaimConfiguration[] | undefined;
};

export type DeviceClaimConfiguration = {
  requests?: string[] | undefined;
  opaque?: OpaqueDeviceConfiguration | undefined;
};

/** DeviceClass of version v1alpha3 of the group resource. */
export type DeviceClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: DeviceClassSpec;
};

export type DeviceClassConfiguration = {
  opaque?: OpaqueDeviceConfiguration | undefined;
};

/** DeviceClassList of version v1alpha3 of the group resource. */
export type DeviceClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: DeviceClass[];
};

export type DeviceClassSpec = {
  selectors?: DeviceSelector[] | undefined;
  config?: DeviceClassConfiguration[] | undefined;
  suitableNodes?: NodeSelector | undefined;
};

export type DeviceConfiguration = {
  opaque?: OpaqueDeviceConfiguration | undefined;
};

export type DeviceConstraint = {
  requests?: string[] | undefined;
  matchAttribute?: string | undefined;
};

export type DeviceRequest = {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[] | undefined;
  allocationMode?: string | undefined;
  count?: number | undefined;
  adminAccess?: boolean | undefined;
};

export type DeviceRequestAllocationResult = {
  request: string;
  driver: string;
  pool: string;
  device: string;
};

export type DeviceSelector = {
  cel?: CELDeviceSelector | undefined;
};

export type OpaqueDeviceConfiguration = {
  driver: string;
  parameters: JsonValue;
};

/** PodSchedulingContext of version v1alpha3 of the group resource. */
export type PodSchedulingContext = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: PodSchedulingContextSpec;
  status?: PodSchedulingContextStatus | undefined;
};

/** PodSchedulingContextList of version v1alpha3 of the group resource. */
export type PodSchedulingContextList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PodSchedulingContext[];
};

export type PodSchedulingContextSpec = {
  selectedNode?: string | undefined;
  potentialNodes?: string[] | undefined;
};

export type PodSchedulingContextStatus = {
  resourceClaims?: ResourceClaimSchedulingStatus[] | undefined;
};

/** ResourceClaim of version v1alpha3 of the group resource. */
export type ResourceClaim = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus | undefined;
};

export type ResourceClaimConsumerReference = {
  apiGroup?: string | undefined;
  resource: string;
  name: string;
  uid: string;
};

/** ResourceClaimList of version v1alpha3 of the group resource. */
export type ResourceClaimList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ResourceClaim[];
};

export type ResourceClaimSchedulingStatus = {
  name: string;
  unsuitableNodes?: string[] | undefined;
};

export type ResourceClaimSpec = {
  devices?: DeviceClaim | undefined;
  controller?: string | undefined;
};

export type ResourceClaimStatus = {
  allocation?: AllocationResult | undefined;
  reservedFor?: ResourceClaimConsumerReference[] | undefined;
  deallocationRequested?: boolean | undefined;
};

/** ResourceClaimTemplate of version v1alpha3 of the group resource. */
export type ResourceClaimTemplate = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: ResourceClaimTemplateSpec;
};

/** ResourceClaimTemplateList of version v1alpha3 of the group resource. */
export type ResourceClaimTemplateList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ResourceClaimTemplate[];
};

export type ResourceClaimTemplateSpec = {
  metadata?: ObjectMeta | undefined;
  spec: ResourceClaimSpec;
};

export type ResourcePool = {
  name: string;
  generation: number;
  resourceSliceCount: number;
};

/** ResourceSlice of version v1alpha3 of the group resource. */
export type ResourceSlice = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: ResourceSliceSpec;
};

/** ResourceSliceList of version v1alpha3 of the group resource. */
export type ResourceSliceList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ResourceSlice[];
};

export type ResourceSliceSpec = {
  driver: string;
  pool: ResourcePool;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  allNodes?: boolean | undefined;
  devices?: Device[] | null | undefined;
};
