import { systemEntropy } from '../../foundation/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import type { VersionSource } from '../cached/cold-records.js';
import { UnreadableReports } from '../remote/unreadable-reports.js';
import { WatchDispatcher } from '../remote/watch-dispatcher.js';
import { limitsOf } from '../state/history-options.js';
import { WriteEvent } from '../state/records/record.js';
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
import { ChangeFeed } from './change-feed.js';
import type { Connector } from './connector.js';
import type { OwnPool } from './driver.js';
import type { PostgresSettings } from './options.js';
import { rangeOf } from './key-range.js';
import { Reads } from './reads.js';
import { Records } from './records.js';
import { numberAt, textAt } from './rows.js';
import { statementsOn, type Statements } from './statements.js';
import { Upkeep } from './upkeep.js';
import { WriteGroups, type CommittedWrite } from './write-groups.js';
import { WriteProbe } from './write-probe.js';
import { Writes } from './writes.js';

const NO_OPTIONS: StorageListOptions & StorageWriteOptions = {};
/** Number of expiries that are read at a time. */
const EXPIRIES_AT_ONCE = 500;

/** The connections of an engine. */
export interface PostgresConnections {
  readonly connector: Connector;
  /** Those of the feed; the same, unless a pooler is in between. */
  readonly feed: Connector;
  /** The pools that the engine made; it ends them. */
  readonly ownPools: readonly OwnPool[];
}

/**
 * Implements the storage contract over PostgreSQL. Reads are single statements, writes are committed in groups under one
 * lock, and one feed of the versions serves all watches of this process. A write is acknowledged when the database has
 * committed it and the watches of this process have received it.
 */
export class PostgresStorage implements Storage {
  readonly healthChecks: StorageHealthChecks = { name: 'postgres', readiness: 'postgres-readiness' };
  readonly commitsInOrder = true;
  readonly isShared = true;
  readonly encryption: StorageEncryption | undefined;
  readonly #connections: PostgresConnections;
  readonly #statements: Statements;
  readonly #records: Records;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #probe: WriteProbe;
  readonly #feed: ChangeFeed;
  readonly #dispatcher: WatchDispatcher;
  readonly #upkeep: Upkeep;
  #closing: Promise<void> | undefined;

  /** @param start revision after which the history is read */
  constructor(connections: PostgresConnections, settings: PostgresSettings, start: Revision) {
    const { clock, schema, history, onError, requestTimeoutMs, compactionIntervalMs } = settings;
    const { connector } = connections;
    // Without the texts in the watch cache, only the history and the cached versions hold those of new objects.
    const limits = { ...limitsOf(history), holdsRecords: settings.hasColdTexts };
    const statements = statementsOn(schema, settings);
    const reportError = (error: unknown): void => {
      if (this.#closing === undefined) onError(error);
    };
    this.encryption = settings.encryption;
    this.#connections = connections;
    this.#statements = statements;
    this.#records = new Records(settings.maxCachedTextLength, settings.encryption);
    this.#reads = new Reads(connector, statements, this.#records);
    this.#probe = new WriteProbe(this.#reads, statements);
    const groups = new WriteGroups({
      connector,
      statements,
      clock,
      entropy: systemEntropy,
      timeoutMs: requestTimeoutMs,
      opened: (session, acknowledged) => this.#feed.checkPosition(session, acknowledged),
      committed: (writes, batch) => this.#feed.committed(this.#eventsOf(writes), batch),
      probe: this.#probe,
    });
    this.#writes = new Writes(groups, this.#reads, this.#records);
    this.#feed = new ChangeFeed(
      {
        connector: connections.feed,
        reads: this.#reads,
        statements,
        records: this.#records,
        clock,
        channel: `orch_${schema}`,
        sink: {
          events: (events) => this.#dispatcher.events(events),
          unreadable: new UnreadableReports(clock, reportError).report,
          lost: (reason, revision) => {
            if (reason.kind === 'failed') reportError(reason.error);
            this.#dispatcher.lose(reason, revision);
          },
          compacted: (revision) => this.#dispatcher.compact(revision),
          interrupted: reportError,
        },
      },
      start,
    );
    this.#dispatcher = new WatchDispatcher(
      { clock, limits, position: () => this.#feed.position, catchUp: () => this.#catchUp() },
      start,
    );
    this.#upkeep = new Upkeep({
      clock,
      reads: this.#reads,
      statements,
      compactionIntervalMs,
      historyMs: limits.historyMs,
      maxEvents: limits.maxEvents,
      expired: () => this.#feed.committed(undefined, undefined),
      onError: reportError,
    });
    this.#upkeep.start();
    void this.#feed.run();
  }

  /** The reads of a watch cache whose texts are limited. */
  get versions(): VersionSource {
    return this.#reads;
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
    for (let range = rangeOf(prefix); range !== undefined;) {
      const rows = await this.#reads.query(this.#statements.expiries, [range.first, range.end, EXPIRIES_AT_ONCE]);
      let last = prefix;
      for (const row of rows) expiries.set((last = textAt(row, 0) ?? ''), numberAt(row, 1));
      range = rows.length < EXPIRIES_AT_ONCE ? undefined : rangeOf(prefix, last);
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
    // Revisions below 1 are always compacted.
    if (revision < 1) return;
    const [row = []] = await this.#reads.query(this.#statements.compact, [revision]);
    const newest = numberAt(row, 0);
    if (revision > newest) throw new StorageError('FutureRevision', { revision: newest });
    this.#dispatcher.compact(revision);
    await this.#upkeep.clean();
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    await this.#reads.currentRevision();
  }

  async pingWrites(): Promise<void> {
    this.#assertOpen();
    await this.#probe.run();
  }

  isStale(record: StorageRecord): boolean {
    return this.#records.isStale(record);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async #end(): Promise<void> {
    this.#upkeep.stop();
    this.#feed.close();
    this.#connections.connector.close();
    this.#connections.feed.close();
    this.#dispatcher.close();
    this.#records.clear();
    for (const pool of this.#connections.ownPools) await pool.end();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StorageError('Unavailable', { message: 'the storage is closed' });
  }

  /** Returns the events of a group; undefined when a version that it replaced is not in memory. */
  #eventsOf(writes: readonly CommittedWrite[]): WriteEvent[] | undefined {
    const events: WriteEvent[] = [];
    for (const { write, record } of writes) {
      if (write.expected === 0) events.push(new WriteEvent('create', record, undefined));
      else {
        const previous = this.#records.find(write.key, write.expected);
        if (previous === undefined) return undefined;
        events.push(new WriteEvent(write.text === undefined ? 'delete' : 'update', record, previous));
      }
    }
    return events;
  }

  /** Waits until the watches of this process have received a write, before its writer learns of it. */
  async #afterDelivery(record: StorageRecord): Promise<StorageRecord> {
    const reached = this.#feed.reached(record.modRevision);
    if (reached !== undefined) await reached;
    return record;
  }

  async #catchUp(): Promise<void> {
    await this.#feed.reached(await this.#reads.currentRevision());
  }
}
