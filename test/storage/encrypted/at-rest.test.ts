/** The contents of the files and tables of stores, before and after a change of keys. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stampRevision } from '../../../src/registry/index.js';
import { rewriteStale, storedValues, takeSnapshot, type Storage, type ValueCodec } from '../../../src/storage/index.js';
import { openPostgresStorage, type PostgresStorageOptions } from '../../../src/storage/postgres/index.js';
import { buildSqliteStore, openSqliteSnapshot, openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { EtcdProcess, etcdVersion } from '../etcd/etcd-process.js';
import { ManualClock } from '../manual-clock.js';
import { coldStorage } from '../postgres/cold-storage.js';
import { PglitePool } from '../postgres/pglite-pool.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { encryption, entry, KEY_1, KEY_2, provider } from './configurations.js';

const KEY = '/registry/secrets/default/a';
/** Long enough that PostgreSQL stores it outside of the row. */
const MARKER = 'geheimnis-am-fluss';
const secretText =
  (value = MARKER) =>
  (revision: number): string =>
    JSON.stringify({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: String(revision) },
      data: { value: Array.from({ length: 300 }, (_, index) => `${value}-${index}`) },
    });
const oldKey = provider('aesgcm', { old: KEY_1 });
const newKey = provider('secretbox', { new: KEY_2 });
const identity = provider('identity');
const plainThen = () => encryption(entry(['secrets'], identity, oldKey));
const encrypted = () => encryption(entry(['secrets'], oldKey, identity));
const rotated = () => encryption(entry(['secrets'], newKey, oldKey, identity));
const onlyNew = () => encryption(entry(['secrets'], newKey));

let folder = '';
let closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(DATA_FOLDER, 'at-rest-'));
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
  rmSync(folder, { recursive: true });
});

const path = (): string => join(folder, 'store.db');
const clock = new ManualClock();
const openFile = (codec?: ValueCodec, file = path(), cacheObjects?: number): Promise<Storage> =>
  openSqliteStorage({ path: file, clock, encryption: codec, stampRevision, cacheObjects });

/** An engine whose store can be opened again with another codec, and searched for a text. */
interface Engine {
  open(codec?: ValueCodec): Promise<Storage>;
  /** Returns whether what is at rest contains a text now. */
  contains(text: string): Promise<boolean>;
}

const holds = (directory: string, text: string): boolean =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));

/** PostgreSQL in this process. @param open opens the store with the given options and others */
async function postgresEngine(open: (options: PostgresStorageOptions) => Promise<Storage>): Promise<Engine> {
  const pool = new PglitePool();
  closers.push(() => pool.close());
  return {
    open: (codec) => open({ pool, clock, encryption: codec, compactionInterval: 0 }),
    contains: async (text) => {
      const tables = await pool.run(
        `SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'orch' AND c.relkind = 'r'`,
        [],
      );
      const counts = await Promise.all(
        tables.map(([table]) =>
          pool.run(`SELECT count(*)::float8 FROM ${String(table)} t WHERE t::text LIKE $1`, [`%${text}%`]),
        ),
      );
      return counts.some((rows) => Number(rows[0]?.[0]) > 0);
    },
  };
}

const engines: Record<string, () => Promise<Engine>> = {
  sqlite: async () => ({ open: (codec) => openFile(codec), contains: async (text) => holds(folder, text) }),
  'sqlite without texts in memory': async () => ({
    open: (codec) => openFile(codec, path(), 0),
    contains: async (text) => holds(folder, text),
  }),
  PostgreSQL: () => postgresEngine((options) => openPostgresStorage({ ...options, watchCache: false })),
  'PostgreSQL without texts in memory': () =>
    postgresEngine((options) => coldStorage(0, (cold) => openPostgresStorage({ ...options, ...cold }))),
  ...(etcdVersion === undefined
    ? {}
    : {
        etcd: async () => {
          const etcd = await EtcdProcess.start();
          closers.push(() => etcd.remove());
          return {
            open: (codec?: ValueCodec) => etcd.open({ clock, encryption: codec, watchCache: false }),
            contains: async (text: string) => holds(etcd.folder, text),
          };
        },
      }),
};

