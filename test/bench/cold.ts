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
import type { Measure } from './measure.js';
import { postgresPrograms, startPostgres } from './postgres-process.js';

const run = promisify(execFile);
const OBJECTS = Number(process.env['COLD_OBJECTS'] ?? 200_000);
const TEXT_BYTES = 1024;
/** Memory of the texts, and the heap of the process that opens the store: both well below the texts. */
const CACHE_BYTES = 32 * 1024 * 1024;
const HEAP_MB = Math.round(96 + OBJECTS * 0.0004);
const IN_FLIGHT = 512;

const keyOf = (index: number): string =>
  `/registry/configmaps/namespace-${String(index % 500).padStart(3, '0')}/settings-of-service-${String(index).padStart(7, '0')}`;

const textOf = (index: number, revision: number): string => {
  const metadata = { name: `settings-of-service-${index}`, resourceVersion: String(revision), uid: 'u'.repeat(36) };
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

/** The report of the process that opens the store. */
interface Opened {
  readonly openMs: number;
  readonly rss: number;
  readonly heap: number;
  readonly before: { readonly rss: number; readonly heap: number };
  readonly coldReadUs: number;
  readonly hotReadUs: number;
  readonly coldPageUs: number;
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
  return [
    measure('opening to the first page', one.openMs, 'ms', `a heap of ${HEAP_MB} MB`),
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

/** Stores that are larger than memory. */
export async function cold(): Promise<Measure[]> {
  const limited = { clock: systemClock, durability: 'relaxed', maxHistoryEvents: 1000 } as const;
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  const measures: Measure[] = [];
  try {
    const path = join(directory, 'store.db');
    await fill(openSqliteStorage({ ...limited, path, cacheObjects: CACHE_BYTES }));
    measures.push(...(await measured('sqlite', path, 'read from the file cache of the system')));
  } finally {
    rmSync(directory, { recursive: true });
  }
  if (postgresPrograms === undefined) return measures;
  const postgres = await startPostgres();
  try {
    await fill(openPostgresStorage({ ...limited, url: postgres.url, watchCache: false }));
    measures.push(...(await measured('postgres', postgres.url, 'one request to a database on this machine')));
  } finally {
    await postgres.stop();
  }
  return measures;
}
