// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { Condition, ListMeta } from './meta-v1.js';

/** IPAddress of version v1beta1 of the group networking. */
export type IPAddress = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: IPAddressSpec | undefined;
};

/** IPAddressList of version v1beta1 of the group networking. */
export type IPAddressList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: IPAddress[];
};

export type IPAddressSpec = {
  parentRef: ParentReference;
};

export type ParentReference = {
  group?: string | undefined;
  resource: string;
  namespace?: string | undefined;
  name: string;
};

/** ServiceCIDR of version v1beta1 of the group networking. */
export type ServiceCIDR = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: ServiceCIDRSpec | undefined;
  status?: ServiceCIDRStatus | undefined;
};

/** ServiceCIDRList of version v1beta1 of the group networking. */
export type ServiceCIDRList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ServiceCIDR[];
};

export type ServiceCIDRSpec = {
  cidrs?: string[] | undefined;
};

export type ServiceCIDRStatus = {
  conditions?: Condition[] | undefined;
};
