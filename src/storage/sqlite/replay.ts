import { messageOf, shareTurn, visitInTurns } from '../../foundation/index.js';
import { notDecrypted, plainValues, UnreadableValueError, type ValueCodec } from '../encrypted/value-codec.js';
import type { TextCache } from '../state/records/evictable-record.js';
import { heldRecord, withProtection, WriteEvent, type MakeRecord } from '../state/records/record.js';
import type { Deadline, StoreState } from '../state/store-state.js';
import type { Revision, StorageEvent, StorageRecord } from '../storage.js';
import type { StoreConnection } from './connection.js';
import type { Garbage } from './garbage.js';
import { damaged, refuse } from './refusal.js';
import { pagesAfter } from './row-pages.js';
import { decodedAtRest } from './text-at-rest.js';
import type { UnreadVersion, Version, VersionHead } from './version-rows.js';

/** The reason why a store with a limited cache uses no key service. */
export const NO_KEY_SERVICES =
  'a limit of the texts in memory (cacheObjects, --cache-objects) and a key service (KMS) do not go together on sqlite, which reads a text in no time and so cannot wait for a key: leave out the limit, use another provider, or use PostgreSQL';

/** Returns the expiry of a version. Its encoder did not survive the process that wrote it. */
export function deadlineOf(version: VersionHead): Deadline | undefined {
  return version.expiresAt === null ? undefined : { deadline: version.expiresAt, encode: undefined };
}

/**
 * Yields the versions after a revision, in order, in pages.
 *
 * @throws StorageError when a row is damaged, SqliteFailure
 */
export async function* versionsAfter(
  connection: StoreConnection,
  path: string,
  revision: Revision,
): AsyncGenerator<readonly Version[], void> {
  for await (const {
    versions,
    damaged: [first],
  } of pagesAfter(connection, revision)) {
    if (first !== undefined) throw damaged(path, `the write of revision ${first} is damaged`);
    yield versions;
  }
}

/** The parts of a {@link Replay}. */
export interface ReplayParts {
  readonly state: StoreState;
  readonly garbage: Garbage;
  /** Path of the file, for messages. */
  readonly path: string;
  /** Revision up to which rows may be missing. */
  readonly compacted: Revision;
  /**
   * Difference between the clock and the store's time, in milliseconds. The store's writes are dated in the store's
   * time.
   */
  readonly clockOffsetMs: number;
  /** Decodes the values in the file. */
  readonly codec: ValueCodec;
  /** The texts in memory, of a store that is larger than memory. */
  readonly texts?: TextCache | undefined;
}

/** A version with a function that makes its record. */
interface ReadVersion extends VersionHead {
  make(key: string, createRevision: Revision): StorageRecord;
}

/** Applies the versions of a file to a state: compacted versions as records, later ones as writes. */
export class Replay {
  readonly #parts: ReplayParts;
  /** The current keys whose values cannot be read, with the reasons. */
  readonly #unreadable = new Map<string, unknown>();
  #unreadableUntil: Revision = 0;

  constructor(parts: ReplayParts) {
    this.#parts = parts;
  }

  /**
   * Ends the replay.
   *
   * @returns the revision up to which the history has values that cannot be read, as after a change of keys; 0 for none
   * @throws StorageError when a current value cannot be read
   */
  end(): Revision {
    const [first] = this.#unreadable;
    if (first !== undefined) {
      const [, reason] = first;
      throw refuse(`the store ${this.#parts.path} cannot be read: ${messageOf(reason)}; nothing was changed`, reason);
    }
    return this.#unreadableUntil;
  }

  /** Applies the next versions. @throws StorageError when one does not follow from the previous ones */
  async addAll(versions: readonly Version[]): Promise<void> {
    if (this.#parts.codec.prepare !== undefined) for (const version of versions) await this.#prepare(version);
    await visitInTurns(versions, (version) => this.#add(version));
  }

  /**
   * Applies the next versions without their texts, of a store that is larger than memory.
   *
   * @throws StorageError when one does not follow from the previous ones, or is encrypted while nothing decrypts
   */
  async addHeads(texts: TextCache, versions: readonly UnreadVersion[]): Promise<void> {
    const { path, codec } = this.#parts;
    await visitInTurns(versions, (version) => {
      const { revision, textLength, isEncrypted } = version;
      if (isEncrypted && codec === plainValues)
        throw refuse(`the store ${path} cannot be read: ${notDecrypted(version.key).message}; nothing was changed`);
      this.#addRead({
        ...version,
        make: (sharedKey, createRevision) => texts.unread(sharedKey, textLength, revision, createRevision),
      });
    });
  }

  /** Fetches what is needed to read a value. @throws StorageError when a key service does not answer now */
  async #prepare({ key, text }: Version): Promise<void> {
    try {
      const wait = this.#parts.codec.prepare?.(key, text) ?? shareTurn();
      if (wait !== undefined) await wait;
    } catch (error) {
      // Reading the value fails with the reason, if it is needed.
      if (!(error instanceof UnreadableValueError) || !error.isTemporary) return;
      throw refuse(`the store ${this.#parts.path} cannot be read: ${messageOf(error)}; nothing was changed`, error);
    }
  }

  #add(stored: Version): void {
    this.#addRead(this.#decoded(stored));
  }

  #addRead(version: ReadVersion): void {
    const { state, path, compacted, clockOffsetMs } = this.#parts;
    if (version.revision <= compacted) return this.#restore(version);
    if (version.revision !== state.revision + 1)
      throw damaged(path, `the write of revision ${state.revision + 1} is missing`);
    state.apply(this.#eventOf(version), version.writtenAt + clockOffsetMs, deadlineOf(version));
  }

  /**
   * Decodes the value of a version. One that cannot be read is of no consequence when a later version of its key can:
   * the history up to that one is not kept.
   */
  #decoded(stored: Version): ReadVersion {
    const { key, type, revision } = stored;
    if (this.#unreadable.delete(key)) this.#unreadableUntil = revision;
    try {
      const { text, protection } = decodedAtRest(stored, this.#parts.codec);
      return this.#readVersion(stored, text, protection);
    } catch (error) {
      this.#unreadableUntil = revision;
      if (type !== 'delete') this.#unreadable.set(key, error);
      return this.#readVersion(stored, stored.text, undefined);
    }
  }

  #readVersion(version: Version, text: string, protection: string | undefined): ReadVersion {
    const { texts } = this.#parts;
    const make: MakeRecord = texts?.record ?? heldRecord;
    return {
      ...version,
      make: (key, createRevision) => {
        const record = withProtection(make(key, text, version.revision, createRevision, undefined), protection);
        texts?.keep(record);
        return record;
      },
    };
  }

  #eventOf(version: ReadVersion): StorageEvent {
    const { type, key, revision, createRevision } = version;
    const current = this.#parts.state.present(key);
    const follows =
      type === 'create'
        ? current === undefined && createRevision === revision
        : current?.createRevision === createRevision;
    if (!follows)
      throw damaged(this.#parts.path, `the write of revision ${revision} does not follow from the previous ones`);
    return new WriteEvent(type, version.make(current?.key ?? key, createRevision), current);
  }

  #restore(version: ReadVersion): void {
    const { key, createRevision } = version;
    const current = this.#parts.state.present(key);
    const event = new WriteEvent(
      version.type === 'delete' ? 'delete' : current === undefined ? 'create' : 'update',
      version.make(current?.key ?? key, createRevision),
      current,
    );
    this.#parts.garbage.addOf(event);
    this.#parts.state.restore(event, event.type === 'delete' ? undefined : deadlineOf(version));
  }
}
