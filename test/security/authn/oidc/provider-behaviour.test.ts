import { beforeAll, describe, expect, test } from 'vitest';
import { fetchHttpClient } from '../../../../src/foundation/outbound/index.js';
import { forgeKey, serveForged, sign, type ForgedKey } from './support/forge.js';
import { startHost } from './support/host.js';
import { useSetting } from './support/setting.js';

const setting = useSetting();
let key: ForgedKey;
let stranger: ForgedKey;

const NOT_SIGNED = 'oidc: verify token: failed to verify signature: failed to verify id token signature';

beforeAll(async () => {
  [key, stranger] = await Promise.all([forgeKey('one'), forgeKey('strange')]);
});

const claims = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  iss: setting.host.url,
  aud: 'orchestrator',
  sub: 'jane',
  exp: setting.clock.now() / 1000 + 86_400,
  ...changes,
});
const jane = (): unknown => ({ username: `${setting.host.url}#jane`, groups: [] });
const jwksRequests = (): number => setting.host.asked.filter((path) => path === '/jwks').length;

describe('discovery', () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      'another issuer',
      { issuer: 'https://other.example' },
      'oidc: issuer did not match the issuer returned by provider, expected \\"https://127.0.0.1',
    ],
    ['no issuer', { issuer: undefined }, 'got \\"\\"'],
    ['keys over http', { jwks_uri: 'http://127.0.0.1/jwks' }, 'is not an https URL'],
    ['no keys', { jwks_uri: undefined }, 'is not an https URL'],
    ['keys at an invalid URL', { jwks_uri: '/jwks' }, 'is not an https URL'],
  ])('a document with %s is rejected', async (_, discovery, message) => {
    serveForged(setting.host, { keys: [key.jwk], discovery });
    const failed = setting.log.next('initializing plugin');
    const authenticator = setting.authenticator();
    expect(await failed).toContain(message);
    expect(await setting.ask(authenticator, await sign(key, claims()))).toBe('oidc: authenticator not initialized');
    expect(jwksRequests()).toBe(0);
  });

  test.each(['not json', '[]', 'null', ''])('a document that is %j is rejected', async (body) => {
    setting.host.handler = (_, response) => void response.end(body);
    const failed = setting.log.next('initializing plugin');
    setting.authenticator();
    expect(await failed).toMatch(/oidc: failed to decode provider discovery object: the document is not (a )?JSON/);
  });

  test('a redirect is not followed', async () => {
    const elsewhere = await startHost();
    try {
      setting.host.handler = (_, response) =>
        void response.writeHead(302, { location: `${elsewhere.url}/.well-known/openid-configuration` }).end();
      const failed = setting.log.next('initializing plugin');
      setting.authenticator({ certificateAuthority: setting.host.caPem + elsewhere.caPem });
      expect(await failed).toContain(
        '/.well-known/openid-configuration: the answer is 302, a redirect, which is not followed',
      );
      expect(elsewhere.asked).toEqual([]);
    } finally {
      await elsewhere.stop();
    }
  });

  test('a provider that does not answer within 30 seconds is retried ten seconds later', async () => {
    setting.host.handler = () => undefined;
    const asked = setting.host.nextRequest('/.well-known/openid-configuration');
    const failed = setting.log.next('initializing plugin');
    const authenticator = setting.authenticator();
    await asked;
    await setting.clock.advance(30_000);
    expect(await failed).toContain('no answer within 30000 ms');
    serveForged(setting.host, { keys: [key.jwk] });
    await setting.clock.advance(10_000);
    await authenticator.ready;
    expect(await setting.ask(authenticator, await sign(key, claims()))).toEqual(jane());
  });

  test('an endless document is not read to its end', async () => {
    setting.host.handler = (_, response) => {
      const more = (): void =>
        void (response.destroyed || response.write(' '.repeat(65_536), () => setImmediate(more)));
      more();
    };
    const failed = setting.log.next('initializing plugin');
    setting.authenticator();
    expect(await failed).toContain('the answer is longer than 1048576 bytes');
  });

  test('uses the discovery URL if there is one; the document still names the issuer', async () => {
    serveForged(setting.host, { keys: [key.jwk], discovery: { issuer: 'https://issuer.example' } });
    const issuer = {
      url: 'https://issuer.example',
      discoveryURL: `${setting.host.url}/.well-known/openid-configuration`,
      audiences: ['a', 'b'],
      certificateAuthority: setting.host.caPem,
    };
    const configuration = { issuer, claimMappings: { username: { claim: 'sub', prefix: '' } } };
    const authenticator = setting.authenticator({}, { configuration });
    await authenticator.ready;
    expect(
      await setting.ask(authenticator, await sign(key, claims({ iss: 'https://issuer.example', aud: ['x', 'b'] }))),
    ).toMatchObject({ username: `${setting.host.url}#jane` });
    expect(
      await setting.ask(authenticator, await sign(key, claims({ iss: 'https://issuer.example', aud: ['x'] }))),
    ).toBe('oidc: verify token: oidc: expected audience in ["a" "b"] got ["x"]');
    expect(
      await setting.ask(authenticator, await sign(key, claims({ iss: 'https://issuer.example', aud: undefined }))),
    ).toBe('oidc: verify token: oidc: expected audience in ["a" "b"] got []');
  });

  test('a client that cannot set the authority is reported with an error that names one that can', async () => {
    serveForged(setting.host, { keys: [key.jwk] });
    const failed = setting.log.next('initializing plugin');
    setting.authenticator({}, { http: fetchHttpClient() });
    expect(await failed).toContain('cannot set the TLS option');
  });

  test('ends with the authenticator, and leaves nothing running', async () => {
    setting.host.handler = () => undefined;
    const asked = setting.host.nextRequest('/.well-known/openid-configuration');
    const authenticator = setting.authenticator();
    await asked;
    authenticator.close();
    await setting.clock.settle();
    expect([setting.clock.pending, setting.log.lines]).toEqual([0, []]);
  });
});

