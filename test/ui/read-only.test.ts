import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { withPage } from '../../src/ui/index.js';
import { jsonOf, requestOf, textOf } from '../server/ask.js';

const tokens = [{ token: 'admin', user: { username: 'alice', groups: ['system:masters'] } }];

let server: ApiServer;
let pages: ReturnType<typeof withPage>;
let session: Record<string, string>;

beforeAll(async () => {
  server = new ApiServer({ dialect: 'kubernetes', authentication: { tokens } });
  pages = withPage(server.target, { readOnly: true });
  const body = JSON.stringify({ token: 'admin' });
  const begun = await pages.handle(requestOf('POST', '/ui/v1/session', { token: '', body, headers: SAME }));
  expect(begun.status).toBe(201);
  const cookie = [begun.headers['set-cookie'] ?? []].flat().at(-1) ?? '';
  session = { 'x-ui-session': String(jsonOf(begun)['key']), cookie: cookie.split(';', 1)[0] ?? '' };
  await server
    .client()
    .resource({ apiVersion: 'v1', kind: 'ConfigMap' })
    .namespace('default')
    .create({ metadata: { name: 'kept' } });
});
afterAll(() => server.close());

const SAME = { 'sec-fetch-site': 'same-origin', host: 'h', origin: 'https://h' };

/** How a request comes from the page. */
const ways: readonly [string, () => { readonly token: string; readonly headers: Record<string, string> }][] = [
  ['with a session', () => ({ token: '', headers: session })],
  ['with a token, as a browser marks it', () => ({ token: 'admin', headers: { 'sec-fetch-site': 'same-origin' } })],
  ['with a token, by its origin', () => ({ token: 'admin', headers: { origin: 'https://h', host: 'h' } })],
];

const send = (method: string, path: string, asked: Parameters<typeof requestOf>[2]): Promise<ApiResponse> =>
  pages.handle(requestOf(method, path, asked));

const CORE = '/api/v1/namespaces/default';
const map = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } });

describe.each(ways)('a page that can only read, %s', (_, way) => {
  test.each([
    ['POST', `${CORE}/configmaps`],
    ['POST', `${CORE}/configmaps?dryRun=All`],
    ['PUT', `${CORE}/configmaps/kept`],
    ['PATCH', `${CORE}/configmaps/kept`],
    ['DELETE', `${CORE}/configmaps/kept`],
    ['DELETE', `${CORE}/configmaps`],
    ['DELETE', `${CORE}/%63onfigmaps/kept`],
    ['POST', `${CORE}/pods/web/binding`],
    ['POST', `${CORE}/pods/web/eviction`],
    ['POST', `${CORE}/bindings`],
    ['POST', `${CORE}/serviceaccounts/default/token`],
    ['PUT', '/apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval'],
    ['GET', `${CORE}/pods/web/exec?command=rm`],
    ['GET', `${CORE}/pods/web/attach`],
    ['GET', `${CORE}/pods/web/portforward`],
    ['GET', `${CORE}/pods/web/proxy/delete`],
    ['GET', `${CORE}/services/web/proxy/delete`],
    ['GET', '/api/v1/nodes/n/proxy/run'],
    ['GET', '/api/v1/proxy/namespaces/default/pods/web'],
    ['GET', '/apis/aggregated.example/v1/machines/m/console'],
    ['POST', '/apis/aggregated.example/v1/selfsubjectreviews'],
    ['POST', '/ui/v1/test/reset'],
    ['POST', '/healthz'],
    ['PROPFIND', '/api/v1/pods'],
  ])('is refused %s %s', async (method, path) => {
    const answer = await send(method, path, { ...way(), body: map });
    expect([answer.status, textOf(answer)]).toEqual([403, expect.stringContaining('the page is read-only')]);
  });

  test('sees all, and asks', async () => {
    for (const path of [`${CORE}/configmaps/kept`, '/api/v1/pods', '/apis', '/readyz', '/ui/v1/counts'])
      expect([path, (await send('GET', path, way())).status]).toEqual([path, 200]);
    const review = (group: string, kind: string, spec: object) =>
      JSON.stringify({ apiVersion: `${group}.k8s.io/v1`, kind, spec });
    const self = review('authentication', 'SelfSubjectReview', {});
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await send('POST', path, { ...way(), body: self })).status).toBe(201);
    const may = review('authorization', 'SelfSubjectAccessReview', {
      nonResourceAttributes: { path: '/', verb: 'get' },
    });
    const asked = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect((await send('POST', asked, { ...way(), body: may })).status).toBe(201);
    const why = JSON.stringify({ verb: 'get', resource: 'pods' });
    expect((await send('POST', '/ui/v1/explain', { ...way(), body: why })).status).toBe(200);
    expect(jsonOf(await send('GET', '/ui/v1/info', way()))).toMatchObject({ readOnly: true });
  });

  test('watches over WebSocket, and connects to nothing', async () => {
    const open = (path: string) => pages.handleWebSocket?.(requestOf('GET', path, way()));
    expect(await open(`${CORE}/pods/web/exec?command=sh`)).toMatchObject({ refuse: { status: 403 } });
    const watch = await open(`${CORE}/configmaps?watch=1`);
    expect(textOf((watch as { refuse?: ApiResponse }).refuse ?? { status: 0, headers: {}, body: '' })).not.toContain(
      'read-only',
    );
  });
});

test('a page that can only read does not restrict programs, nor does it keep anybody signed in', async () => {
  const made = await send('POST', `${CORE}/configmaps`, { token: 'admin', body: map });
  expect(made.status).toBe(201);
  const remote = { token: 'admin', headers: { origin: 'https://other', host: 'h', 'sec-fetch-site': 'cross-site' } };
  expect((await send('DELETE', `${CORE}/configmaps/made`, remote)).status).toBe(200);
  expect((await send('DELETE', '/ui/v1/session', { token: '', headers: session })).status).toBe(200);
});

test('a page that can write does, on the same server', async () => {
  const { handle } = withPage(server.target);
  const answer = await handle(requestOf('DELETE', `${CORE}/configmaps/kept`, { headers: SAME }));
  expect(answer.status).toBe(200);
  expect(jsonOf(await handle(requestOf('GET', '/ui/v1/info')))).toMatchObject({ readOnly: false });
});
