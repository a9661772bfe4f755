import type { Clock } from '../../foundation/index.js';
import type { Cluster } from './cluster.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';

/**
 * Extra lifetime of a lease: this share of the time to live, at most {@link MAX_EXTRA_SECONDS}. Keys that expire
 * slightly earlier share the lease.
 */
const EXTRA_SHARE = 0.05;
const MAX_EXTRA_SECONDS = 60;
/** Maximum number of keys per lease: they expire in one transaction. */
const MAX_KEYS = 1_000;

/** A lease that keys are bound to. */
export interface SharedLease {
  readonly id: bigint;
  /** Earliest expiry, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Number of keys that were bound to it. */
  keys: number;
}

/**
 * The leases that expire keys. In etcd, a lease costs as much as a write, so keys that expire at about the same time
 * share one, as in Kubernetes. A key lives as long as requested, and at most 5% or one minute longer.
 */
export class LeasePool {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  /** The newest lease of each length, in seconds. */
  readonly #newest = new Map<number, Promise<SharedLease>>();

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** Returns a lease for a key with a time to live in milliseconds. @throws RpcError */
  async take(ttlMs: number): Promise<SharedLease> {
    const seconds = Math.max(1, Math.ceil(ttlMs / 1000));
    for (;;) {
      const known = this.#newest.get(seconds);
      const lease = await (known ?? this.#grant(seconds));
      if (known === undefined || (lease.expiresAt >= this.#clock.now() + ttlMs && lease.keys < MAX_KEYS)) {
        lease.keys += 1;
        return lease;
      }
      if (this.#newest.get(seconds) === known) this.#newest.delete(seconds);
    }
  }

  /** Marks a lease that etcd no longer knows, so that it is not used again. */
  forget(lease: SharedLease): void {
    lease.keys = MAX_KEYS;
  }

  #grant(seconds: number): Promise<SharedLease> {
    const began = this.#clock.now();
    this.#dropExpired(began);
    const extra = Math.min(MAX_EXTRA_SECONDS, Math.ceil(seconds * EXTRA_SHARE));
    const lease = this.#cluster
      .grantLease(seconds + extra)
      .then((granted) => ({ id: granted.id, expiresAt: began + granted.seconds * 1000, keys: 0 }));
    this.#newest.set(seconds, lease);
    lease.catch(() => this.#newest.delete(seconds));
    return lease;
  }

  /** Drops the expired leases of lengths that are no longer requested. */
  #dropExpired(now: number): void {
    for (const [seconds, known] of this.#newest) {
      const dropExpired = ({ expiresAt }: SharedLease): void => {
        if (expiresAt < now && this.#newest.get(seconds) === known) this.#newest.delete(seconds);
      };
      known.then(dropExpired, () => undefined);
    }
  }
}

/** Returns whether a write was refused because its lease has expired. */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof RpcError && error.code === GrpcCode.NotFound && error.message.includes('lease not found');
}
