import fc from 'fast-check';
import { CompactSign, createLocalJWKSet, importPKCS8, jwtVerify } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeBase64UrlText } from '../../../src/foundation/encoding/base64url.js';
import {
  exportSigningKey,
  generateSigningKey,
  jsonWebKeySet,
  parseJsonWebToken,
  signJsonWebToken,
  verifyJsonWebToken,
  type JsonWebToken,
  type SigningAlgorithm,
  type TokenSigner,
} from '../../../src/security/tokens/index.js';
import { parseClaims } from '../../../src/security/tokens/json-claims.js';

const join = (header: string, payload: string, signature = 'c2ln'): string =>
  `${encodeBase64UrlText(header)}.${encodeBase64UrlText(payload)}.${signature}`;

describe('a compact token', () => {
  it('is split into its parts', () => {
    const token = join('{"alg":"ES256","kid":"k"}', '{"iss":"x","n":[1,{"a":":"}]}');
    expect(parseJsonWebToken(token)).toEqual({
      header: { alg: 'ES256', kid: 'k' },
      payload: { iss: 'x', n: [1, { a: ':' }] },
      signingInput: token.slice(0, token.lastIndexOf('.')),
      signature: 'c2ln',
    });
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['one part', 'abcd'],
    ['two parts', 'e30.e30'],
    ['four parts', 'e30.e30.e30.e30'],
    ['the JSON form', '{"payload":"e30","protected":"e30","signature":"e30"}'],
    ['padding', `${join('{}', '{}')}`.replace('.', '=.')],
    ['the standard base64 alphabet', join('{}', '{"a":"???>>>"}').replaceAll('_', '/').replaceAll('-', '+')],
    ['a space at the end of the payload', join('{}', '{}').replace('.c2ln', ' .c2ln')],
    ['a header that is not JSON', join('{', '{}')],
    ['a header that is no object', join('[]', '{}')],
    ['a payload that is not JSON', join('{}', 'iss=x')],
    ['a payload that is a list', join('{}', '[]')],
    ['a payload that is a string', join('{}', '"x"')],
    ['a payload that is null', join('{}', 'null')],
    ['a duplicate claim', join('{}', '{"iss":"a","iss":"b"}')],
    ['a duplicate claim, once with escapes', join('{}', '{"iss":"a","\\u0069ss":"b"}')],
    ['a duplicate claim, deeply nested', join('{}', '{"a":[{"b":{"c":1,"c":1}}]}')],
    ['a duplicate header field', join('{"alg":"ES256","alg":"none"}', '{}')],
    ['bytes that are not UTF-8', `e30.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.c2ln`],
  ])('is invalid with %s', (_name, text) => {
    expect(parseJsonWebToken(text)).toBeUndefined();
  });

  it('is invalid beyond its maximum length', () => {
    const token = join('{}', JSON.stringify({ long: 'x'.repeat(100) }));
    expect(parseJsonWebToken(token, token.length)).toBeDefined();
    expect(parseJsonWebToken(token, token.length - 1)).toBeUndefined();
    expect(parseJsonWebToken(join('{}', JSON.stringify({ long: 'x'.repeat(16_384) })))).toBeUndefined();
  });

  it('may be nested as deeply as its length allows', () => {
    const depth = 6_000;
    expect(
      parseJsonWebToken(join('{}', `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`), 1e6)?.payload,
    ).toHaveProperty('a');
    expect(parseJsonWebToken(join('{}', `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`), 1e6)?.payload).toHaveProperty(
      'a',
    );
  });
});

describe('claims', () => {
  it('are parsed as JSON is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(JSON.stringify(parseClaims(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it.each([
    '{"__proto__":1}',
    '{"a":"\\\\","b":"\\":"}',
    '{"a":"\\"","":{"":0}}',
    ' { "a" : 1 } ',
    '{"a":":x"}',
    '{"a" \n:":","b":"\\":"}',
  ])('%s has no duplicate name', (text) => {
    expect(parseClaims(text)).toEqual(JSON.parse(text));
  });

  it.each([
    '{"__proto__":1,"__proto__":2}',
    '{"a\\\\":1,"a\\\\":2}',
    '{"":0,"":0}',
    '{"1":0,"1":1}',
    '{"a":{"x":1},"a":{"x":1}}',
    '{"a":":","a":1}',
    '{"a" :1,"a" :":"}',
  ])('%s has one', (text) => {
    expect(parseClaims(text)).toBeUndefined();
  });
});

