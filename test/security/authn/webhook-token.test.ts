import { execFileSync } from 'node:child_process';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bearerTokenAuthenticator, type AuthResult } from '../../../src/security/index.js';
import {
  createWebhookTokenAuthenticator,
  type WebhookTokenAuthenticatorOptions,
} from '../../../src/security/authn/webhook/token-webhook.js';
import { createConnection, parseKubeConfig } from '../../../src/client/kubeconfig/index.js';
import type { Clock } from '../../../src/foundation/time/clock.js';
import { durationMs, kubernetes, orch } from '../../../src/foundation/index.js';
import {
  connectionPost,
  webhookPost,
  type WebhookEndpoint,
  type WebhookPost,
} from '../../../src/foundation/outbound/webhook-post.js';
import { createManualClock, seededEntropy, startTestServer, type ManualClock } from '../../../src/entries/testing.js';
import { toFetchHandler } from '../../../src/transport/fetch/fetch.js';
import { nodeHttpClient } from '../../../src/transport/node/outbound/http-client.js';
import { createServingCertificate, type ServingCertificate } from '../../../src/transport/node/index.js';
import { request } from './request.js';

const API = 'https://api.test';
const ALICE = {
  username: 'alice',
  uid: '42',
  groups: ['dev', 'ops'],
  extra: { 'example.com/scope': ['read', 'write'] },
};

interface Posted {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly token: string; readonly audiences?: readonly string[] };
}

/** A webhook that answers with a fixed status, or with a function of the review. */
function authenticator(status: unknown, options: Partial<WebhookTokenAuthenticatorOptions> = {}) {
  const clock = createManualClock();
  const posted: Posted[] = [];
  const post: WebhookPost = async (body) => {
    const review = JSON.parse(body) as Posted;
    posted.push(review);
    const answer = {
      ...review,
      status: typeof status === 'function' ? (status as (review: Posted) => unknown)(review) : status,
    };
    return { status: 200, header: () => undefined, body: new TextEncoder().encode(JSON.stringify(answer)) };
  };
  const authenticate = createWebhookTokenAuthenticator({
    post,
    clock,
    entropy: seededEntropy(1),
    dialect: kubernetes,
    audiences: [API],
    ...options,
  });
  const ask = async (token = 't0ken', audiences?: readonly string[]): Promise<AuthResult> =>
    authenticate(token, { ...request(), ...(audiences === undefined ? {} : { audiences }) });
  return { clock, posted, ask };
}

