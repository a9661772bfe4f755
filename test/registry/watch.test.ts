import { beforeEach, describe, expect, test } from 'vitest';
import type { WatchNotice } from '../../src/registry/watch/watch.js';
import { configMap, ConfigMaps, fields, inWords, labels, MINUTE, refusal, take, Widget } from './registry.js';

let maps: ConfigMaps;
beforeEach(() => {
  maps = new ConfigMaps();
});

const next = (watch: AsyncIterator<WatchNotice>, count: number): Promise<string[]> => take(maps.store, watch, count);

/** The events that a watch delivers without waiting; later events are appended. */
async function ready(watch: AsyncIterable<WatchNotice>): Promise<string[]> {
  const seen: string[] = [];
  void (async () => {
    for await (const notice of watch) seen.push(inWords(maps.store, notice));
  })();
  await maps.registry.clock.settle();
  return seen;
}

/**
 * The row "watch" of the table of the conventions document. Before each: a at 2, b at 3, a changed at 4, b deleted at
 * 5.
 */
describe('watch × resourceVersion', () => {
  beforeEach(async () => {
    await maps.create('a');
    await maps.create('b');
    await maps.replace('a', { data: { k: '2' } });
    await maps.delete('b');
  });

  test.each<[string, Parameters<ConfigMaps['watch']>[0], string[]]>([
    ['unset: the state first, then changes', {}, ['ADDED a@4', 'ADDED c@6']],
    ['0: the state first, then changes', { resourceVersion: '0' }, ['ADDED a@4', 'ADDED c@6']],
    ['exactly after a version', { resourceVersion: '3' }, ['MODIFIED a@4', 'DELETED b@5', 'ADDED c@6']],
    [
      'exactly after the first',
      { resourceVersion: '1' },
      ['ADDED a@2', 'ADDED b@3', 'MODIFIED a@4', 'DELETED b@5', 'ADDED c@6'],
    ],
    ['after the current one', { resourceVersion: '5' }, ['ADDED c@6']],
    [
      'with the initial state disabled',
      { resourceVersion: '', sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' },
      ['ADDED c@6'],
    ],
    [
      'with the initial state requested',
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
      ['ADDED a@4', 'ADDED c@6'],
    ],
    [
      'with the initial state requested, not older than',
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '2' },
      ['ADDED a@4', 'ADDED c@6'],
    ],
    [
      'with the initial state and its end requested',
      { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true },
      ['ADDED a@4', 'BOOKMARK @5 end', 'ADDED c@6'],
    ],
  ])('%s', async (_cell, options, expected) => {
    const watch = await maps.watch(options);
    await maps.create('c');
    expect(await next(watch, expected.length)).toEqual(expected);
    expect(await ready(watch)).toEqual([]);
  });

  test('a future version: no events before it, all events after it', async () => {
    const watch = await maps.watch({ resourceVersion: '7' });
    for (const name of ['c', 'd', 'e']) await maps.create(name);
    expect(await next(watch, 1)).toEqual(['ADDED e@8']);
  });

  test('a future version appears in no bookmark before it is reached', async () => {
    const watch = await maps.watch({ resourceVersion: '7', allowWatchBookmarks: true });
    const seen = await ready(watch);
    await maps.registry.clock.advance(MINUTE);
    expect(seen).toEqual([]);
    for (const name of ['c', 'd']) await maps.create(name);
    await maps.registry.clock.advance(MINUTE);
    expect(seen).toEqual(['BOOKMARK @7']);
  });

  test('a compacted version: one ERROR 410, and the end', async () => {
    await maps.registry.storage.compact(4);
    const watch = await maps.watch({ resourceVersion: '3' });
    const { value } = await watch.next();
    expect(value).toMatchObject({
      type: 'ERROR',
      status: { code: 410, reason: 'Expired', message: 'too old resource version: 3 (4)' },
    });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(await maps.watchers()).toBe(0);
  });

  test('the oldest version that is kept', async () => {
    await maps.registry.storage.compact(4);
    expect(await next(await maps.watch({ resourceVersion: '4' }), 1)).toEqual(['DELETED b@5']);
  });

  test('an expired version: ERROR 410', async () => {
    await (await maps.watch()).return?.();
    await maps.registry.clock.advance(5 * MINUTE + 1);
    expect(await next(await maps.watch({ resourceVersion: '2' }), 2)).toEqual(['ERROR 410', 'end']);
    expect(await ready(await maps.watch({ resourceVersion: '5' }))).toEqual([]);
  });

  test.each<[string, Parameters<ConfigMaps['watch']>[0], number, RegExp]>([
    [
      'a match without sendInitialEvents',
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '2' },
      422,
      /resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided/,
    ],
    [
      'sendInitialEvents without a match',
      { sendInitialEvents: true },
      422,
      /sendInitialEvents requires setting resourceVersionMatch to NotOlderThan/,
    ],
    [
      'sendInitialEvents with a wrong match',
      { sendInitialEvents: true, resourceVersionMatch: 'Exact', resourceVersion: '2' },
      422,
      /supported values: "NotOlderThan"/,
    ],
    [
      'no number',
      { resourceVersion: 'x' },
      500,
      /^resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax$/,
    ],
  ])('%s is rejected', async (_name, options, code, message) => {
    expect(await refusal(maps.watch(options))).toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect(await maps.watchers()).toBe(0);
  });

  describe('continue, resourceVersionMatch and sendInitialEvents together: the causes of Kubernetes, in its order', () => {
    const NEEDS =
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    const GATE =
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    const UNASKED =
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    const CONTINUE = 'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided';
    const unsupported = (match: string) =>
      `resourceVersionMatch: Unsupported value: "${match}": supported values: "NotOlderThan"`;

    const sends = [undefined, true, false];
    const matches = ['', 'NotOlderThan', 'Exact', 'x'];
    const table = [true, false].flatMap((watchList) =>
      sends.flatMap((send) =>
        matches.flatMap((match) => ['', 'token'].map((token) => ({ watchList, send, match, token }))),
      ),
    );
    test.each(table)('%j', async ({ watchList, send, match, token }) => {
      maps = new ConfigMaps({ watchList });
      const expected = [
        ...(send !== undefined && match !== 'NotOlderThan' ? [NEEDS] : []),
        ...(send !== undefined && !watchList ? [GATE] : []),
        ...(match !== '' && send === undefined ? [UNASKED] : []),
        ...(match !== '' && match !== 'NotOlderThan' ? [unsupported(match)] : []),
        ...(match !== '' && token !== '' ? [CONTINUE] : []),
      ];
      const opened = maps.watch({
        resourceVersionMatch: match,
        continue: token,
        ...(send === undefined ? {} : { sendInitialEvents: send }),
      });
      if (expected.length === 0) {
        await (await opened).return?.();
        return;
      }
      const { status } = await refusal(opened);
      expect(status.code).toBe(422);
      expect(status.details?.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
    });
  });
});

