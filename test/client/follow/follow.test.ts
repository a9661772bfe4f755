import { afterEach, describe, expect, test } from 'vitest';
import { follow, type FollowEvent, type FollowParameters } from '../../../src/client/follow/follow.js';
import type { FollowSource } from '../../../src/client/follow/follower.js';
import { compareVersions } from '../../../src/client/follow/version.js';
import {
  ConnectionLostError,
  type ListParameters,
  type ObjectList,
  type WatchEvent,
  type WatchParameters,
} from '../../../src/entries/client.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { kubernetes, type Entropy, type ObjectMeta } from '../../../src/foundation/index.js';
import { errors } from '../../../src/foundation/errors/api-error.js';

interface Thing {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

const thing = (name: string, resourceVersion: string, uid = name): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, uid, resourceVersion },
});

const page = (resourceVersion: string, items: Thing[], token?: string): ObjectList<Thing> => ({
  apiVersion: 'v1',
  kind: 'ThingList',
  metadata: { resourceVersion, ...(token === undefined ? {} : { continue: token }) },
  items,
});

type Reply<Value> = Value | Error | ((parameters: never) => Value | Error);

/** The course of a watch: events and errors in order; `hang` waits for its signal; without it the watch ends. */
type Watched = readonly (WatchEvent<Thing> | Error | 'hang')[];

/** A source that answers with one reply after the other; the last is repeated. */
class Scripted implements FollowSource<Thing> {
  readonly lists: ListParameters[] = [];
  readonly watches: (WatchParameters & { readonly atMs: number })[] = [];

  constructor(
    private readonly clock: ManualClock,
    private readonly onList: readonly Reply<ObjectList<Thing>>[],
    private readonly onWatch: readonly Watched[],
  ) {}

  async list(parameters: ListParameters): Promise<ObjectList<Thing>> {
    this.lists.push(parameters);
    const reply = this.onList[Math.min(this.lists.length, this.onList.length) - 1];
    const value = typeof reply === 'function' ? reply(parameters as never) : reply;
    if (value instanceof Error || value === undefined) throw value ?? new Error('no list');
    return value;
  }

  async *watch(parameters: WatchParameters): AsyncGenerator<WatchEvent<Thing>> {
    this.watches.push({ ...parameters, atMs: this.clock.now() });
    const { signal } = parameters;
    for (const step of this.onWatch[Math.min(this.watches.length, this.onWatch.length) - 1] ?? []) {
      if (step instanceof Error) throw step;
      if (step !== 'hang') yield step;
      else if (signal?.aborted !== true) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    }
  }