describe('a token webhook', () => {
  test.each([
    ['v1', kubernetes, 'authentication.k8s.io/v1'],
    ['v1beta1', kubernetes, 'authentication.k8s.io/v1beta1'],
    [undefined, orch, 'authentication.orch.io/v1beta1'],
  ] as const)('is called with version %s', async (version, dialect, apiVersion) => {
    const { ask, posted } = authenticator(
      { authenticated: true, user: ALICE },
      { dialect, ...(version === undefined ? {} : { version }) },
    );
    expect(await ask()).toEqual({ user: ALICE, audiences: [API] });
    expect(posted).toEqual([
      {
        kind: 'TokenReview',
        apiVersion,
        metadata: { creationTimestamp: null },
        spec: { token: 't0ken', audiences: [API] },
        status: { user: {} },
      },
    ]);
  });

  test('accepts the supported versions only', () => {
    expect(() => authenticator({}, { version: 'v2' as 'v1' })).toThrow(
      'unsupported authentication webhook version "v2", supported versions are "v1", "v1beta1"',
    );
  });

  test.each<[string, unknown, AuthResult]>([
    ['nothing', undefined, undefined],
    ['an empty status', {}, undefined],
    ['null', null, undefined],
    ['not authenticated', { authenticated: false, user: ALICE }, undefined],
    [
      'an error',
      { authenticated: false, error: 'the directory is down' },
      { error: new Error('the directory is down') },
    ],
    ['an error that quotes the token', { error: 'bad token t0ken' }, { error: new Error('bad token <token>') }],
    [
      'a user and an error',
      { authenticated: true, user: { username: 'bob' }, error: 'careful' },
      { user: { username: 'bob', groups: [] }, audiences: [API] },
    ],
    [
      'a user with nulls',
      { authenticated: true, user: { username: 'bob', uid: null, groups: null, extra: null } },
      { user: { username: 'bob', groups: [] }, audiences: [API] },
    ],
    [
      'a user with an empty extra',
      { authenticated: true, user: { username: 'bob', extra: { k: null } } },
      { user: { username: 'bob', groups: [], extra: { k: [] } }, audiences: [API] },
    ],
  ])('that answers %s', async (_case, status, expected) => {
    expect(await authenticator(status).ask()).toEqual(expected);
  });

  test.each<[string, unknown, string]>([
    ['status', [], 'an object'],
    ['status.authenticated', { authenticated: 'true' }, 'true or false'],
    ['status.user', { user: 'alice' }, 'an object'],
    ['status.user.username', { user: { username: 1 } }, 'a string'],
    ['status.user.uid', { user: { uid: 1 } }, 'a string'],
    ['status.user.groups', { user: { groups: 'dev' } }, 'an array of strings'],
    ['status.user.groups', { user: { groups: ['dev', 1] } }, 'an array of strings'],
    ['status.user.extra', { user: { extra: [] } }, 'an object'],
    ['status.user.extra["k"]', { user: { extra: { k: 'v' } } }, 'an array of strings'],
    ['status.audiences', { audiences: 'a' }, 'an array of strings'],
    ['status.error', { error: {} }, 'a string'],
  ])('whose answer has a wrong %s fails', async (path, status, what) => {
    expect(await authenticator(status).ask()).toEqual({
      error: new Error(`invalid webhook response: ${path} must be ${what}`),
    });
  });

  test('keeps extra keys of any name', async () => {
    const status = JSON.parse(
      '{"authenticated":true,"user":{"username":"bob","extra":{"__proto__":["x"]}}}',
    ) as unknown;
    const result = await authenticator(status).ask();
    const extra = result !== undefined && 'user' in result ? result.user.extra : undefined;
    expect(Object.entries(extra ?? {})).toEqual([['__proto__', ['x']]]);
  });
});

describe('audiences', () => {
  const own = [API, 'api'];
  interface Row {
    readonly wanted?: readonly string[];
    readonly answered?: readonly string[];
    readonly own?: readonly string[];
    /** The audiences of the review. */
    readonly sent?: readonly string[];
    /** The audiences of the result; undefined if the token is unknown. */
    readonly found?: readonly string[] | 'none';
  }
  const rows: readonly Row[] = [
    // The webhook ignores audiences: its tokens are for the API server.
    { sent: own, found: own },
    { wanted: ['api'], sent: ['api'], found: ['api'] },
    { wanted: ['other', 'api'], sent: ['other', 'api'], found: ['api'] },
    { wanted: ['other'], sent: ['other'] },
    // The webhook names the audiences.
    { answered: ['api'], sent: own, found: ['api'] },
    { answered: ['other'], sent: own },
    { wanted: ['other'], answered: ['other'], sent: ['other'], found: ['other'] },
    { wanted: ['a', 'b', 'c'], answered: ['x', 'c', 'a'], sent: ['a', 'b', 'c'], found: ['c', 'a'] },
    { wanted: ['other'], answered: own, sent: ['other'] },
    { wanted: ['API'], answered: ['api'], sent: ['API'] },
    { wanted: ['api'], answered: [], sent: ['api'], found: ['api'] },
    // The API server has no audiences: they are checked only if requested.
    { own: [], found: 'none' },
    { own: [], answered: ['other'], found: 'none' },
    { own: [], wanted: ['a'], sent: ['a'] },
    { own: [], wanted: ['a'], answered: ['a'], sent: ['a'], found: ['a'] },
  ];

  test.each(rows)('%j', async ({ wanted, answered, own: audiences = own, sent, found }) => {
    const { ask, posted } = authenticator(
      { authenticated: true, user: { username: 'bob' }, ...(answered === undefined ? {} : { audiences: answered }) },
      { audiences },
    );
    const result = await ask('t', wanted);
    expect(posted[0]?.spec.audiences).toEqual(sent);
    const user = { username: 'bob', groups: [] };
    expect(result).toEqual(
      found === undefined ? undefined : { user, ...(found === 'none' ? {} : { audiences: found }) },
    );
  });

  test('a token for another audience is unknown, even if the webhook reports an error for it', async () => {
    expect(await authenticator({ authenticated: false, error: 'expired', audiences: ['other'] }).ask()).toBeUndefined();
    expect(await authenticator({ authenticated: false, error: 'expired', audiences: [API] }).ask()).toEqual({
      error: new Error('expired'),
    });
  });
});

