import { describe, expect, test } from 'vitest';
import { startTestServer } from '../../src/entries/testing.js';
import { withPage } from '../../src/ui/index.js';
import { addressOf, routeOf } from '../../src/ui/web/data/address.js';
import { actionsOfKind } from '../../src/ui/web/data/actions.js';
import { forEachAtOnce } from '../../src/ui/web/data/at-once.js';
import { labelsIn } from '../../src/ui/web/data/bulk.js';
import { fieldErrorsIn, pathOfField } from '../../src/ui/web/data/field-errors.js';
import type { PageKind } from '../../src/ui/web/data/kinds.js';
import { RowOrder } from '../../src/ui/web/data/row-order.js';
import { rowOf, type Row, type RowView } from '../../src/ui/web/data/rows.js';
import { Session } from '../../src/ui/web/data/session.js';
import { lineOf } from '../../src/ui/web/data/yaml-text.js';
import { requestOf, textOf } from '../server/ask.js';

describe('rows that are held', () => {
  const columns = [{ name: 'Name', type: 'string' }];
  const view: RowView = { columns, namespaces: [], text: '', sort: 'name' };
  const rowNamed = (name: string, uid = name): Row => rowOf({ cells: [name], object: { metadata: { uid, name } } }, 1);
  const mapOf = (...rows: Row[]): Map<string, Row> => new Map(rows.map((row) => [row.uid, row]));
  const names = (rows: readonly Row[]): string => rows.map(({ name }) => name).join();

  test('keep their places: new ones wait, gone ones stay, and changed ones move only later', () => {
    const order = new RowOrder();
    const [b, d, f] = ['b', 'd', 'f'].map((name) => rowNamed(name));
    if (b === undefined || d === undefined || f === undefined) throw new Error('three rows');
    expect(names(order.shown(mapOf(f, b, d), view))).toBe('b,d,f');
    const renamed = rowNamed('z', 'b');
    const others = mapOf(f, renamed, rowNamed('a'), rowNamed('e'));
    expect([names(order.shown(others, view, true)), order.waiting, order.gone]).toEqual(['z,d,f', 2, 1]);
    // Nothing has changed: nothing need be drawn.
    expect(order.shown(others, view, true)).toBe(order.shown(others, view, true));
    expect([names(order.shown(others, view)), order.waiting, order.gone]).toEqual(['a,e,f,z', 0, 0]);
  });

  test('are sorted again by another order or filter, and when they are let go for a moment', () => {
    const order = new RowOrder();
    const rows = mapOf(rowNamed('b'), rowNamed('c'));
    order.shown(rows, view);
    rows.set('a', rowNamed('a'));
    expect(names(order.shown(rows, view, true))).toBe('b,c');
    expect(names(order.shown(rows, { ...view, sort: '-name' }, true))).toBe('c,b,a');
    rows.set('d', rowNamed('d'));
    expect(names(order.shown(rows, { ...view, sort: '-name' }, true))).toBe('c,b,a');
    order.release();
    expect([names(order.shown(rows, { ...view, sort: '-name' }, true)), order.waiting]).toEqual(['d,c,b,a', 0]);
  });

  test('that do not pass the filter do not wait, and without an order none moves either', () => {
    const order = new RowOrder();
    const unsorted = { ...view, sort: '', text: 'x' };
    const rows = mapOf(rowNamed('x2'), rowNamed('x1'));
    expect(names(order.shown(rows, unsorted))).toBe('x2,x1');
    rows.delete('x2');
    rows.set('y', rowNamed('y'));
    rows.set('x3', rowNamed('x3'));
    expect([names(order.shown(rows, unsorted, true)), order.waiting]).toEqual(['x2,x1', 1]);
    expect(names(order.shown(rows, unsorted))).toBe('x1,x3');
  });
});

