import { creation, succession, VersionRecord, WriteEvent } from '../state/record.js';
import type { Deadline, StoreState } from '../state/store-state.js';
import type { Revision, StorageEvent } from '../storage.js';
import type { StoreConnection } from './connection.js';
import type { Garbage } from './garbage.js';
import { damaged } from './refusal.js';
import { pagesAfter } from './row-pages.js';
import type { Version } from './version-rows.js';

/** The expiry of a version. What would encode its end did not survive the process that wrote it. */
export function deadlineOf(version: Version): Deadline | undefined {
  return version.expiresAt === null ? undefined : { deadline: version.expiresAt, encode: undefined };
}

/** Versions after a revision, in order, page by page. @throws StorageError when a row is damaged, SqliteFailure */
export async function* versionsAfter(
  connection: StoreConnection,
  path: string,
  revision: Revision,
): AsyncGenerator<readonly Version[], void> {
  for await (const {
    versions,
    damaged: [first],
  } of pagesAfter(connection, revision)) {
    if (first !== undefined) throw damaged(path, `the write of revision ${first} is not as it was written`);
    yield versions;
  }
}

/** What a {@link Replay} works on. */
export interface ReplayParts {
  readonly state: StoreState;
  readonly garbage: Garbage;
  /** Names the file in messages. */
  readonly path: string;
  /** Revision up to which rows may be missing. */
  readonly compacted: Revision;
  /** Milliseconds by which the clock is ahead of the time of the store, in which its writes are dated. */
  readonly laterBy: number;
}

/** Brings the versions of a file into a state: those that are compacted as records, the others as the writes that they were. */
export class Replay {
  private readonly parts: ReplayParts;

  constructor(parts: ReplayParts) {
    this.parts = parts;
  }

  /** Takes the next version in. @throws StorageError when it does not follow from the ones before */
  add(version: Version): void {
    const { state, path, compacted, laterBy } = this.parts;
    if (version.revision <= compacted) return this.restore(version);
    if (version.revision !== state.revision + 1)
      throw damaged(path, `the write of revision ${state.revision + 1} is missing`);
    state.apply(this.eventOf(version), version.writtenAt + laterBy, deadlineOf(version));
  }

  private eventOf(version: Version): StorageEvent {
    const { type, key, text, revision, createRevision } = version;
    const current = this.parts.state.present(key);
    const follows =
      type === 'create'
        ? current === undefined && createRevision === revision
        : current?.createRevision === createRevision;
    if (!follows)
      throw damaged(this.parts.path, `the write of revision ${revision} does not follow from what was there before it`);
    return type === 'create' || current === undefined
      ? creation(key, text, revision, undefined)
      : succession(type, current, text, revision, undefined);
  }

  private restore(version: Version): void {
    const { key, text, revision, createRevision } = version;
    const current = this.parts.state.present(key);
    const record = new VersionRecord(current?.key ?? key, text, revision, createRevision, undefined);
    const event = new WriteEvent(
      version.type === 'delete' ? 'delete' : current === undefined ? 'create' : 'update',
      record,
      current,
    );
    this.parts.garbage.addOf(event);
    this.parts.state.restore(event, event.type === 'delete' ? undefined : deadlineOf(version));
  }
}
