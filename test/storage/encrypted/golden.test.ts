/**
 * Stored values in the format of Kubernetes, which other implementations of the documented formats have made: OpenSSL,
 * `node:crypto` and `@noble/ciphers`, called as the formats say. The providers read them, and the other implementations
 * read what the providers write.
 *
 * Sources: `value/encrypt/aes`, `secretbox`, `envelope/kmsv2` and `kmsv2/v2/api.proto` of release 1.31.
 */
import { execFileSync } from 'node:child_process';
import { createDecipheriv, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEncryption, type StoreEncryption } from '../../../src/entries/encrypted.js';
import type { JsonValue } from '../../../src/foundation/index.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { configuration, entry, provider } from './configurations.js';
import { KmsServer } from './kms-server.js';

const PATH = '/registry/secrets/default/a';
const TEXT = '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"dg=="}}';
/** The bytes 0 to 31. */
const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');

/** The values in etcd after their prefixes. */
const GOLDEN = {
  aescbc: bytes(
    'ZGVmZ2hpamtsbW5vcHFyc0QoOoqApFy6KZZrYKXFvasp35TE4haRLi3SFEIHB78Ntsmdtx9k+K2Ao4Uxa0t+fP2wVcWxGyR+TVAYv9QJ36i4QvUkg73BenxpYvWGGQUr',
  ),
  aesgcm: bytes(
    'MjM0NTY3ODk6Ozw9vXmEqatYo9lPVI/lKYiL2kqRevHgG8KZonNk9pUJuQQSIuZpeoZzz/VtDr6GXJjPkZWKiPD2clS4Jp1wK0X6QOiOodxNScYBvTVyCLZpsA7SJiq49jxvhdoyPZo8PA4=',
  ),
  secretbox: bytes(
    'lpeYmZqbnJ2en6ChoqOkpaanqKmqq6yt901Us2/XsjCfBiV3l/umvXlUi8nGeZtjeoUZMjoTKJYLrH7bbw3HKRT0wpu9P8h5pKorXew89fHqbWJM+BDGgrVqtD95Q4jWMNE/jhpepQk0KQnpaLVm7ANLbLxcbwI=',
  ),
  /** An EncryptedObject of a seed; the data key is derived from it and the first 32 bytes of the data. */
  kmsSeed: bytes(
    'CosByMfGxcTDwsHAv769vLu6ubi3trW0s7KxsK+urayrqqkyMzQ1Njc4OTo7PD0l/srqPKZ5iv3Z6fW/kpgJzwxaUiPoWn7XwrkWEwsYYCmdGyhgFkdQu7rQHRRa50W0CYtjZRtNGszuIdSgGca8NP4miRQVqmAJoPqPp4nR+KDiOxSQZhPPoQgGe4ElDBIFa2V5LTEaMDbSfa+X982FrZfc4aZKvwWnLGdLN4TNdZaVJ28Bkud/E4G2d1QPqaE85WSGJ8frvyIUCg1hLmttcy5leGFtcGxlEgNvbmUoAQ==',
  ),
  /** An EncryptedObject of a data key, as releases before 1.29 wrote them. */
  kmsKey: bytes(
    'CmsyMzQ1Njc4OTo7PD29eYSpq1ij2U9Uj+UpiIvaSpF68eAbwpmic2T2lQm5BBIi5ml6hnPP9W0OvoZcmM+RlYqI8PZyVLgmnXArRfpA6I6h3E1JxgG9NXIItmmwDtImKrj2PG+F2jI9mjw8DhIFa2V5LTEaMDbSfa+X982FrZfc4aZKvwWnLGdLN4TNdZaVJ28Bkud/E4G2d1QPqaE85WSGJ8frvyIUCg1hLmttcy5leGFtcGxlEgNvbmU=',
  ),
};

/** Returns a value of etcd as our engines store it: its prefix, and its bytes in base64. */
function asStored(value: Buffer): string {
  const [prefix = ''] = /^k8s:enc:[a-z]+:v[0-9]+:[^:]*:/.exec(value.toString('latin1')) ?? [];
  return JSON.stringify({ encrypted: prefix, data: value.subarray(prefix.length).toString('base64') });
}

/** Returns a value of our engines as Kubernetes stores it. */
function inEtcd(stored: string): Buffer {
  const { encrypted, data } = JSON.parse(stored) as { readonly encrypted: string; readonly data: string };
  return Buffer.concat([Buffer.from(encrypted), bytes(data)]);
}

const after = (value: Buffer, prefix: string): Buffer => {
  expect(value.toString('latin1', 0, prefix.length)).toBe(prefix);
  return value.subarray(prefix.length);
};

