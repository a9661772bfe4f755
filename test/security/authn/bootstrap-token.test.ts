import { describe, expect, test } from 'vitest';
import { bearerTokenAuthenticator } from '../../../src/security/index.js';
import { createBootstrapTokenAuthenticator } from '../../../src/security/authn/bootstrap-token.js';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { kubernetes, orch, type Dialect } from '../../../src/foundation/index.js';
import { Secret } from '../../../src/kinds/builtin/index.js';
import { createManualClock, startTestServer } from '../../../src/entries/testing.js';
import type { BootstrapTokenSecret } from '../../../src/security/tokens/bootstrap-token.js';
import { toFetchHandler } from '../../../src/transport/fetch/fetch.js';
import { request } from './request.js';

const ID = '07401b';
const TOKEN = `${ID}.f395accd246ae52d`;
const SECOND_MS = 1000;
const DATA: Readonly<Record<string, string>> = {
  'token-id': ID,
  'token-secret': 'f395accd246ae52d',
  'usage-bootstrap-authentication': 'true',
};

interface Change {
  readonly data?: Readonly<Record<string, string | undefined>>;
  readonly type?: string;
  readonly deletionTimestamp?: string;
}

function secretOf(
  dialect: Dialect,
  { data = {}, type = dialect.secretTypes.bootstrapToken, deletionTimestamp }: Change = {},
): BootstrapTokenSecret {
  const all = Object.entries({ ...DATA, ...data }).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, Buffer.from(text).toString('base64')] as const],
  );
  return {
    metadata: { name: `bootstrap-token-${ID}`, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    type,
    data: Object.fromEntries(all),
  };
}

function authenticator(secret: BootstrapTokenSecret | undefined, dialect: Dialect = kubernetes) {
  const clock = createManualClock();
  const asked: string[] = [];
  const authenticate = createBootstrapTokenAuthenticator({
    lookup: (namespace, name) => (asked.push(`${namespace}/${name}`), secret),
    dialect,
    clock,
  });
  return { clock, asked, ask: (token = TOKEN) => authenticate(token, request()) };
}

