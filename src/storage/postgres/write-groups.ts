import { delay, messageOf, nextTurn, type Clock, type Entropy } from '../../foundation/index.js';
import { StorageError, type Revision, type StorageCondition, type StorageRecord } from '../storage.js';
import { Lane, type Connector } from './connector.js';
import { SqlFailure, storageFailure } from './failure.js';
import { TOO_LATE } from './layout.js';
import { numberAt, numberOrNothingAt, textAt, VERSION_COLUMNS, versionAt, type Row, type VersionRow } from './rows.js';
import type { Backend, Session } from './session.js';
import type { Statements } from './statements.js';
import type { WriteProbe } from './write-probe.js';

/** A write of a group. */
export interface GroupedWrite {
  readonly key: string;
  /** The stored text; undefined for a delete. */
  readonly text: string | undefined;
  readonly stamp: number | undefined;
  /** Revision of the current version; 0 when the key must not exist. */
  readonly expected: Revision;
  readonly ttlMs: number | undefined;
  readonly condition: StorageCondition | undefined;
  /** Returns the record of the version that the write made. Called once, when the write has taken effect. */
  readonly recordOf: (revision: Revision, createRevision: Revision) => StorageRecord;
}

/** The outcome of a write: the record that it made, or the current version or the condition for which it was refused. */
export type WriteOutcome =
  | { readonly isDone: true; readonly record: StorageRecord }
  | { readonly isDone: false; readonly isFenced: boolean; readonly current: VersionRow | undefined };

/** A write that took effect. */
export interface CommittedWrite {
  readonly write: GroupedWrite;
  readonly record: StorageRecord;
}

