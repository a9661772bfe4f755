import { appendAll, type Clock } from '../../foundation/index.js';
import type { Storage, StorageEvent } from '../../storage/index.js';
import { defined, equal } from '../assert.js';
import { createAll, drop, put, valueOf, versions, type CaseDefinition } from './fixture.js';

const PREFIX = '/registry/samples/';

/** A clock for a store in which nothing expires. */
const STILL: Clock = { now: () => 0, after: () => ({ cancel: () => undefined }) };

/** Runs a case on a store with three keys and a fork of it. An engine without forks passes. */
function forked(body: (storage: Storage, fork: Storage) => Promise<void>): CaseDefinition['body'] {
  return async ({ storage }) => {
    if (storage.fork === undefined) return;
    await createAll(
      storage,
      ['a', 'b', 'c'].map((name) => PREFIX + name),
    );
    await put(storage, `${PREFIX}a`, 'changed');
    const fork = storage.fork({ clock: STILL });
    try {
      await body(storage, fork);
    } finally {
      await fork.close();
    }
  };
}

const present = async (storage: Storage): Promise<string> =>
  (await storage.list(PREFIX)).records
    .map((record) => `${record.key.slice(PREFIX.length)}=${String(valueOf(record))}`)
    .join(' ');

/** Cases of the optional fork. */
export const forkCases: readonly CaseDefinition[] = [
  {
    name: 'fork: has the records and revisions of its original',
    body: forked(async (storage, fork) => {
      equal(versions((await fork.list('')).records), versions((await storage.list('')).records), 'records');
      equal(await fork.currentRevision(), await storage.currentRevision(), 'current revision');
      equal(await fork.compactedRevision(), await storage.compactedRevision(), 'compacted revision');
    }),
  },
  {
    name: 'fork: neither store sees the writes of the other',
    body: forked(async (storage, fork) => {
      const before = await present(storage);
      await put(fork, `${PREFIX}b`, 'in the fork');
      await drop(fork, `${PREFIX}a`);
      await createAll(fork, [`${PREFIX}d`]);
      equal(await present(storage), before, 'the original after writes to the fork');
      const ofFork = await present(fork);
      await put(storage, `${PREFIX}c`, 'in the original');
      await drop(storage, `${PREFIX}b`);
      equal(await present(fork), ofFork, 'the fork after writes to the original');
      equal(defined((await fork.get(`${PREFIX}b`)).record, 'b in the fork').key, `${PREFIX}b`, 'key');
    }),
  },
  {
    name: 'fork: keeps the history of its original, and adds its own',
    body: forked(async (storage, fork) => {
      const revision = (await storage.currentRevision()) - 1;
      await put(storage, `${PREFIX}c`, 'in the original');
      await put(fork, `${PREFIX}b`, 'in the fork');
      const past = await fork.list(PREFIX, { revision });
      equal(
        past.records.map((record) => String(valueOf(record))),
        ['a', 'b', 'c'].map((name) => PREFIX + name),
        'past',
      );
      const seen: string[] = [];
      await new Promise<void>((resolve) => {
        const watch = fork.watch(PREFIX, revision, {
          events: (events: readonly StorageEvent[]) => {
            appendAll(
              seen,
              events.map(({ record }) => String(valueOf(record))),
            );
            if (seen.length < 2) return;
            queueMicrotask(() => watch.stop());
            resolve();
          },
          progress: () => undefined,
          end: () => resolve(),
        });
      });
      equal(seen, ['changed', 'in the fork'], 'events since a revision before the fork');
    }),
  },
  {
    name: 'fork: lives on when its original closes',
    body: forked(async (storage, fork) => {
      await storage.close();
      await put(fork, `${PREFIX}b`, 'later');
      equal(await present(fork), `a=changed b=later c=${PREFIX}c`, 'the fork');
    }),
  },
];
