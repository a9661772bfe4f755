import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OpeningFailure, SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import {
  buildSqliteStore,
  openSqliteStorage,
  vacuumSqliteStore,
  type SqliteStorageOptions,
} from '../../../src/storage/sqlite/index.js';
import { defaultDriver } from '../../../src/storage/sqlite/open.js';
import { migrate } from '../../../src/storage/sqlite/schema.js';
import type { Storage } from '../../../src/storage/storage.js';
import type { StoreSnapshot } from '../../../src/storage/transfer/snapshot.js';
import { ManualClock } from '../manual-clock.js';
import { bundleChild, startChild } from './child-program.js';
import { copyStore, storeDirectory } from './store-directory.js';

const open = (path: string): Promise<Storage> => openSqliteStorage({ path, clock: new ManualClock() });
const page = 4096;

async function connect(path: string): Promise<SqliteConnection> {
  return SqliteConnection.open({ driver: defaultDriver(), file: path, lockFile: undefined, settings: '' });
}

/** A closed store with a few records. */
async function made(): Promise<string> {
  const path = join(storeDirectory(), 'store.db');
  const storage = await open(path);
  for (let index = 0; index < 60; index++)
    await storage.create(`/a/${index}`, (revision) => `the text of ${index} at ${revision} ${'.'.repeat(300)}`);
  await storage.close();
  return path;
}

async function refusal(path: string): Promise<string> {
  const before = readFileSync(path);
  const error: unknown = await open(path).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'StorageError', code: 'Unavailable' });
  expect(readFileSync(path).equals(before)).toBe(true);
  return String((error as Error).message).replaceAll(path, 'FILE');
}

async function edited(edit: (bytes: Buffer) => Buffer): Promise<string> {
  const path = await made();
  writeFileSync(path, edit(readFileSync(path)));
  return path;
}

const WAYS_OUT =
  'It is left unchanged: restore a backup in its place (orch-apiserver restore), or list its problems (orch-apiserver check).';

