import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  encodePrivateKey,
  encodePublicKey,
  generateKeyPair,
  parsePrivateKey,
  type KeyKind,
} from '../../../src/security/pki/index.js';
import { authority } from './support/issue.js';
import { opensslInDirectory } from './support/openssl.js';

const { run } = opensslInDirectory();
const NONE = new Error('data does not contain a valid RSA or ECDSA private key');
const ellipticCurve = (curve: string): string => run(['ecparam', '-name', curve, '-genkey']);
const rsa = run(['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048']);
const p256 = ellipticCurve('prime256v1');
const ed25519 = run(['genpkey', '-algorithm', 'ED25519']);

describe('keys from openssl are parsed', () => {
  test.each<[form: string, pem: string, algorithm: object]>([
    ['RSA in PKCS #8', rsa, { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048 }],
    ['RSA in PKCS #1', run(['rsa', '-traditional'], rsa), { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048 }],
    ['P-256 in PKCS #8', run(['pkcs8', '-topk8', '-nocrypt'], p256), { name: 'ECDSA', namedCurve: 'P-256' }],
    ['P-256 in SEC 1, after its parameters', p256, { name: 'ECDSA', namedCurve: 'P-256' }],
    ['P-256 in SEC 1, without the public key', run(['ec', '-no_public'], p256), { name: 'ECDSA', namedCurve: 'P-256' }],
    ['P-384 in SEC 1', ellipticCurve('secp384r1'), { name: 'ECDSA', namedCurve: 'P-384' }],
    ['P-521 in SEC 1', ellipticCurve('secp521r1'), { name: 'ECDSA', namedCurve: 'P-521' }],
    ['Ed25519 in PKCS #8', ed25519, { name: 'Ed25519' }],
    [
      'one after a certificate, with text and carriage returns',
      `mine\n${authority('root').pem}${rsa}`.replaceAll('\n', '\r\n'),
      { name: 'RSASSA-PKCS1-v1_5' },
    ],
    ['one after an unusable block', run(['genpkey', '-algorithm', 'X25519']) + ed25519, { name: 'Ed25519' }],
  ])('%s', async (_form, pem, algorithm) => {
    const key = await parsePrivateKey(pem);
    expect(key).toMatchObject({ algorithm, type: 'private', usages: ['sign'] });
    const own = pem.slice(pem.lastIndexOf('-----BEGIN'));
    expect(run(['pkey', '-pubout'], await encodePrivateKey(key))).toBe(
      run(['pkey', '-pubout'], own.replaceAll('\r\n', '\n')),
    );
  });
});

describe('invalid keys are rejected, and not shown', () => {
  const secret = p256.split('\n').find((line) => line.startsWith('MHc')) ?? '';
  test.each<[string, string]>([
    ['nothing', ''],
    ['text', 'no key'],
    ['a public key', run(['pkey', '-pubout'], rsa)],
    ['an encrypted key', run(['pkcs8', '-topk8', '-passout', 'pass:word'], rsa)],
    ['an encrypted key in the old format', run(['rsa', '-aes128', '-traditional', '-passout', 'pass:word'], rsa)],
    ['a key for PSS only', run(['genpkey', '-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'])],
    ['a curve without WebCrypto support', ellipticCurve('secp256k1')],
    ['P-224', ellipticCurve('secp224r1')],
    ['a key of SEC 1 under the label of PKCS #8', p256.replaceAll('EC PRIVATE', 'PRIVATE')],
    ['a key of PKCS #8 under the label of SEC 1', rsa.replaceAll('PRIVATE', 'EC PRIVATE')],
    ['a key of PKCS #8 under the label of PKCS #1', rsa.replaceAll('PRIVATE', 'RSA PRIVATE')],
    [
      'a key without its curve',
      generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString()
        .replaceAll('PRIVATE', 'EC PRIVATE'),
    ],
    ['a truncated key', p256.replace(secret, secret.slice(0, 40))],
  ])('%s', async (_name, pem) => {
    await expect(parsePrivateKey(pem)).rejects.toThrow(NONE);
  });
});

test.each<KeyKind>(['ECDSA-P256', 'ECDSA-P384', 'ECDSA-P521', 'RSA-2048', 'RSA-3072', 'RSA-4096', 'Ed25519'])(
  'a generated key of %s can be parsed',
  async (kind) => {
    const { privateKey, publicKey } = await generateKeyPair(kind);
    const pem = await encodePrivateKey(privateKey);
    expect(pem.startsWith('-----BEGIN PRIVATE KEY-----\n')).toBe(true);
    expect(await encodePrivateKey(await parsePrivateKey(pem))).toBe(pem);
    expect(run(['pkey', '-pubout', '-outform', 'der'], pem).length).toBeGreaterThan(0);
    expect(run(['pkey', '-pubout'], pem)).toContain(
      Buffer.from(await encodePublicKey(publicKey))
        .toString('base64')
        .slice(0, 60),
    );
  },
  300_000,
);