describe('selectors', () => {
  test('an object that starts to match is ADDED, one that stops is DELETED with its previous state, at the revision of the change', async () => {
    const watch = await maps.watch({ ...labels('app=x'), resourceVersion: '1' });
    await maps.create('a', { labels: { app: 'y' } });
    await maps.replace('a', { labels: { app: 'x' }, data: { k: 'in' } });
    await maps.replace('a', { labels: { app: 'x' }, data: { k: 'still in' } });
    await maps.replace('a', { labels: { app: 'z' }, data: { k: 'out' } });
    await maps.replace('a', { labels: { app: 'q' }, data: { k: 'out again' } });
    await maps.replace('a', { labels: { app: 'x' } });
    await maps.delete('a');
    const seen: { words: string; data: unknown }[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { value } = await watch.next();
      if (value === undefined || !('record' in value)) throw new Error('an object was expected');
      seen.push({ words: inWords(maps.store, value), data: maps.store.read(value.record)['data'] });
    }
    expect(seen).toEqual([
      { words: 'ADDED a@3', data: { k: 'in' } },
      { words: 'MODIFIED a@4', data: { k: 'still in' } },
      { words: 'DELETED a@5', data: { k: 'still in' } },
      { words: 'ADDED a@7', data: undefined },
      { words: 'DELETED a@8', data: undefined },
    ]);
    expect(await ready(watch)).toEqual([]);
  });

  test('the same with a field selector', async () => {
    const store = maps.registry.store(Widget);
    const { context } = maps.registry;
    const widget = (color: string) => ({
      kind: 'Widget',
      apiVersion: 'shop.example/v1',
      metadata: { name: 'w' },
      spec: { color },
    });
    const watch = await store.watch('default', { ...fields('spec.color=red'), resourceVersion: '1' });
    await store.create(context, 'default', widget('blue'));
    for (const color of ['red', 'red', 'blue', 'red'])
      await store.update(context, 'default', 'w', () => ({
        ...widget(color),
        metadata: { name: 'w', labels: { color } },
      }));
    await store.delete(context, 'default', 'w');
    expect(await take(store, watch, 4)).toEqual(['ADDED w@3', 'DELETED w@4', 'ADDED w@5', 'DELETED w@6']);
  });

  test('the initial state contains only matching objects', async () => {
    await maps.create('a', { labels: { app: 'x' } });
    await maps.create('b', { labels: { app: 'y' } });
    expect(
      await next(
        await maps.watch({
          ...labels('app=y'),
          sendInitialEvents: true,
          allowWatchBookmarks: true,
          resourceVersionMatch: 'NotOlderThan',
        }),
        2,
      ),
    ).toEqual(['ADDED b@3', 'BOOKMARK @3 end']);
  });

  test('namespaces are separate', async () => {
    const own = await maps.watch({ resourceVersion: '1' });
    const other = await maps.watch({ resourceVersion: '1' }, undefined, 'other');
    const all = await maps.watch({ resourceVersion: '1' }, undefined, '');
    const byField = await maps.watch({ resourceVersion: '1', ...fields('metadata.namespace=other') }, undefined, '');
    await maps.create('a');
    await maps.create('b', {}, 'other');
    await maps.create('c', {}, 'other-2');
    expect(await ready(own)).toEqual(['ADDED a@2']);
    expect(await ready(other)).toEqual(['ADDED b@3']);
    expect(await ready(all)).toEqual(['ADDED a@2', 'ADDED b@3', 'ADDED c@4']);
    expect(await ready(byField)).toEqual(['ADDED b@3']);
  });

  test('a watch of one name receives only its object, also from the past', async () => {
    for (const name of ['a', 'ab', 'b']) await maps.create(name);
    const past = await maps.watch({ resourceVersion: '1', ...fields('metadata.name=a') });
    const state = await maps.watch(fields('metadata.name=a'));
    const nobody = await maps.watch(fields('metadata.name=a,metadata.namespace=other'));
    const nothing = await maps.watch(fields('metadata.name=zz'));
    await maps.delete('ab');
    await maps.delete('a');
    expect(await ready(past)).toEqual(['ADDED a@2', 'DELETED a@6']);
    expect(await ready(state)).toEqual(['ADDED a@2', 'DELETED a@6']);
    expect(await ready(nobody)).toEqual([]);
    await maps.create('zz');
    expect(await ready(nothing)).toEqual(['ADDED zz@7']);
  });
});

