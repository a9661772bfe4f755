import { messageOf, nextTurn } from '../../foundation/index.js';
import type { Revision, StorageRecord } from '../storage.js';
import { StorageError } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { isFull } from './failure.js';
import { diskFull, refuse } from './refusal.js';

import { Replay, versionsAfter, type ReplayParts } from './replay.js';
import type { SqlStep } from './thread-program.js';
import { DELETE_ROWS, SET_COMPACTED, insertionOf } from './version-rows.js';
import type { Version } from './version-rows.js';
import { WriteAheadLog } from './write-ahead-log.js';
import { WriteGroup } from './write-group.js';
import type { PendingWrite } from './write-group.js';

/** The parts of a {@link WriteQueue}. */
export interface WriteQueueParts extends ReadBackParts {
  /** The compacted revision recorded in the file. */
  readonly compacted: Revision;
  /** Current size of the write-ahead log, in bytes. */
  readonly loggedBytes: number;
}

/** The newest pending write of a key. */
export interface PendingVersion {
  /** The pending version of the key; undefined when it will be deleted. */
  readonly record: StorageRecord | undefined;
  /** Settles with the write. */
  readonly durable: Promise<void>;
}

/** Number of unneeded rows deleted with a group, in addition to two for each write, so that deletion keeps up. */
const SPARE_DELETIONS = 64;
/** Number of unneeded rows from which a separate transaction deletes them, and the maximum it deletes. */
const MANY_DELETIONS = 512;
const MAX_DELETIONS = 2000;
/** Facts of this prefix are texts that {@link WriteQueue.probe} writes. Nothing reads them. */
const PROBE_PREFIX = 'probe ';
const ADD_PROBE = 'INSERT OR REPLACE INTO facts VALUES (?, 0)';
const DELETE_PROBES = `DELETE FROM facts WHERE name GLOB '${PROBE_PREFIX}*'`;
const MAX_PROBE_LENGTH = 64 << 10;

/**
 * The writes in progress to the disk. Writes that arrive while a group is being written form the next group; a single
 * write starts at the end of its event loop turn. A write is applied to the state, and so becomes visible, when its
 * group is durable.
 */
export class WriteQueue {
  readonly #parts: WriteQueueParts;
  #waiting = new WriteGroup();
  readonly #latest = new Map<string, PendingVersion>();
  #revision: Revision;
  #running: Promise<void> | undefined;
  /** Set after a failure until {@link recover} has read the file. */
  #failure: { readonly reopen: boolean } | undefined;
  #recovery: Promise<void> | undefined;
  /** Length of the texts of the newest write that was refused, since which none succeeded; undefined when there is none. */
  #refusedLength: number | undefined;
  readonly #log: WriteAheadLog;
  /** The compacted revision that is certainly recorded in the file. */
  #recordedCompacted: Revision;

  constructor(parts: WriteQueueParts) {
    this.#parts = parts;
    this.#revision = parts.state.revision;
    this.#recordedCompacted = parts.compacted;
    this.#log = new WriteAheadLog(parts.connection, parts.loggedBytes);
  }

  /** The revision of the next write. */
  get nextRevision(): Revision {
    return this.#revision + 1;
  }

  /** Returns the pending version of a key; undefined when none is pending. */
  pending(key: string): PendingVersion | undefined {
    return this.#latest.get(key);
  }

