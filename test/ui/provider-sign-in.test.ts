import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import type { HttpClient } from '../../src/foundation/index.js';
import { nodeHttpClient, type NodeHttpClient } from '../../src/transport/node/outbound/http-client.js';
import { withPage, type PageOptions } from '../../src/ui/index.js';
import { startHost, type Host } from '../security/authn/oidc/support/host.js';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  providerKey,
  serveProvider,
  visitProvider,
} from '../security/authn/oidc/support/provider.js';
import { jsonOf, requestOf, textOf, type Asked } from '../server/ask.js';

const PAGE = 'https://api.example/ui/sign-in';
const keys = [await providerKey('one')];

let host: Host;
let http: NodeHttpClient;

beforeEach(async () => {
  host = await startHost();
  http = nodeHttpClient();
  await serveProvider(host, keys, [{ sub: 'jane', groups: ['developers'] }], PAGE);
});
afterEach(async () => {
  http.close();
  await host.stop();
});

/** A server with its page, whose people sign in by the provider. The provider has the time of the machine. */
async function served(
  openIdConnect: PageOptions['openIdConnect'] = { clientSecret: CLIENT_SECRET },
  more: ApiServerOptions['authentication'] = {},
  issuers = 'openIdConnect' in more ? 0 : 1,
) {
  const clock = createManualClock(Math.floor(Date.now() / 1000) * 1000);
  let discover = (): void => undefined;
  const discovered = new Promise<void>((resolve) => (discover = resolve));
  let found = 0;
  const info = (message: string): void => {
    if (message === 'OpenID provider discovered') found += 1;
    if (found === issuers) discover();
  };
  const server = new ApiServer({
    dialect: 'kubernetes',
    clock,
    authentication: {
      openIdConnect: {
        ...{ issuerUrl: host.url, clientId: CLIENT_ID, certificateAuthority: host.caPem },
        ...{ usernamePrefix: '-', groupsClaim: 'groups' },
      },
      ...more,
    },
    network: { httpClient: http },
    observability: { logger: { info, error: () => undefined } },
  });
  await server.ready();
  // Until then the server refuses all tokens of the provider.
  if (issuers > 0) await discovered;
  const { handle } = withPage(server.target, { openIdConnect });
  const send = (method: string, path: string, asked: Asked = {}): Promise<ApiResponse> =>
    handle(requestOf(method, path, { token: '', ...asked, headers: { host: 'api.example', ...asked.headers } }));
  const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    send('POST', path, { body: JSON.stringify(body), headers });
  /** Begins an attempt. */
  const begin = async (issuer?: string): Promise<Attempt> => {
    const answer = await post('/ui/v1/oidc', { redirectUri: PAGE, issuer });
    expect([answer.status, textOf(answer)]).toEqual([201, expect.anything()]);
    return { url: new URL(String(jsonOf(answer)['url'])), cookie: cookieOf(answer), answer };
  };
  /** Goes to the provider, and comes back. */
  const visit = async (url: URL, at: Host = host): Promise<Returned> => {
    const { origin, pathname, searchParams } = await visitProvider(http, at, 'jane', url.href);
    expect(origin + pathname).toBe(PAGE);
    const [code, state, iss] = ['code', 'state', 'iss'].map((name) => searchParams.get(name) ?? '');
    return { code: code ?? '', state: state ?? '', iss: iss ?? '' };
  };
  const finish = (oidc: Partial<Returned>, cookie: string): Promise<ApiResponse> =>
    post('/ui/v1/session', { oidc }, { cookie });
  return { server, clock, send, post, begin, visit, finish };
}

interface Attempt {
  readonly url: URL;
  readonly cookie: string;
  readonly answer: ApiResponse;
}

interface Returned {
  readonly code: string;
  readonly state: string;
  readonly iss: string;
}

const cookiesOf = ({ headers }: ApiResponse): string[] => [headers['set-cookie'] ?? []].flat();
const cookieOf = (answer: ApiResponse): string => cookiesOf(answer).at(-1)?.split(';', 1)[0] ?? '';
const exchanges = (): number => host.asked.filter((path) => path === '/token').length;

