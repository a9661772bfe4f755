import { beforeEach, describe, expect, test } from 'vitest';
import { ContinueTokens } from '../../src/registry/verbs/continue-token.js';
import type { ListOptions } from '../../src/registry/verbs/list-options.js';
import type { ListOutcome } from '../../src/registry/verbs/list.js';
import { ConfigMaps, fields, labels, MINUTE, namesOf, refusal, Widget } from './registry.js';

let maps: ConfigMaps;
beforeEach(() => {
  maps = new ConfigMaps();
});

const list = (options: ListOptions = {}, namespace = 'default'): Promise<ListOutcome> =>
  maps.store.list(namespace, options);
const summary = async (outcome: Promise<ListOutcome>): Promise<{ names: string[]; revision: number }> => {
  const page = await outcome;
  return { names: namesOf(maps.store, page), revision: page.revision };
};

/**
 * The table "list with resourceVersionMatch and paging" of the conventions document, cell by cell. Before each: a, b
 * and c were created at revisions 2, 3 and 4 (a new store is at 1), b was deleted at 5, and d created at 6.
 */
describe('resourceVersion × resourceVersionMatch × paging', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) await maps.create(name);
    await maps.delete('b');
    await maps.create('d');
  });

  const PRESENT = { names: ['a', 'c', 'd'], revision: 6 };
  const PRESENT_PAGE = { names: ['a', 'c'], revision: 6 };
  const FORBIDDEN_WITHOUT_VERSION =
    /^ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided$/;
  const FORBIDDEN_AT_ZERO =
    /^ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"$/;

  const cells: readonly (readonly [
    cell: string,
    options: ListOptions,
    shown: { names: string[]; revision: number } | { code: number; message: RegExp },
  ])[] = [
    ['unset, no limit, unset: most recent', {}, PRESENT],
    ['unset, no limit, 0: any', { resourceVersion: '0' }, PRESENT],
    ['unset, no limit, non-zero: not older than', { resourceVersion: '4' }, PRESENT],
    ['unset, limit, unset: most recent', { limit: 2 }, PRESENT_PAGE],
    ['unset, limit, 0: any', { limit: 2, resourceVersion: '0' }, PRESENT_PAGE],
    ['unset, limit, non-zero: exact', { limit: 5, resourceVersion: '4' }, { names: ['a', 'b', 'c'], revision: 4 }],
    ['unset, limit, the current one: exact', { limit: 5, resourceVersion: '6' }, PRESENT],
    [
      'Exact, no limit, unset: invalid',
      { resourceVersionMatch: 'Exact' },
      { code: 422, message: FORBIDDEN_WITHOUT_VERSION },
    ],
    [
      'Exact, no limit, 0: invalid',
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      { code: 422, message: FORBIDDEN_AT_ZERO },
    ],
    [
      'Exact, no limit, non-zero: exact',
      { resourceVersionMatch: 'Exact', resourceVersion: '4' },
      { names: ['a', 'b', 'c'], revision: 4 },
    ],
    [
      'Exact, limit, unset: invalid',
      { resourceVersionMatch: 'Exact', limit: 2 },
      { code: 422, message: FORBIDDEN_WITHOUT_VERSION },
    ],
    [
      'Exact, limit, 0: invalid',
      { resourceVersionMatch: 'Exact', limit: 2, resourceVersion: '0' },
      { code: 422, message: FORBIDDEN_AT_ZERO },
    ],
    [
      'Exact, limit, non-zero: exact',
      { resourceVersionMatch: 'Exact', limit: 2, resourceVersion: '5' },
      { names: ['a', 'c'], revision: 5 },
    ],
    [
      'NotOlderThan, no limit, unset: invalid',
      { resourceVersionMatch: 'NotOlderThan' },
      { code: 422, message: FORBIDDEN_WITHOUT_VERSION },
    ],
    ['NotOlderThan, no limit, 0: any', { resourceVersionMatch: 'NotOlderThan', resourceVersion: '0' }, PRESENT],
    [
      'NotOlderThan, no limit, non-zero: not older than',
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '4' },
      PRESENT,
    ],
    [
      'NotOlderThan, limit, unset: invalid',
      { resourceVersionMatch: 'NotOlderThan', limit: 2 },
      { code: 422, message: FORBIDDEN_WITHOUT_VERSION },
    ],
    [
      'NotOlderThan, limit, 0: any',
      { resourceVersionMatch: 'NotOlderThan', limit: 2, resourceVersion: '0' },
      PRESENT_PAGE,
    ],
    [
      'NotOlderThan, limit, non-zero: not older than',
      { resourceVersionMatch: 'NotOlderThan', limit: 2, resourceVersion: '4' },
      PRESENT_PAGE,
    ],
    [
      'another match: not supported',
      { resourceVersionMatch: 'Newer', resourceVersion: '4' },
      { code: 422, message: /Unsupported value: "Newer": supported values: "Exact", "NotOlderThan", ""$/ },
    ],
    ['no number', { resourceVersion: 'three' }, { code: 400, message: /^invalid resource version/ }],
    ['a negative number', { resourceVersion: '-1' }, { code: 400, message: /^invalid resource version/ }],
    ['a number in another base', { resourceVersion: '0x3' }, { code: 400, message: /^invalid resource version/ }],
  ];
  test.each(cells)('%s', async (_cell, options, shown) => {
    if ('code' in shown)
      expect(await refusal(list(options))).toMatchObject({
        code: shown.code,
        message: expect.stringMatching(shown.message) as string,
      });
    else expect(await summary(list(options))).toEqual(shown);
  });

  test('unset, limit and continue, unset: exact at the version of the token', async () => {
    const first = await list({ limit: 1 });
    await maps.delete('c');
    expect(await summary(list({ limit: 1, continue: first.continue }))).toEqual({ names: ['c'], revision: 6 });
  });

  test('unset, limit and continue, 0: treated as exact at the version of the token', async () => {
    const first = await list({ limit: 1 });
    await maps.delete('c');
    expect(await summary(list({ limit: 1, continue: first.continue, resourceVersion: '0' }))).toEqual({
      names: ['c'],
      revision: 6,
    });
  });

  test('unset, limit and continue, non-zero: 400', async () => {
    const { continue: token } = await list({ limit: 1 });
    const error = await refusal(list({ limit: 1, continue: token, resourceVersion: '6' }));
    expect(error).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
  });

  test.each(['Exact', 'NotOlderThan'])('%s, limit and continue: invalid', async (resourceVersionMatch) => {
    const { continue: token } = await list({ limit: 1 });
    const error = await refusal(list({ limit: 1, continue: token, resourceVersionMatch, resourceVersion: '6' }));
    expect(error).toMatchObject({
      code: 422,
      message: expect.stringContaining('resourceVersionMatch is forbidden when continue is provided') as string,
    });
  });

  test('sendInitialEvents is forbidden for a list', async () => {
    const error = await refusal(maps.store.list('default', { sendInitialEvents: true } as ListOptions));
    expect(error).toMatchObject({
      code: 422,
      message: expect.stringContaining('sendInitialEvents is forbidden for list') as string,
    });
  });

  test.each(['get', 'list'])('exact at a compacted version: 410 (%s)', async (verb) => {
    await maps.registry.storage.compact(5);
    if (verb === 'list') {
      expect(await refusal(list({ resourceVersion: '4', resourceVersionMatch: 'Exact' }))).toMatchObject({
        code: 410,
        reason: 'Expired',
      });
      expect(await refusal(list({ resourceVersion: '4', limit: 1 }))).toMatchObject({ code: 410, reason: 'Expired' });
      expect((await list({ resourceVersion: '5', resourceVersionMatch: 'Exact' })).revision).toBe(5);
    } else {
      expect((await maps.store.get('default', 'a', '4')).modRevision).toBe(2);
    }
  });

  test('not older than a compacted version returns the current state', async () => {
    await maps.registry.storage.compact(6);
    expect(await summary(list({ resourceVersion: '2' }))).toEqual(PRESENT);
    expect(await summary(list({ resourceVersion: '2', resourceVersionMatch: 'NotOlderThan', limit: 2 }))).toEqual(
      PRESENT_PAGE,
    );
  });
});

