import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import { openPostgresStorage, type PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import { rangeOf } from '../../../src/storage/postgres/key-range.js';
import { sample } from '../../../src/testing/storage-contract/fixture.js';
import { PglitePool } from './pglite-pool.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const refused = (options: object): Promise<unknown> =>
  openPostgresStorage({ clock: systemClock, ...options } as PostgresStorageOptions);

test.each<[object, RegExp]>([
  [{}, /either url or pool must be set/],
  [{ url: 'postgres://a/b', pool: { connect: () => undefined } }, /either url or pool must be set/],
  [{ url: 'mysql://secret@a/b' }, /url must be a URL that starts with postgres/],
  [{ url: [] }, /url must be a URL that starts with postgres:\/\/, or a list of them/],
  [{ pool: {} }, /pool must be a pool of connections, with the method connect/],
  [{ url: 'postgres://a/b', schema: 'A b' }, /schema must be a name of lower-case letters/],
  [{ url: 'postgres://a/b', durability: 'full' }, /durability/],
  [{ url: 'postgres://a/b', requestTimeout: 0 }, /requestTimeout/],
  [{ url: 'postgres://a/b', unknown: 1 }, /unknown/],
])('the options %o are refused', async (options, message) => {
  await expect(refused(options)).rejects.toThrow(message);
  await expect(refused(options)).rejects.not.toThrow(/secret/);
});

test('a database that cannot be reached is named, without the password', async () => {
  const opening = refused({ url: 'postgres://user:secret@127.0.0.1:1/db', openTimeout: 1 });
  await expect(opening).rejects.toMatchObject({
    code: 'Unavailable',
    message: expect.stringMatching(/PostgreSQL cannot be reached.*127\.0\.0\.1:1/) as unknown,
  });
  await expect(opening).rejects.not.toThrow(/secret/);
});

test.each<[string, string | undefined, { first: string; end: string } | undefined]>([
  ['/a/', undefined, { first: '/a/', end: '/a0' }],
  ['/a/', '/a/b', { first: '/a/b\u0001', end: '/a0' }],
  ['/a/', '/a', { first: '/a/', end: '/a0' }],
  ['/a/', '/b', undefined],
  ['', undefined, { first: '', end: '\u{10ffff}' }],
  ['\u{d7ff}', undefined, { first: '\u{d7ff}', end: '\u{e000}' }],
  ['a\u{10ffff}', undefined, { first: 'a\u{10ffff}', end: 'b' }],
  // U+FFFF sorts before U+1F600 in UTF-8, and after it in UTF-16.
  ['/', '/\u{ffff}', { first: '/\u{ffff}\u0001', end: '0' }],
])('the range of the prefix %j after %j', (prefix, after, range) => {
  expect(rangeOf(prefix, after)).toEqual(range);
});

describe('a database in this process', () => {
  let pool: PglitePool;
  beforeAll(() => {
    pool = new PglitePool();
  });
  afterAll(() => pool.close());

  test('a schema of another program is refused and left unchanged', async () => {
    await pool.run('CREATE SCHEMA foreign_one', []);
    await pool.run('CREATE TABLE foreign_one.users (id integer)', []);
    await expect(refused({ pool, schema: 'foreign_one' })).rejects.toMatchObject({
      name: 'UnusableStoreError',
      message: expect.stringMatching(/tables of another program/) as unknown,
    });
    expect(await pool.run(`SELECT count(*)::int FROM pg_tables WHERE schemaname = 'foreign_one'`, [])).toEqual([[1]]);
  });

  test('a store of a newer program is refused and left unchanged', async () => {
    await (await openPostgresStorage({ pool, clock: systemClock, schema: 'newer' })).close();
    await pool.run('UPDATE newer.head SET layout = 99', []);
    await expect(refused({ pool, schema: 'newer' })).rejects.toThrow(/has layout 99/);
  });

  test('a key with NUL, and a value that is not an object, are refused', async () => {
    const storage = await openPostgresStorage({ pool, clock: systemClock, schema: 'refusals' });
    await expect(async () => storage.create('/a\0b', sample('x'))).rejects.toThrow(/cannot be stored in PostgreSQL/);
    await expect(async () => storage.create('/a', () => 'text')).rejects.toThrow(/not the text of an object/);
    await storage.close();
  });

  test('a value that another program has changed fails its readers', async () => {
    const storage = await openPostgresStorage({
      pool,
      clock: systemClock,
      schema: 'changed',
      watchCache: false,
      maxCachedTextLength: 0,
    });
    await storage.create('/registry/a', sample('x'));
    await storage.create('/registry/b', sample('x'));
    await pool.run(`UPDATE changed.versions SET value = '{"changed":true}' WHERE key = '/registry/a'`, []);
    await expect(storage.get('/registry/a')).rejects.toThrow(/was changed by another program/);
    expect((await storage.get('/registry/b')).record?.key).toBe('/registry/b');
    await storage.close();
  });

  test('a schema without a store is left as it is where no tables may be made', async () => {
    await expect(refused({ pool, schema: 'absent', createTables: false })).rejects.toMatchObject({
      name: 'UnusableStoreError',
      message: expect.stringMatching(
        /^there is no store in the schema absent of the database.* "orch-apiserver postgres-schema" prints; nothing was changed$/,
      ) as string,
    });
    expect(await pool.run(`SELECT count(*)::int FROM pg_namespace WHERE nspname = 'absent'`, [])).toEqual([[0]]);
    await (await openPostgresStorage({ pool, clock: systemClock, schema: 'made' })).close();
    await (await openPostgresStorage({ pool, clock: systemClock, schema: 'made', createTables: false })).close();
  });

  test('many processes open an empty database together', async () => {
    const storages = await Promise.all(
      Array.from({ length: 5 }, () => openPostgresStorage({ pool, clock: systemClock, schema: 'together' })),
    );
    const records = await Promise.all(storages.map((storage, index) => storage.create(`/k${index}`, sample('x'))));
    expect(records.map(({ modRevision }) => modRevision).sort()).toEqual([1, 2, 3, 4, 5]);
    await Promise.all(storages.map((storage) => storage.close()));
  });
});

test(
  'keys have the order of their bytes, whatever the order of the database',
  { skip: postgresPrograms === undefined },
  async () => {
    const postgres = await PostgresProcess.start();
    try {
      await postgres.run(`CREATE DATABASE worded TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'`);
      const url = postgres.url.replace(/postgres$/, 'worded');
      const storage = await postgres.open({ url, watchCache: false });
      const keys = ['/k/A', '/k/B', '/k/_', '/k/a', '/k/a-b', '/k/aa', '/k/b', '/k/\u{ffff}', '/k/\u{1f600}'];
      for (const key of [...keys].reverse()) await storage.create(key, sample('x'));
      expect((await storage.list('/k/')).records.map(({ key }) => key)).toEqual(keys);
      const { revision } = await storage.list('/k/');
      const [last] = (await storage.list('/k/', { after: '/k/b', limit: 1, revision })).records;
      expect(last?.key).toBe('/k/\u{ffff}');
      await storage.close();
    } finally {
      await postgres.remove();
    }
  },
);

test('a pool of the user works, and is not ended', { skip: postgresPrograms === undefined }, async () => {
  const postgres = await PostgresProcess.start();
  const pool = new pg.Pool({ connectionString: postgres.url });
  try {
    const storage = await openPostgresStorage({ pool, clock: systemClock });
    await storage.create('/registry/a', sample('x'));
    await storage.close();
    expect((await pool.query('SELECT key FROM orch.current')).rows).toEqual([{ key: '/registry/a' }]);
  } finally {
    await pool.end();
    await postgres.remove();
  }
});

test(
  'five servers make the tables of an empty database together',
  { skip: postgresPrograms === undefined },
  async () => {
    const postgres = await PostgresProcess.start();
    try {
      for (let round = 0; round < 10; round += 1) {
        const storages = await Promise.all(
          Array.from({ length: 5 }, () => postgres.open({ schema: `round_${round}` })),
        );
        const [first, second] = storages;
        await first?.create('/a', sample('x'));
        expect((await second?.get('/a'))?.record?.modRevision).toBe(1);
        await Promise.all(storages.map((storage) => storage.close()));
      }
    } finally {
      await postgres.remove();
    }
  },
);
