import type { Clock } from '../../foundation/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import { limitsOf } from '../state/history-options.js';
import { StorageError } from '../storage.js';
import type {
  Revision,
  Storage,
  StorageEncryption,
  StorageHealthChecks,
  StorageListOptions,
  StoragePage,
  StorageRecord,
  StorageWatch,
  StorageWatchSink,
  StorageWriteOptions,
  ValueEncoder,
} from '../storage.js';
import { storageFailure, type Cluster } from './cluster.js';
import { Compactor } from './compactor.js';
import type { KeySpace } from './key-space.js';
import { LeasePool } from './leases.js';
import type { EtcdSettings } from './options.js';
import { Reads } from './reads.js';
import type { Records } from './records.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import { UnreadableReports } from '../remote/unreadable-reports.js';
import { WatchDispatcher } from '../remote/watch-dispatcher.js';
import { WatchFeed } from './watch-feed.js';
import { Writes } from './writes.js';

/** Timeout of the readiness check, in milliseconds. */
const PING_TIMEOUT_MS = 2_000;
const NO_OPTIONS: StorageListOptions & StorageWriteOptions = {};

/**
 * Implements the storage contract over etcd. Reads are linearizable, writes are compare-and-swap transactions, and one
 * etcd watch feeds all watches of this process. A write is acknowledged when etcd has committed it and the watches of
 * this process have received it.
 */
export class EtcdStorage implements Storage {
  readonly isShared = true;
  readonly healthChecks: StorageHealthChecks = { name: 'etcd', readiness: 'etcd-readiness' };
  readonly encryption: StorageEncryption | undefined;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #keys: KeySpace;
  readonly #records: Records;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #feed: WatchFeed;
  readonly #dispatcher: WatchDispatcher;
  readonly #compactor: Compactor;
  readonly #onError: (error: unknown) => void;
  #closed = false;

  /** @param start revision after which the history is read */
  constructor(cluster: Cluster, records: Records, settings: EtcdSettings, start: Revision) {
    const { clock, keys, compactionIntervalMs, history, onError } = settings;
    this.encryption = settings.encryption;
    this.#cluster = cluster;
    this.#clock = clock;
    this.#keys = keys;
    this.#onError = onError;
    this.#records = records;
    this.#reads = new Reads(cluster, keys, records);
    this.#writes = new Writes({ cluster, keys, records, leases: new LeasePool(cluster, clock) });
    this.#feed = new WatchFeed(
      {
        cluster,
        keys,
        records,
        clock,
        sink: {
          events: (events) => this.#dispatcher.events(events),
          unreadable: new UnreadableReports(clock, onError).report,
          lost: (reason, revision) => {
            if (reason.kind === 'failed') onError(reason.error);
            this.#dispatcher.lose(reason, revision);
          },
          interrupted: onError,
        },
      },
      start,
    );
    this.#dispatcher = new WatchDispatcher(
      { clock, limits: limitsOf(history), position: () => this.#feed.position, catchUp: () => this.#catchUp() },
      start,
    );
    this.#compactor = new Compactor({
      cluster,
      clock,
      intervalMs: compactionIntervalMs,
      compacted: (revision) => this.#dispatcher.compact(revision),
      wroteOutside: (revision) => this.#feed.skip(revision),
      onError: (error) => this.#reportError(error),
    });
    if (compactionIntervalMs > 0) this.#compactor.start();
    void this.#feed.run();
  }

  shareBudget(budget: MemoryBudget): void {
    this.#dispatcher.shareBudget(budget);
    this.#records.shareBudget(budget);
  }

  async get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    this.#assertOpen();
    return this.#reads.get(key);
  }

  async list(prefix: string, options: StorageListOptions = NO_OPTIONS): Promise<StoragePage> {
    this.#assertOpen();
    return this.#reads.list(prefix, options);
  }

  async create(key: string, encode: ValueEncoder, options: StorageWriteOptions = NO_OPTIONS): Promise<StorageRecord> {
    this.#assertOpen();
    return this.#afterDelivery(await this.#writes.create(key, encode, options));
  }

  async update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions = NO_OPTIONS,
  ): Promise<StorageRecord> {
    this.#assertOpen();
    return this.#afterDelivery(await this.#writes.update(key, encode, modRevision, options));
  }

  async delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options: StorageWriteOptions = NO_OPTIONS,
  ): Promise<StorageRecord> {
    this.#assertOpen();
    return this.#afterDelivery(await this.#writes.delete(key, encode, modRevision, options));
  }

  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    return this.#dispatcher.watch(prefix, fromRevision, sink);
  }

  async expiries(prefix = ''): Promise<ReadonlyMap<string, number>> {
    this.#assertOpen();
    const expiries = new Map<string, number>();
    const range = this.#keys.range(prefix);
    if (range === undefined) return expiries;
    const { key: first, rangeEnd } = range;
    try {
      for (const id of await this.#cluster.leases()) {
        const { secondsLeft, keys } = await this.#cluster.leaseState(id);
        const deadline = this.#clock.now() + secondsLeft * 1000;
        for (const key of keys)
          if (first.compare(key) <= 0 && rangeEnd.compare(key) > 0) expiries.set(this.#keys.decode(key), deadline);
      }
    } catch (error) {
      throw storageFailure(error);
    }
    return expiries;
  }

  async currentRevision(): Promise<Revision> {
    this.#assertOpen();
    return this.#reads.currentRevision();
  }

  async compactedRevision(): Promise<Revision> {
    this.#assertOpen();
    return this.#dispatcher.compactedRevision();
  }

  async compact(revision: Revision): Promise<void> {
    this.#assertOpen();
    // Revisions below 1 are always compacted; etcd counts from 1.
    if (revision < 1) return;
    try {
      await this.#cluster.compact(revision);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== GrpcCode.OutOfRange) throw storageFailure(error);
      if (error.message.includes('future'))
        throw new StorageError('FutureRevision', { revision: await this.#reads.currentRevision(), cause: error });
      return;
    }
    this.#dispatcher.compact(revision);
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    await this.#reads.currentRevision(PING_TIMEOUT_MS);
  }

  /** Refuses while the cluster refuses writes: a member without space has an alarm (`NOSPACE`), as has a damaged one. */
  async pingWrites(): Promise<void> {
    await this.ping();
    const problems = await this.#cluster.problems().catch((error: unknown) => {
      throw storageFailure(error);
    });
    if (problems.length > 0)
      throw new StorageError('Unavailable', { message: `etcd refuses writes: ${problems.join(', ')}` });
  }

  isStale(record: StorageRecord): boolean {
    return this.#records.isStale(record);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#compactor.stop();
    this.#feed.close();
    this.#cluster.client.close();
    this.#dispatcher.close();
    this.#records.clear();
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageError('Unavailable', { message: 'the storage is closed' });
  }

  /** Waits until the watches of this process have received a write, before its writer learns of it. */
  async #afterDelivery(record: StorageRecord): Promise<StorageRecord> {
    const reached = this.#feed.reached(record.modRevision);
    if (reached !== undefined) await reached;
    return record;
  }

  async #catchUp(): Promise<void> {
    await this.#feed.caughtUp(await this.#reads.currentRevision());
  }

  #reportError(error: unknown): void {
    if (!this.#closed) this.#onError(error);
  }
}