describe('what is done to many', () => {
  test('is begun for a few at once, for all, and no longer after an end', async () => {
    let [running, most] = [0, 0];
    const seen: number[] = [];
    const work = async (item: number): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      seen.push(item);
      running -= 1;
    };
    await forEachAtOnce([1, 2, 3, 4, 5, 6, 7], new AbortController().signal, work);
    expect([seen.toSorted(), most]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3]);
    const ended = new AbortController();
    seen.length = 0;
    await forEachAtOnce([1, 2, 3, 4, 5, 6, 7], ended.signal, (item) => {
      ended.abort();
      return work(item);
    });
    expect(seen).toEqual([1]);
  });

  test('labels are read as kubectl reads them', () => {
    expect(labelsIn(' app=web tier-, empty= ')).toEqual({ app: 'web', tier: null, empty: '' });
    expect(labelsIn('a.b/c=d')).toEqual({ 'a.b/c': 'd' });
    for (const wrong of ['app', '=web', '-', 'a=b=c', 'app=web tier'])
      expect([wrong, labelsIn(wrong)]).toEqual([wrong, undefined]);
  });

  test('a kind has its actions, in whichever state its objects are', () => {
    const kindOf = (group: string, kind: string, subresources: string[] = []): PageKind => ({
      ...{ group, kind, subresources, version: 'v1', plural: kind, namespaced: true, shortNames: [], verbs: [] },
    });
    const titles = (kind: PageKind): string[] => actionsOfKind(kind).map(({ title }) => title);
    expect(titles(kindOf('apps', 'Deployment', ['scale']))).toEqual(['Scale…', 'Restart…']);
    expect(titles(kindOf('', 'Node'))).toEqual(['Cordon…', 'Uncordon…']);
    expect(titles(kindOf('certificates.k8s.io', 'X', ['approval']))).toEqual(['Approve…', 'Deny…']);
    expect(titles(kindOf('', 'ConfigMap'))).toEqual([]);
  });
});

describe('what the server objects to', () => {
  const text = 'spec:\n  list:\n    # one\n    - a: 1\n    - a: 2\n      "b.c/d": x\nmetadata: {labels: {x: "1"}}\n';

  test.each([
    ['spec.list[1].a', 5],
    ['.spec.list[0].a', 4],
    ['spec.list[1][b.c/d]', 6],
    // The nearest that is there.
    ['spec.list[1].none.more', 5],
    ['spec.list[7]', 2],
    ['spec.none', 1],
    ['metadata.labels[x]', 7],
    ['status.x', undefined],
    ['', undefined],
  ])('in %s is at line %s', (field, line) => {
    expect(lineOf(text, pathOfField(field))).toBe(line);
  });

  test('is told by the causes of a failure, and by the words about unknown fields', () => {
    const failure = Object.assign(new Error('strict decoding error: unknown field "spec.odd", duplicate field "a"'), {
      status: { details: { causes: [{ field: 'spec.x', message: 'too small' }, { message: 'of the whole' }, 1] } },
    });
    expect(fieldErrorsIn(failure)).toEqual([
      { field: 'spec.x', message: 'too small' },
      { field: 'spec.odd', message: 'unknown field' },
      { field: 'a', message: 'duplicate field' },
    ]);
    for (const other of [undefined, 'x', new Error('no'), { status: { details: { causes: 'x' } } }])
      expect(fieldErrorsIn(other)).toEqual([]);
  });
});

test('an address names two versions to compare, and the groups of a user', () => {
  const route = routeOf('r/core/v1/configmaps/a/b', '?diff=1..now');
  expect(route).toMatchObject({ at: 'object', tab: 'history', diff: '1..now' });
  expect(addressOf(route)).toBe('r/core/v1/configmaps/a/b?tab=history&diff=1..now');
  expect(routeOf('access', '?user=a&groups=b,c')).toMatchObject({ query: { user: 'a', groups: 'b,c' } });
});

test('a page is viewed as a user with groups, whatever their names have in them', async () => {
  const tokens = [{ token: 'admin', user: { username: 'alice', groups: ['system:masters'] } }];
  await using api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
  const { handle } = withPage(api.server.target);
  const kept = new Map<string, string>();
  const session = new Session({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  });
  session.signIn({ by: 'token', token: 'admin' });
  session.viewedAs = { user: 'bob', groups: ['one', 'a, b', 'café'] };
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const answer = await handle(
    requestOf('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      headers: { ...session.headers, 'content-type': 'application/json' },
      body,
    }),
  );
  expect(JSON.parse(textOf(answer))).toMatchObject({
    status: { userInfo: { username: 'bob', groups: ['one', 'a, b', 'café', 'system:authenticated'] } },
  });
  // Each is authorized: alice may impersonate all, bob nobody.
  const refused = await handle(requestOf('GET', '/api/v1/namespaces/default/configmaps', { headers: session.headers }));
  expect(refused.status).toBe(403);
});