function openAesGcm(key: Buffer, data: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(PATH))
    .setAuthTag(data.subarray(-16));
  return Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]).toString();
}

const openers: Readonly<Record<'aescbc' | 'aesgcm' | 'secretbox', (data: Buffer) => string>> = {
  aescbc: (data) => {
    const [key, iv] = [KEY, data.subarray(0, 16)].map((part) => part.toString('hex'));
    const options = ['enc', '-d', '-aes-256-cbc', '-K', key ?? '', '-iv', iv ?? ''];
    return execFileSync('openssl', options, { input: data.subarray(16) }).toString();
  },
  aesgcm: (data) => openAesGcm(KEY, data),
  secretbox: (data) => Buffer.from(xsalsa20poly1305(KEY, data.subarray(0, 24)).decrypt(data.subarray(24))).toString(),
};

const opened: StoreEncryption[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each.close();
});
async function encryptionOf(...providers: readonly JsonValue[]): Promise<StoreEncryption> {
  const made = await createEncryption({ configuration: configuration(entry(['secrets'], ...providers)) });
  opened.push(made);
  return made;
}

describe.each(['aescbc', 'aesgcm', 'secretbox'] as const)('%s', (name) => {
  const prefix = `k8s:enc:${name}:v1:key1:`;
  const value = Buffer.concat([Buffer.from(prefix), GOLDEN[name]]);
  const keys = provider(name, { key1: KEY.toString('base64') });

  test('reads a value of Kubernetes, and the other implementation reads the vector', async () => {
    const encryption = await encryptionOf(keys);
    expect(encryption.decode(PATH, asStored(value)).text).toBe(TEXT);
    expect(openers[name](GOLDEN[name])).toBe(TEXT);
  });

  test('writes what Kubernetes reads, also behind an older key of another name', async () => {
    const encryption = await encryptionOf(keys, provider('aesgcm', { old: Buffer.alloc(32, 9).toString('base64') }));
    expect(openers[name](after(inEtcd(encryption.encode(PATH, TEXT).stored), prefix))).toBe(TEXT);
  });

  // Of aescbc it changes the padding, which is all that this format can check.
  test('refuses a value whose last byte has changed', async () => {
    const encryption = await encryptionOf(keys);
    const changed = Buffer.from(value);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => encryption.decode(PATH, asStored(changed))).toThrow('damaged');
  });
});

describe('kms v2', () => {
  const prefix = 'k8s:enc:kms:v2:vault:';
  let folder = '';
  let kms: KmsServer;
  beforeEach(async () => {
    folder = mkdtempSync(join(DATA_FOLDER, 'golden-'));
    kms = await new KmsServer(join(folder, 'kms.sock')).start();
    return async () => {
      await kms.stop();
      rmSync(folder, { recursive: true });
    };
  });

  test.each(['kmsSeed', 'kmsKey'] as const)('reads a value of Kubernetes: %s', async (name) => {
    const encryption = await encryptionOf(kms.provider());
    const stored = asStored(Buffer.concat([Buffer.from(prefix), GOLDEN[name]]));
    await encryption.prepare?.(PATH, stored);
    expect(encryption.decode(PATH, stored).text).toBe(TEXT);
    expect(() => encryption.decode('/registry/secrets/default/b', stored)).toThrow('damaged');
  });

  test('writes what Kubernetes reads', async () => {
    const encryption = await encryptionOf(kms.provider());
    const object = fieldsOf(after(inEtcd(encryption.encode(PATH, TEXT).stored), prefix));
    const field = (number: number): Buffer => {
      const found = object.get(number);
      return typeof found === 'object' ? found : Buffer.alloc(0);
    };
    const [data, keyId, source] = [field(1), field(2).toString(), field(3)];
    expect([keyId, object.get(5)]).toEqual(['key-1', 1]);
    expect(fieldsOf(field(4))).toEqual(
      new Map([1, 2].map((number, index) => [number, Buffer.from((kms.annotation ?? [])[index] ?? '')])),
    );
    const seed = kms.decrypted(source, keyId);
    const key = createHmac('sha256', seed).update(data.subarray(0, 32)).update(Uint8Array.of(1)).digest();
    expect(openAesGcm(key, data.subarray(32))).toBe(TEXT);
  });
});

/** The fields of a protobuf message whose fields are bytes and numbers, each once. */
function fieldsOf(message: Buffer): Map<number, Buffer | number> {
  const fields = new Map<number, Buffer | number>();
  let at = 0;
  const varint = (): number => {
    const byte = message[at++] ?? 0;
    return byte < 0x80 ? byte : (byte & 0x7f) + 128 * varint();
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(tag >> 3, value);
    else fields.set(tag >> 3, message.subarray(at, (at += value)));
  }
  return fields;
}