describe('DELETED', () => {
  test('carries the last state, at the deleting revision', async () => {
    await maps.create('a', { data: { k: 'last' } });
    const watch = await maps.watch({ resourceVersion: '2' });
    await maps.delete('a');
    const { value } = await watch.next();
    if (value === undefined || !('record' in value)) throw new Error('an object was expected');
    expect(value).toMatchObject({ type: 'DELETED', revision: 3 });
    expect(maps.store.read(value.record)).toMatchObject({
      metadata: { name: 'a', resourceVersion: '3' },
      data: { k: 'last' },
    });
  });

  test('is sent when the last finalizer is removed, with the object as it was stored', async () => {
    await maps.create('a', { finalizers: ['example.com/f'], data: { k: 'kept' } });
    const watch = await maps.watch({ resourceVersion: '2' });
    await maps.delete('a');
    await maps.replace('a', { data: { k: 'late' } });
    expect(await next(watch, 2)).toEqual(['MODIFIED a@3', 'DELETED a@4']);
    expect(await maps.watchers()).toBe(1);
  });
});

describe('bookmarks', () => {
  test('are sent at the interval, with the newest revision of the whole store', async () => {
    const watch = await maps.watch({ resourceVersion: '1', allowWatchBookmarks: true });
    await maps.registry.store(Widget).create(maps.registry.context, 'default', {
      kind: 'Widget',
      apiVersion: 'shop.example/v1',
      metadata: { name: 'w' },
    });
    const seen = next(watch, 3);
    await maps.registry.clock.advance(MINUTE);
    await maps.create('a');
    await maps.registry.clock.advance(MINUTE);
    expect(await seen).toEqual(['BOOKMARK @2', 'ADDED a@3', 'BOOKMARK @3']);
  });

  test.each<[string, number, string[]]>([
    ['one arrives two seconds before the timeout', 30, ['at 28 BOOKMARK @2', 'end at 30']],
    ['in addition to the periodic ones', 90, ['at 60 BOOKMARK @2', 'at 88 BOOKMARK @2', 'end at 90']],
    ['none within a short timeout', 2, ['end at 2']],
  ])('%s', async (_name, timeoutSeconds, expected) => {
    await maps.create('a');
    const watch = await maps.watch({ resourceVersion: '2', allowWatchBookmarks: true, timeoutSeconds });
    const { clock } = maps.registry;
    const start = clock.now();
    const seen: string[] = [];
    const at = (): string => `at ${(clock.now() - start) / 1000}`;
    const over = (async () => {
      for await (const notice of watch) seen.push(`${at()} ${inWords(maps.store, notice)}`);
      seen.push(`end ${at()}`);
    })();
    for (let second = 0; second < timeoutSeconds; second += 1) await clock.advance(1000);
    await over;
    expect(seen).toEqual(expected);
    expect([await maps.watchers(), clock.pending]).toEqual([0, 0]);
  });

  test('the last one has the revision of writes to other kinds, and follows every event', async () => {
    const watch = await maps.watch({ resourceVersion: '1', allowWatchBookmarks: true, timeoutSeconds: 10 });
    await maps.registry.clock.advance(8_000);
    await maps.create('a');
    await maps.registry.store(Widget).create(maps.registry.context, 'default', {
      kind: 'Widget',
      apiVersion: 'shop.example/v1',
      metadata: { name: 'w' },
    });
    expect(await next(watch, 2)).toEqual(['ADDED a@2', 'BOOKMARK @2']);
  });

  test('are sent only on request', async () => {
    const watch = await maps.watch({ resourceVersion: '1' });
    const seen = await ready(watch);
    await maps.registry.clock.advance(10 * MINUTE);
    expect(seen).toEqual([]);
    expect(maps.registry.clock.pending).toBe(0);
  });

  test('are never older than delivered events, and skip no event before them', async () => {
    const watch = await maps.watch({ allowWatchBookmarks: true, ...labels('app=x') });
    await maps.create('a', { labels: { app: 'x' } });
    await maps.create('b');
    await maps.registry.clock.advance(MINUTE);
    await maps.create('c', { labels: { app: 'x' } });
    expect(await ready(watch)).toEqual(['ADDED a@2', 'ADDED c@4', 'BOOKMARK @4']);
  });

  test('their timer stops with the last watch that requests them', async () => {
    const first = await maps.watch({ allowWatchBookmarks: true });
    const second = await maps.watch({ allowWatchBookmarks: true, ...fields('metadata.name=a') });
    expect(maps.registry.clock.pending).toBe(1);
    await first.return?.();
    expect(maps.registry.clock.pending).toBe(1);
    await second.return?.();
    expect(maps.registry.clock.pending).toBe(0);
  });
});

