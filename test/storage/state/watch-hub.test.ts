import { expect, test } from 'vitest';
import { EventHistory } from '../../../src/storage/state/history/event-history.js';
import { WatchHub } from '../../../src/storage/state/history/watch-hub.js';
import type { StorageEvent } from '../../../src/storage/storage.js';

/** The first events of a run have revisions of their own; the last ones happened together. */
function eventsOf(single: number, together: number): StorageEvent[] {
  return Array.from({ length: single + together }, (_, index) => {
    const [key, revision] = [`/registry/${index}`, Math.min(index, single) + 1];
    const record = { key, text: '{}', modRevision: revision, createRevision: revision, decoded: undefined };
    return { type: 'create', key, revision, record, previous: undefined };
  });
}

/** The number of events at the last revision in each delivery that has any. */
async function deliveriesOf(events: readonly StorageEvent[], publish: boolean): Promise<number[]> {
  const last = events.at(-1)?.revision ?? 0;
  const history = new EventHistory({ historyMs: Infinity, maxEvents: Infinity, maxBytes: Infinity });
  const hub = new WatchHub(() => (publish ? 0 : last));
  if (!publish) for (const event of events) history.append(event, 0);
  const deliveries: number[] = [];
  let count = 0;
  await new Promise<void>((resolve) => {
    hub.start(history, '/registry/', 0, {
      events: (delivered) => {
        const together = delivered.filter(({ revision }) => revision === last).length;
        if (together > 0) deliveries.push(together);
        if ((count += delivered.length) === events.length) resolve();
      },
      progress: () => undefined,
      end: () => undefined,
    });
    if (publish) {
      for (const event of events) if (event.revision < last) hub.publish([event]);
      hub.publish(events.filter(({ revision }) => revision === last));
    }
  });
  return deliveries;
}

test('events of one revision come in one delivery when they happen', async () => {
  expect(await deliveriesOf(eventsOf(2, 3), true)).toEqual([3]);
});

test.each([
  ['few', 1023],
  ['many', 256 * 33 - 1],
])('events of one revision come in one delivery among %s past ones', async (_, single) => {
  expect(await deliveriesOf(eventsOf(single, 3), false)).toEqual([3]);
});
