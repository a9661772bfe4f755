import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { defaultDriver, readStorage } from '../../../src/storage/sqlite/open.js';
import { migrate } from '../../../src/storage/sqlite/schema.js';
import { PAGE_AFTER, readRows } from '../../../src/storage/sqlite/version-rows.js';
import type { Storage } from '../../../src/storage/storage.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

/** The smallest page size: a write has several frames in the log, and each frame few bytes. */
const PAGE_BYTES = 512;
/** A page and its header in the log. */
const FRAME_BYTES = PAGE_BYTES + 24;

const text = (value: string) => (revision: number) => `${value} of ${revision} ${'.'.repeat(700)}`;

interface Contents {
  readonly revision: number;
  readonly records: readonly (readonly [key: string, revision: number, text: string])[];
}

/** The contents of a store, for comparison. */
async function contents(storage: Storage): Promise<Contents> {
  const { records, revision } = await storage.list('');
  return { revision, records: records.map((record) => [record.key, record.modRevision, record.text] as const) };
}

/**
 * Creates a store with a few writes, none of which has reached the main file, and returns its contents and the length
 * of its log after each.
 */
async function made(path: string): Promise<{ readonly logSize: number; readonly contents: Contents }[]> {
  const steps: { logSize: number; contents: Contents }[] = [];
  const connection = await SqliteConnection.open({
    driver: defaultDriver(),
    file: path,
    lockFile: undefined,
    settings: `PRAGMA page_size = ${PAGE_BYTES}`,
  });
  await migrate(connection, path);
  await connection.close();
  const storage = await openSqliteStorage({ path, clock: new ManualClock() });
  const note = async (): Promise<void> =>
    void steps.push({ logSize: statSync(`${path}-wal`).size, contents: await contents(storage) });
  await note();
  const first = await storage.create('/registry/a', text('first'));
  await note();
  await Promise.all(['b', 'c', 'd', 'e', 'f', 'g'].map((name) => storage.create(`/registry/${name}`, text(name))));
  await note();
  await storage.update('/registry/a', text('second'), first.modRevision);
  await note();
  copyFileSync(path, `${path}.kept`);
  copyFileSync(`${path}-wal`, `${path}.kept-wal`);
  await storage.close();
  return steps;
}

describe('sqlite storage: a truncated log', () => {
  it('has every complete write and no part of the next, for a cut at every byte', async () => {
    const directory = storeDirectory();
    const path = join(directory, 'store.db');
    const steps = await made(path);
    const file = readFileSync(`${path}.kept`);
    const log = readFileSync(`${path}.kept-wal`);
    const cutPath = join(directory, 'cut.db');
    writeFileSync(cutPath, file);
    // One thread for all of them: the tables that it reads are those of the attached file.
    const connection = await SqliteConnection.open({
      driver: defaultDriver(),
      file: ':memory:',
      lockFile: undefined,
      settings: 'PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE',
    });
    const lay = (rest: Uint8Array): void => {
      writeFileSync(cutPath, file);
      writeFileSync(`${cutPath}-wal`, rest);
    };
    const opened = async (): Promise<Contents> => {
      await connection.run('ATTACH ? AS cut', cutPath);
      const found = await contents(await readStorage(connection, { path: cutPath, clock: new ManualClock() }));
      await connection.run('DETACH cut');
      return found;
    };
    const newest = async (): Promise<number> => {
      const [, [[count, , blob] = []]] = await Promise.all([
        connection.run('ATTACH ? AS cut', cutPath),
        connection.run(PAGE_AFTER, 0, 100, 1 << 20),
        connection.run('DETACH cut'),
      ]);
      const { versions, damaged } = readRows(blob instanceof Uint8Array ? blob : new Uint8Array(), Number(count));
      expect(damaged).toEqual([]);
      expect(versions.every((version, index) => version.revision === index + 2)).toBe(true);
      return versions.length + 1;
    };
    const [, , group, last] = steps;
    if (group === undefined || last === undefined) throw new Error('was not created as expected');
    expect(last.logSize).toBe(log.length);
    const from = group.logSize - 2 * FRAME_BYTES;
    expect((last.logSize - group.logSize) / FRAME_BYTES).toBeGreaterThanOrEqual(3);
    for (let length = last.logSize; length >= from; length--) {
      const complete = steps.filter((step) => step.logSize <= length).pop();
      lay(log.subarray(0, length));
      // A complete opening takes longer, and shows no more.
      const nearEdge = [0, 1, 24, 25].some((bytes) => (length - group.logSize + bytes) % FRAME_BYTES === 0);
      if (nearEdge) expect(await opened()).toEqual(complete?.contents);
      else if ((await newest()) !== complete?.contents.revision)
        expect({ length, revision: await newest() }).toEqual({ length, revision: complete?.contents.revision });
    }
    // The file length reached the disk and the bytes did not.
    for (let length = last.logSize - 1; length >= from; length -= 7) {
      const complete = steps.filter((step) => step.logSize <= length).pop();
      lay(Buffer.concat([log.subarray(0, length), Buffer.alloc(last.logSize - length)]));
      expect(await newest()).toEqual(complete?.contents.revision);
    }
    await connection.close();
  }, 300_000);
});
