import type { Revision } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { damaged } from './refusal.js';
import { HEADS_AFTER, PAGE_AFTER, readHeads, readRows } from './version-rows.js';
import type { RowsRead, UnreadVersion } from './version-rows.js';

/** Approximate size of a page, in bytes. One is read in a few milliseconds, which no request has to wait for. */
const PAGE_BYTES = 1 << 18;
const FIRST_PAGE_ROWS = 64;
const MAX_PAGE_ROWS = 1000;
/** Maximum text of a page with several rows, in bytes: the size of rows may increase suddenly. */
const MAX_PAGE_TEXT = 16 << 20;

/** A page of rows in the form of the file. */
interface Page {
  readonly count: number;
  /** Revision of the last row. */
  readonly last: Revision;
  readonly blob: Uint8Array;
}

/**
 * Yields the rows after a revision, in order, in pages. The next page is read while the caller works on one.
 *
 * @throws SqliteFailure
 */
export async function* pagesAfter(
  connection: Pick<StoreConnection, 'run'>,
  revision: Revision,
): AsyncGenerator<RowsRead, void> {
  let reading = readPage(connection, revision, FIRST_PAGE_ROWS);
  for (;;) {
    const page = await reading;
    if (page === undefined) return;
    const { count, last, blob } = page;
    reading = readPage(
      connection,
      last,
      Math.max(1, Math.min(MAX_PAGE_ROWS, Math.round((PAGE_BYTES * count) / blob.length))),
    );
    // Prevents an unhandled rejection when the caller stops early.
    reading.catch(() => undefined);
    yield readRows(blob, count);
  }
}

/** Reads the next rows, at most `maximum`, fewer when they are large. Returns undefined at the end. */
async function readPage(
  connection: Pick<StoreConnection, 'run'>,
  after: Revision,
  maximum: number,
): Promise<Page | undefined> {
  for (let rows = maximum; ; rows = Math.max(1, rows >> 2)) {
    const [[count, last, blob, bytes] = []] = await connection.run(PAGE_AFTER, after, rows, MAX_PAGE_TEXT);
    if (blob instanceof Uint8Array) return { count: Number(count), last: Number(last), blob };
    if (bytes === null) return undefined;
  }
}

/** Number of rows of a page without texts. */
const HEAD_ROWS = 1000;

/**
 * Yields the rows after a revision without their texts, in order, in pages. The next page is read while the caller works
 * on one.
 *
 * @throws StorageError when the rows cannot be told from each other; SqliteFailure
 */
export async function* headsAfter(
  connection: Pick<StoreConnection, 'run'>,
  path: string,
  revision: Revision,
): AsyncGenerator<readonly UnreadVersion[], void> {
  let reading = connection.run(HEADS_AFTER, revision, HEAD_ROWS);
  for (;;) {
    const [[count, last, blob] = []] = await reading;
    if (!(blob instanceof Uint8Array)) return;
    reading = connection.run(HEADS_AFTER, Number(last), HEAD_ROWS);
    // Prevents an unhandled rejection when the caller stops early.
    reading.catch(() => undefined);
    const heads = readHeads(blob, Number(count));
    if (heads === undefined) throw damaged(path, `a write up to revision ${Number(last)} is damaged`);
    yield heads;
  }
}
