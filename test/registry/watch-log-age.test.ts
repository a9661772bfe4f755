/** The log of a kind drops the events that are too old while nobody writes, and not before. */
import { expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../src/entries/testing.js';
import { decorateStorage, MemoryBudget } from '../../src/entries/storage.js';
import type { WatchLog } from '../../src/registry/watch/watch-log.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { ConfigMaps, MINUTE, take } from './registry.js';

const WRITES = 600;

interface Filled {
  readonly maps: ConfigMaps;
  readonly log: WatchLog;
  readonly clock: ManualClock;
  readonly memory: MemoryBudget;
  /** Timers of the storage. */
  readonly others: number;
}

/** A log with events of a few hundred bytes, over a storage that keeps its history for longer and outside the budget. */
async function filled(writes = WRITES): Promise<Filled> {
  const clock = createManualClock();
  const memory = new MemoryBudget();
  const storage = decorateStorage(createMemoryStorage({ clock, history: '1h' }), { shareBudget: () => undefined });
  const maps = new ConfigMaps({ storage, clock, memory, watchHistoryEvents: 10_000 });
  await maps.create('a');
  const log = await maps.store.watchLog();
  if (log === undefined) throw new Error('the kind is served');
  for (let index = 1; index < writes; index += 1)
    await maps.replace('a', { data: { text: 'x'.repeat(300 + (index % 2)) } });
  return { maps, log, clock, memory, others: writes < WRITES ? 0 : 1 };
}

test('a long log is emptied when its events expire, and has a timer until then', async () => {
  const { maps, log, clock, memory, others } = await filled();
  const used = memory.usedFor('history');
  expect(used).toBeGreaterThan(300 * 1024);
  expect(clock.pending).toBe(others + 1);
  await clock.advance(5 * MINUTE);
  expect([memory.usedFor('history'), clock.pending]).toEqual([used, others + 1]);
  const watch = await maps.watch({ resourceVersion: '2' });
  expect(await take(maps.store, watch, 1)).toEqual(['MODIFIED a@3']);
  await clock.advance(1);
  expect([log.oldestRevision, memory.usedFor('history'), clock.pending]).toEqual([undefined, 0, others]);
  expect(await take(maps.store, watch, 2)).toEqual(['ERROR 410', 'end']);
});

test('a watcher that has kept up gets later events after the log was emptied', async () => {
  const { maps, clock } = await filled();
  const watch = await maps.watch({ resourceVersion: String(WRITES + 1) });
  const next = take(maps.store, watch, 1);
  await clock.advance(6 * MINUTE);
  await maps.create('b');
  expect(await next).toEqual([`ADDED b@${WRITES + 2}`]);
});

test.each<[string, (log: WatchLog) => void]>([
  ['retired', (log) => log.retire()],
  ['closed', (log) => log.close()],
  ['dropped for the budget', (log) => log.dropUpTo(WRITES + 1)],
])('a log that is %s has no timer', async (_, end) => {
  const { log, clock, others } = await filled();
  end(log);
  expect(clock.pending).toBe(others);
});

test('a log whose watchers still read has no timer after its end', async () => {
  const { maps, log, clock, others } = await filled();
  const watch = await maps.watch({ resourceVersion: '2' });
  log.retire();
  expect(clock.pending).toBe(others);
  expect((await take(maps.store, watch, WRITES)).length).toBe(WRITES);
});

test('a short log has no timer', async () => {
  const { clock, others } = await filled(100);
  expect(clock.pending).toBe(others);
});