describe('the end of a watch', () => {
  const kinds: readonly (readonly [string, Parameters<ConfigMaps['watch']>[0]])[] = [
    ['of all', { resourceVersion: '1' }],
    ['of one name', { resourceVersion: '1', ...fields('metadata.name=a') }],
    ['with state', {}],
    ['with bookmarks', { allowWatchBookmarks: true }],
  ];

  test.each(kinds)('on its signal (%s)', async (_kind, options) => {
    const gone = new AbortController();
    const watch = await maps.watch(options, gone.signal);
    const waiting = watch.next();
    expect(await maps.watchers()).toBe(1);
    gone.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect([await maps.watchers(), maps.registry.clock.pending]).toEqual([0, 0]);
  });

  test.each(kinds)('on a signal aborted before (%s)', async (_kind, options) => {
    const watch = await maps.watch(options, AbortSignal.abort());
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect([await maps.watchers(), maps.registry.clock.pending]).toEqual([0, 0]);
  });

  test.each(kinds)('by its reader, while it waits and before it was read (%s)', async (_kind, options) => {
    const unread = await maps.watch(options);
    await unread.return?.();
    const read = await maps.watch(options);
    const waiting = read.next();
    await read.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect([await maps.watchers(), maps.registry.clock.pending]).toEqual([0, 0]);
  });

  test.each(kinds)('on its timeout (%s)', async (_kind, options) => {
    const watch = await maps.watch({ ...options, timeoutSeconds: 90 });
    const seen: string[] = [];
    const over = (async () => {
      for await (const notice of watch) seen.push(inWords(maps.store, notice));
    })();
    await maps.registry.clock.advance(89_999);
    expect(await maps.watchers()).toBe(1);
    await maps.registry.clock.advance(1);
    await over;
    expect(seen.filter((words) => !words.startsWith('BOOKMARK'))).toEqual([]);
    expect([await maps.watchers(), maps.registry.clock.pending]).toEqual([0, 0]);
  });

  test('with the server', async () => {
    const watch = await maps.watch();
    const waiting = watch.next();
    (await maps.store.watchLog())?.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await maps.watchers()).toBe(0);
  });

  test('with the server, after the events so far and a bookmark of the newest version', async () => {
    const all = await maps.watch({ resourceVersion: '1', allowWatchBookmarks: true });
    const named = await maps.watch({ resourceVersion: '1', allowWatchBookmarks: true, ...fields('metadata.name=a') });
    const plain = await maps.watch({ resourceVersion: '1', allowWatchBookmarks: false, ...fields('metadata.name=a') });
    await maps.create('a');
    await maps.create('b');
    (await maps.store.watchLog())?.close();
    const words = async (watch: AsyncIterable<WatchNotice>): Promise<string[]> => {
      const seen: string[] = [];
      for await (const notice of watch) seen.push(inWords(maps.store, notice));
      return seen;
    };
    // Whoever has the newest version already needs no bookmark.
    expect(await words(all)).toEqual(['ADDED a@2', 'ADDED b@3']);
    expect(await words(named)).toEqual(['ADDED a@2', 'BOOKMARK @3']);
    expect(await words(plain)).toEqual(['ADDED a@2']);
    expect(await maps.watchers()).toBe(0);
  });

  test('on a break out of the loop', async () => {
    await maps.create('a');
    for await (const notice of await maps.watch()) {
      expect(inWords(maps.store, notice)).toBe('ADDED a@2');
      break;
    }
    expect(await maps.watchers()).toBe(0);
  });
});

