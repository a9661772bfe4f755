import { expect, test } from 'vitest';
import { systemClock } from '../../src/foundation/index.js';
import type { StorageEvent, StorageWatchSink } from '../../src/storage/index.js';
import { MemoryBudget } from '../../src/storage/index.js';
import { WriteRecorder } from '../../src/ui/recorders/writes.js';
import { turnsDuring } from '../support/turns.js';

const textOf = (manager: string): string =>
  JSON.stringify({ metadata: { managedFields: [{ manager, time: '2026-01-01T00:00:00Z' }] } });

const eventOf = (revision: number): StorageEvent => {
  const key = `/configmaps/default/c-${revision}`;
  const text = textOf(`m-${revision}`);
  const record = { key, text, modRevision: revision, createRevision: revision, decoded: undefined };
  return { type: 'create', key, revision, record, previous: undefined };
};

/** Starts a recorder. @returns what tells it of events, too */
async function started(budget = new MemoryBudget()) {
  let tell: (events: readonly StorageEvent[]) => void = () => undefined;
  const storage: any = {
    currentRevision: () => Promise.resolve(1),
    watch: (_prefix: string, _revision: number, { events }: StorageWatchSink) => {
      tell = events;
      return { stop: () => undefined };
    },
  };
  const placeOf = (key: string) => ({ namespace: 'default', name: key.slice(key.lastIndexOf('/') + 1) });
  const catalogue: any = { resources: [{ keyPrefix: '/configmaps/', group: '', resource: 'configmaps', placeOf }] };
  const recorder = new WriteRecorder({
    ...{ storage, catalogue, clock: systemClock },
    openRecordings: (giveUp) => budget.openCache('recordings', giveUp),
  });
  await recorder.start();
  return { recorder, tell: (events: readonly StorageEvent[]) => tell(events) };
}

test('records many writes that come at once in several turns, in their order', async () => {
  const { recorder, tell } = await started();
  const events = Array.from({ length: 100 }, (_, index) => eventOf(index + 2));
  const turns = await turnsDuring(() => {
    tell(events.slice(0, 50));
    tell(events.slice(50));
    return recorder.recorded;
  });
  expect(turns).toBeGreaterThan(10);
  const found = [...recorder.newestFirst()].reverse();
  expect(found.map(({ name, manager }) => [name, manager])).toEqual(
    events.map(({ revision }) => [`c-${revision}`, `m-${revision}`]),
  );
});

test('looks for no managers while very many writes wait', async () => {
  const { recorder, tell } = await started();
  tell(Array.from({ length: 1500 }, (_, index) => eventOf(index + 2)));
  await recorder.recorded;
  const managers = [...recorder.newestFirst()].map(({ manager }) => manager);
  expect(managers.filter((manager) => manager === '')).toHaveLength(500);
  expect(managers[0]).toBe('m-1501');
});

test('counts its memory, gives it up for what is needed, the oldest first, and says what is left', async () => {
  const budget = new MemoryBudget({ historyBytes: 0, memoryBytes: 1024 * 1024 });
  const { recorder, tell } = await started(budget);
  expect(recorder.oldest?.version).toBe(1);
  tell(Array.from({ length: 500 }, (_, index) => eventOf(index + 2)));
  await recorder.recorded;
  const used = budget.usedFor('recordings');
  expect(used).toBeGreaterThan(500 * 100);
  const needed = budget.open('bodies');
  expect(needed.tryHold(1024 * 1024 - used / 2)).toBe(true);
  const left = [...recorder.newestFirst()].reverse();
  expect(left.length).toBeGreaterThan(200);
  expect(left.length).toBeLessThan(300);
  expect([left[0]?.version, left.at(-1)?.version]).toEqual([recorder.oldest?.version, 501]);
  expect(budget.usedBytes).toBeLessThanOrEqual(1024 * 1024);
  // Nothing of it is needed.
  needed.close();
  expect(needed.tryHold(1024 * 1024)).toBe(true);
  expect(budget.usedFor('recordings')).toBe(0);
  expect(recorder.oldest?.version).toBe(501);
  needed.close();
  tell([eventOf(502)]);
  await recorder.recorded;
  expect([...recorder.newestFirst()].map(({ version }) => version)).toEqual([502]);
  recorder.stop();
  expect(budget.usedFor('recordings')).toBe(0);
});

test('keeps ten thousand writes', async () => {
  const { recorder, tell } = await started();
  for (let round = 0; round < 3; round += 1) {
    tell(Array.from({ length: 4000 }, (_, index) => eventOf(round * 4000 + index + 2)));
    await recorder.recorded;
  }
  const kept = [...recorder.newestFirst()];
  expect([kept.length, kept[0]?.version, kept.at(-1)?.version]).toEqual([10_000, 12_001, 2002]);
  expect(recorder.oldest?.version).toBe(2002);
});
