import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from 'orch-apiserver';
import type { Storage } from 'orch-apiserver/storage';
import { openPostgresStorage } from 'orch-apiserver/storage/postgres';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';
import pg from 'pg';
import type { Measure } from './measure.js';
import { postgresPrograms, startPostgres } from './postgres-process.js';

const run = promisify(execFile);
const OBJECTS = Number(process.env['COLD_OBJECTS'] ?? 200_000);
/** Which engines are measured: `COLD_ENGINES=postgres`. */
const ENGINES = (process.env['COLD_ENGINES'] ?? 'sqlite,postgres').split(',');
const TEXT_BYTES = 1024;
/** Memory of the texts, and the heap of the process that opens the store: both well below the texts. */
const CACHE_BYTES = 32 * 1024 * 1024;
const HEAP_MB = Math.round(96 + OBJECTS * 0.0004);
const IN_FLIGHT = 512;

const keyOf = (index: number): string =>
  `/registry/configmaps/namespace-${String(index % 500).padStart(3, '0')}/settings-of-service-${String(index).padStart(7, '0')}`;

const textOf = (index: number, revision: number): string => {
  const name = `settings-of-service-${String(index).padStart(7, '0')}`;
  const metadata = { name, resourceVersion: String(revision), uid: 'u'.repeat(36) };
  const head = { kind: 'ConfigMap', apiVersion: 'v1', metadata };
  const { length } = JSON.stringify({ ...head, data: { text: '' } });
  return JSON.stringify({ ...head, data: { text: 'x'.repeat(TEXT_BYTES - length) } });
};

async function fill(opened: Promise<Storage>): Promise<void> {
  const storage = await opened;
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let index = next++; index < OBJECTS; index = next++)
      await storage.create(keyOf(index), (revision) => textOf(index, revision));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  await storage.close();
}

/**
 * Fills a store in PostgreSQL by one statement, from an object that the engine has written: a million objects by requests
 * would take most of the time of the bench.
 */
async function fillPostgres(url: string, opened: Promise<Storage>): Promise<void> {
  const storage = await opened;
  await storage.create(keyOf(0), (revision) => textOf(0, revision));
  await storage.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `WITH first AS (SELECT * FROM orch.versions WHERE key = $1),
     copies AS (
       SELECT first.revision + n AS revision, first.stamp, n,
         replace(replace(first.key, 'namespace-000', 'namespace-' || lpad((n % 500)::text, 3, '0')), $2, lpad(n::text, 7, '0')) AS key,
         replace(first.value, $2, lpad(n::text, 7, '0')) AS value
       FROM first, generate_series(1, $3::int) n),
     stored AS (
       INSERT INTO orch.versions (revision, key, created, written, stamp, value)
       SELECT revision, key, revision, now(), stamp, value FROM copies)
     INSERT INTO orch.current (key, revision, created) SELECT key, revision, revision FROM copies`,
    [keyOf(0), '0000000', OBJECTS - 1],
  );
  await client.query('VACUUM ANALYZE');
  await client.end();
}

/** The report of the process that opens the store. */
interface Opened {
  readonly openMs: number;
  /** Processor time of the server meanwhile. */
  readonly openCpuMs: number;
  readonly rss: number;
  readonly heap: number;
  readonly before: { readonly rss: number; readonly heap: number };
  readonly coldReadUs: number;
  readonly hotReadUs: number;
  readonly coldPageUs: number;
  /** Only for PostgreSQL: the median time of a read, and of a plain `select` of the same rows by the same driver. */
  readonly median?: { readonly read: number; readonly select: number };
}

/** Measures a store in a process of its own, which opens it. */
async function measured(engine: 'sqlite' | 'postgres', place: string, read: string): Promise<Measure[]> {
  const script = fileURLToPath(new URL('servers/cold.mjs', import.meta.url));
  const given = [`--max-old-space-size=${HEAP_MB}`, '--expose-gc', script, engine, place, String(CACHE_BYTES)];
  const one = JSON.parse((await run(process.execPath, given)).stdout) as Opened;
  const name = `${engine} with cacheObjects, ${OBJECTS.toLocaleString('en')} objects of 1 KiB`;
  const measure = (what: string, value: number, unit: string, detail: string): Measure => ({
    name: `${name}: ${what}`,
    value,
    unit,
    target: undefined,
    detail,
  });
  const medians =
    one.median === undefined
      ? []
      : [
          measure(
            'median get of an object that is not in memory, beside a plain select',
            one.median.read / one.median.select,
            'times',
            `${one.median.read.toFixed(0)} µs beside ${one.median.select.toFixed(0)} µs`,
          ),
        ];
  return [
    ...medians,
    measure(
      'opening to the first page',
      one.openMs,
      'ms',
      `of which ${one.openCpuMs.toFixed(0)} ms on the processor; a heap of ${HEAP_MB} MB`,
    ),
    measure(
      'memory in use of an object',
      (one.heap - one.before.heap) / OBJECTS,
      'bytes',
      `keys of ${keyOf(0).length} bytes; the process takes ${(one.rss / 1e6).toFixed(0)} MB`,
    ),
    measure('get of an object that is not in memory', one.coldReadUs, 'µs', read),
    measure('get of an object that is in memory', one.hotReadUs, 'µs', ''),
    measure('page of 500 that are not in memory', one.coldPageUs, 'µs', read),
  ];
}

/** Options of the stores: what is written need not last, and makes no history. */
const LIMITED = { clock: systemClock, durability: 'relaxed', maxHistoryEvents: 1000 } as const;

async function inSqlite(): Promise<Measure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  try {
    const path = join(directory, 'store.db');
    await fill(openSqliteStorage({ ...LIMITED, path, cacheObjects: CACHE_BYTES }));
    return await measured('sqlite', path, 'read from the file cache of the system');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function inPostgres(): Promise<Measure[]> {
  const postgres = await startPostgres();
  try {
    await fillPostgres(postgres.url, openPostgresStorage({ ...LIMITED, url: postgres.url, watchCache: false }));
    return await measured('postgres', postgres.url, 'one request to a database on this machine');
  } finally {
    await postgres.stop();
  }
}

/** Stores that are larger than memory. */
export async function cold(): Promise<Measure[]> {
  const measures: Measure[] = [];
  if (ENGINES.includes('sqlite')) measures.push(...(await inSqlite()));
  if (ENGINES.includes('postgres') && postgresPrograms !== undefined) measures.push(...(await inPostgres()));
  return measures;
}
