import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../src/entries/testing.js';
import { ConfigMap, systemClock } from '../../src/entries/index.js';
import { toFetchHandler } from '../../src/entries/fetch.js';
import { Api } from '../../src/ui/web/data/api.js';
import { addressOf, NO_ACCESS, NO_QUERY, NO_TRAFFIC, routeOf, type Route } from '../../src/ui/web/data/address.js';
import { changesBetween } from '../../src/foundation/index.js';
import { conflictsWith, patchOf, withFields } from '../../src/ui/web/data/changes.js';
import { shortest } from '../../src/ui/web/data/template.js';
import { isApiObject, isJson } from '../../src/ui/web/data/guards.js';
import type { PageClock } from '../../src/ui/web/data/clock.js';
import { kindsLike, readKinds } from '../../src/ui/web/data/kinds.js';
import { LiveTable } from '../../src/ui/web/data/live-table.js';
import { RowOrder } from '../../src/ui/web/data/row-order.js';
import { ageText, type Row } from '../../src/ui/web/data/rows.js';
import { keepReturn, providerAddress, providerAnswer, takeReturn } from '../../src/ui/web/data/provider.js';
import { ownedOf } from '../../src/ui/web/data/owners.js';
import { Session } from '../../src/ui/web/data/session.js';
import { yamlLines } from '../../src/ui/web/data/yaml-lines.js';
import { objectIn, textOf } from '../../src/ui/web/data/yaml-text.js';
import { TestTab } from './still.js';

const clock: PageClock = {
  now: () => systemClock.now(),
  after: (ms, callback) => {
    const timer = systemClock.after(Math.min(ms, 1), callback);
    return () => timer.cancel();
  },
};

const storeOf = (kept: Map<string, string>) => ({
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
});

