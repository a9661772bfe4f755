import type { StorageWriteOptions } from '../../storage/index.js';
import { check, defined, equal, refused } from '../assert.js';
import { createAll, drop, put, sample, summary, valueOf, type CaseDefinition } from './fixture.js';
import { RecordingSink } from './recording-sink.js';

const PREFIX = '/registry/samples/';
const KEY = `${PREFIX}a`;
const TTL = 10_000;
const EXPIRING: StorageWriteOptions = { ttl: TTL, encodeExpired: sample('expired') };

/** Cases on the lifetime of keys and of the store: expiry, readiness, closing. */
export const lifetimeCases: readonly CaseDefinition[] = [
  {
    name: 'expiry: an expired key gets a delete event with its own revision',
    async body({ storage, advance }) {
      const created = await storage.create(KEY, sample('first'), EXPIRING);
      const sink = new RecordingSink(created.modRevision);
      storage.watch(PREFIX, created.modRevision, sink);
      await advance(TTL / 2);
      equal((await storage.get(KEY)).record, created, 'record before its time');
      await advance(TTL);
      await sink.untilCount(1);
      const event = defined(sink.received[0], 'event');
      equal([event.type, event.key, event.revision], ['delete', KEY, created.modRevision + 1], 'type, key, revision');
      equal(event.previous, created, 'previous');
      equal(
        [event.record.modRevision, event.record.createRevision],
        [event.revision, created.createRevision],
        'revisions of the record',
      );
      check(
        ['expired', 'first'].includes(String(valueOf(event.record))),
        `value of the last version: ${event.record.text}`,
      );
      equal(await storage.get(KEY), { revision: event.revision }, 'get');
      equal((await storage.list(PREFIX)).records, [], 'list');
      equal((await storage.list(PREFIX, { revision: created.modRevision })).records, [created], 'past list');
    },
  },
  {
    name: 'expiry: without encodeExpired the last version keeps its text',
    async body({ storage, advance }) {
      const created = await storage.create(KEY, sample('first'), { ttl: TTL });
      const sink = new RecordingSink(created.modRevision);
      storage.watch(PREFIX, created.modRevision, sink);
      await advance(2 * TTL);
      await sink.untilCount(1);
      equal(valueOf(defined(sink.received[0], 'event').record), 'first', 'value');
    },
  },
  {
    name: 'expiry: the expiry times are reported',
    async body({ storage }) {
      const lifted = await storage.create(`${PREFIX}lifted`, sample('1'), EXPIRING);
      await storage.create(`${PREFIX}plain`, sample('1'));
      await storage.create(`${PREFIX}late`, sample('1'), { ttl: 10 * TTL });
      await storage.create(KEY, sample('1'), EXPIRING);
      await storage.update(lifted.key, sample('2'), lifted.modRevision);
      const expiries = await storage.expiries();
      equal([...expiries.keys()].sort(), [KEY, `${PREFIX}late`], 'keys');
      equal([...(await storage.expiries(`${PREFIX}la`)).keys()], [`${PREFIX}late`], 'keys with a prefix');
      equal([...(await storage.expiries('/nowhere/')).keys()], [], 'keys of a prefix without any');
      check(
        defined(expiries.get(`${PREFIX}late`), 'late') - defined(expiries.get(KEY), 'early') > TTL,
        'the times are as far apart as they were set, within the precision of the engine',
      );
    },
  },
  {
    name: 'expiry: a later write replaces or removes the expiry',
    async body({ storage, advance }) {
      const renewed = await storage.create(KEY, sample('1'), EXPIRING);
      const lifted = await storage.create(`${PREFIX}b`, sample('1'), EXPIRING);
      const limited = await storage.create(`${PREFIX}c`, sample('1'));
      await advance(TTL / 2);
      await storage.update(renewed.key, sample('2'), renewed.modRevision, { ...EXPIRING, ttl: 2 * TTL });
      await storage.update(lifted.key, sample('2'), lifted.modRevision);
      const last = await storage.update(limited.key, sample('2'), limited.modRevision, EXPIRING);
      const sink = new RecordingSink(last.modRevision);
      storage.watch(PREFIX, last.modRevision, sink);
      await advance(TTL + TTL / 2);
      await sink.untilCount(1);
      equal(
        summary(sink.received),
        [`delete ${limited.key}@${last.modRevision + 1}`],
        'after the time of the third key',
      );
      await advance(TTL);
      await sink.untilCount(2);
      equal(
        summary(sink.received.slice(1)),
        [`delete ${renewed.key}@${last.modRevision + 2}`],
        'after the time of the first key',
      );
      await advance(100 * TTL);
      equal(
        (await storage.list(PREFIX)).records.map((record) => record.key),
        [lifted.key],
        'keys left',
      );
    },
  },
  {
    name: 'expiry: neither a deleted key nor its successor expires',
    async body({ storage, advance }) {
      await storage.create(KEY, sample('1'), EXPIRING);
      await storage.create(`${PREFIX}b`, sample('1'), EXPIRING);
      await drop(storage, KEY);
      await drop(storage, `${PREFIX}b`);
      const successor = await storage.create(KEY, sample('2'));
      await advance(3 * TTL);
      equal(await storage.get(KEY), { record: successor, revision: successor.modRevision }, 'successor and revision');
    },
  },
  {
    name: 'expiry: each key that expires together with others has its own event',
    async body({ storage, advance }) {
      const keys = ['a', 'b', 'c'].map((name) => PREFIX + name);
      for (const key of keys) await storage.create(key, sample(key), EXPIRING);
      const from = await storage.currentRevision();
      const sink = new RecordingSink(from);
      storage.watch(PREFIX, from, sink);
      await advance(2 * TTL);
      await sink.untilCount(keys.length);
      equal(
        sink.received.map((event) => `${event.type} ${event.key}`).sort(),
        keys.map((key) => `delete ${key}`),
        'events',
      );
      const next = await storage.create(KEY, sample('next'));
      await sink.untilCount(keys.length + 1);
      check(
        sink.received.slice(0, -1).every((event) => event.revision > from && event.revision < next.modRevision),
        'revisions of the events',
      );
      equal((await storage.list(PREFIX)).records, [next], 'list');
    },
  },
  {
    name: 'expiry: keys expire in the order of their times',
    async body({ storage, advance }) {
      const times: [name: string, factor: number][] = [
        ['c', 3],
        ['a', 1],
        ['e', 5],
        ['b', 2],
        ['d', 4],
      ];
      const from = await storage.currentRevision();
      for (const [name, factor] of times) await storage.create(PREFIX + name, sample(name), { ttl: factor * TTL });
      const sink = new RecordingSink(from);
      storage.watch(PREFIX, from, sink);
      for (let step = 0; step < times.length; step++) await advance(TTL + 1000);
      await sink.untilCount(2 * times.length);
      equal(
        sink.received.slice(times.length).map((event) => event.key.slice(PREFIX.length)),
        ['a', 'b', 'c', 'd', 'e'],
        'order',
      );
    },
  },
  {
    name: 'close: an open store answers a ping',
    async body({ storage }) {
      await storage.ping();
    },
  },
  {
    name: 'close: watches end with closed',
    async body({ storage }) {
      const [record] = await createAll(storage, [KEY]);
      const from = defined(record, 'record').modRevision;
      const sinks = [PREFIX, '/registry/sam', ''].map((prefix) => {
        const sink = new RecordingSink(from);
        storage.watch(prefix, from, sink);
        return sink;
      });
      await put(storage, KEY, 'second');
      await Promise.all(sinks.map((sink) => sink.untilCount(1)));
      await storage.close();
      for (const sink of sinks) {
        await sink.until(() => sink.ends.length > 0);
        equal(sink.ends, [{ kind: 'closed' }], 'ends');
      }
    },
  },
  {
    name: 'close: every later operation fails with Unavailable',
    async body({ storage }) {
      await createAll(storage, [KEY]);
      await storage.close();
      const operations: [name: string, operation: () => Promise<unknown>][] = [
        ['get', () => storage.get(KEY)],
        ['list', () => storage.list(PREFIX)],
        ['create', () => storage.create(`${KEY}2`, sample('x'))],
        ['update', () => storage.update(KEY, sample('x'), 2)],
        ['delete', () => storage.delete(KEY, sample('x'), 2)],
        ['currentRevision', () => storage.currentRevision()],
        ['compactedRevision', () => storage.compactedRevision()],
        ['compact', () => storage.compact(1)],
        ['ping', () => storage.ping()],
      ];
      for (const [name, operation] of operations) await refused(operation(), 'Unavailable', name);
      const sink = new RecordingSink(0);
      storage.watch(PREFIX, 0, sink);
      await sink.until(() => sink.ends.length > 0);
      equal(sink.ends, [{ kind: 'closed' }], 'end of a watch');
      await storage.close();
    },
  },
];
