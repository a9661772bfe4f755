import { createHmac, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { encodeBase64UrlText } from '../../../../src/foundation/encoding/base64url.js';
import {
  exportSigningKey,
  generateSigningKey,
  jsonWebKeySet,
  parseVerificationKeys,
  type TokenSigner,
} from '../../../../src/security/tokens/index.js';
import { API, createWorld, ISSUER, NOBODY, ROBOT, verdict, type World } from './world.js';

const SETTINGS = [
  { algorithm: 'RS256', cryptography: 'host' },
  { algorithm: 'ES256', cryptography: 'host' },
  { algorithm: 'RS256', cryptography: 'web' },
  { algorithm: 'ES256', cryptography: 'web' },
] as const;

describe.each(SETTINGS)(
  'an attack on $algorithm, with the cryptography of the $cryptography',
  ({ algorithm, cryptography }) => {
    let world: World;
    let other: TokenSigner;
    beforeAll(async () => {
      world = await createWorld({ algorithm, cryptography });
      other = await generateSigningKey({ algorithm, cryptography });
    });

    const header = (changes: JsonObject = {}): JsonObject => ({ alg: algorithm, kid: world.signer.keyId, ...changes });
    const withHeader = (changes: JsonObject): Promise<string> => world.forge(world.claims(), header(changes));
    const withClaims = (changes: JsonObject): Promise<string> => world.forge({ ...world.claims(), ...changes });
    const replaced = async (part: 0 | 1 | 2, text: string): Promise<string> =>
      (await world.token()).split('.').with(part, text).join('.');
    const hmac = (headers: JsonObject, secret: string): string => {
      const input = `${encodeBase64UrlText(JSON.stringify(headers))}.${encodeBase64UrlText(JSON.stringify(world.claims()))}`;
      return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
    };
    const publicDer = (): string =>
      createPublicKey(world.signer.publicKey.publicKeyPem).export({ type: 'spki', format: 'der' }).toString('latin1');

    it('the unmodified token is accepted', async () => {
      expect(verdict(await world.authenticator()(await world.token(), NOBODY))).toBe(ROBOT);
      expect(verdict(await world.authenticator()(await world.forge(world.claims()), NOBODY))).toBe(ROBOT);
    });

    /** The attack: its name, the token it sends, and the answer it gets. */
    const attacks: readonly (readonly [name: string, token: () => string | Promise<string>, answer: string])[] = [
      [
        'alg none, without a signature',
        () => replaced(0, encodeBase64UrlText('{"alg":"none"}')).then((token) => token.replace(/\.[^.]*$/, '.')),
        'unexpected signature algorithm',
      ],
      ['alg none, with the signature left on', () => withHeader({ alg: 'none' }), 'unexpected signature algorithm'],
      ['alg NONE in upper case', () => withHeader({ alg: 'nOnE' }), 'unexpected signature algorithm'],
      ['no alg', () => withHeader({ alg: undefined }), 'unexpected signature algorithm'],
      [
        'alg named like a member of every object',
        () => withHeader({ alg: 'constructor' }),
        'unexpected signature algorithm',
      ],
      [
        'HS256 keyed with the PEM of the public key',
        () => hmac(header({ alg: 'HS256' }), world.signer.publicKey.publicKeyPem),
        'unexpected signature algorithm',
      ],
      [
        'HS256 keyed with the PEM without its last newline',
        () => hmac(header({ alg: 'HS256' }), world.signer.publicKey.publicKeyPem.trim()),
        'unexpected signature algorithm',
      ],
      [
        'HS256 keyed with the DER of the public key',
        () => hmac(header({ alg: 'HS256' }), publicDer()),
        'unexpected signature algorithm',
      ],
      [
        'HMAC under the name of the correct algorithm',
        () => hmac(header(), world.signer.publicKey.publicKeyPem),
        'invalid signature',
      ],
      [
        'an algorithm that does not match the key',
        () => withHeader({ alg: algorithm === 'RS256' ? 'ES256' : 'RS256' }),
        'invalid signature',
      ],
      ['a longer hash than that of the key', () => withHeader({ alg: 'ES384' }), 'invalid signature'],
      ['kid of a missing key', () => withHeader({ kid: 'elsewhere' }), 'invalid signature, no keys found'],
      ['kid that is a path', () => withHeader({ kid: '../../../../dev/null' }), 'invalid signature, no keys found'],
      [
        'kid named like a member of every object',
        () => withHeader({ kid: '__proto__' }),
        'invalid signature, no keys found',
      ],
      ['kid that is no string', () => withHeader({ kid: [world.signer.keyId] }), 'kid header is not a string'],
      [
        'another issuer’s key under the correct kid',
        () => world.forge(world.claims(), header(), other),
        'invalid signature',
      ],
      [
        'another issuer’s key without kid',
        () => world.forge(world.claims(), header({ kid: undefined }), other),
        'invalid signature',
      ],
      [
        'another issuer’s key with its own kid',
        () => world.forge(world.claims(), header({ kid: other.keyId }), other),
        'invalid signature, no keys found',
      ],
      [
        'a wrong audience',
        () => withClaims({ aud: ['vault'] }),
        `token audiences ["vault"] is invalid for the target audiences ["${API}"]`,
      ],
      [
        'an audience in different letter case',
        () => withClaims({ aud: API.toUpperCase() }),
        `token audiences ["${API.toUpperCase()}"] is invalid for the target audiences ["${API}"]`,
      ],
      ['no exp', () => withClaims({ exp: undefined }), 'exp claim is missing'],
      ['exp null', () => withClaims({ exp: null }), 'exp claim is missing'],
      ['exp as a string', () => withClaims({ exp: '99999999999' }), 'exp claim is malformed'],
      ['exp as a list', () => withClaims({ exp: [99_999_999_999] }), 'exp claim is malformed'],
      [
        'exp with a fraction, in the past',
        () => withClaims({ exp: world.clock.now() / 1000 - 60.5 }),
        'service account token has expired',
      ],
      ['exp below zero', () => withClaims({ exp: -1 }), 'service account token has expired'],
      [
        'exp beyond the range of numbers',
        () => world.forge(JSON.stringify(world.claims()).replace(/"exp":\d+/, '"exp":1e999')),
        'exp claim is malformed',
      ],
      [
        'exp beyond exact integers',
        () => world.forge(JSON.stringify(world.claims()).replace(/"exp":\d+/, '"exp":9223372036854775807')),
        'exp claim is malformed',
      ],
      [
        'expired',
        () => world.forge(world.claims({ nowMs: world.clock.now() - 661_000 })),
        'service account token has expired',
      ],
      [
        'not yet valid',
        () => withClaims({ nbf: world.clock.now() / 1000 + 61 }),
        'service account token is not valid yet',
      ],
      [
        'issued in the future',
        () => withClaims({ iat: world.clock.now() / 1000 + 61 }),
        'service account token is issued in the future',
      ],
      ['nbf as a string', () => withClaims({ nbf: '0' }), 'nbf claim is malformed'],
      ['another issuer', () => withClaims({ iss: 'https://evil.example' }), 'no opinion'],
      ['an issuer with the correct prefix', () => withClaims({ iss: `${ISSUER}.evil` }), 'no opinion'],
      ['an issuer list', () => withClaims({ iss: [ISSUER] }), 'no opinion'],
      ['no issuer', () => withClaims({ iss: undefined }), 'no opinion'],
      ['header with crit', () => withHeader({ crit: ['exp'], exp: 0 }), 'unsupported crit header'],
      ['header with an empty crit', () => withHeader({ crit: [] }), 'unsupported crit header'],
      ['header with b64 false and crit', () => withHeader({ crit: ['b64'], b64: false }), 'unsupported crit header'],
      [
        'its own key in the header (jwk)',
        async () =>
          world.forge(
            world.claims(),
            header({ kid: undefined, jwk: JSON.parse(await jsonWebKeySet([other.publicKey])) as JsonObject }),
            other,
          ),
        'invalid signature',
      ],
      [
        'a key URL in the header (jku)',
        () => world.forge(world.claims(), header({ kid: undefined, jku: 'https://evil.example/keys' }), other),
        'invalid signature',
      ],
      [
        'a certificate in the header (x5c)',
        () => world.forge(world.claims(), header({ kid: undefined, x5c: ['MIIB'] }), other),
        'invalid signature',
      ],
      [
        'a certificate URL in the header (x5u)',
        () => world.forge(world.claims(), header({ kid: undefined, x5u: 'https://evil.example/x5u' }), other),
        'invalid signature',
      ],
      [
        'a claim changed',
        () =>
          replaced(
            1,
            encodeBase64UrlText(JSON.stringify(world.claims({ serviceAccount: { name: 'admin', uid: 'account-1' } }))),
          ),
        'invalid signature',
      ],
      [
        'a duplicate claim',
        () => world.forge(JSON.stringify(world.claims()).replace('{', '{"sub":"system:serviceaccount:team:admin",')),
        'no opinion',
      ],
      [
        'a duplicate private claim',
        () => world.forge(JSON.stringify(world.claims()).replace('{"namespace"', '{"namespace":"prod","namespace"')),
        'no opinion',
      ],
      ['a payload that is a list', () => world.forge('[{"iss":"x"}]'), 'no opinion'],
      ['a payload that is a string', () => world.forge(`"${ISSUER}"`), 'no opinion'],
      ['a payload that is null', () => world.forge('null'), 'no opinion'],
      [
        'the private claim of another dialect',
        () => world.forge(JSON.stringify(world.claims()).replace('"orch.io"', '"other.io"')),
        'orch.io claim is missing',
      ],
      [
        'no private claim',
        () => world.forge(JSON.stringify({ ...world.claims(), 'orch.io': undefined })),
        'orch.io claim is missing',
      ],
      [
        'an account without a uid',
        () => withClaims({ 'orch.io': { namespace: 'team', serviceaccount: { name: 'robot' } } }),
        'serviceaccount uid claim is missing',
      ],
      ['a truncated signature', async () => (await world.token()).slice(0, -6), 'invalid signature'],
      ['an empty signature', () => replaced(2, ''), 'invalid signature'],
      [
        'a truncated payload',
        async () => replaced(1, ((await world.token()).split('.')[1] ?? '').slice(0, -5)),
        'no opinion',
      ],
      ['a missing signature part', async () => (await world.token()).split('.').slice(0, 2).join('.'), 'no opinion'],
      ['an extra part', async () => `${await world.token()}.e30`, 'no opinion'],
      ['a trailing newline', async () => `${await world.token()}\n`, 'invalid signature'],
      ['nothing', () => '', 'no opinion'],
      ['dots', () => '..', 'no opinion'],
      [
        'the signature of another token',
        async () => replaced(2, (await world.token()).split('.')[2] ?? ''),
        'invalid signature',
      ],
    ];
    it.each(attacks)('%s', async (_name, token, answer) => {
      const text = await token();
      const authenticate = world.authenticator();
      expect(verdict(await authenticate(text, NOBODY))).toBe(answer);
      // It is rejected the second time too.
      expect(verdict(await authenticate(text, NOBODY))).toBe(answer);
    });

    it('a token that is too long is not parsed', async () => {
      const token = await withClaims({ padding: 'x'.repeat(16_384) });
      expect(verdict(await world.authenticator()(token, NOBODY))).toBe('token is longer than 16384 characters');
      expect(verdict(await world.authenticator({ maxTokenLength: 65_536 })(token, NOBODY))).toBe(ROBOT);
    });

    it('a token for an account that was deleted and recreated', async () => {
      const token = await world.token();
      const authenticate = world.authenticator();
      expect(verdict(await authenticate(token, NOBODY))).toBe(ROBOT);
      world.accounts.set('team/robot', { metadata: { uid: 'account-2' } });
      expect(verdict(await authenticate(token, NOBODY))).toBe(
        'service account UID (account-2) does not match claim (account-1)',
      );
      world.accounts.set('team/robot', { metadata: { uid: 'account-1' } });
    });

    it('no refusal contains a signature', async () => {
      for (const [, token] of attacks) {
        const text = await token();
        const signature = text.split('.')[2] ?? '';
        if (signature.length > 20)
          expect(verdict(await world.authenticator()(text, NOBODY))).not.toContain(signature.slice(0, 20));
      }
    });
  },
);

it('an ECDSA signature in DER form is rejected', async () => {
  for (const cryptography of ['host', 'web'] as const) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keys = await parseVerificationKeys(publicKey.export({ type: 'spki', format: 'pem' }).toString(), {
      cryptography,
    });
    const world = await createWorld({ cryptography });
    const input = `${encodeBase64UrlText('{"alg":"ES256"}')}.${encodeBase64UrlText(JSON.stringify(world.claims()))}`;
    const signature = (dsaEncoding: 'der' | 'ieee-p1363'): string =>
      createSign('sha256').update(input).sign({ key: privateKey, dsaEncoding }, 'base64url');
    expect(verdict(await world.authenticator({ keys })(`${input}.${signature('ieee-p1363')}`, NOBODY))).toBe(ROBOT);
    expect(verdict(await world.authenticator({ keys })(`${input}.${signature('der')}`, NOBODY))).toBe(
      'invalid signature',
    );
  }
});

it('a weak key is rejected before it can sign', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  await expect(parseVerificationKeys(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).rejects.toThrow(
    'at least 2048 bits',
  );
});

it('the published keys do not contain the private key', async () => {
  const signer = await generateSigningKey();
  const secret = exportSigningKey(signer).split('\n')[1] ?? '';
  expect(await jsonWebKeySet([signer.publicKey])).not.toContain(secret.slice(8, 40));
});
