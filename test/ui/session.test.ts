import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../src/entries/testing.js';
import { ApiServer } from '../../src/entries/index.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { withPage } from '../../src/ui/index.js';
import { requestOf, textOf, type Asked } from '../server/ask.js';

/** Its session has a cookie of almost four kilobytes. */
const LONG_TOKEN = 'l'.repeat(2800);
const tokens = [
  { token: LONG_TOKEN, user: { username: 'carol', groups: [] } },
  { token: 'a', user: { username: 'alice', groups: ['system:masters'] } },
  { token: 'b', user: { username: 'bob', groups: [] } },
];

/** A server with its page. */
function served() {
  const clock = createManualClock();
  const server = new ApiServer({ dialect: 'kubernetes', clock, authentication: { tokens } });
  const { handle, handleWebSocket } = withPage(server.target);
  const send = (method: string, path: string, asked: Asked = {}): Promise<ApiResponse> =>
    handle(requestOf(method, path, { token: '', ...asked }));
  const begin = (body: object, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    send('POST', '/ui/v1/session', { body: JSON.stringify(body), headers });
  return { clock, server, send, begin, handleWebSocket };
}

/** The halves of the session that an answer begins. */
function halves(answer: ApiResponse): { readonly key: string; readonly cookie: string } {
  expect(answer.status).toBe(201);
  const cookie = [answer.headers['set-cookie'] ?? []].flat().at(-1) ?? '';
  return { key: JSON.parse(textOf(answer)).key, cookie: cookie.split(';', 1)[0] ?? '' };
}

const fieldsOf = ({ key, cookie }: { readonly key: string; readonly cookie: string }): Record<string, string> => ({
  'x-ui-session': key,
  cookie: `other=1; ${cookie}`,
});

const ME = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const REVIEW = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });

