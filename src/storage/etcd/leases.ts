import type { Clock } from '../../meta/clock.js';
import type { Cluster } from './cluster.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';

/** A lease takes in what is to vanish a little earlier than it does: this part of the time longer, and at most so many seconds. */
const SHARED_PART = 0.05;
const MAX_SHARED_SECONDS = 60;
/** What vanishes with one lease vanishes in one transaction. */
const MAX_KEYS = 1_000;

/** A lease that keys are bound to. */
export interface SharedLease {
  readonly id: bigint;
  /** It lives at least until then, in milliseconds since the epoch. */
  readonly until: number;
  /** Number of keys that were bound to it. */
  keys: number;
}

/**
 * The leases by which keys vanish. etcd takes as long for a lease as for a write, so keys that are to vanish at about the same
 * time share one, as they do in the production system: a key lives as long as it was promised, and at most a twentieth of that, or a
 * minute, longer.
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

  /** A lease for a key that is to live so long. @throws RpcError */
  async take(ttlMs: number): Promise<SharedLease> {
    const seconds = Math.max(1, Math.ceil(ttlMs / 1000));
    for (;;) {
      const known = this.#newest.get(seconds);
      const lease = await (known ?? this.#grant(seconds));
      if (known === undefined || (lease.until >= this.#clock.now() + ttlMs && lease.keys < MAX_KEYS)) {
        lease.keys += 1;
        return lease;
      }
      if (this.#newest.get(seconds) === known) this.#newest.delete(seconds);
    }
  }

  /** Tells of a lease that etcd does not know any more: nobody gets it again. */
  forget(lease: SharedLease): void {
    lease.keys = MAX_KEYS;
  }

  #grant(seconds: number): Promise<SharedLease> {
    const began = this.#clock.now();
    this.#dropOver(began);
    const shared = Math.min(MAX_SHARED_SECONDS, Math.ceil(seconds * SHARED_PART));
    const lease = this.#cluster
      .grantLease(seconds + shared)
      .then((granted) => ({ id: granted.id, until: began + granted.seconds * 1000, keys: 0 }));
    this.#newest.set(seconds, lease);
    lease.catch(() => this.#newest.delete(seconds));
    return lease;
  }

  /** Lets go of the leases of lengths that nobody asks for any more. */
  #dropOver(now: number): void {
    for (const [seconds, known] of this.#newest) {
      const dropIt = ({ until }: SharedLease): void => {
        if (until < now && this.#newest.get(seconds) === known) this.#newest.delete(seconds);
      };
      known.then(dropIt, () => undefined);
    }
  }
}

/** Whether a write failed because its lease is gone; it was not carried out. */
export function isLeaseGone(error: unknown): boolean {
  return error instanceof RpcError && error.code === GrpcCode.NotFound && error.message.includes('lease not found');
}