describe('sqlite storage: files that it refuses to open', () => {
  it('of another format', async () => {
    const path = join(storeDirectory(), 'notes.txt');
    writeFileSync(path, 'dear diary, '.repeat(500));
    expect(await refusal(path)).toBe(
      'FILE is not a store and is left unchanged. If it was one, it is damaged: restore a backup in its place (orch-apiserver restore).',
    );
  });

  it.each(['CREATE TABLE notes (a)', 'PRAGMA user_version = 7', 'PRAGMA application_id = 7'])(
    'of another program (%s)',
    async (sql) => {
      const path = join(storeDirectory(), 'other.db');
      const connection = await connect(path);
      await connection.run(sql);
      await connection.close();
      expect(await refusal(path)).toBe('FILE is the database of another program and is left unchanged');
    },
  );

  it('of a newer layout', async () => {
    const path = await made();
    const connection = await connect(path);
    await connection.run('PRAGMA user_version = 2');
    await connection.close();
    expect(await refusal(path)).toBe(
      'FILE was written by a newer version of this program (layout 2; the newest supported one is 1) and is left unchanged. Use that version, or a backup from before it.',
    );
  });

  it('of a newer layout that was never closed', async () => {
    const path = await made();
    const connection = await connect(path);
    await migrate(connection, path, [[], [['CREATE TABLE later (a)']]]);
    const left = join(storeDirectory(), 'left.db');
    copyStore(path, left);
    await connection.close();
    expect(await refusal(left)).toContain('layout 2; the newest supported one is 1');
    expect(existsSync(`${left}-wal`)).toBe(true);
  });

  it.each<[what: string, edit: (bytes: Buffer) => Buffer, message: string]>([
    [
      'whose end is missing',
      (bytes) => bytes.subarray(0, bytes.length - page),
      `the store FILE is damaged: database disk image is malformed. ${WAYS_OUT}`,
    ],
    ['with a page of zeros', (bytes) => bytes.fill(0, 5 * page, 6 * page), `the store FILE is damaged: `],
    [
      'with a page replaced by another one',
      (bytes) =>
        Buffer.concat([bytes.subarray(0, 5 * page), bytes.subarray(6 * page, 7 * page), bytes.subarray(6 * page)]),
      'the store FILE is damaged: ',
    ],
    [
      'with one letter of a text changed',
      (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('the text of 7 at', 'the text of 8 at'), 'latin1'),
      `the store FILE is damaged: the write of revision 9 is damaged. ${WAYS_OUT}`,
    ],
    [
      'with one letter of a key changed',
      (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('/a/42', '/b/42'), 'latin1'),
      `the store FILE is damaged: the write of revision 44 is damaged. ${WAYS_OUT}`,
    ],
    ['with a broken list of tables', (bytes) => bytes.fill(0xff, 3000, 4000), 'the store FILE is damaged: '],
  ])('of a damaged store: %s', async (_, edit, message) => {
    const path = await edited(edit);
    expect(await refusal(path)).toContain(message);
  });

  it.each([
    ['DELETE FROM versions WHERE revision = 30', 'the write of revision 30 is missing'],
    ['DELETE FROM facts', 'the compacted revision is missing'],
  ])('of a store changed by other means (%s)', async (sql, what) => {
    const path = await made();
    const connection = await connect(path);
    await connection.run(sql);
    await connection.close();
    expect(await refusal(path)).toBe(`the store FILE is damaged: ${what}. ${WAYS_OUT}`);
  });

  describe('without the SQLite library', () => {
    beforeEach(() => {
      if (!isBuiltin('node:sqlite')) return;
      const failure = new OpeningFailure(0, "Cannot find module 'libsql'", 'loading');
      vi.spyOn(SqliteConnection, 'openFound').mockRejectedValue(failure);
    });
    afterEach(() => vi.restoreAllMocks());

    const snapshot: StoreSnapshot = { revision: 1, count: 0, batches: async function* () {} };
    it.each<[string, (options: SqliteStorageOptions) => Promise<unknown>]>([
      ['a new store', openSqliteStorage],
      ['a copy', (options) => buildSqliteStore(snapshot, options)],
    ])('%s, of which nothing is left behind', async (_, make) => {
      const directory = join(storeDirectory(), 'new');
      const made = make({ path: join(directory, 'store.db'), clock: new ManualClock(), driver: 'node:sqlite' });
      await expect(made).rejects.toMatchObject({
        code: 'Unavailable',
        message:
          'a store in a file needs Node 22.13 or later, which has SQLite built in, or the package libsql: npm install libsql',
      });
      expect(existsSync(directory)).toBe(false);
    });
  });

  it('in a directory without write permission', async () => {
    const directory = storeDirectory();
    writeFileSync(join(directory, 'file'), '');
    await expect(open(join(directory, 'file', 'store.db'))).rejects.toThrow(
      /^the store .*file\/store\.db cannot be opened: .*(ENOTDIR|EEXIST)/,
    );
  });
});

