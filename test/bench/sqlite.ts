import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from 'orch-apiserver';
import type { Storage } from 'orch-apiserver/storage';
import { createMemoryStorage } from 'orch-apiserver/storage/memory';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';
import { interleaved, median, type Measure } from './measure.js';
import { benchConfigMap } from './object.mjs';

const run = promisify(execFile);
const IN_FLIGHT = 32;
const GROUPS = 150;
const READS = 20_000;
const PAGES = 400;
const STORED = 100_000;
const OPENINGS = 5;

/** The operations that both SQLite libraries support. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { run(...parameters: readonly (string | number | null)[]): unknown };
  close(): void;
}

/** The library that the engine selects. */
function openRaw(path: string): Database {
  const require = createRequire(import.meta.url);
  const open = isBuiltin('node:sqlite')
    ? (require('node:sqlite') as { DatabaseSync: new (path: string) => Database }).DatabaseSync
    : (require('libsql') as new (path: string) => Database);
  return new open(path);
}

const text = (index: number, revision: number): string =>
  JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      ...benchConfigMap(`object-${index}`).metadata,
      namespace: 'default',
      uid: 'u'.repeat(36),
      resourceVersion: String(revision),
    },
    data: { 'settings.conf': 'x'.repeat(760) },
  });
const keyOf = (index: number): string => `/registry/configmaps/default/object-${String(index).padStart(7, '0')}`;

async function createMany(storage: Storage, from: number, count: number): Promise<void> {
  let next = from;
  const writer = async (): Promise<void> => {
    for (let index = next++; index < from + count; index = next++)
      await storage.create(keyOf(index), (revision) => text(index, revision));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
}

/** Creates by 32 concurrent writers, relative to transactions of 32 inserts each. */
async function creates(directory: string): Promise<Measure> {
  const storage = await openSqliteStorage({ path: join(directory, 'creates.db'), clock: systemClock });
  const raw = openRaw(join(directory, 'raw.db'));
  raw.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE versions (revision INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL)',
  );
  const insert = raw.prepare('INSERT INTO versions VALUES (?, ?, ?)');
  let [made, inserted] = [0, 0];
  const costs = await interleaved(9, {
    engine: async () => {
      await createMany(storage, made, GROUPS * IN_FLIGHT);
      made += GROUPS * IN_FLIGHT;
    },
    raw: () => {
      for (let group = 0; group < GROUPS; group += 1) {
        raw.exec('BEGIN');
        for (let index = 0; index < IN_FLIGHT; index += 1)
          insert.run((inserted += 1), keyOf(inserted), text(inserted, inserted));
        raw.exec('COMMIT');
      }
    },
  });
  await storage.close();
  raw.close();
  const rate = (cost: { wallUs: number }): number => (GROUPS * IN_FLIGHT * 1e6) / cost.wallUs;
  return {
    name: 'sqlite: durable creates, 32 in flight, over raw transactions of 32',
    value: rate(costs.engine) / rate(costs.raw),
    unit: '×',
    target: { sense: '>=', value: 0.5 },
    detail: `${Math.round(rate(costs.engine))} a second against ${Math.round(rate(costs.raw))}`,
  };
}

/** Reads, relative to the memory engine. */
async function reads(directory: string): Promise<Measure[]> {
  const sqlite = await openSqliteStorage({
    path: join(directory, 'reads.db'),
    clock: systemClock,
    durability: 'relaxed',
  });
  const memory = createMemoryStorage({ clock: systemClock });
  for (const storage of [sqlite, memory]) await createMany(storage, 0, READS);
  let sink = 0;
  const gets = (storage: Storage) => async (): Promise<void> => {
    for (let index = 0; index < READS; index += 1) sink += (await storage.get(keyOf(index))).record?.modRevision ?? 0;
  };
  const pages = (storage: Storage) => async (): Promise<void> => {
    for (let index = 0; index < PAGES; index += 1)
      sink += (await storage.list('/registry/configmaps/', { limit: 500, after: keyOf((index * 37) % READS) })).records
        .length;
  };
  const costs = await interleaved(15, {
    getMemory: gets(memory),
    getSqlite: gets(sqlite),
    pageMemory: pages(memory),
    pageSqlite: pages(sqlite),
  });
  if (sink === 0) throw new Error('nothing was read');
  await sqlite.close();
  await memory.close();
  return [
    {
      name: 'sqlite: get over the memory engine',
      value: costs.getMemory.cpuUs / costs.getSqlite.cpuUs,
      unit: '×',
      target: { sense: '>=', value: 0.5 },
      detail: `${(costs.getSqlite.cpuUs / READS).toFixed(2)} µs each`,
    },
    {
      name: 'sqlite: page of 500 over the memory engine',
      value: costs.pageMemory.cpuUs / costs.pageSqlite.cpuUs,
      unit: '×',
      target: { sense: '>=', value: 0.5 },
      detail: `${(costs.pageSqlite.cpuUs / PAGES).toFixed(1)} µs each`,
    },
  ];
}

/** The report of a separate process that opens a store of 100,000 objects. */
interface Opened {
  readonly openMs: number;
  readonly rss: number;
  readonly heap: number;
  readonly external: number;
  readonly texts: number;
  readonly before: { readonly rss: number; readonly heap: number };
}

async function openings(directory: string): Promise<Measure[]> {
  const path = join(directory, 'large.db');
  const storage = await openSqliteStorage({ path, clock: systemClock, durability: 'relaxed' });
  await createMany(storage, 0, STORED);
  await storage.close();
  const script = fileURLToPath(new URL('servers/sqlite.mjs', import.meta.url));
  const opened: Opened[] = [];
  for (let round = 0; round < OPENINGS; round += 1)
    opened.push(JSON.parse((await run(process.execPath, ['--expose-gc', script, path])).stdout) as Opened);
  const [one] = opened;
  if (one === undefined) throw new Error('nothing was opened');
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  const detail =
    `texts ${mb(one.texts)}, other heap ${mb(one.heap - one.before.heap - one.texts)} (records, keys, order, history), the process before it ${mb(one.before.rss)}, ` +
    `rest ${mb(one.rss - one.before.rss - (one.heap - one.before.heap))} (the thread of the database, room of the heap)`;
  return [
    {
      name: 'sqlite: opening 100,000 objects to the first answer',
      value: median(opened.map(({ openMs }) => openMs)),
      unit: 'ms',
      target: { sense: '<=', value: 1000 },
      detail: `${mb(one.texts)} of texts`,
    },
    {
      name: 'sqlite: memory of a server with 100,000 objects of 1 KiB',
      value: one.rss / 1e6,
      unit: 'MB',
      target: undefined,
      detail,
    },
  ];
}

/** The sqlite engine. */
export async function sqlite(): Promise<Measure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  try {
    return [await creates(directory), ...(await reads(directory)), ...(await openings(directory))];
  } finally {
    rmSync(directory, { recursive: true });
  }
}
