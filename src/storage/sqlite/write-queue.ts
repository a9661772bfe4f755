import { messageOf } from '../../meta/error-message.js';
import type { Revision, StorageRecord } from '../storage.js';
import { StorageError } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { isFull } from './failure.js';
import { refuse } from './refusal.js';
import { Replay, versionsAfter, type ReplayParts } from './replay.js';
import type { SqlStep } from './thread-program.js';
import { DELETE_ROWS, SET_COMPACTED, insertionOf } from './version-rows.js';
import type { Version } from './version-rows.js';
import { WriteAheadLog } from './write-ahead-log.js';
import { WriteGroup } from './write-group.js';
import type { PendingWrite } from './write-group.js';

/** What a {@link WriteQueue} works on. */
export interface WriteQueueParts extends ReadBackParts {
  /** The compacted revision that the file has on record. */
  readonly compacted: Revision;
  /** Bytes of the write-ahead log that the file has already. */
  readonly loggedBytes: number;
}

/** The newest pending write of a key. */
export interface PendingVersion {
  /** What the key will be; undefined when it will be deleted. */
  readonly record: StorageRecord | undefined;
  /** Settles with the write. */
  readonly durable: Promise<void>;
}

/** Rows deleted along with a group, beside two for each of its writes, so that deleting keeps up. */
const SPARE_DELETIONS = 64;
/** Rows that wait for deletion before it is done for its own sake, and the most at a time. */
const MANY_DELETIONS = 512;
const MAX_DELETIONS = 2000;
/** Writes that are sent ahead of the rest of their group, so that they are inserted while the others are still being made. */
const SENT_AHEAD = 8;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * The writes on their way to the disk. Those that come while a group is being written form the next one; a lone one starts
 * at the end of the turn it came in. A write is applied to the state, and so visible, when its group is durable.
 */
export class WriteQueue {
  private readonly parts: WriteQueueParts;
  private waiting = new WriteGroup();
  private readonly latest = new Map<string, PendingVersion>();
  private revision: Revision;
  private running: Promise<void> | undefined;
  /** Whether the next thing that the connection is asked for is to write the group that waits. */
  private isNext = false;
  /** Set until it is known what the file holds. */
  private failure: { readonly reopen: boolean } | undefined;
  private recovery: Promise<void> | undefined;
  private readonly log: WriteAheadLog;
  /** The compacted revision that is certainly on record. */
  private notedCompacted: Revision;

  constructor(parts: WriteQueueParts) {
    this.parts = parts;
    this.revision = parts.state.revision;
    this.notedCompacted = parts.compacted;
    this.log = new WriteAheadLog(parts.connection, parts.loggedBytes);
  }

  /** The revision of the next write that is added. */
  get nextRevision(): Revision {
    return this.revision + 1;
  }

  /** What a key is about to be; undefined when nothing is pending for it. */
  pending(key: string): PendingVersion | undefined {
    return this.latest.get(key);
  }

  /** Whether writing has failed, and what the file holds has to be found out ({@link recover}) before anything is added. */
  get isBroken(): boolean {
    return this.failure !== undefined;
  }

  /** Adds the write of the next revision; resolves when it is durable and can be read. @throws StorageError `Unavailable` */
  add(write: PendingWrite): Promise<void> {
    const { event } = write;
    const { durable } = this.waiting;
    this.revision = event.revision;
    this.latest.set(event.key, { record: event.type === 'delete' ? undefined : event.record, durable });
    this.waiting.add(write);
    this.start();
    if (this.isNext && this.waiting.unsent >= SENT_AHEAD) this.parts.connection.begin(this.insertionOf(this.waiting));
    return durable;
  }

  /** Forgets the history up to a revision that has happened. @throws StorageError `Unavailable` */
  compact(revision: Revision): Promise<void> {
    this.waiting.compactTo = Math.max(this.waiting.compactTo, revision);
    this.start();
    return this.waiting.durable;
  }

  /** Resolves when nothing is on its way any more, and what can be tidied up is. */
  async drain(): Promise<void> {
    while (this.running !== undefined) await this.running;
    const { state, garbage } = this.parts;
    state.forgetExpired();
    if (this.failure === undefined && (garbage.size > 0 || state.compactedRevision > this.notedCompacted))
      await this.maintain();
  }

  private start(): void {
    this.running ??= this.run();
  }

  private async run(): Promise<void> {
    for (;;) {
      this.isNext = this.failure === undefined;
      // Whatever else this turn of the loop brings goes into the same group.
      await nextTurn();
      if (!this.waiting.isEmpty) {
        this.isNext = false;
        const group = this.waiting;
        this.waiting = new WriteGroup();
        await this.write(group);
        if (this.log.isLong) await this.checkpoint();
      } else if (this.failure === undefined && this.parts.garbage.size >= MANY_DELETIONS) await this.maintain();
      else if (this.failure === undefined && this.log.isWorthIt) await this.checkpoint();
      else {
        this.running = undefined;
        return;
      }
    }
  }