describe('sqlite storage: one process per file', () => {
  it('rejects a second opening in the same process', async () => {
    const path = await made();
    const storage = await open(path);
    expect(await refusal(path)).toBe(`the store FILE is in use by this process (${process.pid})`);
    await storage.create('/still', () => 'mine');
    await storage.close();
    await (await open(path)).close();
  });

  it.each<[string, (path: string) => string]>([
    [
      'a symbolic link',
      (path) => {
        symlinkSync(path, `${path}.link`);
        return `${path}.link`;
      },
    ],
    [
      'a link to a link in another directory',
      (path) => {
        symlinkSync(path, `${path}.link`);
        const other = join(storeDirectory(), 'other.db');
        symlinkSync(relative(dirname(other), `${path}.link`), other);
        return other;
      },
    ],
    [
      'a link to its directory',
      (path) => {
        const link = join(storeDirectory(), 'link');
        symlinkSync(dirname(path), link, 'dir');
        return join(link, 'store.db');
      },
    ],
    ['a relative path', (path) => relative(process.cwd(), path)],
    ['a roundabout path', (path) => `${dirname(path)}/../${basename(dirname(path))}/./store.db`],
  ])('rejects a second opening by %s, which opens the same store later', async (_name, otherName) => {
    const path = await made();
    const other = otherName(path);
    for (const [first, second] of [
      [path, other],
      [other, path],
    ] as const) {
      const storage = await open(first);
      await expect(open(second)).rejects.toThrow(`the store ${second} is in use by this process (${process.pid})`);
      await expect(vacuumSqliteStore({ path: second })).rejects.toThrow(`is in use by this process (${process.pid})`);
      await storage.create(`/by/${basename(first)}/${first === path}`, () => 'one');
      await storage.close();
    }
    const storage = await open(other);
    expect((await storage.list('/by/')).records).toHaveLength(2);
    await storage.close();
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith('-lock'))).toEqual(['store.db-lock']);
  });

  it('rejects a file with hard links, whether it is open or not', async () => {
    const path = await made();
    const storage = await open(path);
    const other = join(storeDirectory(), 'other.db');
    linkSync(path, other);
    const message = (name: string): string =>
      `the store ${name} has 2 names (hard links), and each would have a log of its own: remove all but one`;
    await expect(open(other)).rejects.toThrow(message(other));
    await storage.close();
    await expect(open(other)).rejects.toThrow(message(other));
    await expect(open(path)).rejects.toThrow(message(path));
    rmSync(path);
    await (await open(other)).close();
  });

  it('builds a store in a linked directory under the lock of the directory', async () => {
    const directory = storeDirectory();
    const link = join(storeDirectory(), 'link');
    symlinkSync(directory, link, 'dir');
    const storage = await open(join(directory, 'store.db'));
    const snapshot = { revision: 1, count: 0, batches: async function* () {} };
    await expect(
      buildSqliteStore(snapshot, { path: join(link, 'store.db'), clock: new ManualClock() }),
    ).rejects.toThrow(`is in use by this process (${process.pid})`);
    await storage.close();
  });

  it('rejects a second process until the first has ended, however it ends', async () => {
    const directory = storeDirectory();
    const path = join(directory, 'store.db');
    const program = await bundleChild(directory);
    const { process: child, reports } = startChild(program, join(directory, 'reports'));
    child.stdin?.end(`${JSON.stringify({ path, watchFrom: 1, seed: 1, durability: 'full', killAfter: 1e9 })}\n`);
    while (statSync(reports).size === 0) await new Promise((resolve) => setImmediate(resolve));
    await expect(open(path)).rejects.toThrow(`the store ${path} is in use by the process ${child.pid}`);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const storage = await open(path);
    expect((await storage.list('')).revision).toBeGreaterThanOrEqual(1);
    await storage.close();
  });

  it('lets other processes read while it writes', async () => {
    const path = await made();
    const storage = await open(path);
    const reader = await connect(path);
    await storage.create('/new', () => 'x');
    expect(await reader.run('SELECT count(*) FROM versions')).toEqual([[61]]);
    const copy = join(storeDirectory(), 'copy.db');
    await reader.run('VACUUM INTO ?', copy);
    await reader.close();
    await storage.create('/newer', () => 'x');
    await storage.close();
    const copied = await open(copy);
    expect((await copied.list('')).revision).toBe(62);
    await copied.close();
  });
});

describe('sqlite storage: layouts', () => {
  it('are migrated step by step, each once; a failed step leaves the previous layout', async () => {
    const path = join(storeDirectory(), 'store.db');
    const connection = await connect(path);
    const first: [string][] = [['CREATE TABLE one (a)'], ['INSERT INTO one VALUES (1)']];
    const second: [string][] = [['INSERT INTO one VALUES (2)']];
    await migrate(connection, path, [first]);
    await migrate(connection, path, [first, second]);
    await migrate(connection, path, [first, second]);
    await expect(
      migrate(connection, path, [first, second, [['INSERT INTO one VALUES (3)'], ['nonsense']]]),
    ).rejects.toThrow('syntax error');
    expect(await connection.run('SELECT a FROM one')).toEqual([[1], [2]]);
    expect(await connection.run('PRAGMA user_version')).toEqual([[2]]);
    await connection.close();
    copyFileSync(path, `${path}.copy`);
    await expect(open(`${path}.copy`)).rejects.toThrow('layout 2; the newest supported one is 1');
  });
});
