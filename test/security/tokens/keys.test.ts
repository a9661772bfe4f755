import { createHash, createPublicKey } from 'node:crypto';
import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  exportSigningKey,
  generateSigningKey,
  parseSigningKey,
  parseVerificationKeys,
  type SigningAlgorithm,
  type TokenSigner,
} from '../../../src/security/tokens/index.js';
import { ecKey, openssl, rsaKey, selfSigned, type KeyForms } from './openssl.js';

const keys: Partial<Record<SigningAlgorithm, KeyForms>> = {};
beforeAll(() => {
  Object.assign(keys, {
    RS256: rsaKey(),
    ES256: ecKey('prime256v1'),
    ES384: ecKey('secp384r1'),
    ES512: ecKey('secp521r1'),
  });
});
const keyOf = (algorithm: SigningAlgorithm): KeyForms =>
  keys[algorithm] ?? { pkcs8: '', traditional: '', publicKey: '' };
const keyIdOf = (pem: string): string =>
  createHash('sha256')
    .update(createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .digest('base64url');

const algorithms = ['RS256', 'ES256', 'ES384', 'ES512'] as const satisfies readonly SigningAlgorithm[];
const cryptographies = ['host', 'web'] as const;

describe.each(cryptographies)('keys from openssl, with the cryptography of the %s', (cryptography) => {
  describe.each(algorithms)('%s', (algorithm) => {
    it.each(['pkcs8', 'traditional'] as const)(
      'a private key is parsed as %s, and verifies its own signature',
      async (form) => {
        const signer = await parseSigningKey(keyOf(algorithm)[form], { cryptography });
        expect(signer.algorithm).toBe(algorithm);
        expect(signer.keyId).toBe(keyIdOf(keyOf(algorithm).publicKey));
        const signature = await signer.sign('header.payload');
        expect(await signer.publicKey.verify('header.payload', signature)).toBe(true);
        expect(await signer.publicKey.verify('header.Payload', signature)).toBe(false);
      },
    );

    it('signatures of one cryptography verify with the other', async () => {
      const signer = await parseSigningKey(keyOf(algorithm).pkcs8, { cryptography });
      const [verifier] = await parseVerificationKeys(keyOf(algorithm).publicKey, {
        cryptography: cryptography === 'host' ? 'web' : 'host',
      });
      expect(await verifier?.verify('a.b', await signer.sign('a.b'))).toBe(true);
    });

    it('a public key, a certificate and both forms of the private key are the same key', async () => {
      const { publicKey, pkcs8, traditional } = keyOf(algorithm);
      for (const pem of [publicKey, selfSigned(pkcs8), pkcs8, traditional]) {
        const found = await parseVerificationKeys(pem, { cryptography });
        expect(found.map(({ keyId }) => keyId)).toEqual([keyIdOf(publicKey)]);
      }
    });
  });
});

it('an RSA public key of PKCS#1 is parsed', async () => {
  const [key] = await parseVerificationKeys(openssl('rsa -pubin -RSAPublicKey_out', keyOf('RS256').publicKey));
  expect(key?.keyId).toBe(keyIdOf(keyOf('RS256').publicKey));
});

it('a file contains keys of any type, other text between them, and a duplicate key', async () => {
  const file = [
    '# keys',
    keyOf('RS256').publicKey,
    'then',
    keyOf('ES256').traditional,
    selfSigned(keyOf('ES384').pkcs8),
    keyOf('RS256').pkcs8,
    openssl('genpkey -algorithm ed25519'),
  ].join('\n');
  expect((await parseVerificationKeys(file)).map(({ algorithm }) => algorithm)).toEqual(['RS256', 'ES256', 'ES384']);
});

it('a private key without its public part is completed', async () => {
  const bare = openssl('ec -no_public', keyOf('ES256').traditional);
  expect((await parseSigningKey(bare)).keyId).toBe(keyIdOf(keyOf('ES256').publicKey));
});

it('the lines of a file may end as on any system', async () => {
  expect((await parseSigningKey(keyOf('ES256').pkcs8.replaceAll('\n', '\r\n'))).algorithm).toBe('ES256');
});

describe('an invalid key', () => {
  const short = (): string => rsaKey(1024).pkcs8;
  it.each<[string, () => string, RegExp]>([
    ['is an empty file', () => '', /^Error: data does not contain a valid RSA or ECDSA private key$/],
    ['is a public key', () => keyOf('ES256').publicKey, /private key$/],
    ['is encrypted', () => openssl('pkcs8 -topk8 -v2 aes256 -passout pass:x', keyOf('ES256').pkcs8), /private key$/],
    [
      'is on another curve',
      () => openssl('genpkey -algorithm EC -pkeyopt ec_paramgen_curve:secp256k1'),
      /neither an RSA key nor an ECDSA key on P-256, P-384 or P-521$/,
    ],
    ['is of another type', () => openssl('genpkey -algorithm ed25519'), /neither an RSA key/],
    ['is too short', short, /an RSA key must have at least 2048 bits, this one has 1024$/],
    ['is truncated', () => keyOf('ES256').pkcs8.replace(/.{20}\n-----END/, '\n-----END'), /private key: /],
    [
      'is noise',
      () => `-----BEGIN PRIVATE KEY-----\n${btoa('secret noise')}\n-----END PRIVATE KEY-----`,
      /private key: /,
    ],
  ])('%s', async (_name, pem, message) => {
    const error: unknown = await parseSigningKey(pem()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(message);
    for (const line of pem().split('\n'))
      if (line.length > 20 && !line.startsWith('-')) expect(String(error)).not.toContain(line);
  });

  it('is no verification key either', async () => {
    await expect(parseVerificationKeys('')).rejects.toThrow('data does not contain any valid RSA or ECDSA public keys');
    await expect(parseVerificationKeys(short())).rejects.toThrow('at least 2048 bits');
  });

  it('is not searched for in a text beyond the limit', async () => {
    await expect(parseVerificationKeys('x'.repeat(2 ** 20 + 1))).rejects.toThrow(RangeError);
  });

  it('is one beyond the maximum number', async () => {
    const many = await Promise.all(
      Array.from({ length: 101 }, async () => (await generateSigningKey()).publicKey.publicKeyPem),
    );
    await expect(parseVerificationKeys(many.join(''))).rejects.toThrow('more than 100 keys in one text');
  });
});

describe('a generated key', () => {
  it('is for ES256, and differs each time', async () => {
    const [first, second] = [await generateSigningKey(), await generateSigningKey()];
    expect(first.algorithm).toBe('ES256');
    expect(first.keyId).not.toBe(second.keyId);
  });

  it.each(algorithms)('is for %s if requested', async (algorithm) => {
    const signer = await generateSigningKey({ algorithm });
    expect(await signer.publicKey.verify('a', await signer.sign('a'))).toBe(true);
  });

  it('can be restored from its stored form', async () => {
    const signer = await generateSigningKey();
    const again = await parseSigningKey(exportSigningKey(signer));
    expect(again.keyId).toBe(signer.keyId);
    expect(openssl('pkey -noout -text', exportSigningKey(signer))).toContain('prime256v1');
  });

  it('does not print itself', async () => {
    const signer = await generateSigningKey();
    const secret = exportSigningKey(signer).split('\n')[1] ?? '';
    expect(secret.length).toBe(64);
    expect(inspect(signer, { depth: 9, showHidden: true }) + JSON.stringify(signer)).not.toContain(secret.slice(0, 20));
  });

  it('is not exported from a signer without one', () => {
    const remote: TokenSigner = {
      keyId: 'k',
      algorithm: 'ES256',
      sign: () => '',
      publicKey: { keyId: 'k', algorithm: 'ES256', publicKeyPem: '', verify: () => false },
    };
    expect(() => exportSigningKey(remote)).toThrow(TypeError);
  });
});

describe.each(cryptographies)('a signature, with the cryptography of the %s', (cryptography) => {
  it.each(algorithms)('of %s that is malformed is rejected', async (algorithm) => {
    const signer = await parseSigningKey(keyOf(algorithm).pkcs8, { cryptography });
    const good = await signer.sign('a.b');
    for (const bad of ['', '!', good.slice(0, -4), `${good}AAAA`, good.replace(/^./, '.'), `${good}=`])
      expect(await signer.publicKey.verify('a.b', bad)).toBe(false);
  });
});