describe('get', () => {
  test.each(['', '0', '1', '2', '3'])('at version "%s" returns the current state', async (version) => {
    await maps.create('a', { data: { k: '1' } });
    await maps.replace('a', { data: { k: '2' } });
    expect((await maps.store.get('default', 'a', version)).modRevision).toBe(3);
  });

  test('of an object deleted since the version is 404, not its past state', async () => {
    await maps.create('a');
    await maps.delete('a');
    expect(await refusal(maps.store.get('default', 'a', '2'))).toMatchObject({ code: 404 });
  });

  test.each([
    ['x', 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'],
    ['-1', 'resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax'],
    [
      '18446744073709551616',
      'resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range',
    ],
  ])('at "%s", which is not a version, is 500 without a reason', async (version, message) => {
    expect((await refusal(maps.store.get('default', 'a', version))).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      code: 500,
    });
  });
});

describe('a future version', () => {
  const asks: readonly (readonly [name: string, ask: (version: string, signal?: AbortSignal) => Promise<unknown>])[] = [
    ['get', (version, signal) => maps.store.get('default', 'a', version, signal)],
    ['list not older than', (resourceVersion, signal) => maps.store.list('default', { resourceVersion }, signal)],
    [
      'list exact',
      (resourceVersion, signal) =>
        maps.store.list('default', { resourceVersion, resourceVersionMatch: 'Exact' }, signal),
    ],
    [
      'list exact by limit',
      (resourceVersion, signal) => maps.store.list('default', { resourceVersion, limit: 1 }, signal),
    ],
  ];
  const watchList = (resourceVersion: string, signal?: AbortSignal) =>
    maps.store.watch(
      'default',
      { resourceVersion, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' },
      signal,
    );
  const all: typeof asks = [...asks, ['watch list', watchList]];

  test('watch list: one ERROR event with the 504, and the end', async () => {
    await maps.create('a');
    const opened = watchList('100');
    await maps.registry.clock.advance(3000);
    const watch = await opened;
    expect(await watch.next()).toMatchObject({
      value: {
        type: 'ERROR',
        status: {
          code: 504,
          reason: 'Timeout',
          message: 'Timeout: Too large resource version: 100, current: 2',
          details: { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] },
        },
      },
    });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    expect([await maps.watchers(), maps.registry.clock.pending]).toEqual([0, 0]);
  });

  test.each(asks)('%s: 504 with Retry-After when it is not reached within the limit', async (_name, ask) => {
    await maps.create('a');
    let settled = false;
    const answer = refusal(ask('100')).finally(() => (settled = true));
    await maps.registry.clock.advance(2999);
    expect(settled).toBe(false);
    await maps.registry.clock.advance(1);
    const error = await answer;
    expect(error).toMatchObject({
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: Too large resource version: 100, current: 2',
    });
    expect(error.status.details?.retryAfterSeconds).toBe(1);
    expect(error.status.details?.causes?.[0]).toMatchObject({
      reason: 'ResourceVersionTooLarge',
      message: 'Too large resource version',
    });
    expect(maps.registry.clock.pending).toBe(0);
  });

  test.each(all)('%s: answers as soon as another write reaches it', async (_name, ask) => {
    await maps.create('a');
    const answer = ask('4');
    await maps.registry.clock.settle();
    await maps.create('b');
    await maps.create('c', {}, 'elsewhere');
    expect(await answer).toBeDefined();
    expect(maps.registry.clock.now()).toBe(Date.parse('2024-01-01T00:00:00Z'));
  });

  test.each(all)('%s: a client that disconnects leaves no timer', async (_name, ask) => {
    await maps.create('a');
    const gone = new AbortController();
    const answer = expect(ask('100', gone.signal)).rejects.toThrow('gone');
    await maps.registry.clock.settle();
    gone.abort(new Error('gone'));
    await answer;
    expect(maps.registry.clock.pending).toBe(0);
  });

  test.each(all)('%s: an aborted request does not wait', async (_name, ask) => {
    await maps.create('a');
    await expect(ask('100', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(maps.registry.clock.pending).toBe(0);
  });
});

describe('continue tokens', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd']) await maps.create(name);
    await maps.create('a', {}, 'other');
    await maps.create('b', {}, 'other');
  });

  test('contain no storage keys or names of other lists in readable form', async () => {
    const { continue: token } = await list({ limit: 1 });
    expect(token).toMatch(/^[-\w]+$/);
    expect(atob(token.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('registry');
  });

  test('with any one character changed are rejected with 400', async () => {
    const { continue: token } = await list({ limit: 1 });
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < token.length; at += 1) {
      for (const step of [1, 2, 4, 8, 16, 32]) {
        const character = alphabet[(alphabet.indexOf(token[at] ?? '') ^ step) % 64] ?? '';
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(await refusal(list({ limit: 1, continue: changed })), `character ${at}`).toMatchObject({
          code: 400,
          reason: 'BadRequest',
        });
      }
    }
  });

  test.each<[string, (token: string) => string]>([
    ['cut off', (token) => token.slice(0, -1)],
    ['truncated to the checksum', (token) => token.slice(0, 21)],
    ['lengthened', (token) => `${token}AAAA`],
    ['padded', (token) => `${token}=`],
    ['in another base64 alphabet', () => '§'],
    ['with a space', (token) => `${token} `],
    ['of another server', () => 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Nywic3RhcnQiOiJiXHUwMDAwIn0'],
    ['very long', () => 'A'.repeat(100_000)],
  ])('%s are rejected with 400', async (_name, spoil) => {
    const { continue: token } = await list({ limit: 1 });
    expect(await refusal(list({ limit: 1, continue: spoil(token) }))).toMatchObject({
      code: 400,
      message: expect.stringContaining('continue key is not valid') as string,
    });
  });

  test('are valid for their own list only', async () => {
    const { continue: token } = await list({ limit: 1 });
    expect(await refusal(list({ limit: 1, continue: token }, 'other'))).toMatchObject({ code: 400 });
    expect(await refusal(list({ limit: 1, continue: token }, ''))).toMatchObject({ code: 400 });
    expect(await refusal(maps.registry.store(Widget).list('default', { limit: 1, continue: token }))).toMatchObject({
      code: 400,
    });
    const { continue: wide } = await list({ limit: 1 }, '');
    expect(await refusal(list({ limit: 1, continue: wide }))).toMatchObject({ code: 400 });
  });

  test('of one server are invalid on another', async () => {
    const { continue: token } = await list({ limit: 1 });
    const stranger = new ConfigMaps({
      continueTokens: new ContinueTokens(new Uint8Array(32)),
    });
    for (const name of ['a', 'b', 'c', 'd']) await stranger.create(name);
    expect(await refusal(stranger.store.list('default', { limit: 1, continue: token }))).toMatchObject({ code: 400 });
  });

  test('are new for another position, another range and another key', () => {
    const tokens = new ContinueTokens(new Uint8Array(32));
    const position = { revision: 7, after: '/maps/a' };
    const encoded = (prefix: string, at = position): string => tokens.encode(at, prefix);
    const first = encoded('/maps/');
    expect(encoded('/maps/')).toBe(first);
    // The rest of the key after its range is the same.
    expect(encoded('/sets/', { ...position, after: '/sets/a' })).not.toBe(first);
    expect(encoded('/maps/', { ...position, revision: 8 })).not.toBe(first);
    tokens.useKey(new Uint8Array(32).fill(1));
    const renewed = encoded('/maps/');
    expect(renewed).not.toBe(first);
    expect(tokens.decode(renewed, '/maps/')).toEqual(position);
    expect(() => tokens.decode(first, '/maps/')).toThrow('checksum mismatch');
  });

  test('may be used repeatedly, and with another limit', async () => {
    const { continue: token } = await list({ limit: 1 });
    for (const limit of [1, 2, 2, 3]) expect((await list({ limit, continue: token })).records).toHaveLength(limit);
    expect(namesOf(maps.store, await list({ continue: token }))).toEqual(['b', 'c', 'd']);
  });

  test('expire with 410 and a token that continues the list inconsistently', async () => {
    const { continue: token } = await list({ limit: 2 });
    await maps.delete('c');
    await maps.create('e');
    await maps.create('aa');
    await maps.registry.clock.advance(5 * MINUTE + 1);
    await maps.create('f');
    const error = await refusal(list({ limit: 2, continue: token }));
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
    expect(error.message).toMatch(/^The provided continue parameter is too old to display a consistent list result/);
    const fresh = error.status.metadata?.continue ?? '';
    expect(fresh).not.toBe('');
    const rest = await list({ limit: 2, continue: fresh });
    expect({ names: namesOf(maps.store, rest), revision: rest.revision }).toEqual({ names: ['d', 'e'], revision: 11 });
    await maps.create('g');
    // From here on the list is consistent again, at the revision at which it was resumed.
    expect(await summary(list({ limit: 2, continue: rest.continue }))).toEqual({ names: ['f'], revision: 11 });
  });

  test('are valid as long as the history is kept', async () => {
    const { continue: token } = await list({ limit: 2 });
    await maps.registry.clock.advance(4 * MINUTE);
    await maps.create('z');
    expect(await summary(list({ continue: token }))).toEqual({ names: ['c', 'd'], revision: 7 });
  });
});

describe('remainingItemCount', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await maps.create(name, { labels: { odd: String('ace'.includes(name)) } });
  });

  test('is the exact number of further objects on every page but the last', async () => {
    const seen: (number | undefined)[] = [];
    let token: string | undefined;
    do {
      const page = await list({ limit: 2, ...(token === undefined ? {} : { continue: token }) });
      seen.push(page.remainingItemCount);
      token = page.continue;
    } while (token !== '');
    expect(seen).toEqual([3, 1, undefined]);
  });

  test.each<[string, ListOptions]>([
    ['a label selector', { limit: 1, ...labels('odd=true') }],
    ['a field selector', { limit: 1, ...fields('metadata.name!=a') }],
  ])('is omitted with %s', async (_name, options) => {
    const page = await list(options);
    expect(page.continue).not.toBe('');
    expect(page.remainingItemCount).toBeUndefined();
  });

  test.each([5, 6, 0, -1])('is omitted when the list is complete (limit %i)', async (limit) => {
    const page = await list({ limit });
    expect([page.records.length, page.continue, page.remainingItemCount]).toEqual([5, '', undefined]);
  });

  test('does not count objects created later', async () => {
    const first = await list({ limit: 2 });
    await maps.create('f');
    expect((await list({ limit: 2, continue: first.continue })).remainingItemCount).toBe(1);
  });
});

