import { visitInTurns } from '../../foundation/index.js';
import type { FoundVersions, HeadPage, VersionHead, VersionSource } from '../cached/cold-records.js';
import { SharedReads } from '../remote/shared-reads.js';
import { HEADROOM, TextReservation } from '../remote/text-reservation.js';
import {
  StorageError,
  type Revision,
  type StorageListOptions,
  type StoragePage,
  type StorageRecord,
} from '../storage.js';
import { Lane, type Connector } from './connector.js';
import { CONNECTIONS } from './driver.js';
import { SqlFailure, storageFailure } from './failure.js';
import { keyAfter, rangeOf, type KeyRange } from './key-range.js';
import type { Records } from './records.js';
import { bytesAt, numberAt, numberOrNothingAt, textAt, versionAt, type Row, type VersionRow } from './rows.js';
import type { Statement, Statements } from './statements.js';

/** Maximum attempts of a list of the current state that is compacted while it is read. */
const MAX_ATTEMPTS = 3;
/** Maximum bytes of the values in one answer, unless one has more. An answer is decoded in one turn of the event loop. */
const ANSWER_BYTES = 2 * 1024 * 1024;
const FIRST_ANSWER_RECORDS = 500;
/** Expected bytes of a value while nothing is known of any. */
const EXPECTED_BYTES = 2 * 1024;
/** Maximum bytes of the values in the first answer: most lists are short, and reserve no more. */
const FIRST_ANSWER_BYTES = 256 * 1024;
const MIN_RECORDS = 100;
const MAX_RECORDS = 5_000;
/** Connections that write and listen. */
const OTHER_CONNECTIONS = 2;

/** A part of a page. */
interface Part {
  /** Newest revision of the store. */
  readonly newest: Revision;
  /** Number of keys in the range; undefined when it was not counted. */
  readonly count: number | undefined;
  readonly versions: readonly VersionRow[];
  /** Bytes of the values. */
  readonly bytes: number;
  /** Bytes of the value after them, which did not fit; undefined when nothing was left out. */
  readonly nextBytes: number | undefined;
}

/** Which part of a page is read. */
interface PartOptions {
  /** Maximum number of versions. */
  readonly count: number;
  /** Maximum bytes of their values. */
  readonly bytes: number;
  /** Absent: the current one. */
  readonly revision: Revision | undefined;
  readonly isCounted: boolean;
}

/** Implements get and list. Every read is one statement, which sees every write that was acknowledged before it. */
export class Reads implements VersionSource {
  readonly #lanes: readonly Lane[];
  readonly #statements: Statements;
  readonly #records: Records;
  readonly #gets = new SharedReads<
    string,
    { readonly record: StorageRecord | undefined; readonly revision: Revision }
  >();
  readonly #revisions = new SharedReads<'revision', Row>();

  constructor(connector: Connector, statements: Statements, records: Records) {
    this.#lanes = Array.from({ length: CONNECTIONS - OTHER_CONNECTIONS }, () => new Lane(connector));
    this.#statements = statements;
    this.#records = records;
  }