describe.each(Object.entries(engines))('%s', (_, make) => {
  it('contains no plain value of an encrypted resource', { timeout: 300_000 }, async () => {
    const engine = await make();
    const storage = await engine.open(await encrypted());
    const { modRevision } = await storage.create(KEY, secretText('first'));
    await storage.update(KEY, secretText(), modRevision);
    await storage.create('/registry/configmaps/default/a', secretText('open-to-all'));
    const { record } = await storage.get(KEY);
    expect(record?.text).toBe(secretText()(record?.modRevision ?? 0));
    expect(await engine.contains('open-to-all')).toBe(true);
    expect(await engine.contains(MARKER)).toBe(false);
    expect(await engine.contains('k8s:enc:aesgcm:v1:old:')).toBe(true);
    await storage.close();
    expect(await engine.contains(MARKER)).toBe(false);
  });

  it('rewrites what another key protects, and then needs that key no more', { timeout: 300_000 }, async () => {
    const engine = await make();
    const first = await engine.open(await plainThen());
    await first.create(KEY, secretText());
    await first.create('/registry/configmaps/default/a', secretText('open-to-all'));
    await first.close();
    expect(await engine.contains(MARKER)).toBe(true);

    for (const codec of [await encrypted(), await rotated()]) {
      const storage = await engine.open(codec);
      expect(storage.isStale?.((await storage.list(KEY)).records[0] ?? { ...NONE })).toBe(true);
      const options = { clock, stampRevision };
      expect(await rewriteStale(storage, { ...options, dryRun: true })).toEqual({ records: 2, rewritten: 1 });
      expect(await rewriteStale(storage, options)).toEqual({ records: 2, rewritten: 1 });
      expect(await rewriteStale(storage, options)).toEqual({ records: 2, rewritten: 0 });
      const { record } = await storage.get(KEY);
      expect(JSON.parse(record?.text ?? '')).toEqual(JSON.parse(secretText()(record?.modRevision ?? 0)));
      await storage.compact(await storage.currentRevision());
      await storage.close();
    }
    const storage = await engine.open(await onlyNew());
    const { record } = await storage.get(KEY);
    expect(record?.text).toContain(MARKER);
    await storage.close();
  });

  it('fails to read, and overwrites nothing, without the key', { timeout: 300_000 }, async () => {
    const engine = await make();
    const storage = await engine.open(await encrypted());
    const { modRevision } = await storage.create(KEY, secretText());
    await storage.close();
    for (const codec of [undefined, await onlyNew()]) {
      const read = async (): Promise<void> => {
        const reopened = await engine.open(codec);
        try {
          // Where texts may leave the memory, one is read when it is needed.
          const texts = async (): Promise<string[]> =>
            (await reopened.list('/registry/')).records.map(({ text }) => text);
          await expect(texts()).rejects.toThrow(KEY);
          await expect(reopened.create(KEY, secretText('other'))).rejects.toThrow(KEY);
          check((await reopened.get(KEY)).record?.text);
        } finally {
          await reopened.close();
        }
      };
      await expect(read()).rejects.toThrow(`unable to transform key "${KEY}"`);
    }
    const again = await engine.open(await encrypted());
    const { record } = await again.get(KEY);
    expect(record).toMatchObject({ modRevision, text: secretText()(modRevision) });
    await again.close();
  });
});

/** Only reads the text. */
const check = (text: string | undefined): void => void text;
const NONE = { key: KEY, text: '', modRevision: 0, createRevision: 0, decoded: undefined };

describe('sqlite', () => {
  it('starts without an old key although the history needs it, and does not keep that history', async () => {
    const first = await openFile(await encrypted());
    const { modRevision } = await first.create(KEY, secretText('first'));
    await first.close();
    const second = await openFile(await rotated());
    await second.update(KEY, secretText(), modRevision);
    const { modRevision: other } = await second.create('/registry/configmaps/default/a', secretText('map'));
    await second.close();

    const third = await openFile(await onlyNew());
    expect((await third.get(KEY)).record?.text).toContain(MARKER);
    const ends: unknown[] = [];
    const seen: string[] = [];
    const sink = {
      events: (events: readonly { readonly key: string }[]) => events.forEach(({ key }) => seen.push(key)),
      progress: () => undefined,
      end: (reason: unknown) => ends.push(reason),
    };
    third.watch('', modRevision - 1, sink);
    expect(ends).toEqual([{ kind: 'compacted', compactRevision: other - 1 }]);
    third.watch('', other - 1, sink);
    await expect.poll(() => seen).toEqual(['/registry/configmaps/default/a']);
    await third.close();
  });

  it('a copy keeps what is encrypted and needs no key, whatever the revisions', async () => {
    const first = await openFile(await encrypted());
    const { modRevision } = await first.create(KEY, secretText());
    await first.close();
    const snapshot = await openSqliteSnapshot({ path: path() });
    const copy = join(folder, 'copy', 'store.db');
    await buildSqliteStore(snapshot, { path: copy, clock, bumpRevision: 100 });
    await snapshot.close();
    rmSync(path());
    expect(existsSync(copy)).toBe(true);
    expect(holds(folder, MARKER)).toBe(false);
    const raw = await openFile(storedValues, copy);
    const batches = (await takeSnapshot(raw)).batches();
    for await (const [record] of batches) expect(record?.text).toMatch(/^\{"encrypted":/);
    await raw.close();
    const opened = await openFile(await encrypted(), copy);
    expect((await opened.get(KEY)).record?.text).toBe(secretText()(modRevision));
    await opened.close();
  });

  it('deletes and expires encrypted keys across a restart', async () => {
    const first = await openFile(await encrypted());
    const { modRevision } = await first.create(KEY, secretText());
    await first.delete(KEY, secretText(), modRevision);
    await first.close();
    expect(holds(folder, MARKER)).toBe(false);
    const second = await openFile(await encrypted());
    const deleted: string[] = [];
    second.watch('', modRevision, {
      events: (events) => events.forEach(({ type, record }) => deleted.push(`${type} ${record.text}`)),
      progress: () => undefined,
      end: () => undefined,
    });
    await expect.poll(() => deleted).toEqual([`delete ${secretText()(modRevision + 1)}`]);
    await second.close();
  });
});