  private async write(group: WriteGroup): Promise<void> {
    const { connection, state, garbage } = this.parts;
    const deletions = Math.min(garbage.size, 2 * group.writes.length + SPARE_DELETIONS);
    try {
      await connection.transact([...this.insertionOf(group), ...this.tidying(deletions, group.compactTo)]);
    } catch (error) {
      this.fail(error, group);
      return;
    }
    this.noteTidied(deletions, group.compactTo);
    this.log.grow(group.textLength);
    for (const { event, writtenAt, deadline } of group.writes) {
      if (this.latest.get(event.key)?.durable === group.durable) this.latest.delete(event.key);
      state.apply(event, writtenAt, deadline);
    }
    if (group.compactTo > 0) state.compact(group.compactTo);
    // Those who waited for this group go on at once, and a checkpoint does not wait for what they write next.
    this.isNext = !this.log.isLong;
    group.succeed();
  }

  /** The statements that insert the writes of a group that were not sent yet. */
  private insertionOf(group: WriteGroup): SqlStep[] {
    return insertionOf(group.takeUnsent().map((write) => versionOfWrite(write, this.parts.laterBy)));
  }

  /** The statements that delete rows of no use, and note that they may be missing. */
  private tidying(deletions: number, compactTo: Revision): SqlStep[] {
    if (deletions === 0 && compactTo === 0) return [];
    const { state, garbage } = this.parts;
    const steps: SqlStep[] = [[SET_COMPACTED, Math.max(state.compactedRevision, compactTo)]];
    if (deletions > 0) steps.push([DELETE_ROWS, JSON.stringify(garbage.first(deletions))]);
    return steps;
  }

  private noteTidied(deletions: number, compactTo: Revision): void {
    this.parts.garbage.remove(deletions);
    this.notedCompacted = Math.max(this.notedCompacted, compactTo);
  }

  /** Deletes rows of no use, and puts on record how far the history is forgotten. */
  private async maintain(): Promise<void> {
    const { connection, state, garbage } = this.parts;
    const deletions = Math.min(garbage.size, MAX_DELETIONS);
    const compacted = state.compactedRevision;
    try {
      await connection.transact(this.tidying(deletions, compacted));
    } catch (error) {
      this.fail(error, new WriteGroup());
      return;
    }
    this.noteTidied(deletions, compacted);
    this.log.grow(0);
  }

  private async checkpoint(): Promise<void> {
    try {
      await this.log.bringIn();
    } catch (error) {
      this.fail(error, new WriteGroup());
    }
  }

  /** A group could not be written: everything that is pending rests on it, and the revisions are taken back. */
  private fail(error: unknown, group: WriteGroup): void {
    const message = messageOf(error);
    // On a full disk SQLite has rolled back, and can go on; of any other failure it is not known how far it got.
    const known = isFull(error);
    this.failure = { reopen: !known };
    if (known) this.log.leave();
    this.isNext = false;
    this.parts.connection.discard();
    group.fail(
      refuse(
        known
          ? `nothing was written: ${message}`
          : `writing failed, and it is not known whether it was done: ${message}`,
        error,
      ),
    );
    this.waiting.fail(refuse(`nothing was written, because a write before it failed: ${message}`, error));
    this.waiting = new WriteGroup();
    this.latest.clear();
    this.revision = this.parts.state.revision;
  }

  /** Finds out what the file holds, and makes it possible to go on. @throws StorageError `Unavailable` when it is not */
  recover(): Promise<void> {
    this.recovery ??= readBack(this.parts, this.failure?.reopen === true)
      .then(() => {
        this.revision = this.parts.state.revision;
        this.failure = undefined;
      })
      .finally(() => {
        this.recovery = undefined;
      });
    return this.recovery;
  }
}

function versionOfWrite({ event, writtenAt, deadline }: PendingWrite, laterBy: number): Version {
  const { key, text, createRevision } = event.record;
  return {
    revision: event.revision,
    type: event.type,
    createRevision,
    writtenAt: Math.max(0, writtenAt - laterBy),
    expiresAt: deadline?.deadline ?? null,
    key,
    text,
  };
}

/** What {@link readBack} works on. */
interface ReadBackParts extends Omit<ReplayParts, 'compacted'> {
  readonly connection: StoreConnection;
}

/**
 * Finds out what the file holds after a write has failed, and brings the state there. Nobody has seen anything of that write, so
 * what the file holds of it just happens now.
 *
 * @param reopen whether it is not known how far the write got
 * @throws StorageError `Unavailable` when the file cannot be read
 */
async function readBack(parts: ReadBackParts, reopen: boolean): Promise<void> {
  const { connection, state, path } = parts;
  try {
    if (reopen) {
      await connection.reopen();
      // What a failed sync has left behind is written once more, elsewhere, and synced.
      const [busy] = (await connection.run('PRAGMA wal_checkpoint(TRUNCATE)'))[0] ?? [];
      if (busy !== 0) throw refuse(`${path} is being read by another program, and cannot be made safe`);
    }
    const replay = new Replay({ ...parts, compacted: state.compactedRevision });
    for await (const versions of versionsAfter(connection, path, state.revision)) {
      for (const version of versions) replay.add(version);
    }
  } catch (error) {
    throw error instanceof StorageError ? error : refuse(`the store cannot be reached: ${messageOf(error)}`, error);
  }
}