  /** @throws StorageError `Unavailable` */
  get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    return this.#gets.read(key, async () => {
      const [row = []] = await this.query(this.#statements.get, [key]);
      const version = versionAt(row, 1);
      return {
        record: version === undefined ? undefined : await this.#records.readPrepared(version),
        revision: numberAt(row, 0),
      };
    });
  }

  /** @throws StorageError `Unavailable` */
  async currentRevision(): Promise<Revision> {
    return numberAt(await this.#head(), 0);
  }

  /** @throws StorageError `Compacted`, `FutureRevision`, `Unavailable` */
  async list(prefix: string, options: StorageListOptions): Promise<StoragePage> {
    const range = rangeOf(prefix, options.after);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return range === undefined ? await this.#emptyPage(options.revision) : await this.#page(range, options);
      } catch (error) {
        const lost = error instanceof StorageError && error.code === 'Compacted' && options.revision === undefined;
        if (!lost || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** @throws StorageError `Compacted`, `FutureRevision`, `Unavailable` */
  async heads(after: string, limit: number, revision: Revision | undefined): Promise<HeadPage> {
    const rows =
      revision === undefined
        ? await this.query(this.#statements.heads, [after, limit])
        : await this.query(this.#statements.headsAt, [after, limit, revision]);
    const [head = []] = rows;
    if (revision !== undefined) assertReadable(revision, numberAt(head, 0), numberAt(head, 1));
    const heads: VersionHead[] = [];
    for (const row of rows) {
      const key = textAt(row, 2);
      if (key !== undefined) heads.push({ key, modRevision: numberAt(row, 3), createRevision: numberAt(row, 4) });
    }
    return { heads, revision: revision ?? numberAt(head, 0) };
  }

  /** @throws StorageError `Unavailable` */
  async versions(revisions: readonly Revision[], maxBytes: number): Promise<FoundVersions> {
    const versions: VersionRow[] = [];
    const tooLong = new Map<Revision, number>();
    for (const row of await this.query(this.#statements.versions, [revisions, maxBytes])) {
      const version = versionAt(row, 0);
      if (version === undefined) continue;
      if (isLeftOut(version, row, 0)) tooLong.set(version.revision, bytesAt(row, 0));
      else versions.push(version);
    }
    const records: StorageRecord[] = [];
    // Those who ask for other versions in the same turn get theirs.
    await this.#read(versions, true, records);
    return { records, tooLong };
  }

  /**
   * Runs a statement that may be repeated, on the connection that has least to do: once more if the connection had ended,
   * as databases and firewalls end those that are idle.
   *
   * @throws StorageError `Unavailable`
   */
  async query(statement: Statement, values: unknown[]): Promise<readonly Row[]> {
    const lane = this.#lanes.reduce((best, other) => (other.running < best.running ? other : best));
    for (let isRepeated = false; ; isRepeated = true) {
      try {
        return await (await lane.session()).query(statement, values);
      } catch (error) {
        if (isRepeated || !(error instanceof SqlFailure && error.isConnectionLost)) throw storageFailure(error);
      }
    }
  }

  async #head(): Promise<Row> {
    return this.#revisions.read('revision', async () => (await this.query(this.#statements.revision, []))[0] ?? []);
  }

  /** Returns the page of an empty range. The request only checks that its revision is readable. */
  async #emptyPage(revision: Revision | undefined): Promise<StoragePage> {
    const row = await this.#head();
    const newest = numberAt(row, 0);
    if (revision !== undefined) assertReadable(revision, newest, numberAt(row, 1));
    return { records: [], revision: revision ?? newest, remaining: 0 };
  }

  /** Reads a page, in parts: the first one sets the revision of the others. */
  async #page({ first, end }: KeyRange, options: StorageListOptions): Promise<StoragePage> {
    const { revision, limit = 0, acceptsUnreadable = false } = options;
    const wanted = limit > 0 ? limit : Infinity;
    const records: StorageRecord[] = [];
    let range: KeyRange = { first, end };
    let shown = revision;
    let total: number | undefined;
    let size = FIRST_ANSWER_RECORDS;
    let bytes = Math.min(wanted * EXPECTED_BYTES * HEADROOM, FIRST_ANSWER_BYTES);
    const reservation = new TextReservation(options.reserve);
    for (;;) {
      const count = Math.min(size, wanted - records.length);
      reservation.need(bytes);
      const part = await this.#part(range, { count, bytes, revision: shown, isCounted: total === undefined });
      shown ??= part.newest;
      total ??= part.count ?? 0;
      reservation.use(part.bytes);
      if (part.versions.length > 0) size = sizeAfter(part);
      bytes = bytesAfter(part, Math.min(size, wanted - records.length - part.versions.length), bytes);
      await this.#read(part.versions, acceptsUnreadable, records);
      const remaining = Math.max(0, total - records.length);
      const last = part.versions.at(-1);
      const isEnd = last === undefined && part.nextBytes === undefined;
      if (remaining === 0 || records.length >= wanted || isEnd) return { records, revision: shown, remaining };
      if (last !== undefined) range = { first: keyAfter(last.key), end };
    }
  }

  /** Adds the records of versions. */
  async #read(versions: readonly VersionRow[], acceptsUnreadable: boolean, into: StorageRecord[]): Promise<void> {
    const records = this.#records;
    await (acceptsUnreadable ? records.prepareReadable(versions) : records.prepare(versions));
    await visitInTurns(versions, (version) =>
      into.push(acceptsUnreadable ? records.readOrSeal(version) : records.read(version)),
    );
  }

  async #part({ first, end }: KeyRange, { count, bytes, revision, isCounted }: PartOptions): Promise<Part> {
    if (revision === undefined) {
      const rows = await this.query(this.#statements.page, [first, end, count, bytes]);
      const [head = []] = rows;
      return { newest: numberAt(head, 0), count: numberAt(head, 1), ...fittingVersions(rows, 2) };
    }
    const rows = await this.query(this.#statements.pageAt, [first, end, count, revision, isCounted, bytes]);
    const [head = []] = rows;
    assertReadable(revision, numberAt(head, 0), numberAt(head, 1));
    return { newest: numberAt(head, 0), count: numberOrNothingAt(head, 2), ...fittingVersions(rows, 3) };
  }
}

/** @throws StorageError `Compacted`, `FutureRevision` */
function assertReadable(revision: Revision, newest: Revision, compacted: Revision): void {
  if (revision > newest) throw new StorageError('FutureRevision', { revision: newest });
  if (revision < compacted || revision < 0) throw new StorageError('Compacted', { revision: compacted });
}

/** Returns whether the value of a version is not in the answer because of its length. */
const isLeftOut = ({ value }: VersionRow, row: Row, index: number): boolean =>
  value === undefined && bytesAt(row, index) > 0;

/** Returns the versions up to the first one that was left out. */
function fittingVersions(rows: readonly Row[], index: number): Pick<Part, 'versions' | 'bytes' | 'nextBytes'> {
  const versions: VersionRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const version = versionAt(row, index);
    if (version === undefined) continue;
    if (isLeftOut(version, row, index)) return { versions, bytes, nextBytes: bytesAt(row, index) };
    versions.push(version);
    bytes += bytesAt(row, index);
  }
  return { versions, bytes, nextBytes: undefined };
}

/** Returns how many records like these an answer may have. */
const sizeAfter = ({ versions, bytes }: Part): number =>
  Math.min(Math.max(Math.floor((ANSWER_BYTES * versions.length) / Math.max(1, bytes)), MIN_RECORDS), MAX_RECORDS);

/** Returns the bytes for the values of the next records: of the one that was left out, or of as many like these. */
function bytesAfter({ versions, bytes, nextBytes }: Part, count: number, before: number): number {
  const ofOne = versions.length === 0 ? before : (bytes / versions.length) * HEADROOM;
  return Math.max(Math.min(Math.ceil(ofOne * count), ANSWER_BYTES), nextBytes ?? 0, 1);
}