describe('pages', () => {
  test('with a selector contain exactly the matching objects, each once', async () => {
    for (let index = 0; index < 1203; index += 1)
      await maps.create(`m-${String(index).padStart(4, '0')}`, { labels: { third: String(index % 3 === 0) } });
    const seen: string[] = [];
    const sizes: number[] = [];
    let token: string | undefined;
    do {
      const page = await list({
        limit: 150,
        ...labels('third=true'),
        ...(token === undefined ? {} : { continue: token }),
      });
      seen.push(...namesOf(maps.store, page));
      sizes.push(page.records.length);
      token = page.continue;
    } while (token !== '');
    expect(sizes).toEqual([150, 150, 101]);
    expect(seen).toEqual(Array.from({ length: 401 }, (_, index) => `m-${String(index * 3).padStart(4, '0')}`));
  });

  test('show one state, whatever is written in between', async () => {
    const before = Array.from({ length: 40 }, (_, index) => `k-${String(index).padStart(2, '0')}`);
    for (const name of before) await maps.create(name, { data: { written: 'before' } });
    const revision = await maps.registry.storage.currentRevision();
    const seen: string[] = [];
    let token: string | undefined;
    let turn = 0;
    do {
      const page = await list({ limit: 7, ...(token === undefined ? {} : { continue: token }) });
      expect(page.revision).toBe(revision);
      for (const record of page.records) {
        expect(maps.store.read(record)['data']).toEqual({ written: 'before' });
        expect(record.modRevision).toBeLessThanOrEqual(revision);
      }
      seen.push(...namesOf(maps.store, page));
      token = page.continue;
      await maps.create(`k-${String(turn * 7 + 3).padStart(2, '0')}x`);
      for (const name of before.slice(turn * 5, turn * 5 + 5)) await maps.delete(name);
      for (const name of before.slice(35))
        await maps.replace(name, { data: { written: `in turn ${turn}` } }).catch(() => undefined);
      turn += 1;
    } while (token !== '');
    expect(seen).toEqual(before);
  });

  test('of all namespaces are sorted by namespace, then by name', async () => {
    for (const [namespace, name] of [
      ['b', 'a'],
      ['a', 'z'],
      ['a-b', 'x'],
      ['a', 'b'],
    ] as const)
      await maps.create(name, {}, namespace);
    const all = await list({ limit: 3 }, '');
    const rest = await list({ limit: 3, continue: all.continue }, '');
    expect([...all.records, ...rest.records].map((record) => record.key)).toEqual(
      ['a-b/x', 'a/b', 'a/z', 'b/a'].map((key) => `/registry/configmaps/${key}`),
    );
  });

  test('by a name contain that object only', async () => {
    await maps.create('a');
    await maps.create('ab');
    expect(await summary(list(fields('metadata.name=a')))).toEqual({ names: ['a'], revision: 3 });
    expect(await summary(list({ ...fields('metadata.name=a'), limit: 1 }))).toEqual({ names: ['a'], revision: 3 });
    expect(
      await summary(list({ ...fields('metadata.name=a'), resourceVersion: '2', resourceVersionMatch: 'Exact' })),
    ).toEqual({ names: ['a'], revision: 2 });
    expect(await summary(list(fields('metadata.name=a,metadata.name=ab')))).toEqual({ names: [], revision: 3 });
    expect(await summary(list(fields('metadata.name=b')))).toEqual({ names: [], revision: 3 });
  });
});