describe('a session', () => {
  test('is its user, with both halves alone', async () => {
    const { server, send, begin } = served();
    await using _server = server;
    const answer = await begin({ token: 'a' });
    expect(JSON.parse(textOf(answer))).toMatchObject({ user: 'alice', expires: expect.any(Number) });
    const session = halves(answer);
    const me = async (headers: Record<string, string>): Promise<string> => {
      const response = await send('POST', ME, { body: REVIEW, headers });
      return response.status === 201 ? JSON.parse(textOf(response)).status.userInfo.username : `${response.status}`;
    };
    expect(await me(fieldsOf(session))).toBe('alice');
    const other = halves(await begin({ token: 'b' }));
    expect(await me(fieldsOf(other))).toBe('bob');
    // Both in one browser.
    expect(await me({ ...fieldsOf(session), cookie: `${other.cookie}; ${session.cookie}` })).toBe('alice');
    expect(await me({ 'x-ui-session': session.key })).toBe('401');
    expect(await me({ ...fieldsOf(session), 'x-ui-session': other.key })).toBe('401');
    expect(await me({ ...fieldsOf(session), 'x-ui-session': 'x' })).toBe('401');
    const renamed = `${session.cookie.split('=', 1)[0]}=${other.cookie.split('=').at(-1)}`;
    expect(await me({ ...fieldsOf(session), cookie: renamed })).toBe('401');
    // The cookie alone is nobody.
    expect(await me({ cookie: session.cookie })).not.toBe('alice');
  });

  test('has a cookie that scripts and other pages cannot use, and which does not hold the token as it is', async () => {
    const { server, begin, send } = served();
    await using _server = server;
    const answer = await begin({ token: 'a' });
    expect(answer.headers['cache-control']).toBe('no-store');
    const [cookie] = [answer.headers['set-cookie'] ?? []].flat();
    expect(cookie).toMatch(
      /^__Host-ui-session-[0-9a-f]{16}=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(cookie).not.toContain('alice');
    const ended = await send('DELETE', '/ui/v1/session', { headers: fieldsOf(halves(answer)) });
    expect(ended.headers['set-cookie']).toMatch(/^__Host-ui-session-[0-9a-f]{16}=; Path=\/; Max-Age=0;/);
    expect((await send('DELETE', '/ui/v1/session')).status).toBe(401);
  });

  test('ends after eight hours, and with its token', async () => {
    const { server, begin, send, clock } = served();
    await using _server = server;
    const headers = fieldsOf(halves(await begin({ token: 'a' })));
    const account = server.client().resource({ apiVersion: 'v1', kind: 'ServiceAccount' }).namespace('default');
    await account.create({ metadata: { name: 'robot' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const made = await send('POST', path, {
      token: 'a',
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    const robot = fieldsOf(halves(await begin({ token: JSON.parse(textOf(made)).status.token })));
    expect((await send('GET', '/ui/v1/info', { headers: robot })).status).toBe(200);
    await account.delete('robot');
    await clock.advance(60_000);
    expect((await send('GET', '/ui/v1/info', { headers: robot })).status).toBe(401);
    await clock.advance(8 * 3_600_000 - 60_001);
    expect((await send('GET', '/api', { headers })).status).toBe(200);
    await clock.advance(1);
    const over = await send('GET', '/api', { headers });
    expect([over.status, textOf(over)]).toEqual([401, expect.stringContaining('the session has ended')]);
  });

  test('works on every server of a store', async () => {
    const one = served();
    const two = served();
    await using _one = one.server;
    await using _two = two.server;
    const headers = fieldsOf(halves(await one.begin({ token: 'a' })));
    expect((await two.send('GET', '/api/v1/pods', { headers })).status).toBe(200);
  });

  test('is not begun with a token that is refused, without one, or by another page', async () => {
    const { server, begin, send } = served();
    await using _server = server;
    expect((await begin({ token: 'wrong' })).status).toBe(401);
    for (const body of [{}, { token: '' }, { token: 1 }, { token: 'a b' }, { token: 'a\r\nx: y' }])
      expect((await begin(body)).status).toBe(400);
    expect((await begin({ token: 'a' }, { 'content-type': 'text/plain' })).status).toBe(415);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:2', host: '127.0.0.1:1' },
      { origin: 'null', host: '127.0.0.1:1' },
    ])
      expect((await begin({ token: 'a' }, headers)).status).toBe(403);
    expect(
      (await begin({ token: 'a' }, { origin: 'https://h:1', host: 'h:1', 'sec-fetch-site': 'same-origin' })).status,
    ).toBe(201);
    expect((await send('GET', '/ui/v1/session')).status).toBe(405);
  });

  test.each([
    ['ten short tokens', 'a', 10, 0],
    ['as many short tokens as fit', 'a', 40, 1],
    ['three long tokens', LONG_TOKEN, 3, 1],
    ['four long tokens, as of another server', LONG_TOKEN, 4, 2],
  ])('of a browser that has %s ends the oldest that have no room', async (_, token, count, ended) => {
    const { server, begin } = served();
    await using _server = server;
    const jar: string[] = [];
    while (jar.length < count) jar.push(halves(await begin({ token })).cookie);
    const answer = await begin({ token }, { cookie: jar.join('; ') });
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    expect(cookies).toHaveLength(ended + 1);
    for (let index = 0; index < ended; index += 1)
      expect(cookies[index]).toMatch(new RegExp(`^${jar[index]?.split('=', 1)[0]}=; .*Max-Age=0`));
  });
});

describe('the link of the owner', () => {
  const codeIn = (link: string): string => new URL(link).hash.slice(1);

  test('opens the page once, within five minutes', async () => {
    const { server, begin, send, clock } = served();
    await using _server = server;
    const link = server.pageLink('http://127.0.0.1:1/');
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:1\/ui\/#[\w-]{43}$/);
    const session = halves(await begin({ code: codeIn(link) }));
    expect((await send('GET', '/api/v1/secrets', { headers: fieldsOf(session) })).status).toBe(200);
    expect((await begin({ code: codeIn(link) })).status).toBe(401);
    const late = codeIn(server.pageLink('http://h'));
    await clock.advance(5 * 60_000);
    expect((await begin({ code: late })).status).toBe(401);
    expect((await begin({ code: 'guess' })).status).toBe(401);
  });
});

describe('requests of pages of other origins', () => {
  const foreign = { origin: 'https://evil.example', host: '127.0.0.1:1' };
  test('are refused unless they bring a token of their own', async () => {
    const { server, send, begin, handleWebSocket } = served();
    await using _server = server;
    for (const headers of [foreign, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      expect((await send('GET', '/livez', { headers })).status).toBe(403);
      expect((await send('POST', '/api/v1/namespaces', { headers, body: '{}' })).status).toBe(403);
      expect((await send('GET', '/livez', { headers, token: 'a' })).status).toBe(200);
      const upgrade = await handleWebSocket(requestOf('GET', '/api/v1/pods?watch=1', { token: '', headers }));
      expect(upgrade).toMatchObject({ refuse: { status: 403 } });
    }
    const session = fieldsOf(halves(await begin({ token: 'a' })));
    expect((await send('GET', '/livez', { headers: { ...session, ...foreign } })).status).toBe(403);
    expect((await send('GET', '/livez', { headers: session })).status).toBe(200);
    expect((await send('GET', '/livez', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
  });
});