describe('a watcher that is too slow', () => {
  test.each<[string, Parameters<ConfigMaps['watch']>[0]]>([
    ['of all', { resourceVersion: '1' }],
    ['of one name', { resourceVersion: '1', ...fields('metadata.name=a') }],
  ])('is dropped from the log with 410 (%s)', async (_kind, options) => {
    maps = new ConfigMaps({ watchHistoryEvents: 10 });
    await maps.create('a');
    const watch = await maps.watch({ ...options, resourceVersion: '2' });
    for (let turn = 0; turn < 30; turn += 1) await maps.replace('a', { data: { turn: String(turn) } });
    const { value } = await watch.next();
    expect(value).toMatchObject({
      type: 'ERROR',
      status: {
        code: 410,
        reason: 'Expired',
        message: expect.stringMatching(/^too old resource version: 2 \(22\)$/) as string,
      },
    });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect(await maps.watchers()).toBe(0);
  });

  test('is also expired if it has not read its backlog yet', async () => {
    maps = new ConfigMaps({ watchHistoryEvents: 10 });
    const watch = await maps.watch({ resourceVersion: '1' });
    await watch.return?.();
    for (let index = 0; index < 8; index += 1) await maps.create(`m-${index}`);
    const late = await maps.watch({ resourceVersion: '3' });
    expect(await next(late, 1)).toEqual(['ADDED m-2@4']);
    for (let index = 0; index < 8; index += 1) await maps.create(`n-${index}`);
    expect(await next(late, 2)).toEqual(['ERROR 410', 'end']);
    expect(await maps.watchers()).toBe(0);
  });

  test('is never expired while it keeps up, however many writes happen', async () => {
    maps = new ConfigMaps({ watchHistoryEvents: 10 });
    await maps.create('a');
    const watch = await maps.watch({ resourceVersion: '2' });
    for (let turn = 0; turn < 100; turn += 1) {
      await maps.replace('a', { data: { turn: String(turn) } });
      expect(await next(watch, 1)).toEqual([`MODIFIED a@${turn + 3}`]);
    }
  });

  test('is not dropped by events of other names, and receives all its own', async () => {
    maps = new ConfigMaps({ watchHistoryEvents: 10 });
    await maps.create('a');
    const watch = await maps.watch({ resourceVersion: '2', ...fields('metadata.name=a') });
    for (let turn = 0; turn < 30; turn += 1) await maps.create(`b-${turn}`);
    await maps.replace('a', { data: { k: '2' } });
    expect(await next(watch, 1)).toEqual(['MODIFIED a@33']);
  });

  test('gets 410 if the history behind a paged initial state is gone, and leaves nothing behind', async () => {
    for (let index = 0; index < 1200; index += 1) await maps.create(`m-${String(index).padStart(4, '0')}`);
    const watch = await maps.watch();
    expect(await next(watch, 1)).toEqual(['ADDED m-0000@2']);
    await maps.create('z');
    await maps.registry.storage.compact(1202);
    const seen = await next(watch, 1300);
    expect(seen.slice(-2)).toEqual(['ERROR 410', 'end']);
    expect(await maps.watchers()).toBe(0);
  });

  test('with a paged initial state misses no event in between', async () => {
    for (let index = 0; index < 1100; index += 1) await maps.create(`m-${String(index).padStart(4, '0')}`);
    const watch = await maps.watch({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
    expect(await next(watch, 1)).toHaveLength(1);
    await maps.delete('m-0700');
    await maps.create('z');
    const seen = await next(watch, 1102);
    expect(seen.filter((words) => words.startsWith('ADDED m-'))).toHaveLength(1099);
    expect(seen.slice(-3)).toEqual(['BOOKMARK @1101 end', 'DELETED m-0700@1102', 'ADDED z@1103']);
  });
});

describe('a watch that opens the log of a kind with a long history', () => {
  test.each([0, 3])('gets what follows its version, %i writes before the last', async (before) => {
    maps = new ConfigMaps({ watchHistoryEvents: 10 });
    for (let index = 0; index < 9000; index += 1) await maps.create(`m-${index}`);
    const watch = await maps.watch({ resourceVersion: String(9001 - before) });
    await maps.create('z');
    const seen = await next(watch, before + 1);
    expect(seen.at(-1)).toBe('ADDED z@9002');
    expect(await ready(watch)).toEqual([]);
  });
});

describe('many watchers', () => {
  test('of other names are not woken', async () => {
    const log = await maps.store.watchLog();
    const target = (name: string) => ({
      key: `/registry/configmaps/default/${name}`,
      rangePrefix: '/registry/configmaps/default/',
    });
    const woken = new Map<string, number>();
    const watchers = ['a', 'b', 'c'].map((name) => {
      const watcher = log?.watch(target(name), 1, false);
      if (watcher === undefined) throw new Error('the log begins at 1');
      watcher.wake = () => void woken.set(name, (woken.get(name) ?? 0) + 1);
      expect(watcher.step()).toEqual({ kind: 'wait' });
      return watcher;
    });
    await maps.create('b');
    await maps.create('zz', {}, 'other');
    expect([...woken]).toEqual([['b', 1]]);
    for (const watcher of watchers) watcher.stop();
    expect(log?.watchers.size).toBe(0);
  });

  test('leak nothing when they start and stop', async () => {
    const open: AsyncIterableIterator<WatchNotice>[] = [];
    for (let turn = 0; turn < 200; turn += 1) {
      open.push(
        await maps.watch(
          { resourceVersion: '1', ...(turn % 3 === 0 ? fields(`metadata.name=n-${turn % 7}`) : {}) },
          undefined,
          turn % 2 === 0 ? 'default' : 'other',
        ),
      );
      if (turn % 5 === 0) await maps.create(`n-${turn}`);
      if (turn % 4 === 0) await open.splice(Math.floor(open.length / 2), 1)[0]?.return?.();
    }
    expect(await maps.watchers()).toBe(open.length);
    for (const watch of open) await watch.return?.();
    expect(await maps.watchers()).toBe(0);
  });

  test('of every type see the same history', async () => {
    const created = configMap('a');
    const watches = await Promise.all(Array.from({ length: 20 }, () => maps.watch({ resourceVersion: '1' })));
    await maps.store.create(maps.registry.context, 'default', created);
    for (let turn = 0; turn < 20; turn += 1) await maps.replace('a', { data: { turn: String(turn) } });
    const histories = await Promise.all(watches.map((watch) => next(watch, 21)));
    for (const history of histories) expect(history).toEqual(histories[0]);
    expect(histories[0]).toHaveLength(21);
  });
});
