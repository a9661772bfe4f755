import { greatest } from '../../foundation/index.js';
import type { Revision, StorageWatch } from '../../storage/index.js';
import { check, defined, equal } from '../assert.js';
import { carries, createAll, drop, put, sample, summary, type CaseContext, type CaseDefinition } from './fixture.js';
import { RecordingSink } from './recording-sink.js';

const PREFIX = '/registry/samples/';
type Store = CaseContext['storage'];

function start(storage: Store, prefix: string, from: Revision): { sink: RecordingSink; watch: StorageWatch } {
  const sink = new RecordingSink(from);
  return { sink, watch: storage.watch(prefix, from, sink) };
}

/** Creates, changes and deletes a few keys; returns the events that a watch must deliver. */
async function writeSome(storage: Store, prefix: string): Promise<string[]> {
  const [a, b] = [`${prefix}a`, `${prefix}b`];
  return [
    `create ${a}@${(await storage.create(a, sample('1'))).modRevision}`,
    `create ${b}@${(await storage.create(b, sample('2'))).modRevision}`,
    `update ${a}@${(await put(storage, a, '3')).modRevision}`,
    `delete ${b}@${(await drop(storage, b)).modRevision}`,
    `create ${b}@${(await storage.create(b, sample('5'))).modRevision}`,
    `delete ${a}@${(await drop(storage, a)).modRevision}`,
  ];
}

