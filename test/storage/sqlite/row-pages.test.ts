import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { defaultDriver } from '../../../src/storage/sqlite/open.js';
import { pagesAfter } from '../../../src/storage/sqlite/row-pages.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

const MIB = 1 << 20;

/** Writes rows of these lengths, and returns the revisions in each page read. */
async function pagesOf(lengths: readonly number[], after: number): Promise<number[][]> {
  const path = join(storeDirectory(), 'store.db');
  const storage = await openSqliteStorage({ path, clock: new ManualClock(), durability: 'relaxed' });
  for (const [index, length] of lengths.entries()) await storage.create(`/${index}`, () => 'x'.repeat(length));
  await storage.close();
  const connection = await SqliteConnection.open({
    driver: defaultDriver(),
    file: path,
    lockFile: undefined,
    settings: '',
  });
  const pages: number[][] = [];
  for await (const { versions, damaged } of pagesAfter(connection, after)) {
    expect(damaged).toEqual([]);
    pages.push(versions.map(({ revision }) => revision));
  }
  await connection.close();
  return pages;
}

describe('the rows of a sqlite store', () => {
  it('are read in pages of about a quarter of a mebibyte, each once and in order', async () => {
    const pages = await pagesOf(
      Array.from({ length: 300 }, () => MIB / 64),
      1,
    );
    expect(pages.flat()).toEqual(Array.from({ length: 300 }, (_, index) => index + 2));
    expect(Math.max(...pages.slice(1).map((page) => page.length))).toBeLessThanOrEqual(17);
    expect(pages.length).toBeLessThan(24);
  });

  it('that suddenly get larger are read in smaller pages, one row at a time if they are huge', async () => {
    const lengths = [
      ...Array.from({ length: 100 }, () => 10),
      ...Array.from({ length: 40 }, () => MIB),
      20 * MIB,
      20 * MIB,
      10,
    ];
    const pages = await pagesOf(lengths, 1);
    expect(pages.flat()).toEqual(lengths.map((_, index) => index + 2));
    for (const page of pages) {
      const bytes = page.map((revision) => lengths[revision - 2] ?? 0).reduce((sum, length) => sum + length, 0);
      if (page.length > 1) expect(bytes).toBeLessThanOrEqual(16 * MIB);
    }
    expect(pages.length).toBeLessThan(60);
  });

  it('end after the last one, and an empty store has none', async () => {
    expect(await pagesOf([1, 2, 3], 4)).toEqual([]);
    expect(await pagesOf([], 0)).toEqual([]);
  });
});
