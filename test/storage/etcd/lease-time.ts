import { systemClock, type Clock } from '../../../src/foundation/index.js';
import { EtcdClient } from '../../../src/storage/etcd/rpc/client.js';
import { parseEndpoints } from '../../../src/storage/etcd/rpc/endpoint.js';
import { Cluster } from '../../../src/storage/etcd/cluster.js';
import { encodeLeaseRevoke } from '../../../src/storage/etcd/wire/services.js';

/** The host's clock, set forward; its timers remain those of the host. */
export class ShiftedClock implements Clock {
  #shiftMs = 0;

  now(): number {
    return systemClock.now() + this.#shiftMs;
  }

  after(delayMs: number, callback: () => void): { cancel(): void } {
    return systemClock.after(delayMs, callback);
  }

  /** Sets the clock forward to a future time. */
  moveTo(time: number): void {
    this.#shiftMs = Math.max(this.#shiftMs, time - systemClock.now());
  }
}

/**
 * Lets time pass for the leases of an etcd. The clock of etcd cannot be moved; but it revokes a lease at its expiry,
 * which any client can do too.
 */
export class LeaseTime {
  readonly clock = new ShiftedClock();
  readonly #client: EtcdClient;
  readonly #cluster: Cluster;
  /** The expiry of each known lease. */
  readonly #ends = new Map<bigint, number>();

  constructor(url: string) {
    this.#client = new EtcdClient({
      endpoints: parseEndpoints([url]),
      clock: systemClock,
      credentials: undefined,
      tls: () => ({}),
      callTimeoutMs: 5_000,
    });
    this.#cluster = new Cluster(this.#client, systemClock);
  }

  /** Advances by a number of milliseconds, and revokes the leases that expire within them, in order. */
  async advance(ms: number): Promise<void> {
    const from = this.clock.now();
    for (const id of await this.#cluster.leases()) {
      // Every lease was granted at the current time or before it last advanced.
      if (!this.#ends.has(id)) this.#ends.set(id, from + (await this.#cluster.leaseState(id)).grantedSeconds * 1000);
    }
    const due = [...this.#ends].filter(([, end]) => end <= from + ms).sort(([, left], [, right]) => left - right);
    for (const [id, end] of due) {
      this.clock.moveTo(end);
      await this.#revoke(id);
    }
    this.clock.moveTo(from + ms);
  }

  /** Revokes every lease, so that none expires unexpectedly. */
  async close(): Promise<void> {
    for (const id of await this.#cluster.leases()) await this.#revoke(id);
    this.#client.close();
  }

  async #revoke(id: bigint): Promise<void> {
    this.#ends.delete(id);
    await this.#client.call('/etcdserverpb.Lease/LeaseRevoke', encodeLeaseRevoke(id), { repeatable: false });
  }
}