describe('keys', () => {
  test('a storm of tokens with unknown keys causes one request', async () => {
    serveForged(setting.host, { keys: [key.jwk] });
    const authenticator = setting.authenticator();
    await authenticator.ready;
    expect(await setting.ask(authenticator, await sign(key, claims()))).toEqual(jane());
    expect(jwksRequests()).toBe(1);
    await setting.clock.advance(10_000);
    const storm = await Promise.all(
      Array.from({ length: 200 }, async (_, index) =>
        setting.ask(authenticator, await sign(stranger, claims(), { kid: `kid-${index % 50}` })),
      ),
    );
    expect(new Set(storm)).toEqual(new Set([NOT_SIGNED]));
    expect(jwksRequests()).toBe(2);
    // And no further request for ten seconds.
    await setting.clock.advance(9_999);
    expect(await setting.ask(authenticator, await sign(stranger, claims()))).toBe(NOT_SIGNED);
    expect(jwksRequests()).toBe(2);
    await setting.clock.advance(1);
    expect(await setting.ask(authenticator, await sign(stranger, claims()))).toBe(NOT_SIGNED);
    expect(jwksRequests()).toBe(3);
    expect(await setting.ask(authenticator, await sign(key, claims()))).toEqual(jane());
  });

  test('a key that is replaced under its old kid is found', async () => {
    const provider = serveForged(setting.host, { keys: [key.jwk] });
    const authenticator = setting.authenticator();
    await authenticator.ready;
    await setting.ask(authenticator, await sign(key, claims()));
    await setting.clock.advance(10_000);
    provider.keys = [{ ...stranger.jwk, kid: 'one' }];
    expect(await setting.ask(authenticator, await sign(stranger, claims(), { kid: 'one' }))).toEqual(jane());
  });

  test('the max-age of the provider is honoured, between a minute and an hour', async () => {
    const readAfter = async (headers: Record<string, string>, ms: number): Promise<void> => {
      serveForged(setting.host, { keys: [key.jwk], headers });
      const authenticator = setting.authenticator();
      await authenticator.ready;
      await setting.ask(authenticator, await sign(key, claims()));
      const before = jwksRequests();
      await setting.clock.advance(ms - 1);
      expect(jwksRequests()).toBe(before);
      const read = setting.host.nextRequest('/jwks');
      await setting.clock.advance(1);
      await read;
      authenticator.close();
    };
    await readAfter({}, 600_000);
    await readAfter({ 'cache-control': 'public, max-age=120' }, 120_000);
    await readAfter({ 'cache-control': 'max-age=1' }, 60_000);
    await readAfter({ 'cache-control': 'no-store' }, 60_000);
    await readAfter({ 'cache-control': 'max-age=9999999999' }, 3_600_000);
    await readAfter({ 'cache-control': 'max-age=nonsense' }, 600_000);
  });

  test('an unreachable provider leaves its current keys in use', async () => {
    serveForged(setting.host, { keys: [key.jwk] });
    const authenticator = setting.authenticator();
    await authenticator.ready;
    expect(await setting.ask(authenticator, await sign(key, claims()))).toEqual(jane());
    await setting.host.stop();
    const failed = setting.log.next('the keys of an OpenID provider could not be read');
    await setting.clock.advance(600_000);
    expect(await failed).toContain('ECONNREFUSED');
    expect(await setting.ask(authenticator, await sign(key, claims()))).toEqual(jane());
    expect(await setting.ask(authenticator, await sign(stranger, claims()))).toBe(NOT_SIGNED);
    await setting.host.start();
    const read = setting.host.nextRequest('/jwks');
    await setting.clock.advance(10_000);
    await read;
  });

  test.each<[string, unknown, string]>([
    ['too long', { keys: [{ kty: 'RSA', n: 'x'.repeat(1_100_000) }] }, 'the answer is longer than 1048576 bytes'],
    [
      'one with too many keys',
      { keys: Array.from({ length: 129 }, () => ({ kty: 'RSA' })) },
      'the key set has more than 128 keys',
    ],
    ['none', { keys: 'none' }, 'the key set has no list of keys'],
    ['one without keys', { keys: [7] }, 'the key set has no list of keys'],
    ['a list', [], 'the key set is not a JSON object'],
    [
      'with many values',
      { keys: Array.from({ length: 20_001 }, () => 0) },
      'the key set is too large: it has more than 20000 values',
    ],
  ])('a key set that is %s is rejected', async (_, set, message) => {
    setting.host.handler = ({ url }, response) =>
      void response.end(
        JSON.stringify(url === '/jwks' ? set : { issuer: setting.host.url, jwks_uri: `${setting.host.url}/jwks` }),
      );
    const failed = setting.log.next('could not be read');
    const authenticator = setting.authenticator();
    expect(await failed).toContain(message);
    expect(await setting.ask(authenticator, await sign(key, claims()))).toMatch(
      /^oidc: verify token: failed to verify signature: fetching keys oidc: get keys failed: /,
    );
  });

  test('keys that are weak, broken, private or for another use are ignored', async () => {
    const { n, e } = key.jwk;
    const unusable = [
      { kty: 'RSA', kid: 'one' },
      { ...key.jwk, use: 'enc' },
      { ...key.jwk, key_ops: ['sign'] },
      { ...key.jwk, alg: 'RS512' },
      { kty: 'RSA', kid: 'one', n: 'AQAB', e },
      { kty: 'EC', kid: 'one', n, e },
    ];
    const provider = serveForged(setting.host, { keys: unusable });
    const authenticator = setting.authenticator();
    await authenticator.ready;
    expect(await setting.ask(authenticator, await sign(key, claims()))).toBe(NOT_SIGNED);
    provider.keys = [...unusable, key.jwk];
    await setting.clock.advance(10_000);
    expect(await setting.ask(authenticator, await sign(key, claims()))).toEqual(jane());
  });

  test('an aborted request does not wait for the keys', async () => {
    serveForged(setting.host, { keys: [key.jwk] });
    const { handler } = setting.host;
    setting.host.handler = (request, response) => void (request.url === '/jwks' || handler(request, response));
    const asked = setting.host.nextRequest('/jwks');
    const authenticator = setting.authenticator();
    await asked;
    const controller = new AbortController();
    const outcome = setting.ask(authenticator, await sign(key, claims()), { signal: controller.signal });
    await setting.clock.settle();
    controller.abort();
    expect(await outcome).toBe('oidc: verify token: failed to verify signature: the request has ended');
  });
});

describe('configuration', () => {
  test.each([
    [{ url: 'http://issuer.example', audiences: ['a'] }, 'oidc: the issuer must be an https URL'],
    [
      { url: 'https://issuer.example', discoveryURL: 'http://issuer.example/d', audiences: ['a'] },
      'oidc: the discovery URL must be an https URL',
    ],
    [{ url: 'https://issuer.example', audiences: [] }, 'oidc: invalid configuration, audiences cannot be empty'],
  ])('%j is rejected', (issuer, message) => {
    expect(() =>
      setting.authenticator({}, { configuration: { issuer, claimMappings: { username: { claim: 'sub' } } } }),
    ).toThrow(message);
  });

  test('an error of the mapper is the refusal', async () => {
    serveForged(setting.host, { keys: [key.jwk] });
    const authenticator = setting.authenticator(
      {},
      {
        mapClaims: () => {
          throw new Error('oidc: error evaluating claim validation expression: nobody');
        },
      },
    );
    await authenticator.ready;
    expect(await setting.ask(authenticator, await sign(key, claims()))).toBe(
      'oidc: error evaluating claim validation expression: nobody',
    );
  });
});