/** A write that waits for its outcome. */
interface PendingWrite extends GroupedWrite {
  readonly resolve: (outcome: WriteOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** The parts of {@link WriteGroups}. */
export interface WriteGroupParts {
  readonly connector: Connector;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Maximum time of a statement, and of finding an unknown outcome, in milliseconds. */
  readonly timeoutMs: number;
  /** Called with each new session before its first write, and with the newest revision that was acknowledged. */
  readonly opened: (session: Session, acknowledged: Revision) => Promise<void>;
  /** Called after each group with the writes that took effect, in order of revision, before their writers learn of it. */
  readonly committed: (writes: readonly CommittedWrite[], batch: string) => void;
  readonly probe: Pick<WriteProbe, 'succeeded' | 'refused'>;
}

const MAX_WRITES = 64;
const MAX_LENGTH = 1024 * 1024;
const PAUSE_MS = 100;
/** Warning after a cancelled wait for a synchronous standby: the commit stays here, and may be lost at a failover. */
const NOT_REPLICATED = /synchronous replication|replicated to the standby/;

/** A group whose answer did not come. */
interface LostGroup {
  readonly batch: string;
  readonly writes: readonly PendingWrite[];
  /** Newest revision known before it. */
  readonly after: Revision;
  /** Time of the database after which the group cannot begin, in milliseconds since the epoch. */
  readonly notAfter: number;
  readonly backend: Backend | undefined;
  readonly failure: SqlFailure;
}

/**
 * Sends writes in groups, one at a time: what waits when a group returns is the next one. The lock of the store admits
 * one group at a time of all servers, so more of them on their way would only wait for each other.
 *
 * A write is never sent twice. When the answer of a group does not come, its session is ended in the database, and then
 * the store says what the group did.
 */
export class WriteGroups {
  readonly #parts: WriteGroupParts;
  readonly #lane: Lane;
  #waiting: PendingWrite[] = [];
  #isRunning = false;
  #newest: Revision = 0;
  #isReplicationUncertain = false;
  readonly #watched = new WeakSet<Session>();

  constructor(parts: WriteGroupParts) {
    this.#parts = parts;
    this.#lane = new Lane(parts.connector);
  }

  /** Adds a write. @throws StorageError `Unavailable` when it did not take effect, or its outcome is unknown */
  add(write: GroupedWrite): Promise<WriteOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...write, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    // Other writes of this turn join the same group.
    await nextTurn();
    for (;;) {
      const group = this.#take();
      if (group.length === 0) break;
      try {
        await this.#commit(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
  }

  #take(): PendingWrite[] {
    let count = 0;
    for (let length = 0; count < Math.min(this.#waiting.length, MAX_WRITES) && length < MAX_LENGTH; count += 1)
      length += this.#waiting[count]?.text?.length ?? 0;
    return this.#waiting.splice(0, count);
  }

  async #commit(writes: readonly PendingWrite[]): Promise<void> {
    const { entropy, statements, timeoutMs } = this.#parts;
    const session = await this.#session();
    const batch = entropy.uuid();
    const notAfter = session.databaseNow() + timeoutMs;
    let rows: readonly Row[];
    try {
      rows = await session.query(statements.commit, [
        batch,
        notAfter,
        writes.map(({ key }) => key),
        writes.map(({ expected }) => expected),
        writes.map(({ text }) => text ?? null),
        writes.map(({ stamp }) => stamp ?? null),
        writes.map(({ ttlMs }) => ttlMs ?? null),
        writes.map(({ condition }) => condition?.key ?? null),
        writes.map(({ condition }) => condition?.modRevision ?? null),
      ]);
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error;
      if (error.hasNoEffect) {
        this.#parts.probe.refused(error, lengthOf(writes));
        throw notExecuted(error);
      }
      const lost = { batch, writes, after: this.#newest, notAfter, backend: session.backend, failure: error };
      this.#settle(lost, await this.#outcomesOf(lost));
      return;
    }
    if (this.#isReplicationUncertain) throw unknownOutcome('the wait for a synchronous standby was cancelled');
    if (rows.length !== writes.length) throw new Error(`PostgreSQL answered ${rows.length} of ${writes.length} writes`);
    this.#settle(
      { batch, writes },
      writes.map((write, index) => outcomeOf(rows[index] ?? [], write)),
    );
  }

  async #session(): Promise<Session> {
    try {
      const session = await this.#lane.session();
      this.#isReplicationUncertain = false;
      if (!this.#watched.has(session)) await this.#begin(session);
      return session;
    } catch (error) {
      throw storageFailure(error);
    }
  }

  async #begin(session: Session): Promise<void> {
    await this.#parts.opened(session, this.#newest);
    this.#watched.add(session);
    session.onNotice((message) => {
      if (NOT_REPLICATED.test(message)) this.#isReplicationUncertain = true;
    });
  }

  #settle(
    { batch, writes }: { readonly batch: string; readonly writes: readonly PendingWrite[] },
    outcomes: readonly WriteOutcome[],
  ): void {
    const committed: CommittedWrite[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const write = writes[index];
      if (write === undefined || !outcome.isDone) continue;
      const { record } = outcome;
      this.#newest = Math.max(this.#newest, record.modRevision);
      committed.push({ write, record });
    }
    if (committed.length > 0) {
      this.#parts.probe.succeeded();
      this.#parts.committed(committed, batch);
    }
    for (const [index, outcome] of outcomes.entries()) writes[index]?.resolve(outcome);
  }

  /**
   * Finds the outcomes of a group whose answer did not come. Once its process in the database is gone, or the group is
   * too late to begin, and the lock was free, its versions are there or never will be.
   *
   * @throws StorageError `Unavailable` that says whether the group took effect
   */
  async #outcomesOf(lost: LostGroup): Promise<readonly WriteOutcome[]> {
    const { clock, timeoutMs } = this.#parts;
    const deadline = clock.now() + timeoutMs;
    let reason: unknown = lost.failure;
    do {
      try {
        const rows = await this.#ask(await this.#lane.session(), lost);
        if (rows !== undefined) return await this.#read(rows, lost);
      } catch (error) {
        if (!(error instanceof SqlFailure)) throw error;
        reason = error;
      }
      await delay(clock, PAUSE_MS);
    } while (clock.now() < deadline);
    throw unknownOutcome(messageOf(reason), reason);
  }

  /** Returns the versions that the group wrote; undefined while it may still begin. */
  async #ask(session: Session, { batch, after, notAfter, backend }: LostGroup): Promise<readonly Row[] | undefined> {
    const isGone = backend !== undefined && (await session.endBackend(backend));
    const [first = [], ...rows] = await session.query(this.#parts.statements.outcome, [batch, after, notAfter]);
    return isGone || first[0] === true || rows.length > 0 ? rows : undefined;
  }

  /** A group takes effect as a whole, so a write without a version was refused if another one has a version. */
  async #read(rows: readonly Row[], { writes, failure }: LostGroup): Promise<readonly WriteOutcome[]> {
    if (rows.length === 0) throw notExecuted(failure);
    const session = await this.#lane.session();
    const revisions = rows.map((row) => numberAt(row, 1));
    const versions = (await session.query(this.#parts.statements.written, [revisions])).map(writtenVersionOf);
    if (versions.length < rows.length) throw unknownOutcome('its versions have been compacted', failure);
    const outcomes: WriteOutcome[] = [];
    for (const write of writes) {
      const { key } = write;
      // The writes of a group are made in their order, so the first version of a key is that of the first write that fits.
      const index = versions.findIndex((version) => version.key === key);
      const version = versions[index];
      if (version !== undefined && isOf(version, write)) {
        versions.splice(index, 1);
        outcomes.push({ isDone: true, record: write.recordOf(version.revision, version.createRevision) });
      } else {
        const current = await this.#current(session, key);
        // Its condition is the only other reason.
        const isFenced = write.condition !== undefined && (current?.revision ?? 0) === write.expected;
        outcomes.push({ isDone: false, isFenced, current });
      }
    }
    return outcomes;
  }

  async #current(session: Session, key: string): Promise<VersionRow | undefined> {
    const [row = []] = await session.query(this.#parts.statements.get, [key]);
    const found = textAt(row, 1);
    if (found === undefined) return undefined;
    return currentOf(key, row, 2);
  }
}

/** Reads an answer of a write: done (null for one whose condition does not hold), revision, create revision, stamp, value. */
function outcomeOf(row: Row, { key, recordOf }: GroupedWrite): WriteOutcome {
  if (row[0] === true) return { isDone: true, record: recordOf(numberAt(row, 1), numberAt(row, 2)) };
  const current = numberOrNothingAt(row, 1) === undefined ? undefined : currentOf(key, row, 1);
  return { isDone: false, isFenced: row[0] === null, current };
}

/** A version that a group wrote. */
interface WrittenVersion extends VersionRow {
  /** Revision of the version that it replaced; 0 for none. */
  readonly previous: Revision;
}

function writtenVersionOf(row: Row): WrittenVersion {
  const version = versionAt(row, 0);
  if (version === undefined) throw new TypeError('PostgreSQL answered a version without a key');
  return { ...version, previous: numberAt(row, VERSION_COLUMNS) };
}

/** Returns whether a version of the key of a write is the one that it asked for. */
const isOf = ({ previous, value }: WrittenVersion, { expected, text }: GroupedWrite): boolean =>
  previous === expected && value === text;

const lengthOf = (writes: readonly GroupedWrite[]): number =>
  writes.reduce((length, { text = '' }) => length + text.length, 0);

function currentOf(key: string, row: Row, index: number): VersionRow {
  return {
    key,
    revision: numberAt(row, index),
    createRevision: numberAt(row, index + 1),
    stamp: numberOrNothingAt(row, index + 2),
    value: textAt(row, index + 3),
  };
}

function notExecuted(failure: SqlFailure): StorageError {
  const reason = failure.state === TOO_LATE ? 'it came too late' : failure.message;
  return new StorageError('Unavailable', {
    message: `the write was not executed and has not taken effect: ${reason}`,
    cause: failure,
    isDiskFull: failure.isDiskFull,
  });
}

function unknownOutcome(reason: string, cause?: unknown): StorageError {
  return new StorageError('Unavailable', { message: `the outcome of the write is unknown: ${reason}`, cause });
}