describe('its answers', () => {
  test.each([
    ['a user', { authenticated: true, user: ALICE }],
    ['an unknown token', { authenticated: false }],
  ])('are cached for two minutes: %s', async (_case, status) => {
    const { ask, posted, clock } = authenticator(status);
    const first = await ask();
    await clock.advance(119_999);
    expect(await ask()).toEqual(first);
    expect(posted).toHaveLength(1);
    await clock.advance(1);
    await ask();
    expect(posted).toHaveLength(2);
  });

  test('are not cached if they are errors', async () => {
    const { ask, posted } = authenticator({ error: 'down' });
    await ask();
    await ask();
    expect(posted).toHaveLength(2);
  });

  test('are cached for one token and its audiences', async () => {
    const { ask, posted } = authenticator(({ spec }: Posted) => ({
      authenticated: true,
      user: { username: spec.token },
    }));
    for (const token of ['a', 'b', 'a']) expect(await ask(token)).toMatchObject({ user: { username: token } });
    expect(await ask('a', ['other'])).toBeUndefined();
    expect(await ask('a')).toMatchObject({ user: { username: 'a' } });
    expect(posted).toHaveLength(3);
  });

  test('are shared by concurrent requests, and not cached with a duration of 0', async () => {
    const { ask, posted } = authenticator({ authenticated: true, user: ALICE }, { cacheTtl: 0 });
    await Promise.all([ask(), ask(), ask()]);
    expect(posted).toHaveLength(1);
    await ask();
    expect(posted).toHaveLength(2);
  });

  test('may have a custom duration and a maximum number', async () => {
    const { ask, posted, clock } = authenticator(
      { authenticated: true, user: ALICE },
      { cacheTtl: 1000, cacheSize: 1 },
    );
    await ask('a');
    await clock.advance(999);
    await ask('a');
    expect(posted).toHaveLength(1);
    await ask('b');
    await ask('a');
    expect(posted).toHaveLength(3);
  });
});

