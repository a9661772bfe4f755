/** The formats of the ciphers, checked by other implementations of them. */
import { execFileSync } from 'node:child_process';
import { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cipherOf, type CipherName } from '../../../src/storage/encrypted/ciphers.js';
import { systemEntropy } from '../../../src/foundation/index.js';

const PATH = '/registry/secrets/default/a';
const PLAIN = Buffer.from('the text of a Secret');
const key = (length: number): Buffer => Buffer.alloc(length, 7);
const sizes = [16, 24, 32];

function openssl(...args: readonly string[]): (input: Buffer) => Buffer {
  return (input) => execFileSync('openssl', ['enc', ...args], { input });
}

describe.each(sizes)('aescbc with a key of %i bytes', (size) => {
  const [algorithm, secret] = [`-aes-${size * 8}-cbc`, key(size).toString('hex')];
  const cipher = cipherOf('aescbc', key(size), systemEntropy);

  it('writes what OpenSSL reads', () => {
    const data = cipher.encrypt(PLAIN, PATH);
    const iv = data.subarray(0, 16).toString('hex');
    expect(openssl('-d', algorithm, '-K', secret, '-iv', iv)(data.subarray(16))).toEqual(PLAIN);
  });

  it('reads what OpenSSL writes', () => {
    const iv = Buffer.alloc(16, 3);
    const data = Buffer.concat([iv, openssl(algorithm, '-K', secret, '-iv', iv.toString('hex'))(PLAIN)]);
    expect(cipher.decrypt(data, PATH)).toEqual(PLAIN);
  });
});

describe.each(sizes)('aesgcm with a key of %i bytes', (size) => {
  const cipher = cipherOf('aesgcm', key(size), systemEntropy);

  it('refuses a value that was moved to another key', () => {
    const data = cipher.encrypt(PLAIN, PATH);
    expect(() => cipher.decrypt(data, '/registry/secrets/default/b')).toThrow('damaged');
    expect(cipher.decrypt(data, PATH)).toEqual(PLAIN);
  });
});

// WebCrypto of some builds has no keys of 24 bytes.
describe.each([16, 32])('aesgcm with a key of %i bytes', (size) => {
  const cipher = cipherOf('aesgcm', key(size), systemEntropy);
  const parameters = (iv: Uint8Array) => ({ name: 'AES-GCM', iv, additionalData: Buffer.from(PATH), tagLength: 128 });
  const webKey = () => webcrypto.subtle.importKey('raw', key(size), 'AES-GCM', false, ['encrypt', 'decrypt']);

  it('writes what WebCrypto reads, with the storage key as authenticated data', async () => {
    const data = cipher.encrypt(PLAIN, PATH);
    const plain = await webcrypto.subtle.decrypt(parameters(data.subarray(0, 12)), await webKey(), data.subarray(12));
    expect(Buffer.from(plain)).toEqual(PLAIN);
  });

  it('reads what WebCrypto writes', async () => {
    const nonce = Buffer.alloc(12, 5);
    const data = await webcrypto.subtle.encrypt(parameters(nonce), await webKey(), PLAIN);
    expect(cipher.decrypt(Buffer.concat([nonce, Buffer.from(data)]), PATH)).toEqual(PLAIN);
  });
});

it('secretbox is that of NaCl: its own test vector', () => {
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const secret = hex('1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389');
  const nonce = hex('69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37');
  const plain = hex(
    'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
  );
  const box = hex(
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5',
  );
  const cipher = cipherOf('secretbox', secret, { bytes: () => nonce });
  expect(cipher.encrypt(plain, PATH)).toEqual(Buffer.concat([nonce, box]));
  expect(cipher.decrypt(Buffer.concat([nonce, box]), PATH)).toEqual(plain);
});

describe.each<CipherName>(['aescbc', 'aesgcm', 'secretbox'])('%s', (name) => {
  const cipher = cipherOf(name, key(32), systemEntropy);

  it('encrypts the same value in another way each time', () => {
    expect(cipher.encrypt(PLAIN, PATH)).not.toEqual(cipher.encrypt(PLAIN, PATH));
  });

  it.each([0, 1, 15, 16, 17, 70_000])('reads back %i bytes', (length) => {
    const plain = Buffer.alloc(length, 'x');
    expect(cipher.decrypt(cipher.encrypt(plain, PATH), PATH)).toEqual(plain);
  });

  it('refuses cut values without saying why', () => {
    const data = cipher.encrypt(PLAIN, PATH);
    for (let length = 0; length < data.length; length += 5)
      expect(() => cipher.decrypt(data.subarray(0, length), PATH)).toThrow('the value was damaged');
  });
});
