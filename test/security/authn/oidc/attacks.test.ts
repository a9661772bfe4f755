import { createHmac } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JwtAuthenticator } from '../../../../src/security/index.js';
import { encode, forgeKey, serveForged, sign, type ForgedKey } from './support/forge.js';
import { startHost } from './support/host.js';
import { useSetting } from './support/setting.js';

const setting = useSetting();
let key: ForgedKey;
let second: ForgedKey;
let stranger: ForgedKey;
let authenticator: JwtAuthenticator;

const NOT_SIGNED = 'oidc: verify token: failed to verify signature: failed to verify id token signature';

beforeAll(async () => {
  [key, second, stranger] = await Promise.all([forgeKey('one'), forgeKey('two'), forgeKey('one')]);
});

beforeEach(async () => {
  serveForged(setting.host, { keys: [key.jwk, second.jwk] });
  authenticator = setting.authenticator();
  await authenticator.ready;
});

const seconds = (): number => setting.clock.now() / 1000;
const claims = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  iss: setting.host.url,
  aud: 'orchestrator',
  sub: 'jane',
  exp: seconds() + 60,
  ...changes,
});
const ask = (token: string): Promise<unknown> => setting.ask(authenticator, token);
const jane = (): unknown => ({ username: `${setting.host.url}#jane`, groups: [] });

test('a valid token is accepted', async () => {
  expect(await ask(await sign(key, claims()))).toEqual(jane());
});

describe('algorithms', () => {
  test.each(['none', 'None', 'NONE', ''])('alg %j', async (alg) => {
    expect(await ask(`${encode({ alg, typ: 'JWT' })}.${encode(claims())}.`)).toBe(
      `oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "${alg}"`,
    );
  });

  test('a missing alg', async () => {
    expect(await ask(`${encode({ kid: 'one' })}.${encode(claims())}.AAAA`)).toBe(
      'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got ""',
    );
  });

  test('HS256 with the public key of the provider as the secret', async () => {
    for (const secret of [key.spki, key.spki.trim(), JSON.stringify(key.jwk), String(key.jwk.n)]) {
      const signed = `${encode({ alg: 'HS256', kid: 'one', typ: 'JWT' })}.${encode(claims())}`;
      const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      expect(await ask(token)).toBe(
        'oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "HS256"',
      );
    }
  });

  test('a symmetric algorithm cannot be configured', () => {
    for (const algorithm of ['HS256', 'none', 'EdDSA', 'rs256', '']) {
      expect(() => setting.authenticator({}, { signingAlgorithms: [algorithm] })).toThrow(
        `oidc: unsupported signing alg: "${algorithm}"`,
      );
    }
  });

  test('a symmetric key in the key set is ignored', async () => {
    serveForged(setting.host, { keys: [{ kty: 'oct', kid: 'one', k: encode('secret') }, key.jwk] });
    const other = setting.authenticator();
    await other.ready;
    expect(await setting.ask(other, await sign(key, claims()))).toEqual(jane());
  });

  test('an algorithm that is allowed, but not for this key', async () => {
    const elliptic = await forgeKey('curve', 'ES256');
    serveForged(setting.host, { keys: [{ ...elliptic.jwk, kid: 'one' }] });
    const other = setting.authenticator({ signingAlgorithms: ['RS256', 'ES256'] });
    await other.ready;
    expect(await setting.ask(other, await sign(key, claims()))).toBe(NOT_SIGNED);
    expect(await setting.ask(other, await sign(elliptic, claims(), { kid: 'one' }))).toEqual(jane());
  });

  test.each(['RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'ES512'])('%s is accepted if it is allowed', async (alg) => {
    const other = await forgeKey('other', alg);
    serveForged(setting.host, { keys: [other.jwk] });
    const allowing = setting.authenticator({ signingAlgorithms: [alg] });
    await allowing.ready;
    expect(await setting.ask(allowing, await sign(other, claims()))).toEqual(jane());
  });
});