/** The answer must refuse, and begin no session. */
function refused(answer: ApiResponse, message: string): void {
  expect([answer.status, textOf(answer)]).toEqual([401, expect.stringContaining(message)]);
  expect(cookiesOf(answer).filter((cookie) => cookie.includes('ui-session'))).toEqual([]);
}

describe('signing in by an OpenID provider', () => {
  test('begins a session of its user', async () => {
    const { server, begin, visit, finish, send } = await served();
    await using _server = server;
    const { url, cookie, answer } = await begin();
    expect(url.origin).toBe(host.url);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      ...{ client_id: CLIENT_ID, response_type: 'code', redirect_uri: PAGE, scope: 'openid profile email' },
      ...{ code_challenge_method: 'S256', code_challenge: expect.stringMatching(/^[\w-]{43}$/) },
      ...{ state: expect.stringMatching(/^[\w-]{43}$/), nonce: expect.stringMatching(/^[\w-]{43}$/) },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(cookiesOf(answer)).toEqual([
      expect.stringMatching(
        /^__Host-ui-sign-in-[0-9a-f]{16}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const signedIn = await finish(await visit(url), cookie);
    expect(jsonOf(signedIn)).toMatchObject({ user: 'jane', key: expect.any(String) });
    // The cookie of the attempt ends.
    expect(cookiesOf(signedIn)[0]).toMatch(/^__Host-ui-sign-in-[0-9a-f]{16}=; Path=\/; Max-Age=0;/);
    const headers = { 'x-ui-session': String(jsonOf(signedIn)['key']), cookie: cookieOf(signedIn) };
    const info = jsonOf(await send('GET', '/ui/v1/info', { headers }));
    expect(info['user']).toEqual({ username: 'jane', groups: expect.arrayContaining(['developers']) });
  });

  test('works for a public client, and with other scopes', async () => {
    const { server, begin, visit, finish } = await served({ scopes: ['groups'] });
    await using _server = server;
    const { url, cookie } = await begin();
    expect(url.searchParams.get('scope')).toBe('openid groups');
    // This provider knows the client as one with a secret: it refuses the exchange, and nothing else is wrong.
    refused(await finish(await visit(url), cookie), 'did not confirm the sign-in: invalid_client');
  });

  test('is finished by the browser that began it alone, and once', async () => {
    const { server, begin, visit, finish } = await served();
    await using _server = server;
    const { url, cookie } = await begin();
    const returned = await visit(url);
    refused(await finish(returned, ''), 'this browser began no such sign-in');
    const other = await begin();
    refused(await finish(returned, other.cookie), 'this browser began no such sign-in');
    const renamed = `${cookie.split('=', 1)[0]}=${other.cookie.split('=')[1]}`;
    refused(await finish(returned, renamed), 'this browser began no such sign-in');
    for (const state of ['', 'x', 'a'.repeat(43)])
      refused(await finish({ ...returned, state }, cookie), 'this browser began no such sign-in');
    refused(await finish({ ...returned, code: '' }, cookie), 'this browser began no such sign-in');
    expect(exchanges()).toBe(0);
    const done = await finish(returned, cookie);
    expect([done.status, textOf(done)]).toEqual([201, expect.anything()]);
    refused(await finish(returned, cookie), 'was finished before');
    expect(exchanges()).toBe(1);
  });

  test('takes no code of another attempt', async () => {
    const { server, begin, visit, finish } = await served();
    await using _server = server;
    const [mine, theirs] = [await begin(), await begin()];
    const { code } = await visit(theirs.url);
    const { state, iss } = await visit(mine.url);
    refused(await finish({ code, state, iss }, mine.cookie), 'did not confirm the sign-in: invalid_grant');
  });

  test('takes no ID token of another attempt', async () => {
    const { server, begin, visit, finish } = await served();
    await using _server = server;
    const { url, cookie } = await begin();
    url.searchParams.set('nonce', 'another');
    refused(await finish(await visit(url), cookie), 'does not belong to this sign-in');
  });

  test('takes no answer of another provider', async () => {
    const { server, begin, visit, finish } = await served();
    await using _server = server;
    for (const iss of ['https://evil.example', '']) {
      const { url, cookie } = await begin();
      refused(await finish({ ...(await visit(url)), iss }, cookie), 'is not that of the OpenID provider');
    }
    expect(exchanges()).toBe(0);
  });

  test('takes ten minutes at most', async () => {
    const { server, begin, visit, finish, clock } = await served();
    await using _server = server;
    const { url, cookie } = await begin();
    const returned = await visit(url);
    await clock.advance(10 * 60_000);
    refused(await finish(returned, cookie), 'took too long');
    expect(exchanges()).toBe(0);
  });

  test('can be finished later when too many people sign in at that moment', async () => {
    const inner = http;
    let [waiting, goOn, full] = [0, (): void => undefined, (): void => undefined];
    const opened = new Promise<void>((resolve) => (goOn = resolve));
    const allWait = new Promise<void>((resolve) => (full = resolve));
    const held: HttpClient = async (request) => {
      if (request.url.endsWith('/token')) {
        waiting += 1;
        if (waiting === 8) full();
        await opened;
      }
      return inner(request);
    };
    http = Object.assign(held, inner);
    const { server, begin, visit, finish } = await served();
    await using _server = server;
    const attempt = async (): Promise<() => Promise<ApiResponse>> => {
      const { url, cookie } = await begin();
      const returned = await visit(url);
      return () => finish(returned, cookie);
    };
    const attempts = await Promise.all(Array.from({ length: 8 }, attempt));
    const late = await attempt();
    const answering = attempts.map((finished) => finished());
    await allWait;
    expect((await late()).status).toBe(429);
    goOn();
    for (const { status } of await Promise.all(answering)) expect(status).toBe(201);
    expect((await late()).status).toBe(201);
  });

  test('is begun by the page alone, and comes back to it alone', async () => {
    const { server, post, send } = await served();
    await using _server = server;
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] satisfies Record<string, string>[]) {
      expect((await post('/ui/v1/oidc', { redirectUri: PAGE }, headers)).status).toBe(403);
      expect((await post('/ui/v1/session', { oidc: {} }, headers)).status).toBe(403);
    }
    for (const redirectUri of [
      ...['https://evil.example/ui/sign-in', '//evil.example/ui/sign-in', '/ui/sign-in', 'javascript:alert(1)'],
      ...['https://api.example/ui/sign-in?x', 'https://api.example/ui/sign-in#x', 'https://api.example/ui/../x'],
      ...['https://api.example/ui/sign-in/../x', 'https://api.example/ui/%2e%2e/sign-in', 'https://api.example/'],
      ...['https://a@api.example/ui/sign-in', 'https://api.example:8443/ui/sign-in', 'http://api.example/ui/sign-in'],
      ...['https://api.example\\.evil.example/ui/sign-in', '', 1, null, {}],
    ])
      expect([redirectUri, (await post('/ui/v1/oidc', { redirectUri })).status]).toEqual([redirectUri, 400]);
    expect((await post('/ui/v1/oidc', { redirectUri: PAGE }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send('GET', '/ui/v1/oidc')).status).toBe(405);
    expect(host.asked.filter((path) => path === '/auth')).toEqual([]);
  });

  test('says when the provider cannot be asked, and asks again', async () => {
    const { server, post, begin } = await served();
    await using _server = server;
    await host.stop();
    const answer = await post('/ui/v1/oidc', { redirectUri: PAGE });
    expect([answer.status, textOf(answer)]).toEqual([502, expect.stringContaining('cannot be asked')]);
    expect(cookiesOf(answer)).toEqual([]);
    await host.start();
    await begin();
  });

  test('asks for the endpoints of the provider once in ten minutes', async () => {
    const { server, begin, clock } = await served();
    await using _server = server;
    const asked = (): number => host.asked.filter((path) => path.includes('openid-configuration')).length;
    await begin();
    const before = asked();
    await begin();
    expect(asked()).toBe(before);
    await clock.advance(10 * 60_000);
    await begin();
    expect(asked()).toBeGreaterThan(before);
  });

  test('of which a browser has begun five forgets the oldest', async () => {
    const { server, begin, post } = await served();
    await using _server = server;
    const jar: string[] = [];
    for (let count = 0; count < 4; count += 1) jar.push((await begin()).cookie);
    const cookies = cookiesOf(await post('/ui/v1/oidc', { redirectUri: PAGE }, { cookie: jar.join('; ') }));
    expect(cookies).toHaveLength(2);
    expect(cookies[0]).toMatch(new RegExp(`^${jar[0]?.split('=', 1)[0]}=; .*Max-Age=0`));
  });
});

describe('what the page is told about signing in', () => {
  test('is the provider, also where nobody may be anonymous', async () => {
    for (const more of [{}, { anonymous: false }]) {
      const { server, send } = await served(undefined, more);
      await using _server = server;
      const info = jsonOf(await send('GET', '/ui/v1/info'));
      expect(info).toMatchObject({
        signIn: { token: true, certificate: true, oidc: { name: new URL(host.url).host } },
        readOnly: false,
      });
      expect(info['user']).toBeUndefined();
      // Wrong credentials stay wrong.
      expect((await send('GET', '/ui/v1/info', { token: 'wrong' })).status).toBe(401);
    }
  });

  test('is each issuer of an authentication configuration, which cannot stand for another', async () => {
    const other = await startHost();
    try {
      await serveProvider(other, keys, [{ sub: 'jane', groups: ['testers'] }], PAGE);
      const jwt = [host, other].map(({ url, caPem: certificateAuthority }, index) => ({
        issuer: { url, certificateAuthority, audiences: [CLIENT_ID] },
        claimMappings: { username: { claim: 'sub', prefix: `at-${index}:` }, groups: { claim: 'groups', prefix: '' } },
      }));
      const authentication = { openIdConnect: undefined, configuration: { jwt } };
      const { server, begin, visit, finish, post, send } = await served(undefined, authentication, 2);
      await using _server = server;
      const issuers = [host, other].map(({ url }) => ({ name: new URL(url).host, issuer: url }));
      expect(jsonOf(await send('GET', '/ui/v1/info'))).toMatchObject({ signIn: { oidc: { issuers } } });
      // Of several, the page names the one that the user has chosen.
      expect((await post('/ui/v1/oidc', { redirectUri: PAGE })).status).toBe(400);
      expect((await post('/ui/v1/oidc', { redirectUri: PAGE, issuer: 'https://a.example' })).status).toBe(404);
      const { url, cookie } = await begin(other.url);
      expect([url.origin, url.searchParams.get('client_id')]).toEqual([other.url, CLIENT_ID]);
      const returned = await visit(url, other);
      refused(await finish({ ...returned, iss: host.url }, cookie), 'is not that of the OpenID provider');
      const again = await begin(other.url);
      const answer = await finish(await visit(again.url, other), again.cookie);
      // These providers know the client as one with a secret, which no provider gets where there are several.
      refused(answer, 'did not confirm the sign-in: invalid_client');
    } finally {
      await other.stop();
    }
  });

  test('is the only issuer of an authentication configuration', async () => {
    const jwt = [
      {
        issuer: { url: host.url, certificateAuthority: host.caPem, audiences: [CLIENT_ID] },
        claimMappings: { username: { claim: 'sub', prefix: 'at:' } },
      },
    ];
    const { server, begin, visit, finish } = await served(
      { clientSecret: CLIENT_SECRET },
      { openIdConnect: undefined, configuration: { jwt } },
      1,
    );
    await using _server = server;
    const { url, cookie } = await begin();
    expect(jsonOf(await finish(await visit(url), cookie))).toMatchObject({ user: 'at:jane' });
  });

  test('is no provider where there is none, or none is wanted', async () => {
    for (const { server, send, post } of [await served(false), await served(undefined, { openIdConnect: undefined })]) {
      await using _server = server;
      const { signIn } = jsonOf(await send('GET', '/ui/v1/info'));
      expect(signIn).toEqual({ token: true, certificate: true });
      expect((await post('/ui/v1/oidc', { redirectUri: PAGE })).status).toBe(404);
      refused(await post('/ui/v1/session', { oidc: { code: 'a', state: 'a'.repeat(43) } }), 'began no such sign-in');
    }
  });
});