/** Cases on watches: events, start revision, order, and end. */
export const watchCases: readonly CaseDefinition[] = [
  {
    name: 'watch: each write is one event with its record and the previous version',
    async body({ storage }) {
      const { sink, watch } = start(storage, PREFIX, await storage.currentRevision());
      const key = `${PREFIX}a`;
      const created = await storage.create(key, sample('first'));
      const updated = await storage.update(key, sample('second'), created.modRevision);
      const deleted = await storage.delete(key, sample('second'), updated.modRevision);
      await sink.untilCount(3);
      const expected = [
        ['create', created, undefined],
        ['update', updated, created],
        ['delete', deleted, updated],
      ] as const;
      for (const [index, [type, record, previous]] of expected.entries()) {
        const event = defined(sink.received[index], 'event');
        equal([event.type, event.key, event.revision], [type, key, record.modRevision], 'type, key, revision');
        equal(event.record, record, `record of the ${type}`);
        equal(event.previous, previous, `previous of the ${type}`);
      }
      carries(defined(sink.received[2], 'delete').record, 'second', 'record of the delete');
      watch.stop();
    },
  },
  {
    name: 'watch: from a past revision it delivers later writes, then new ones',
    async body({ storage }) {
      const from = await storage.currentRevision();
      const before = await writeSome(storage, PREFIX);
      const { sink, watch } = start(storage, PREFIX, from);
      const after = await writeSome(storage, `${PREFIX}more/`);
      await sink.untilCount(before.length + after.length);
      equal(summary(sink.received), [...before, ...after], 'events');
      watch.stop();
    },
  },
  {
    name: 'watch: from every revision it delivers exactly the writes after it',
    async body({ storage }) {
      const from = await storage.currentRevision();
      const all = await writeSome(storage, PREFIX);
      for (let skip = 0; skip < all.length; skip++) {
        const { sink, watch } = start(storage, PREFIX, from + skip);
        await sink.untilCount(all.length - skip);
        equal(summary(sink.received), all.slice(skip), `events after ${skip} writes`);
        watch.stop();
      }
    },
  },
  {
    name: 'watch: only the keys that start with the prefix are delivered',
    async body({ storage }) {
      const from = await storage.currentRevision();
      const keys = [
        '/registry/a/1',
        '/registry/ab/1',
        '/registry/a-b/1',
        '/registry/a',
        '/registry/a/b/c',
        '/other/a/1',
      ];
      const table: [prefix: string, keys: string[]][] = [
        ['/registry/a/', ['/registry/a/1', '/registry/a/b/c']],
        ['/registry/ab/', ['/registry/ab/1']],
        ['/registry/a', ['/registry/a/1', '/registry/ab/1', '/registry/a-b/1', '/registry/a', '/registry/a/b/c']],
        ['/registry/a/1', ['/registry/a/1']],
        ['/registry/', ['/registry/a/1', '/registry/ab/1', '/registry/a-b/1', '/registry/a', '/registry/a/b/c']],
        ['', keys],
      ];
      const early = table.map(([prefix]) => start(storage, prefix, from));
      await createAll(storage, keys);
      const late = table.map(([prefix]) => start(storage, prefix, from));
      for (const group of [early, late]) {
        for (const [index, [prefix, expected]] of table.entries()) {
          const { sink, watch } = defined(group[index], 'watch');
          await sink.untilCount(expected.length);
          equal(
            sink.received.map((event) => event.key),
            expected,
            `keys delivered for ${JSON.stringify(prefix)}`,
          );
          watch.stop();
        }
      }
    },
  },
  {
    name: 'watch: events are in order and without gaps during concurrent writes',
    async body({ storage }) {
      const from = await storage.currentRevision();
      const first = start(storage, PREFIX, from);
      const writer = async (name: string): Promise<void> => {
        for (let step = 0; step < 20; step++) await put(storage, PREFIX + name, `v${step}`);
      };
      const writers = ['a', 'b', 'c', 'd', 'e'].map(writer);
      const second = start(storage, PREFIX, from);
      await Promise.all(writers);
      const third = start(storage, PREFIX, from);
      for (const { sink, watch } of [first, second, third]) {
        await sink.untilCount(100);
        equal(
          sink.received.map((event) => event.revision),
          Array.from({ length: 100 }, (_, index) => from + 1 + index),
          'revisions',
        );
        watch.stop();
      }
    },
  },
  {
    name: 'watch: a list and a watch from its revision neither miss nor repeat an event',
    async body({ storage }) {
      const keys = Array.from({ length: 40 }, (_, index) => PREFIX + String(index).padStart(2, '0'));
      const writing = Promise.all(keys.map((key) => storage.create(key, sample('x'))));
      const page = await storage.list(PREFIX);
      const { sink, watch } = start(storage, PREFIX, page.revision);
      await writing;
      await sink.untilCount(keys.length - page.records.length);
      const seen = [...page.records.map((record) => record.key), ...sink.received.map((event) => event.key)];
      equal(seen.sort(), keys, 'keys seen');
      watch.stop();
    },
  },
  {
    name: 'watch: from a compacted revision it ends with compacted',
    async body({ storage }) {
      await writeSome(storage, PREFIX);
      const current = await storage.currentRevision();
      await storage.compact(current - 1);
      const { sink } = start(storage, PREFIX, current - 2);
      await sink.until(() => sink.ends.length > 0);
      equal(sink.ends, [{ kind: 'compacted', compactRevision: current - 1 }], 'end');
      equal(sink.received.length, 0, 'events');
      const kept = start(storage, PREFIX, current - 1);
      await kept.sink.untilCount(1);
      equal(kept.sink.received[0]?.revision, current, 'revision of the event that is kept');
      kept.watch.stop();
    },
  },
  {
    name: 'watch: from the present revision it works when all history is compacted',
    async body({ storage }) {
      await writeSome(storage, PREFIX);
      const current = await storage.currentRevision();
      await storage.compact(current);
      const { sink, watch } = start(storage, PREFIX, current);
      await storage.create(`${PREFIX}new`, sample('x'));
      await sink.untilCount(1);
      equal(summary(sink.received), [`create ${PREFIX}new@${current + 1}`], 'events');
      equal(sink.ends.length, 0, 'ends');
      watch.stop();
    },
  },
  {
    name: 'watch: a running watch survives the compaction of delivered events',
    async body({ storage }) {
      const { sink, watch } = start(storage, PREFIX, await storage.currentRevision());
      const events = await writeSome(storage, PREFIX);
      await sink.untilCount(events.length);
      await storage.compact(await storage.currentRevision());
      const more = await writeSome(storage, `${PREFIX}more/`);
      await sink.untilCount(events.length + more.length);
      equal(summary(sink.received), [...events, ...more], 'events');
      watch.stop();
    },
  },
  {
    name: 'watch: from a future revision it waits for the writes after it',
    async body({ storage }) {
      const current = await storage.currentRevision();
      const { sink, watch } = start(storage, PREFIX, current + 2);
      const records = await createAll(storage, [`${PREFIX}a`, `${PREFIX}b`, `${PREFIX}c`]);
      await sink.untilCount(1);
      equal(
        sink.received.map((event) => event.revision),
        [records[2]?.modRevision],
        'revisions',
      );
      watch.stop();
    },
  },
  {
    name: 'watch: progress can be requested and is never ahead of the events',
    async body({ storage }) {
      const { sink, watch } = start(storage, PREFIX, await storage.currentRevision());
      await createAll(storage, [`${PREFIX}a`, '/registry/other/1', '/registry/other/2']);
      const current = await storage.currentRevision();
      // The recording sink reports an event at or below a reported progress as a violation.
      for (let asked = sink.progressed.length; greatest(sink.progressed, 0) < current; asked = sink.progressed.length) {
        watch.requestProgress();
        await sink.until(() => sink.progressed.length > asked);
      }
      equal(greatest(sink.progressed), current, 'newest progress');
      equal(sink.received.length, 1, 'events before that progress');
      await put(storage, `${PREFIX}a`, 'later');
      await sink.untilCount(2);
      watch.stop();
      watch.requestProgress();
    },
  },
  {
    name: 'watch: after stop the sink is not called again, not even with an end',
    async body({ storage }) {
      const from = await storage.currentRevision();
      const stopped = start(storage, PREFIX, from);
      const running = start(storage, PREFIX, from);
      await createAll(storage, [`${PREFIX}a`]);
      await Promise.all([stopped.sink.untilCount(1), running.sink.untilCount(1)]);
      stopped.watch.stop();
      stopped.watch.stop();
      const progressed = stopped.sink.progressed.length;
      await createAll(storage, [`${PREFIX}b`]);
      await running.sink.untilCount(2);
      await storage.close();
      await running.sink.until(() => running.sink.ends.length > 0);
      equal(
        [stopped.sink.received.length, stopped.sink.progressed.length, stopped.sink.ends.length],
        [1, progressed, 0],
        'calls of the stopped sink',
      );
    },
  },
  {
    name: 'watch: every watch of a prefix gets every event',
    async body({ storage }) {
      const from = await storage.currentRevision();
      const watches = Array.from({ length: 50 }, () => start(storage, PREFIX, from));
      defined(watches[10], 'watch').watch.stop();
      const expected = await writeSome(storage, PREFIX);
      for (const [index, { sink, watch }] of watches.entries()) {
        if (index === 10) continue;
        await sink.untilCount(expected.length);
        equal(summary(sink.received), expected, `events of watch ${index}`);
        watch.stop();
      }
      check(defined(watches[10], 'watch').sink.received.length === 0, 'the stopped watch got nothing');
    },
  },
];
