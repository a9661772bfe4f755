import { expect, test } from 'vitest';
import { systemClock } from '../../src/foundation/index.js';
import type { StorageEvent, StorageWatchSink } from '../../src/storage/index.js';
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
async function started() {
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
  const recorder = new WriteRecorder({ storage, catalogue, clock: systemClock });
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
