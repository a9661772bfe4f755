/**
 * A process that opens a store, reports its contents, and then writes as fast as it can until it is killed, by itself
 * or from outside. It reads its order from one line of input, and reports in lines of an output file, each written
 * before it continues: the reports show exactly what happened before it was killed.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/foundation/host/system-runtime.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { StorageError } from '../../../src/storage/storage.js';
import type { Storage } from '../../../src/storage/storage.js';
import type { CrashOrder, CrashReport } from './crash-protocol.js';
import { textOf } from './crash-protocol.js';

const WRITERS = 32;
const KEYS = 120;

let reportsLeft = Infinity;

function say(report: CrashReport): void {
  writeSync(1, `${JSON.stringify(report)}\n`);
  // Not during the report, but during whatever the process does next.
  if (reportsLeft-- === 0) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 3);
}

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

async function write(storage: Storage, id: string, random: () => number): Promise<void> {
  const key = `/registry/samples/k${Math.floor(random() * KEYS)}`;
  const encode = (revision: number): string => textOf(id, revision);
  const { record } = await storage.get(key);
  const op = record === undefined ? 'create' : random() < 0.3 ? 'delete' : 'update';
  say({ kind: 'try', id, op, key });
  try {
    const written =
      record === undefined
        ? await storage.create(key, encode)
        : op === 'delete'
          ? await storage.delete(key, encode, record.modRevision)
          : await storage.update(key, encode, record.modRevision);
    say({ kind: 'ok', id, revision: written.modRevision });
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === 'Unavailable') throw error;
    say({ kind: 'refused', id });
  }
}

async function run({ path, watchFrom, seed, durability, killAfter }: CrashOrder): Promise<void> {
  const storage = await openSqliteStorage({ path, clock: systemClock, durability, maxHistoryEvents: 500 });
  storage.watch('', watchFrom, {
    events: (events) => {
      for (const { type, key, revision, record } of events)
        say({ kind: 'event', type, key, revision, text: record.text });
    },
    progress: () => undefined,
    end: (reason) => say({ kind: 'ended', reason: JSON.stringify(reason) }),
  });
  const { records, revision } = await storage.list('');
  say({ kind: 'state', revision, records: records.map(({ key, modRevision, text }) => [key, modRevision, text]) });
  reportsLeft = killAfter;
  const random = randomFrom(seed);
  let writes = 0;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (;;) await write(storage, `${seed}-${writes++}`, random);
    }),
  );
}

createInterface({ input: process.stdin }).once('line', (line) => {
  run(JSON.parse(line) as CrashOrder).catch((error: unknown) => {
    say({ kind: 'ended', reason: String(error) });
    process.exit(1);
  });
});
