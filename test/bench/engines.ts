import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from 'orch-apiserver';
import type { Storage } from 'orch-apiserver/storage';
import { openEtcdStorage } from 'orch-apiserver/storage/etcd';
import { openPostgresStorage } from 'orch-apiserver/storage/postgres';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';
import pg from 'pg';
import { hasEtcd, startEtcd } from './etcd-process.js';
import { interleaved, type Cost, type Measure } from './measure.js';
import { benchConfigMap } from './object.mjs';
import { postgresPrograms, startPostgres } from './postgres-process.js';

const IN_FLIGHT = 64;
const SINGLE = 200;
const BATCH = 2_000;
const PAGE = 500;
const DELAYS = 300;
const ROUNDS = 5;

const TEXT = JSON.stringify({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { ...benchConfigMap('object').metadata, namespace: 'default', uid: 'u'.repeat(36), resourceVersion: '0' },
  data: { 'settings.conf': 'x'.repeat(760) },
});
const text = (revision: number): string => TEXT.replace('"resourceVersion":"0"', `"resourceVersion":"${revision}"`);

/** An engine with two storages on one store, as two servers have; sqlite has one. */
interface Opened {
  readonly one: Storage;
  readonly other: Storage | undefined;
}

type Engine = 'postgres' | 'etcd' | 'sqlite';