describe.each(['host', 'web'] as const)('with the cryptography of the %s', (cryptography) => {
  let signers: TokenSigner[] = [];
  beforeAll(async () => {
    const algorithms = ['RS256', 'ES256', 'ES256', 'ES384', 'ES512'] as const satisfies readonly SigningAlgorithm[];
    signers = await Promise.all(algorithms.map((algorithm) => generateSigningKey({ algorithm, cryptography })));
  });
  const keys = () => signers.map(({ publicKey }) => publicKey);
  const parsed = (token: string): JsonWebToken => {
    const jwt = parseJsonWebToken(token);
    if (jwt === undefined) throw new Error('no token');
    return jwt;
  };
  const verify = async (jwt: JsonWebToken, known = keys()) => verifyJsonWebToken(jwt, known);

  it('the signing key is found, by its name and without', async () => {
    for (const signer of signers) {
      const token = parsed(await signJsonWebToken(signer, { sub: 'me' }));
      expect(token.header).toEqual({ alg: signer.algorithm, kid: signer.keyId });
      expect(await verify(token)).toBe(signer.publicKey);
      const input = `${encodeBase64UrlText(JSON.stringify({ alg: signer.algorithm }))}.${encodeBase64UrlText('{}')}`;
      expect(await verify(parsed(`${input}.${await signer.sign(input)}`))).toBe(signer.publicKey);
    }
  });

  it('an unknown name finds no key, nor does an empty key set', async () => {
    const [signer] = signers;
    if (signer === undefined) return;
    const input = `${encodeBase64UrlText(JSON.stringify({ alg: signer.algorithm, kid: 'other' }))}.e30`;
    await expect(verify(parsed(`${input}.${await signer.sign(input)}`))).rejects.toThrow(
      'invalid signature, no keys found',
    );
    await expect(verify(parsed(await signJsonWebToken(signer, {})), [])).rejects.toThrow(
      'invalid signature, no keys found',
    );
  });

  it('jose verifies issued tokens with the key set of the server', async () => {
    const set = createLocalJWKSet(JSON.parse(await jsonWebKeySet(keys())) as Parameters<typeof createLocalJWKSet>[0]);
    for (const signer of signers) {
      const { payload, protectedHeader } = await jwtVerify(
        await signJsonWebToken(signer, { iss: 'https://x', aud: ['a', 'b'] }),
        set,
        { issuer: 'https://x', audience: 'b' },
      );
      expect(payload).toEqual({ iss: 'https://x', aud: ['a', 'b'] });
      expect(protectedHeader.kid).toBe(signer.keyId);
    }
  });

  it('tokens signed by jose are accepted', async () => {
    for (const signer of signers) {
      const key = await importPKCS8(exportSigningKey(signer), signer.algorithm);
      const token = await new CompactSign(new TextEncoder().encode('{"sub":"ä"}'))
        .setProtectedHeader({ typ: 'JWT', kid: signer.keyId, alg: signer.algorithm })
        .sign(key);
      expect(parsed(token).payload).toEqual({ sub: 'ä' });
      expect(await verify(parsed(token))).toBe(signer.publicKey);
    }
  });
});

describe('where the host has native cryptography', () => {
  it('tokens are issued and verified synchronously', async () => {
    const signer = await generateSigningKey();
    const token = signJsonWebToken(signer, { a: 1 });
    expect(token).toBeTypeOf('string');
    if (typeof token !== 'string') return;
    const jwt = parseJsonWebToken(token);
    expect(jwt && verifyJsonWebToken(jwt, [signer.publicKey])).toBe(signer.publicKey);
  });
});