describe('the return of an OpenID provider', () => {
  test('is a route of the page, whatever has been kept', () => {
    const kept = new Map<string, string>();
    const route: Route = { at: 'table', group: '', version: 'v1', plural: 'pods', query: { ...NO_QUERY, text: 'a?b' } };
    keepReturn(storeOf(kept), route);
    expect(takeReturn(storeOf(kept))).toEqual(route);
    // Once.
    expect(takeReturn(storeOf(kept))).toEqual({ at: 'home' });
    for (const wrong of [
      ...['https://evil.example/', '//evil.example', '/\\evil.example', '\\evil.example', 'javascript:alert(1)'],
      ...['/ui/../evil', '%2f%2fevil.example', 'r/%2e%2e/%2e%2e/x', 'r/..//evil.example/v1', '..//evil.example'],
    ]) {
      const address = new URL(addressOf(takeReturn(storeOf(new Map([['return', wrong]])))), 'https://own.example/ui/');
      expect(address.href).toMatch(/^https:\/\/own\.example\/ui\//);
    }
  });

  test('shows no text of its address', () => {
    expect(providerAnswer('sign-in', '?code=a&state=b&iss=https://i')).toEqual({
      ...{ code: 'a', state: 'b', iss: 'https://i' },
    });
    for (const path of ['', 'r/core/v1/pods']) expect(providerAnswer(path, '?code=a&state=b')).toBeUndefined();
    expect(providerAnswer('sign-in', '')).toBeUndefined();
    expect(providerAnswer('sign-in', '?error=access_denied&error_description=call%20us')).toEqual({
      failure: 'The provider did not sign you in: access was denied',
    });
    expect(providerAnswer('sign-in', '?error=call%20us')).toEqual({ failure: 'The provider did not sign you in' });
  });

  test.each(['javascript:alert(1)', 'http://issuer.example', '/ui', 1, undefined])('is not %o', async (url) => {
    const fetcher = () => Promise.resolve(Response.json({ url }));
    const root = new URL('https://own.example/');
    await expect(providerAddress(root, new URL('ui/', root), undefined, fetcher)).rejects.toThrow('no address');
  });
});

describe('addresses', () => {
  const query = { ...NO_QUERY, namespaces: ['a', 'b'], labels: 'app=web,x!=y', text: 'ä&b', sort: '-age' };
  const routes: Route[] = [
    { at: 'home' },
    { at: 'access', query: { ...NO_ACCESS, user: 'a b', verb: 'delete', resource: '/metrics' } },
    { at: 'traffic', query: { ...NO_TRAFFIC, code: '4xx', path: '/a?b', show: 'now,controllers' } },
    { at: 'create', group: '', version: 'v1', plural: 'pods', namespace: 'shop' },
    { at: 'create', group: 'apps', version: 'v1', plural: 'deployments', namespace: undefined },
    { at: 'table', group: '', version: 'v1', plural: 'pods', query: { ...query, past: '12' } },
    {
      ...{ at: 'object', group: '', version: 'v1', plural: 'pods', namespace: 'shop', name: 'web' },
      ...{ tab: 'history', past: '12' },
    },
    { at: 'table', group: '', version: 'v1', plural: 'pods', query },
    { at: 'table', group: 'apps', version: 'v1', plural: 'deployments', query: NO_QUERY },
    {
      at: 'object',
      group: '',
      version: 'v1',
      plural: 'nodes',
      namespace: undefined,
      name: 'system:a/b?',
      tab: 'events',
    },
    { at: 'object', group: '', version: 'v1', plural: 'pods', namespace: 'shop', name: 'web', tab: 'yaml' },
  ];
  test.each(routes)('hold all of %o', (route) => {
    const { pathname, search } = new URL(addressOf(route), 'http://host/');
    expect(routeOf(pathname, search)).toEqual(route);
  });
  test('that mean nothing are home', () => {
    for (const path of ['x/y', 'r/core', 'r/core/v1', '%', 'r/%ff']) expect(routeOf(path, '')).toEqual({ at: 'home' });
  });
});

describe('values from elsewhere', () => {
  test('are JSON if JSON has them', () => {
    for (const value of [null, 'a', 1, 2n ** 60n, true, [], {}, [{ a: [1, { b: undefined }] }]])
      expect([value, isJson(value)]).toEqual([value, true]);
    const deep = Array.from({ length: 5000 }).reduce<unknown>((inner) => [inner], 1);
    for (const value of [undefined, NaN, Infinity, new Date(0), new Map(), [() => 1], { a: Symbol('b') }, deep])
      expect(isJson(value)).toBe(false);
  });
  test('are objects if they have a kind and metadata', () => {
    expect(isApiObject({ apiVersion: 'v1', kind: 'Pod', metadata: {} })).toBe(true);
    for (const value of [
      null,
      [],
      'a',
      {},
      { kind: 'Pod', metadata: {} },
      { apiVersion: 'v1', kind: 'Pod', metadata: [] },
    ])
      expect(isApiObject(value)).toBe(false);
  });
  test('are not sent if JSON has no form for them', () => {
    expect(() => patchOf([{ path: ['a'], before: undefined, after: new Date(0) }], {})).toThrow(TypeError);
  });
});

describe('the session', () => {
  test('keeps the key of a session in the tab, and a token nowhere', () => {
    const kept = new Map<string, string>();
    const session = new Session(storeOf(kept));
    expect(session.headers).toEqual({});
    session.signIn({ by: 'token', token: 'secret' });
    expect([session.headers, kept.size]).toEqual([{ authorization: 'Bearer secret' }, 0]);
    session.signIn({ by: 'session', key: 'half' });
    expect(new Session(storeOf(kept)).headers).toEqual({ 'x-ui-session': 'half' });
    expect([...kept.values()]).toEqual(['half']);
    session.signOut();
    expect([session.headers, kept.size]).toEqual([{}, 0]);
  });
});

describe('rows', () => {
  const row = (name: string, namespace: string, created: string, ready: number): Row => ({
    ...{ uid: name, name, namespace, created, cells: [name, ready, ''], changedAt: undefined, goneAt: undefined },
  });
  const columns = ['Name', 'Ready', 'Age'].map((name) => ({ name, type: 'string' }));
  const rows = [row('b-2', 'x', '2024-01-01', 2), row('a-10', 'y', '2024-01-03', 10), row('a-9', 'x', '2024-01-02', 1)];
  const names = (more: { text?: string; sort?: string; namespaces?: string[] }): string[] =>
    new RowOrder()
      .shown(new Map(rows.map((each) => [each.uid, each])), { columns, namespaces: [], text: '', sort: '', ...more })
      .map(({ name }) => name);

  test('are sorted by numbers, by numbers in names, and by age, both ways', () => {
    expect(names({ sort: 'name' })).toEqual(['a-9', 'a-10', 'b-2']);
    expect(names({ sort: '-ready' })).toEqual(['a-10', 'b-2', 'a-9']);
    expect(names({ sort: 'age' })).toEqual(['a-10', 'a-9', 'b-2']);
    expect(names({ sort: 'none' })).toEqual(['b-2', 'a-10', 'a-9']);
  });
  test('are filtered by text in any case, and by namespaces', () => {
    expect(names({ text: 'A-' })).toEqual(['a-10', 'a-9']);
    expect(names({ namespaces: ['x'] })).toEqual(['b-2', 'a-9']);
  });
  test('have ages in the largest unit', () => {
    expect([0, 59_999, 60_000, 7_200_000, 172_800_000, -5].map(ageText)).toEqual(['0s', '59s', '1m', '2h', '2d', '0s']);
  });
});

describe('lines of YAML', () => {
  test('say who owns a field: of maps, of lists by key and by value, and of what is owned as a whole', () => {
    const object = {
      metadata: {
        finalizers: ['a', 'b'],
        managedFields: [
          {
            manager: 'one',
            operation: 'Update',
            fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a"': {} } }, 'f:whole': {} },
          },
          {
            manager: 'two',
            operation: 'Apply',
            fieldsV1: { 'f:list': { 'k:{"name":"x"}': { '.': {}, 'f:port': {} } } },
          },
        ],
      },
      whole: { deep: 1 },
      list: [
        { name: 'w', port: 1 },
        { name: 'x', port: 2 },
      ],
    };
    const shown = { ...object, metadata: { finalizers: object.metadata.finalizers } };
    expect(
      yamlLines(shown, ownedOf(object)).map(({ text, owners }) => [text, owners.map(({ manager }) => manager).join()]),
    ).toEqual([
      ['metadata:', ''],
      ['  finalizers:', 'one'],
      ['  - a', 'one'],
      ['  - b', ''],
      ['whole:', 'one'],
      ['  deep: 1', 'one'],
      ['list:', ''],
      ['- name: w', ''],
      ['  port: 1', ''],
      ['- name: x', ''],
      ['  port: 2', 'two'],
    ]);
  });

  test('mean what the object is, and show characters that would change how others look', () => {
    const object = {
      texts: ['yes', '010', 'a: b', '', ' x', '- y', '#', 'null', '1e3', 'plain', 'ä'],
      block: 'a\nb\n',
      open: 'a\n\n  b',
      odd: 'a \nb',
      nested: [[1, 2], [{ a: [] }], {}],
      'odd: key': null,
      big: 12345678901234567890n,
    };
    const text = yamlLines(object, [])
      .map((line) => line.text)
      .join('\n');
    expect(objectIn(text)).toEqual(object);
    expect(yamlLines({ a: 'x\u202ey', b: 'l1\nl\u20282' }, []).map((line) => line.text)).toEqual([
      'a: "x\\u{202e}y"',
      'b: "l1\\nl\\u{2028}2"',
    ]);
  });

  test('cut long texts', () => {
    const [line] = yamlLines({ a: 'x'.repeat(100_000) }, []);
    expect(line?.text.length).toBeLessThan(4200);
    expect(line?.text).toMatch(/# cut: 100000 characters in all$/);
  });
});

describe('edited text', () => {
  test('keeps integers that numbers cannot hold, and says where it is wrong', () => {
    expect(objectIn(textOf({ a: 9007199254740993n, b: 1, c: 1.5 }))).toEqual({ a: 9007199254740993n, b: 1, c: 1.5 });
    expect(() => objectIn('a: 1\nb: [')).toThrow(/line 2|line 3/);
  });
});

describe('changes', () => {
  const base = { spec: { a: 1, b: { c: 2 }, l: [1] }, x: { 'a/b~': 1 } };
  test('are the fields that differ; a list is one', () => {
    const after = { spec: { a: 1, b: { c: 3 }, l: [1, 2], n: {} }, x: {} };
    expect(changesBetween(base, after).map(({ path }) => path.join('.'))).toEqual([
      'spec.b.c',
      'spec.l',
      'spec.n',
      'x.a/b~',
    ]);
    expect(patchOf(changesBetween(base, after), base)).toEqual([
      { op: 'test', path: '/spec/b/c', value: 2 },
      { op: 'replace', path: '/spec/b/c', value: 3 },
      { op: 'test', path: '/spec/l', value: [1] },
      { op: 'replace', path: '/spec/l', value: [1, 2] },
      { op: 'add', path: '/spec/n', value: {} },
      { op: 'test', path: '/x/a~1b~0', value: 1 },
      { op: 'remove', path: '/x/a~1b~0' },
    ]);
  });
  test('meet where others changed the field, a part of it, or what it is in, to something else', () => {
    const mine = changesBetween(base, { ...base, spec: { ...base.spec, a: 5, b: { c: 6 } } });
    const conflicts = (spec: object): string[] =>
      conflictsWith(mine, changesBetween(base, { ...base, spec })).map(({ path }) => path.join('.'));
    expect(conflicts({ ...base.spec, l: [] })).toEqual([]);
    expect(conflicts({ ...base.spec, a: 5 })).toEqual([]);
    expect(conflicts({ ...base.spec, a: 6 })).toEqual(['spec.a']);
    expect(conflicts({ a: 1, l: [1] })).toEqual(['spec.b.c']);
  });
});

describe('fields', () => {
  test('are replaced, made and left out, and the object stays as it was', () => {
    const object = { a: { b: 1, c: 2 }, d: [1] };
    const changed = withFields(object, [
      { path: ['a', 'b'], value: 3 },
      { path: ['a', 'c'], value: undefined },
      { path: ['e', 'f', 'g'], value: 4 },
    ]);
    expect(changed).toEqual({ a: { b: 3, c: undefined }, d: [1], e: { f: { g: 4 } } });
    expect(textOf(changed)).not.toContain('c:');
    expect(object).toEqual({ a: { b: 1, c: 2 }, d: [1] });
  });
});

describe('a template', () => {
  test('is the shortest value of a schema, also of one that contains itself', () => {
    const schemas = {
      Node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Node' } } },
    };
    expect(shortest({ type: 'string', minLength: 2 }, {}, 5)).toBe('xx');
    expect(shortest({ type: 'string', enum: ['b', 'a'] }, {}, 5)).toBe('b');
    expect(shortest({ type: 'integer', minimum: 3 }, {}, 5)).toBe(3);
    expect(shortest({ type: 'array', minItems: 2, items: { default: 'd' } }, {}, 5)).toEqual(['d', 'd']);
    expect(JSON.stringify(shortest(schemas.Node, schemas, 12))).toMatch(/^(?:\{"next":)+\{\}\}+$/);
  });
});

describe('with a server', () => {
  test.each(['kubernetes', 'orch'] as const)(
    'of the dialect %s, finds kinds, and keeps a table current',
    async (dialect) => {
      const options = {
        dialect,
        authentication: { tokens: [{ token: 'admin', user: { username: 'alice', groups: ['system:masters'] } }] },
      };
      await using api = await startTestServer(options);
      await using other = await startTestServer(options);
      let handle = toFetchHandler(api.server);
      const session = new Session(storeOf(new Map()));
      session.signIn({ by: 'token', token: 'admin' });
      const seen: string[] = [];
      let cut: AbortController | undefined;
      const send: typeof fetch = async (to, init) => {
        const url = new URL(String(to));
        const request = new Request(url, init);
        seen.push(url.search);
        if (!url.searchParams.has('watch')) return handle(request);
        cut = new AbortController();
        return handle(new Request(request, { signal: AbortSignal.any([request.signal, cut.signal]) }));
      };
      const page = await Api.open(new URL('https://host/'), session, send);
      expect(page.user).toBe('alice');
      const kinds = await readKinds(page);
      expect(kindsLike(kinds, 'cm')[0]?.kind).toBe('ConfigMap');
      expect(kindsLike(kinds, 'deploy')[0]?.kind).toBe('Deployment');

      const maps = api.server.client().resource(ConfigMap).namespace('default');
      for (let number = 0; number < 3; number += 1) await maps.create({ metadata: { name: `m-${number}` } });
      const table = new LiveTable(
        page,
        { path: 'api/v1/namespaces/default/configmaps', labels: '', fields: 'metadata.name!=x' },
        { clock, sight: new TestTab(clock).sight },
        () => undefined,
      );
      const running = table.run();
      const names = (): string[] =>
        [...table.rows]
          .filter(({ goneAt }) => goneAt === undefined)
          .map(({ name }) => name)
          .sort();
      await expect.poll(() => table.liveness.is).toBe('live');
      expect(names().filter((name) => name.startsWith('m-'))).toEqual(['m-0', 'm-1', 'm-2']);
      expect(table.columns.map(({ name }) => name)).toContain('Data');
      await maps.create({ metadata: { name: 'n' }, data: { a: '1' } });
      await expect.poll(names).toContain('n');
      await maps.delete('m-0');
      await expect.poll(names).not.toContain('m-0');
      // The connection is lost: it resumes where it was, without a list of more than one object, for its version.
      const lists = (): number => seen.filter((search) => /limit=(?!1(?:&|$))/.test(search)).length;
      const before = lists();
      cut?.abort();
      await maps.create({ metadata: { name: 'o' } });
      await expect.poll(names).toContain('o');
      expect(lists()).toBe(before);
      // A server that has lost its store has lower versions, and other objects.
      await other.server
        .client()
        .resource(ConfigMap)
        .namespace('default')
        .create({ metadata: { name: 'p' } });
      handle = toFetchHandler(other.server);
      cut?.abort();
      await expect.poll(names).toContain('p');
      await expect.poll(names).not.toContain('o');
      expect(lists()).toBe(before + 1);
      table.close();
      await running;
    },
  );
});