describe('a bootstrap token', () => {
  test.each([kubernetes, orch])(
    'is looked up in the system namespace of the dialect $name, and yields a user',
    (dialect) => {
      const { ask, asked } = authenticator(secretOf(dialect), dialect);
      expect(ask()).toEqual({ user: { username: 'system:bootstrap:07401b', groups: ['system:bootstrappers'] } });
      expect(asked).toEqual([`${dialect.namespaces.system}/bootstrap-token-07401b`]);
    },
  );

  test('adds its extra groups, sorted and without duplicates', () => {
    const groups = 'system:bootstrappers:workers,system:bootstrappers:edge:eu-1,system:bootstrappers:workers';
    expect(authenticator(secretOf(kubernetes, { data: { 'auth-extra-groups': groups } })).ask()).toMatchObject({
      user: { groups: ['system:bootstrappers', 'system:bootstrappers:edge:eu-1', 'system:bootstrappers:workers'] },
    });
  });

  test.each<[string, Change]>([
    ['whose Secret is being deleted', { deletionTimestamp: '2024-01-01T00:00:00Z' }],
    ['in a Secret of another type', { type: 'Opaque' }],
    ['in a Secret of the type of another dialect', { type: orch.secretTypes.bootstrapToken }],
    ['with another secret', { data: { 'token-secret': 'f395accd246ae52e' } }],
    ['with a prefix of its secret', { data: { 'token-secret': 'f395accd246ae52' } }],
    ['with no secret', { data: { 'token-secret': undefined } }],
    ['with another id in its Secret', { data: { 'token-id': 'abcdef' } }],
    ['with no id in its Secret', { data: { 'token-id': undefined } }],
    ['that has just expired', { data: { expiration: '2024-01-01T00:00:00Z' } }],
    ['with an invalid expiry', { data: { expiration: 'never' } }],
    ['without the usage for authentication', { data: { 'usage-bootstrap-authentication': undefined } }],
    [
      'with the usage for authentication in different letter case',
      { data: { 'usage-bootstrap-authentication': 'True' } },
    ],
    ['with a group that it must not grant', { data: { 'auth-extra-groups': 'system:bootstrappers:a,system:masters' } }],
  ])('%s is unknown', (_case, change) => {
    expect(authenticator(secretOf(kubernetes, change)).ask()).toBeUndefined();
  });

  test('without a Secret is unknown, as is one without data', () => {
    expect(authenticator(undefined).ask()).toBeUndefined();
    expect(authenticator({ metadata: {}, type: kubernetes.secretTypes.bootstrapToken }).ask()).toBeUndefined();
  });

  test.each(['', 'abc', TOKEN.toUpperCase(), `${TOKEN}x`, `${TOKEN}.`, 'system.f395accd246ae52d/../x'])(
    '%j is not looked up',
    (token) => {
      const { ask, asked } = authenticator(secretOf(kubernetes));
      expect(ask(token)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  test('is valid to the last millisecond', async () => {
    const { ask, clock } = authenticator(secretOf(kubernetes, { data: { expiration: '2024-01-01T00:00:01Z' } }));
    await clock.advance(SECOND_MS - 1);
    expect(ask()).toBeDefined();
    await clock.advance(1);
    expect(ask()).toBeUndefined();
  });

  test('may be looked up asynchronously, and a failed lookup is an error', async () => {
    const options = { dialect: kubernetes, clock: createManualClock() };
    const failure = new Error('the store is down');
    const ask = (lookup: Parameters<typeof createBootstrapTokenAuthenticator>[0]['lookup']) =>
      createBootstrapTokenAuthenticator({ ...options, lookup })(TOKEN, request());
    expect(await ask(async () => secretOf(kubernetes))).toMatchObject({
      user: { username: 'system:bootstrap:07401b' },
    });
    expect(await ask(() => Promise.reject(failure))).toEqual({ error: failure });
    expect(
      ask(() => {
        throw failure;
      }),
    ).toEqual({ error: failure });
  });
});

describe.each([kubernetes, orch])('a server with the dialect $name', (dialect) => {
  test('accepts a token from the creation of its Secret until its expiry', async () => {
    const clock = createManualClock();
    await using server = await startTestServer({
      dialect,
      authentication: {
        anonymous: false,
        authenticators: [
          bearerTokenAuthenticator(
            createBootstrapTokenAuthenticator({
              dialect,
              clock: { now: () => server.clock.now(), after: clock.after },
              lookup: (namespace, name) =>
                server.client
                  .resource(Secret)
                  .namespace(namespace)
                  .get(name)
                  .catch((error: unknown) => {
                    if (error instanceof ApiError && error.reason === 'NotFound') return undefined;
                    throw error;
                  }),
            }),
          ),
        ],
      },
    });
    const handle = toFetchHandler(server.server);
    const status = async (token = TOKEN): Promise<number> =>
      (await handle(new Request('http://server/api', { headers: { authorization: `Bearer ${token}` } }))).status;
    expect(await status()).toBe(401);
    await server.client
      .resource(Secret)
      .namespace(dialect.namespaces.system)
      .create({
        metadata: { name: `bootstrap-token-${ID}` },
        type: dialect.secretTypes.bootstrapToken,
        stringData: { ...DATA, expiration: '2024-01-01T00:00:10Z' },
      });
    expect(await status()).toBe(200);
    expect(await status(`${ID}.0000000000000000`)).toBe(401);
    await server.advance(10 * SECOND_MS);
    expect(await status()).toBe(401);
  });
});

test('throttles a thousand wrong tokens, without blocking valid ones', async () => {
  await using server = await startTestServer({
    dialect: kubernetes,
    authentication: {
      bootstrapTokens: true,
      wrongBootstrapTokens: { perSource: 30 },
      tokens: [{ token: 'abcdef.0123456789abcdef', user: { username: 'alice', groups: [] } }],
    },
  });
  const data = { ...DATA, 'usage-bootstrap-authentication': 'true' };
  await server.client
    .resource(Secret)
    .namespace('kube-system')
    .create({
      metadata: { name: `bootstrap-token-${ID}` },
      type: kubernetes.secretTypes.bootstrapToken,
      stringData: data,
    });
  const handle = toFetchHandler(server.server, { peer: () => ({ address: '10.0.0.1', tls: true }) });
  const answer = (token: string): Promise<Response> =>
    handle(new Request('http://server/api', { headers: { authorization: `Bearer ${token}` } }));
  const statuses: number[] = [];
  for (let turn = 0; turn < 1_000; turn += 1) {
    statuses.push((await answer(`${turn % 2 === 0 ? ID : 'aaaaaa'}.${String(turn).padStart(16, '0')}`)).status);
    // Neither the token nor one of another type in the same form, from the same address.
    if (turn % 100 === 0)
      expect([(await answer(TOKEN)).status, (await answer('abcdef.0123456789abcdef')).status]).toEqual([200, 200]);
  }
  expect([statuses.filter((status) => status === 401).length, statuses.lastIndexOf(401)]).toEqual([30, 29]);
  const refused = await answer(`${ID}.0000000000000000`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
  expect(await refused.json()).toMatchObject({
    reason: 'TooManyRequests',
    message: 'Too many requests, please try again later.',
  });
  // A token of any other form is rejected as usual.
  expect((await answer('nonsense')).status).toBe(401);
  await server.advance(60_000);
  expect((await answer(`${ID}.0000000000000000`)).status).toBe(401);
});