async function inFlight(count: number, width: number, one: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await one(index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Numbers for keys that no round has used. */
let used = 0;
const nextKey = (): string => `/registry/configmaps/default/object-${String((used += 1)).padStart(7, '0')}`;

const creating = (storage: Storage, count: number, width: number) => (): Promise<void> =>
  inFlight(count, width, () => storage.create(nextKey(), text));

/** Updates keys in turn, so that no two writes of one key are in flight. */
function updating(storage: Storage): () => Promise<void> {
  const revisions = new Map<string, number>();
  return async () => {
    const keys = Array.from({ length: IN_FLIGHT }, (_, index) => `/registry/updated/${index}`);
    await Promise.all(
      keys.map(async (key) => {
        for (let step = 0; step < BATCH / IN_FLIGHT; step += 1) {
          const known = revisions.get(key);
          const record = known === undefined ? storage.create(key, text) : storage.update(key, text, known);
          revisions.set(key, (await record).modRevision);
        }
      }),
    );
  };
}

const listing = (storage: Storage) => async (): Promise<void> => {
  for (let page = 0; page < 20; page += 1)
    await storage.list('/registry/configmaps/', {
      limit: PAGE,
      after: `/registry/configmaps/default/object-000${page}`,
    });
};

/** Returns the delays, in milliseconds, from a write through one storage to its event in the other. */
async function delays(one: Storage, other: Storage): Promise<number[]> {
  const seen = new Map<number, () => void>();
  const watch = other.watch('/registry/delays/', await other.currentRevision(), {
    events: (events) => {
      for (const { key } of events) seen.get(Number(key.slice('/registry/delays/'.length)))?.();
    },
    progress: () => undefined,
    end: () => undefined,
  });
  const measured: number[] = [];
  for (let index = 0; index < DELAYS; index += 1) {
    const began = performance.now();
    const arrived = new Promise<void>((resolve) => seen.set(index, resolve));
    await Promise.all([one.create(`/registry/delays/${index}`, text), arrived]);
    measured.push(performance.now() - began);
  }
  watch.stop();
  return measured.sort((left, right) => left - right);
}

const wall = (cost: Cost, count: number): number => cost.wallUs / count;

/** Operations of the storage engines that write to a disk, side by side; nothing for engines that are not installed. */
export async function engines(): Promise<Measure[]> {
  if (postgresPrograms === undefined || !hasEtcd()) {
    console.log('PostgreSQL and etcd are not both installed: the engines are not compared');
    return [];
  }
  const [postgres, etcd, directory] = [
    await startPostgres(),
    await startEtcd(),
    mkdtempSync(join(tmpdir(), 'orch-bench-')),
  ];
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
  await pool.query('CREATE TABLE raw (key text PRIMARY KEY, value text)');
  const onPostgres = (): Promise<Storage> =>
    openPostgresStorage({ url: postgres.url, clock: systemClock, watchCache: false });
  const onEtcd = (): Promise<Storage> =>
    openEtcdStorage({ endpoints: [etcd.url], clock: systemClock, watchCache: false });
  const opened: Record<Engine, Opened> = {
    postgres: { one: await onPostgres(), other: await onPostgres() },
    etcd: { one: await onEtcd(), other: await onEtcd() },
    sqlite: {
      one: await openSqliteStorage({ path: join(directory, 'store.db'), clock: systemClock }),
      other: undefined,
    },
  };
  try {
    return [
      ...(await singles(opened, pool)),
      ...(await compared('creates, 64 in flight', opened, BATCH, (storage) => creating(storage, BATCH, IN_FLIGHT))),
      ...(await compared('updates of 64 keys', opened, BATCH, updating)),
      ...(await compared('pages of 500', opened, 20, listing)),
      ...(await watchDelays(opened)),
    ];
  } finally {
    for (const { one, other } of Object.values(opened)) {
      await one.close();
      await other?.close();
    }
    await pool.end();
    await postgres.stop();
    await etcd.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Creates that come alone, over bare inserts of the same bytes, and over those of etcd. */
async function singles({ postgres, etcd }: Record<Engine, Opened>, pool: pg.Pool): Promise<Measure[]> {
  const insert = { name: 'insert', text: 'INSERT INTO raw VALUES ($1, $2)' };
  const costs = await interleaved(ROUNDS, {
    raw: () => inFlight(SINGLE, 1, () => pool.query({ ...insert, values: [nextKey(), TEXT] })),
    postgres: creating(postgres.one, SINGLE, 1),
    etcd: creating(etcd.one, SINGLE, 1),
  });
  const [raw, own, other] = [costs.raw, costs.postgres, costs.etcd].map((cost) => wall(cost, SINGLE)) as [
    number,
    number,
    number,
  ];
  return [
    {
      name: 'engines: creates one at a time, PostgreSQL over bare inserts',
      value: own / raw,
      unit: '×',
      target: undefined,
      detail: `${Math.round(own)} against ${Math.round(raw)} µs`,
    },
    {
      name: 'engines: creates one at a time, PostgreSQL over etcd',
      value: own / other,
      unit: '×',
      target: { sense: '<=', value: 1.5 },
      detail: `${Math.round(own)} against ${Math.round(other)} µs`,
    },
  ];
}

async function compared(
  name: string,
  { postgres, etcd, sqlite }: Record<Engine, Opened>,
  count: number,
  work: (storage: Storage) => () => Promise<void>,
): Promise<Measure[]> {
  const costs = await interleaved(ROUNDS, {
    postgres: work(postgres.one),
    etcd: work(etcd.one),
    sqlite: work(sqlite.one),
  });
  return (['etcd', 'sqlite'] as const).map((other) => ({
    name: `engines: ${name}, PostgreSQL over ${other}`,
    value: costs.postgres.wallUs / costs[other].wallUs,
    unit: '×',
    target: undefined,
    detail: `${Math.round(wall(costs.postgres, count))} against ${Math.round(wall(costs[other], count))} µs each`,
  }));
}

async function watchDelays({ postgres, etcd }: Record<Engine, Opened>): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const [name, { one, other }] of [
    ['PostgreSQL', postgres],
    ['etcd', etcd],
  ] as const) {
    if (other === undefined) continue;
    const sorted = await delays(one, other);
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? NaN;
    measures.push({
      name: `engines: from a write to its event on another server, ${name}, p99`,
      value: at(0.99),
      unit: 'ms',
      target: name === 'PostgreSQL' ? { sense: '<=', value: 20 } : undefined,
      detail: `median ${at(0.5).toFixed(1)} ms`,
    });
  }
  return measures;
}