describe('a real webhook server', () => {
  let serving: ServingCertificate;
  let identity: { readonly key: string; readonly certificate: string };
  const closers: (() => Promise<unknown> | void)[] = [];

  beforeAll(async () => {
    serving = await createServingCertificate({ names: ['hook.test'], addresses: ['127.0.0.1'] });
    const both = execFileSync(
      'openssl',
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout - -out - -subj /CN=api-server -days 1'.split(
        ' ',
      ),
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const at = both.indexOf('-----BEGIN CERTIFICATE-----');
    identity = { key: both.slice(0, at), certificate: both.slice(at) };
  });

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  interface Asked {
    readonly headers: IncomingMessage['headers'];
    readonly method: string | undefined;
    readonly url: string | undefined;
    readonly review: Posted;
    readonly client: string | undefined;
  }

  /** A webhook that passes each call to the next of its handlers, repeating the last one. */
  async function serve(
    handlers: readonly ((response: ServerResponse, asked: Asked) => void)[],
    secure = true,
  ): Promise<{ readonly url: string; readonly asked: Asked[] }> {
    const asked: Asked[] = [];
    const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
      let body = '';
      incoming
        .setEncoding('utf8')
        .on('data', (chunk: string) => void (body += chunk))
        .on('end', () => {
          const socket = incoming.socket as TLSSocket;
          const client = secure ? (socket.getPeerX509Certificate()?.subject ?? undefined) : undefined;
          const question: Asked = {
            headers: incoming.headers,
            method: incoming.method,
            url: incoming.url,
            review: JSON.parse(body) as Posted,
            client,
          };
          asked.push(question);
          handlers[Math.min(asked.length, handlers.length) - 1]?.(response, question);
        });
    };
    const server = secure
      ? createHttpsServer(
          { key: serving.keyPem, cert: serving.certPem, requestCert: true, ca: identity.certificate },
          listener,
        )
      : createHttpServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return {
      url: `http${secure ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}/authenticate`,
      asked,
    };
  }

  const reply =
    (status: unknown) =>
    (response: ServerResponse, { review }: Asked): void => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ apiVersion: review.apiVersion, kind: review.kind, status }));
    };
  const refuse =
    (status: number, headers = {}) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, headers).end('no: t0ken');

  function over(endpoint: WebhookEndpoint, options: Partial<WebhookTokenAuthenticatorOptions> = {}) {
    const client = nodeHttpClient();
    closers.push(() => client.close());
    const clock = createManualClock();
    const pauses: number[] = [];
    const timeoutMs = durationMs(options.timeout ?? '30s');
    const noting: Clock = {
      now: () => clock.now(),
      after(delayMs, callback) {
        if (delayMs < timeoutMs) pauses.push(delayMs);
        return clock.after(delayMs, callback);
      },
    };
    const authenticate = createWebhookTokenAuthenticator({
      post: webhookPost(client, endpoint),
      clock: noting,
      entropy: seededEntropy(1),
      dialect: kubernetes,
      version: 'v1',
      ...options,
    });
    return {
      clock,
      pauses,
      ask: async (token = 't0ken', signal = new AbortController().signal): Promise<AuthResult> =>
        authenticate(token, { signal }),
    };
  }

  const tls = () => ({ certificateAuthority: serving.caPem, ...identity });
  /** The network gives no signal: waits turns of the event loop until that many calls have arrived. */
  async function until(clock: ManualClock, list: readonly unknown[], count: number): Promise<void> {
    while (list.length < count) await clock.settle();
  }

  test('is called over https with a client certificate and a token, and answers', async () => {
    const { url, asked } = await serve([reply({ authenticated: true, user: ALICE })]);
    const { ask } = over({ url, tls: tls(), headers: { authorization: 'Bearer of-the-server' } });
    expect(await ask()).toEqual({ user: ALICE });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        url: '/authenticate',
        client: 'CN=api-server',
        headers: { 'content-type': 'application/json', authorization: 'Bearer of-the-server' },
        review: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 't0ken' } },
      },
    ]);
  });

  test('is described by a kubeconfig, and called at exactly the path of its server', async () => {
    const { url, asked } = await serve([reply({ authenticated: true, user: ALICE })]);
    const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
    const config = await parseKubeConfig(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'hook', cluster: { server: url, 'certificate-authority-data': base64(serving.caPem) } }],
        users: [
          {
            name: 'me',
            user: {
              token: 'of-the-server',
              'client-certificate-data': base64(identity.certificate),
              'client-key-data': base64(identity.key),
            },
          },
        ],
        contexts: [{ name: 'webhook', context: { cluster: 'hook', user: 'me' } }],
        'current-context': 'webhook',
      }),
    );
    const client = nodeHttpClient();
    closers.push(() => client.close());
    const connection = await createConnection(config, { http: client, dialect: kubernetes });
    const authenticate = createWebhookTokenAuthenticator({
      post: connectionPost(connection),
      clock: createManualClock(),
      entropy: seededEntropy(1),
      dialect: kubernetes,
    });
    expect(await authenticate('t0ken', request())).toEqual({ user: ALICE });
    expect(asked).toMatchObject([
      {
        method: 'POST',
        url: '/authenticate',
        client: 'CN=api-server',
        headers: { authorization: 'Bearer of-the-server' },
      },
    ]);
  });

  test('is not called if its certificate is not trusted, and the call is not retried', async () => {
    const { url, asked } = await serve([reply({ authenticated: true, user: ALICE })]);
    const { ask, clock } = over({ url, tls: { certificateAuthority: identity.certificate } });
    const result = await ask();
    expect(result).toMatchObject({ error: { message: expect.stringContaining(`POST ${url}`) as unknown } });
    expect([asked, clock.pending]).toEqual([[], 0]);
  });

  test('may fail twice and break a connection before it answers', async () => {
    const { url, asked } = await serve(
      [
        refuse(500),
        (response) => void response.socket?.destroy(),
        refuse(429),
        reply({ authenticated: true, user: { username: 'bob' } }),
      ],
      false,
    );
    const { ask, clock, pauses } = over({ url });
    const result = ask();
    for (const count of [1, 2, 3]) {
      await until(clock, pauses, count);
      expect(asked).toHaveLength(count);
      await clock.advance(pauses[count - 1] ?? 0);
    }
    expect(await result).toEqual({ user: { username: 'bob', groups: [] } });
    expect(asked).toHaveLength(4);
  });

  test('that redirects is not followed', async () => {
    const elsewhere = await serve([reply({ authenticated: true, user: { username: 'eve' } })], false);
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await serve([refuse(status, { location: elsewhere.url })], false);
      expect(await over({ url }).ask()).toMatchObject({
        error: { message: `the webhook answered with a redirect (${status}), which is not followed` },
      });
    }
    expect(elsewhere.asked).toEqual([]);
  });

  test('that hangs is abandoned, and its connection is closed', async () => {
    let closed = false;
    const { url, asked } = await serve([(response) => void response.socket?.on('close', () => (closed = true))], false);
    const { ask, clock } = over({ url }, { timeout: 5000 });
    const result = ask();
    await until(clock, asked, 1);
    await clock.advance(5000);
    expect(await result).toMatchObject({ error: { message: 'the webhook has not answered within 5 seconds' } });
    while (!closed) await clock.settle();
    expect(asked).toHaveLength(1);
  });

  test('whose answer is too long is cut off', async () => {
    const { url, asked } = await serve([reply({ authenticated: true, user: { username: 'x'.repeat(5000) } })], false);
    const { ask } = over({ url, maxBytes: 4096 });
    expect(await ask()).toMatchObject({
      error: { message: expect.stringContaining('longer than 4096 bytes') as unknown },
    });
    expect(asked).toHaveLength(1);
  });

  test('authenticates users of an API server; no error contains the token', async () => {
    const { url } = await serve(
      [reply({ authenticated: true, user: { username: 'alice', groups: ['system:masters'] } }), refuse(400)],
      false,
    );
    const lines: unknown[] = [];
    const client = nodeHttpClient();
    closers.push(() => client.close());
    const authenticate = createWebhookTokenAuthenticator({
      post: webhookPost(client, { url }),
      clock: createManualClock(),
      entropy: seededEntropy(1),
      dialect: kubernetes,
    });
    await using server = await startTestServer({
      dialect: 'kubernetes',
      authentication: { authenticators: [bearerTokenAuthenticator(authenticate)] },
      observability: {
        logger: { info: (...line) => void lines.push(line), error: (...line) => void lines.push(line) },
      },
    });
    const handle = toFetchHandler(server.server);
    const ask = (token: string) =>
      handle(new Request('http://server/api/v1/namespaces', { headers: { authorization: `Bearer ${token}` } }));
    expect((await ask('t0ken-of-alice')).status).toBe(200);
    const refused = await ask('t0ken-of-eve');
    expect(refused.status).toBe(401);
    const inspected = (value: unknown): string =>
      value instanceof Error
        ? `${value.stack} ${inspected(value.cause)}`
        : (JSON.stringify(value, (_key, each: unknown) => (each instanceof Error ? inspected(each) : each)) ?? '');
    expect((await refused.text()) + lines.map(inspected).join()).not.toContain('t0ken');
  });
});
