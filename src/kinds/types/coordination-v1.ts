// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** A lease that its holder must renew, for heartbeats and leader election. */
export type Lease = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec?: LeaseSpec | undefined;
};

/** LeaseList of version v1 of the group coordination. */
export type LeaseList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Lease[];
};

export type LeaseSpec = {
  /** Holder of the lease; empty or absent when it is free. */
  holderIdentity?: string | undefined;
  /** Seconds after renewTime before others may take the lease. */
  leaseDurationSeconds?: number | undefined;
  /** Time when the holder took the lease. */
  acquireTime?: string | undefined;
  /** Time when the holder last renewed the lease. */
  renewTime?: string | undefined;
  /** Number of changes of the holder. */
  leaseTransitions?: number | undefined;
  /** Strategy of coordinated leader election. Alpha: dropped. */
  strategy?: string | undefined;
  /** Preferred next holder of the lease. Alpha: dropped. */
  preferredHolder?: string | undefined;
};
