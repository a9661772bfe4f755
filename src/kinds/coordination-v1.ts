// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { ListMeta } from './meta-v1.js';

/** Lease of `coordination.k8s.io/v1`. */
export type Lease = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: LeaseSpec | undefined;
};

/** LeaseList of `coordination.k8s.io/v1`. */
export type LeaseList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Lease[];
};

export type LeaseSpec = {
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  acquireTime?: string | undefined;
  renewTime?: string | undefined;
  leaseTransitions?: number | undefined;
  strategy?: string | undefined;
  preferredHolder?: string | undefined;
};