describe('keys', () => {
  test('a kid with a path', async () => {
    for (const kid of ['three', '../one', 'https://evil.example/key', "one' OR '1'='1", '/dev/null', '__proto__', ''])
      expect(await ask(await sign(key, claims(), { kid }))).toBe(NOT_SIGNED);
  });

  test('the kid of another key of the provider', async () => {
    expect(await ask(await sign(key, claims(), { kid: 'two' }))).toBe(NOT_SIGNED);
  });

  test('no kid: every key is tried, whether there are several or one', async () => {
    for (const own of [key, second]) expect(await ask(await sign(own, claims(), {}))).toEqual(jane());
    expect(await ask(await sign(stranger, claims(), {}))).toBe(NOT_SIGNED);
    serveForged(setting.host, { keys: [key.jwk] });
    const one = setting.authenticator();
    await one.ready;
    expect(await setting.ask(one, await sign(key, claims(), {}))).toEqual(jane());
    expect(await setting.ask(one, await sign(stranger, claims(), {}))).toBe(NOT_SIGNED);
  });

  test('no kid, of a provider with many keys: the first eight are tried', async () => {
    const others = Array.from({ length: 7 }, (_, index) => ({ ...stranger.jwk, kid: `other ${index}` }));
    serveForged(setting.host, { keys: [...others, key.jwk, second.jwk] });
    const many = setting.authenticator();
    await many.ready;
    expect(await setting.ask(many, await sign(key, claims(), {}))).toEqual(jane());
    expect(await setting.ask(many, await sign(second, claims(), {}))).toBe(NOT_SIGNED);
    // Its name finds it.
    expect(await setting.ask(many, await sign(second, claims()))).toEqual(jane());
  });

  test('two keys with one kid: both are tried', async () => {
    serveForged(setting.host, { keys: [stranger.jwk, key.jwk] });
    const other = setting.authenticator();
    await other.ready;
    for (const own of [key, stranger]) expect(await setting.ask(other, await sign(own, claims()))).toEqual(jane());
  });

  test("another issuer's key under the same kid", async () => {
    expect(await ask(await sign(stranger, claims()))).toBe(NOT_SIGNED);
  });

  test('a key contained in the token: jwk, jku, x5u, x5c', async () => {
    const evil = await startHost();
    serveForged(evil, { keys: [stranger.jwk] });
    try {
      for (const header of [
        { jwk: stranger.jwk },
        { jku: `${evil.url}/jwks` },
        { x5u: `${evil.url}/chain.pem` },
        { x5c: [encode('certificate')] },
      ]) {
        expect(await ask(await sign(stranger, claims(), { kid: 'one', ...header }))).toBe(NOT_SIGNED);
        expect(await ask(await sign(stranger, claims(), header))).toBe(NOT_SIGNED);
      }
      expect(evil.asked).toEqual([]);
    } finally {
      await evil.stop();
    }
  });

  test('an unknown critical extension', async () => {
    const header = encode({ alg: 'RS256', kid: 'one', crit: ['b64'], b64: false });
    expect(await ask(`${header}.${encode(claims())}.AAAA`)).toBe(
      'oidc: verify token: oidc: malformed jwt: critical header parameters are not supported',
    );
  });
});

describe('claims', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['the audience of another client', { aud: 'other' }, 'oidc: expected audience "orchestrator" got ["other"]'],
    ['audiences of other clients', { aud: ['a', 'b"'] }, 'oidc: expected audience "orchestrator" got ["a" "b\\""]'],
    ['no audience', { aud: undefined }, 'oidc: expected audience "orchestrator" got []'],
    [
      'an audience that is no string',
      { aud: [{ orchestrator: true }] },
      'oidc: failed to unmarshal claims: "aud" must be a string or a list of strings',
    ],
    [
      'an audience with the right prefix',
      { aud: 'orchestrator2' },
      'oidc: expected audience "orchestrator" got ["orchestrator2"]',
    ],
    ['no expiry', { exp: undefined }, 'oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)'],
    ['an expiry that is null', { exp: null }, 'oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)'],
    ['an expiry that is a string', { exp: '99999999999' }, 'oidc: failed to unmarshal claims: "exp" must be a number'],
    [
      'an expiry long past',
      { exp: 1_500_000_000 },
      'oidc: token is expired (Token Expiry: 2017-07-14 02:40:00 +0000 UTC)',
    ],
    ['a negative expiry', { exp: -1e300 }, 'oidc: token is expired (Token Expiry: -1e+300 s)'],
    ['a not-before time that is a string', { nbf: 'soon' }, 'oidc: failed to unmarshal claims: "nbf" must be a number'],
  ])('%s', async (_, changes, message) => {
    expect(await ask(await sign(key, claims(changes)))).toBe(`oidc: verify token: ${message}`);
  });

  test('the expiry is exact to the second, without leeway', async () => {
    const token = await sign(key, claims({ exp: seconds() + 10 }));
    await setting.clock.advance(10_000);
    expect(await ask(token)).toEqual(jane());
    await setting.clock.advance(1);
    expect(await ask(token)).toMatch(/^oidc: verify token: oidc: token is expired/);
  });

  test('a token is valid from a minute before its nbf', async () => {
    const token = await sign(key, claims({ exp: seconds() + 600, nbf: seconds() + 120 }));
    await setting.clock.advance(59_999);
    expect(await ask(token)).toMatch(
      /^oidc: verify token: oidc: current time .* \+0000 UTC before the nbf \(not before\) time: .* \+0000 UTC$/,
    );
    await setting.clock.advance(1);
    expect(await ask(token)).toEqual(jane());
  });

  test('a token of another issuer is ignored, and costs no cryptography', async () => {
    for (const iss of [
      'https://other.example',
      `${setting.host.url}/`,
      setting.host.url.toUpperCase(),
      undefined,
      7,
      null,
      [setting.host.url],
    ]) {
      expect(await ask(await sign(key, claims({ iss })))).toBeUndefined();
    }
  });

  test('one matching audience is enough', async () => {
    expect(await ask(await sign(key, claims({ aud: ['other', 'orchestrator'] })))).toEqual(jane());
  });
});

