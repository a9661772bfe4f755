import type { Revision } from '../storage.js';
import type { StoreConnection } from './connection.js';
import { PAGE_AFTER, readRows } from './version-rows.js';
import type { RowsRead } from './version-rows.js';

/** Bytes read at a time, about. */
const PAGE_BYTES = 1 << 20;
const FIRST_PAGE_ROWS = 64;
const MAX_PAGE_ROWS = 2000;
/** Text that a page may have at most, in bytes, unless it is a single row: rows may get larger all of a sudden. */
const MAX_PAGE_TEXT = 16 << 20;

/** Rows as they are in the file. */
interface Page {
  readonly count: number;
  /** Revision of the last one. */
  readonly last: Revision;
  readonly blob: Uint8Array;
}

/**
 * The rows after a revision, in order, page by page; while one page is worked on, the next is read.
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
    // Who stops early does not want to know what became of it.
    reading.catch(() => undefined);
    yield readRows(blob, count);
  }
}

/** The next rows, as many as are wanted, or fewer when they are large; undefined at the end. */
async function readPage(
  connection: Pick<StoreConnection, 'run'>,
  after: Revision,
  wanted: number,
): Promise<Page | undefined> {
  for (let rows = wanted; ; rows = Math.max(1, rows >> 2)) {
    const [[count, last, blob, bytes] = []] = await connection.run(PAGE_AFTER, after, rows, MAX_PAGE_TEXT);
    if (blob instanceof Uint8Array) return { count: Number(count), last: Number(last), blob };
    if (bytes === null) return undefined;
  }
}
