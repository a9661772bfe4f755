import { messageOf, promised, type Clock } from '../../foundation/index.js';
import type { ValueCodec } from '../encrypted/value-codec.js';
import type { MemoryBudget } from '../memory-budget.js';
import { assertAbsent, assertHolds, assertVersion } from '../state/conditions.js';
import type { Expiry } from '../state/history/expiry-queue.js';
import { growthOf } from '../state/objects-text.js';
import { createEvent, heldRecord, replaceEvent, type MakeRecord } from '../state/records/record.js';
import type { Deadline, StoreState } from '../state/store-state.js';
import type { StorageIndex, TermsOf } from '../storage-index.js';
import type {
  Revision,
  Storage,
  StorageEvent,
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
import type { ColdTexts } from './cold-texts.js';
import type { StoreConnection } from './connection.js';
import { refuse } from './refusal.js';
import { encodedAtRest } from './text-at-rest.js';
import type { WriteQueue } from './write-queue.js';

/** The parts of an open store. */
export interface SqliteStorageParts {
  readonly clock: Clock;
  readonly state: StoreState;
  readonly queue: WriteQueue;
  readonly connection: StoreConnection;
  readonly codec: ValueCodec;
  /** The texts of a store that is larger than memory. */
  readonly cold?: ColdTexts | undefined;
  /** Encodes the last version of a key that expires, when an earlier process set its expiry. */
  stampRevision(text: string, revision: Revision): string;
}

/** Makes a write from the current or pending version of its key; throws a StorageError when it is not allowed. */
type MakeEvent = (current: StorageRecord | undefined, revision: Revision) => StorageEvent;

const NO_OPTIONS: StorageListOptions = {};
/** Delay before the deletion of an expired key is tried again, in milliseconds. */
const EXPIRY_RETRY_MS = 1000;

/**
 * The file engine. Reads come from the state in memory; a write goes through the queue into the file and then into the
 * state.
 */
export class SqliteStorage implements Storage {
  readonly commitsInOrder = true;
  readonly healthChecks: StorageHealthChecks = { name: 'sqlite', readiness: 'sqlite-readiness' };
  readonly encryption: StorageEncryption | undefined;
  readonly #parts: SqliteStorageParts;
  readonly #makeRecord: MakeRecord;
  #closing: Promise<void> | undefined;
  /** Growth of the current objects by the writes that are not durable yet, without those that shrink them. */
  #pendingBytes = 0;

  constructor(parts: SqliteStorageParts) {
    this.#parts = parts;
    this.encryption = parts.codec;
    this.#makeRecord = parts.cold?.cache.record ?? heldRecord;
  }

  shareBudget(budget: MemoryBudget): void {
    this.#parts.state.shareBudget(budget);
  }

  get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    return promised(() => {
      this.#assertOpen();
      const { state } = this.#parts;
      return { record: state.present(key), revision: state.revision };
    });
  }

  list(prefix: string, options: StorageListOptions = NO_OPTIONS): Promise<StoragePage> {
    const page = (): StoragePage => {
      this.#assertOpen();
      return this.#parts.state.page(prefix, options);
    };
    return this.#parts.state.pastReady(options.revision)?.then(page) ?? promised(page);
  }

  create(key: string, encode: ValueEncoder, options?: StorageWriteOptions): Promise<StorageRecord> {
    const make: MakeEvent = (current, revision) => {
      assertAbsent(key, current);
      return createEvent(key, encode(revision), revision, options?.decoded, this.#makeRecord);
    };
    return this.#write(key, make, options);
  }

  update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord> {
    const make: MakeEvent = (current, revision) =>
      replaceEvent(
        'update',
        assertVersion(key, current, modRevision),
        encode(revision),
        revision,
        options?.decoded,
        this.#makeRecord,
      );
    return this.#write(key, make, options);
  }

  delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord> {
    const make: MakeEvent = (current, revision) =>
      replaceEvent(
        'delete',
        assertVersion(key, current, modRevision),
        encode(revision),
        revision,
        options?.decoded,
        this.#makeRecord,
      );
    return this.#write(key, make, options?.while === undefined ? undefined : { while: options.while });
  }

  index(prefix: string, termsOf: TermsOf): StorageIndex {
    return this.#parts.state.index(prefix, termsOf);
  }

  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    return this.#parts.state.watch(prefix, fromRevision, sink);
  }

  async expiries(prefix = ''): Promise<ReadonlyMap<string, number>> {
    this.#assertOpen();
    return this.#parts.state.deadlines(prefix);
  }

  async currentRevision(): Promise<Revision> {
    this.#assertOpen();
    return this.#parts.state.revision;
  }

  async compactedRevision(): Promise<Revision> {
    this.#assertOpen();
    this.#parts.state.forgetExpired();
    return this.#parts.state.compactedRevision;
  }

  async compact(revision: Revision): Promise<void> {
    const { state, queue } = this.#parts;
    while (this.#isBlocked()) await queue.recover();
    if (state.canCompact(revision)) await queue.compact(revision);
  }

  async ping(): Promise<void> {
    const { queue, connection, cold } = this.#parts;
    while (this.#isBlocked()) await queue.recover();
    cold?.assertSound();
    try {
      await connection.run('SELECT value FROM facts');
    } catch (error) {
      throw refuse(`the store cannot be read: ${messageOf(error)}`, error);
    }
  }

  async pingWrites(): Promise<void> {
    const { queue } = this.#parts;
    while (this.#isBlocked()) await queue.recover();
    await queue.probe();
  }

  isStale(record: StorageRecord): boolean {
    const { codec, cold } = this.#parts;
    cold?.learnProtection(record);
    return codec.protectionOf(record.key) !== record.protection;
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Deletes an expired key, unless it was written since. */
  expire(expiry: Expiry): void {
    const { state, clock } = this.#parts;
    this.#erase(expiry).catch(() => state.postpone({ ...expiry, deadline: clock.now() + EXPIRY_RETRY_MS }));
  }

  async #erase(expiry: Expiry): Promise<void> {
    const { state, queue, stampRevision } = this.#parts;
    await queue.pending(expiry.key)?.durable;
    const current = state.present(expiry.key);
    if (current?.modRevision !== expiry.revision) return;
    await this.delete(
      expiry.key,
      expiry.encode ?? ((revision) => stampRevision(current.text, revision)),
      expiry.revision,
    );
  }

  async #write(key: string, make: MakeEvent, options: StorageWriteOptions | undefined): Promise<StorageRecord> {
    const { state, queue, clock } = this.#parts;
    while (this.#isBlocked()) await queue.recover();
    const pending = queue.pending(key);
    const condition = options?.while;
    const pendingCondition = condition && queue.pending(condition.key);
    let event: StorageEvent;
    let stored: string;
    try {
      if (condition !== undefined)
        assertHolds(condition, pendingCondition === undefined ? state.present(condition.key) : pendingCondition.record);
      event = make(pending === undefined ? state.present(key) : pending.record, queue.nextRevision);
      state.assertFits(event, options, this.#pendingBytes);
      stored = encodedAtRest(event.record, this.#parts.codec);
    } catch (refusal) {
      // The pending write that caused the error may still fail.
      await pendingCondition?.durable;
      await pending?.durable;
      throw refusal;
    }
    const writtenAt = Math.floor(clock.now());
    const deadline: Deadline | undefined =
      options?.ttl === undefined
        ? undefined
        : { deadline: Math.ceil(writtenAt + options.ttl), encode: options.encodeExpired };
    const growth = Math.max(0, growthOf(event));
    this.#pendingBytes += growth;
    try {
      const durable = queue.add({ event, writtenAt, deadline, stored });
      options?.accepted?.(event.record);
      await durable;
    } finally {
      this.#pendingBytes -= growth;
    }
    return event.record;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw refuse('the storage is closed');
  }

  /**
   * Returns whether {@link WriteQueue.recover} must run before a write.
   *
   * @throws StorageError `Unavailable` when the store is closed
   */
  #isBlocked(): boolean {
    this.#assertOpen();
    return this.#parts.queue.isBroken;
  }

  async #shutDown(): Promise<void> {
    const { queue, state, connection, cold } = this.#parts;
    await queue.drain();
    state.close();
    await cold?.close();
    await connection.close();
  }
}