describe('malformed tokens', () => {
  test.each([
    ['no token', ''],
    ['an opaque token', 'abcdef'],
    ['two parts', 'a.b'],
    ['four parts', 'a.b.c.d'],
    ['five parts, as in an encrypted token', 'a.b.c.d.e'],
    ['a payload that is not JSON', `${encode({ alg: 'RS256' })}.${encode('hello')}.AAAA`],
    ['a payload that is a list', `${encode({ alg: 'RS256' })}.${encode(['iss'])}.AAAA`],
    [
      'a payload that is not UTF-8',
      `${encode({ alg: 'RS256' })}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.AAAA`,
    ],
    ['the JSON form', JSON.stringify({ payload: '', signatures: [] })],
  ])('%s gets no opinion', async (_, token) => {
    expect(await ask(token)).toBeUndefined();
  });

  test('padding is not base64url', async () => {
    const [header, payload, signature] = (await sign(key, claims())).split('.');
    expect(await ask(`${header}.${payload}=.${signature}`)).toBeUndefined();
    expect(await ask(`${header}.${payload}.${signature}=`)).toBe(NOT_SIGNED);
  });

  test('a malformed header', async () => {
    expect(await ask(`!.${encode(claims())}.AAAA`)).toBe(
      'oidc: verify token: oidc: malformed jwt: malformed base64url',
    );
    expect(await ask(`${encode('{')}.${encode(claims())}.AAAA`)).toBe(
      'oidc: verify token: oidc: malformed jwt: the header is not JSON',
    );
  });

  test('a truncation at every place', async () => {
    const token = await sign(key, claims());
    const signatureAt = token.lastIndexOf('.') + 1;
    for (const length of [token.length - 1, token.length - 2, signatureAt + 1, signatureAt])
      expect(await ask(token.slice(0, length))).toBe(NOT_SIGNED);
    for (const length of [signatureAt - 1, signatureAt - 2, token.indexOf('.') + 1, 3])
      expect(await ask(token.slice(0, length))).toBeUndefined();
  });

  test('a change in any part', async () => {
    const token = await sign(key, claims());
    const [header = '', , signature = ''] = token.split('.');
    expect(await ask(`${header}.${encode(claims({ sub: 'root' }))}.${signature}`)).toBe(NOT_SIGNED);
    expect(await ask(`${encode({ alg: 'RS256', kid: 'two' })}.${token.split('.')[1]}.${signature}`)).toBe(NOT_SIGNED);
    expect(
      await ask(`${header}.${token.split('.')[1]}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
    ).toBe(NOT_SIGNED);
  });

  test('an oversized token', async () => {
    const at = (length: number): Promise<string> => sign(key, claims({ padding: 'x'.repeat(length) }));
    expect(await ask(await at(45_000))).toEqual(jane());
    expect(await ask(await at(50_000))).toBe('oidc: the token is longer than 65536 bytes');
    const bounded = setting.authenticator({}, { limits: { maxTokenBytes: 100 } });
    expect(await setting.ask(bounded, await at(1))).toBe('oidc: the token is longer than 100 bytes');
  });
});

describe('names that begin with system:', () => {
  const impostor = { sub: 'system:admin', email: 'system:admin', groups: ['system:masters'] };

  test('are prefixed by default; groups are prefixed if the flag sets a prefix', async () => {
    const prefixed = setting.authenticator({ groupsPrefix: 'oidc:' });
    await prefixed.ready;
    expect(await setting.ask(prefixed, await sign(key, claims(impostor)))).toEqual({
      username: `${setting.host.url}#system:admin`,
      groups: ['oidc:system:masters'],
    });
  });

  test('are used as they are without a prefix, as in Kubernetes: docs/reference/authn-oidc.md warns of it', async () => {
    const bare = setting.authenticator({ usernamePrefix: '-' });
    await bare.ready;
    expect(await setting.ask(bare, await sign(key, claims(impostor)))).toEqual({
      username: 'system:admin',
      groups: ['system:masters'],
    });
    const address = setting.authenticator({ usernameClaim: 'email' });
    await address.ready;
    expect(await setting.ask(address, await sign(key, claims(impostor)))).toMatchObject({ username: 'system:admin' });
  });
});

test('no token or part of one appears in the log or in a refusal', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  const tokens = [
    await sign(stranger, claims({ secret })),
    await sign(key, claims({ secret, exp: 1 })),
    await sign(key, claims({ secret, sub: 7 })),
    `${encode({ alg: 'none' })}.${encode(claims({ secret }))}.${encode(secret)}`,
    `${encode(secret)}.${encode(claims({ secret }))}.${encode(secret)}`,
  ];
  const said = [...(await Promise.all(tokens.map(ask))), ...setting.log.lines].map(String);
  expect(said.length).toBeGreaterThan(tokens.length);
  for (const line of said) {
    expect(line).not.toContain('hunter2');
    for (const part of tokens.flatMap((token) => token.split('.').filter((text) => text.length > 20)))
      expect(line).not.toContain(part);
  }
});