  get versions(): (string | undefined)[] {
    return this.watches.map(({ resourceVersion }) => resourceVersion);
  }
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const aborts: AbortController[] = [];
afterEach(() => {
  for (const abort of aborts.splice(0)) abort.abort();
});

/** Follows a scripted source. */
function following(
  lists: readonly Reply<ObjectList<Thing>>[],
  watches: readonly Watched[],
  { remote = false, entropy, ...parameters }: FollowParameters & { remote?: boolean; entropy?: Entropy } = {},
) {
  const clock = createManualClock();
  const startMs = clock.now();
  const source = new Scripted(clock, lists, watches);
  const abort = new AbortController();
  aborts.push(abort);
  const log: string[] = [];
  const failures: string[] = [];
  const ended = (async () => {
    const host = { clock, entropy, remote, dialect: kubernetes };
    const onError = (error: unknown): void => void failures.push(String(error));
    for await (const event of follow(source, host, { signal: abort.signal, onError, ...parameters }))
      log.push(written(event));
  })();
  const pauses = (): number[] => source.watches.map(({ atMs }) => atMs - startMs);
  return { clock, source, abort, log, failures, ended, pauses };
}

function written(event: FollowEvent<Thing>): string {
  if (event.type === 'SYNCED') return `= ${event.resourceVersion}`;
  const { name, resourceVersion } = event.object.metadata;
  if (event.type === 'DELETED') return `- ${name} ${resourceVersion}${event.seen ? '' : ' unseen'}`;
  return `${event.type === 'ADDED' ? '+' : '~'} ${name} ${resourceVersion}${event.listed ? ' listed' : ''}`;
}

const reset = new ConnectionLostError('read ECONNRESET');
const added = (name: string, version: string, uid?: string): WatchEvent<Thing> => ({
  type: 'ADDED',
  object: thing(name, version, uid),
});
const modified = (name: string, version: string): WatchEvent<Thing> => ({
  type: 'MODIFIED',
  object: thing(name, version),
});
const deleted = (name: string, version: string, uid?: string): WatchEvent<Thing> => ({
  type: 'DELETED',
  object: thing(name, version, uid),
});
const bookmark = (version: string): WatchEvent<Thing> => ({ type: 'BOOKMARK', object: thing('', version) });
const gone = (): WatchEvent<Thing> => ({ type: 'ERROR', object: errors.expired('too old').status });

describe('following a collection', () => {
  test('begins with a list, and goes on with a watch of its version', async () => {
    const { log, source } = following(
      [page('5', [thing('a', '2'), thing('b', '3')])],
      [[modified('a', '6'), deleted('b', '7'), added('c', '8'), 'hang']],
      { labelSelector: 'x=y' },
    );
    await turns();
    expect(log).toEqual(['+ a 2 listed', '+ b 3 listed', '= 5', '~ a 6', '- b 7', '+ c 8']);
    expect(source.lists).toMatchObject([{ labelSelector: 'x=y', limit: 500 }]);
    expect(source.lists[0]).not.toHaveProperty('resourceVersion');
    expect(source.watches).toMatchObject([
      { labelSelector: 'x=y', resourceVersion: '5', allowWatchBookmarks: true, keepAlive: true },
    ]);
  });

  test.each<[string, Watched, string]>([
    ['a clean end', [added('a', '6')], '6'],
    ['a lost connection', [added('a', '6'), reset], '6'],
    ['a bookmark before the end', [added('a', '6'), bookmark('20'), reset], '20'],
    ['an ERROR event of another kind', [added('a', '6'), { type: 'ERROR', object: errors.internal('x').status }], '6'],
    ['a server that is busy', [errors.serviceUnavailable('later')], '5'],
    ['a user who has lost the right to watch', [errors.forbiddenPath('no')], '5'],
  ])('resumes after %s where it was, without a list', async (_name, first, version) => {
    const { source, clock } = following([page('5', [])], [first, ['hang']]);
    await turns();
    await clock.advance(1000);
    await turns();
    expect(source.versions).toEqual(['5', version]);
    expect(source.lists).toHaveLength(1);
  });

  test.each<[string, Watched]>([
    ['as an ERROR event', [gone()]],
    ['as a status', [errors.expired('too old')]],
  ])('finds by a list what happened unseen, when its version has expired %s', async (_name, first) => {
    const { log, source, failures } = following(
      [
        page('5', [thing('a', '2'), thing('b', '3'), thing('c', '4'), thing('d', '5')]),
        page('9', [thing('a', '2'), thing('b', '8'), thing('c', '7', 'another'), thing('e', '9')]),
      ],
      [first, ['hang']],
    );
    await turns();
    expect(log.slice(5)).toEqual([
      '~ b 8 listed',
      '- c 4 unseen',
      '+ c 7 listed',
      '+ e 9 listed',
      '- d 5 unseen',
      '= 9',
    ]);
    expect(source.versions).toEqual(['5', '9']);
    expect(failures).toEqual([]);
  });

  test('yields nothing twice, nothing older, and no end of what it has not seen', async () => {
    const { log } = following(
      [page('10', [thing('a', '9'), thing('b', '10', 'second')])],
      [
        [
          added('a', '9'),
          modified('a', '8'),
          deleted('b', '7', 'first'),
          deleted('x', '11'),
          modified('a', '12'),
          deleted('a', '13'),
          added('a', '14', 'next'),
          'hang',
        ],
      ],
    );
    await turns();
    expect(log).toEqual(['+ a 9 listed', '+ b 10 listed', '= 10', '~ a 12', '- a 13', '+ a 14']);
  });

  test('waits longer after each failure, until a watch works', async () => {
    const { clock, source, pauses, failures } = following(
      [page('5', [])],
      [[reset], [reset], [reset], [reset], [added('a', '6'), reset], ['hang']],
    );
    for (let step = 0; step < 200; step += 1) {
      await turns();
      await clock.advance(100);
    }
    // The first time at once, then 0.8 s, 1.6 s, 3.2 s; after an event at once again.
    expect(pauses()).toEqual([0, 0, 800, 2400, 5600, 5600]);
    expect(source.versions).toEqual(['5', '5', '5', '5', '5', '6']);
    expect(failures).toHaveLength(5);
  });

  test('obeys the time that a server asks for', async () => {
    const { clock, pauses } = following([page('5', [])], [[errors.tooManyRequests('busy', 7)], ['hang']]);
    for (let step = 0; step < 100; step += 1) {
      await turns();
      await clock.advance(100);
    }
    expect(pauses()).toEqual([0, 7000]);
  });

  test('lists once when watches end at once again and again, whatever they say', async () => {
    const { clock, source } = following([page('5', []), page('9', [])], [[]]);
    for (let step = 0; step < 50; step += 1) {
      await turns();
      await clock.advance(30_000);
    }
    expect(source.lists).toHaveLength(2);
    expect(source.versions.slice(0, 5)).toEqual(['5', '5', '5', '9', '9']);
    expect(source.watches.length).toBeGreaterThan(20);
  });

  test('restarts a list whose pages expire; the third time it asks for all at once', async () => {
    const expired = errors.expired('the token is too old');
    const { log, source } = following(
      [
        page('5', [thing('a', '2')], 'next'),
        expired,
        page('7', [thing('a', '2'), thing('b', '6')], 'next'),
        expired,
        page('9', [thing('b', '6'), thing('c', '8')]),
      ],
      [['hang']],
      { limit: 1 },
    );
    await turns();
    expect(log).toEqual(['+ a 2 listed', '+ b 6 listed', '+ c 8 listed', '- a 2 unseen', '= 9']);
    expect(source.lists.map(({ limit, continue: token }) => [limit, token])).toEqual([
      [1, undefined],
      [1, 'next'],
      [1, undefined],
      [1, 'next'],
      [undefined, undefined],
    ]);
  });

  test('refuses a list of the past, unless the server says again and again that it has gone back', async () => {
    const old = page('3', [thing('a', '2')]);
    const { clock, log, source, failures } = following([page('9', [thing('a', '8')]), old], [[gone()], ['hang']]);
    await turns();
    expect(log).toEqual(['+ a 8 listed', '= 9']);
    expect(failures[0]).toBe('Error: the list has version 3, which is older than 9');
    for (let step = 0; step < 10; step += 1) {
      await clock.advance(30_000);
      await turns();
    }
    expect(log).toEqual(['+ a 8 listed', '= 9', '~ a 2 listed', '= 3']);
    expect(source.versions).toEqual(['9', '3']);
  });

  test('ends a silent watch of a remote server soon after the server should have ended it', async () => {
    const entropy: Entropy = { uuid: () => '', bytes: (length) => new Uint8Array(length).fill(128) };
    const { clock, source, log, failures } = following([page('5', [])], [['hang'], [added('a', '6'), 'hang']], {
      remote: true,
      entropy,
    });
    await turns();
    expect(source.watches).toMatchObject([{ timeoutSeconds: 205 }]);
    await clock.advance(209_000);
    await turns();
    expect(source.watches).toHaveLength(1);
    await clock.advance(2000);
    await turns();
    expect(source.versions).toEqual(['5', '5']);
    expect(source.lists).toHaveLength(1);
    expect([log, failures]).toEqual([['= 5', '+ a 6'], []]);
    expect(clock.pending).toBe(1);
  });

  test('adds chance to its pauses, so that clients do not come back together', async () => {
    const entropy: Entropy = { uuid: () => '', bytes: (length) => new Uint8Array(length).fill(128) };
    const { clock, pauses } = following([page('5', [])], [[reset], [reset], ['hang']], { entropy });
    for (let step = 0; step < 30; step += 1) {
      await turns();
      await clock.advance(100);
    }
    expect(pauses()).toEqual([0, 0, 1201]);
  });

  test('ends with its signal, and with its loop, without leaving a watch', async () => {
    const { abort, ended, source } = following([page('5', [])], [['hang']]);
    await turns();
    abort.abort();
    await ended;
    expect(source.watches[0]?.signal?.aborted).toBe(true);
    const clock = createManualClock();
    const left = new Scripted(clock, [page('5', [thing('a', '1'), thing('b', '2')])], [['hang']]);
    for await (const event of follow<Thing>(left, { clock, remote: false, dialect: kubernetes }, {})) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await turns();
    expect(left.watches).toEqual([]);
  });

  test('fails when the client is closed', async () => {
    const clock = createManualClock();
    const closing = new AbortController();
    const source = new Scripted(clock, [page('5', [])], [['hang']]);
    const host = { clock, remote: true, dialect: kubernetes, closed: closing.signal };
    const events = follow<Thing>(source, host, {});
    expect((await events.next()).value).toMatchObject({ type: 'SYNCED' });
    const next = events.next();
    closing.abort(new Error('the client is closed'));
    await expect(next).rejects.toThrow('the client is closed');
  });
});

describe('resource versions', () => {
  test.each<[string, string, number | undefined]>([
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    ['123456789012345678901234567890', '123456789012345678901234567891', -1],
    ['9007199254740993', '9007199254740992', 1],
    ['', '1', undefined],
    ['abc', 'abd', undefined],
    ['abc', 'abc', 0],
    ['01', '2', undefined],
  ])('%s and %s', (a, b, expected) => {
    const order = compareVersions(a, b);
    expect(order === undefined ? undefined : Math.sign(order)).toBe(expected);
  });
});