  /** Whether writing has failed. {@link recover} must then read the file before a write can be added. */
  get isBroken(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Adds the write of the next revision. Resolves when it is durable and readable.
   *
   * @throws StorageError `Unavailable`
   */
  add(write: PendingWrite): Promise<void> {
    const { event } = write;
    const { durable } = this.#waiting;
    this.#revision = event.revision;
    this.#latest.set(event.key, { record: event.type === 'delete' ? undefined : event.record, durable });
    this.#waiting.add(write);
    this.#start();
    return durable;
  }

  /** Compacts the history up to a revision. @throws StorageError `Unavailable` */
  async compact(revision: Revision): Promise<void> {
    this.#waiting.compactTo = Math.max(this.#waiting.compactTo, revision);
    this.#start();
    await this.#waiting.durable;
    await this.#parts.state.released();
    // Deletes the rows that have become unneeded.
    this.#start();
  }

  /**
   * Resolves when writes are not refused. After a refusal that no write has followed yet, it writes a text of that
   * length, up to a limit, and removes it.
   *
   * @throws StorageError `Unavailable` when that is refused, too
   */
  async probe(): Promise<void> {
    if (this.#refusedLength === undefined) return;
    const text = 'x'.repeat(Math.min(this.#refusedLength, MAX_PROBE_LENGTH));
    for (const step of [[ADD_PROBE, PROBE_PREFIX + text] as const, [DELETE_PROBES] as const]) {
      this.#waiting.probe = step;
      this.#waiting.textLength += text.length;
      this.#start();
      await this.#waiting.durable;
    }
    this.#refusedLength = undefined;
  }

  /** Resolves when no write is pending and the pending cleanup is done. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    const { state, garbage } = this.#parts;
    state.forgetExpired();
    if (this.#failure === undefined && (garbage.size > 0 || state.compactedRevision > this.#recordedCompacted))
      await this.#maintain();
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      // Other writes of this event loop turn join the same group.
      await nextTurn();
      if (!this.#waiting.isEmpty) {
        const group = this.#waiting;
        this.#waiting = new WriteGroup();
        await this.#write(group);
        if (this.#log.isCheckpointDue) await this.#checkpoint();
      } else if (this.#failure === undefined && this.#parts.garbage.size >= MANY_DELETIONS) await this.#maintain();
      else if (this.#failure === undefined && this.#log.isCheckpointUseful) await this.#checkpoint();
      else {
        this.#running = undefined;
        return;
      }
    }
  }

  async #write(group: WriteGroup): Promise<void> {
    const { connection, state, garbage, texts } = this.#parts;
    let deletions = 0;
    try {
      const made = insertionOf(group.writes.map((write) => versionOfWrite(write, this.#parts)));
      const insertion = made instanceof Promise ? await made : made;
      deletions = Math.min(garbage.size, 2 * group.writes.length + SPARE_DELETIONS);
      await connection.transact([
        ...insertion,
        ...(group.probe === undefined ? [] : [group.probe]),
        ...this.#cleanupSteps(deletions, group.compactTo),
      ]);
    } catch (error) {
      this.#fail(error, group);
      return;
    }
    if (group.writes.length > 0) this.#refusedLength = undefined;
    this.#recordCleanup(deletions, group.compactTo);
    this.#log.grow(group.textLength);
    for (const { event, writtenAt, deadline } of group.writes) {
      if (this.#latest.get(event.key)?.durable === group.durable) this.#latest.delete(event.key);
      state.apply(event, writtenAt, deadline);
      texts?.keep(event.record);
    }
    if (group.compactTo > 0) state.compact(group.compactTo);
    group.succeed();
  }

  /** Returns the statements that delete unneeded rows and record the revision up to which rows may be missing. */
  #cleanupSteps(deletions: number, compactTo: Revision): SqlStep[] {
    if (deletions === 0 && compactTo === 0) return [];
    const { state, garbage } = this.#parts;
    const steps: SqlStep[] = [[SET_COMPACTED, Math.max(state.compactedRevision, compactTo)]];
    if (deletions > 0) steps.push([DELETE_ROWS, JSON.stringify(garbage.first(deletions))]);
    return steps;
  }

  #recordCleanup(deletions: number, compactTo: Revision): void {
    this.#parts.garbage.remove(deletions);
    this.#recordedCompacted = Math.max(this.#recordedCompacted, compactTo);
  }

  /** Deletes unneeded rows and records the compacted revision. */
  async #maintain(): Promise<void> {
    const { connection, state, garbage } = this.#parts;
    const deletions = Math.min(garbage.size, MAX_DELETIONS);
    const compacted = state.compactedRevision;
    try {
      await connection.transact(this.#cleanupSteps(deletions, compacted));
    } catch (error) {
      this.#fail(error, new WriteGroup());
      return;
    }
    this.#recordCleanup(deletions, compacted);
    this.#log.grow(0);
  }

  async #checkpoint(): Promise<void> {
    try {
      await this.#log.checkpoint();
    } catch (error) {
      this.#fail(error, new WriteGroup());
    }
  }

  /** Fails a group and all pending writes, which depend on it, and resets the revision. */
  #fail(error: unknown, group: WriteGroup): void {
    const message = messageOf(error);
    // On a full disk, SQLite has rolled back and can continue. After any other failure, the progress of the write is
    // unknown.
    const known = isFull(error);
    this.#refusedLength = group.textLength;
    this.#failure = { reopen: !known };
    if (known) this.#log.postpone();
    const because = known ? diskFull : refuse;
    group.fail(
      because(
        known ? `nothing was written: ${message}` : `writing failed, and its outcome is unknown: ${message}`,
        error,
      ),
    );
    this.#waiting.fail(because(`nothing was written, because a write before it failed: ${message}`, error));
    this.#waiting = new WriteGroup();
    this.#latest.clear();
    this.#revision = this.#parts.state.revision;
  }

  /**
   * Reads the file after a failure, so that writes can continue.
   *
   * @throws StorageError `Unavailable` when they cannot
   */
  recover(): Promise<void> {
    this.#recovery ??= readBack(this.#parts, this.#failure?.reopen === true)
      .then(() => {
        this.#revision = this.#parts.state.revision;
        this.#failure = undefined;
      })
      .finally(() => {
        this.#recovery = undefined;
      });
    return this.#recovery;
  }
}

function versionOfWrite(
  { event, writtenAt, deadline, stored }: PendingWrite,
  { clockOffsetMs }: Pick<WriteQueueParts, 'clockOffsetMs'>,
): Version {
  const { key, createRevision } = event.record;
  return {
    revision: event.revision,
    type: event.type,
    createRevision,
    writtenAt: Math.max(0, writtenAt - clockOffsetMs),
    expiresAt: deadline?.deadline ?? null,
    key,
    text: stored,
  };
}

/** The parts of {@link readBack}. */
interface ReadBackParts extends Omit<ReplayParts, 'compacted'> {
  readonly connection: StoreConnection;
}

/**
 * Reads the file after a failed write and brings the state up to date. No reader has seen that write, so any part of it
 * in the file takes effect now.
 *
 * @param reopen whether the progress of the write is unknown
 * @throws StorageError `Unavailable` when the file cannot be read
 */
async function readBack(parts: ReadBackParts, reopen: boolean): Promise<void> {
  const { connection, state, path } = parts;
  try {
    if (reopen) {
      await connection.reopen();
      // The checkpoint writes and syncs the data of the failed sync again, in another place.
      const [busy] = (await connection.run('PRAGMA wal_checkpoint(TRUNCATE)'))[0] ?? [];
      if (busy !== 0) throw refuse(`${path} is being read by another program, so it cannot be synced`);
    }
    const replay = new Replay({ ...parts, compacted: state.compactedRevision });
    for await (const versions of versionsAfter(connection, path, state.revision)) await replay.addAll(versions);
    replay.end();
  } catch (error) {
    throw error instanceof StorageError ? error : refuse(`the store cannot be reached: ${messageOf(error)}`, error);
  }
}
