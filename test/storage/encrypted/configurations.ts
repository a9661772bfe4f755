import { createEncryption, type StoreEncryption, type ValueCodec } from '../../../src/entries/encrypted.js';
import type { JsonValue } from '../../../src/foundation/index.js';

/** Keys of 32 bytes, in base64. */
export const KEY_1 = Buffer.alloc(32, 1).toString('base64');
export const KEY_2 = Buffer.alloc(32, 2).toString('base64');

/** A provider with keys by name; `identity` has none. */
export const provider = (name: string, keys: Readonly<Record<string, string>> = {}): JsonValue => ({
  [name]:
    name === 'identity' ? {} : { keys: Object.entries(keys).map(([keyName, secret]) => ({ name: keyName, secret })) },
});

/** An entry: masks with their providers. */
export const entry = (resources: readonly string[], ...providers: readonly JsonValue[]): JsonValue => ({
  resources: [...resources],
  providers: [...providers],
});

/** A configuration with these entries. */
export const configuration = (...resources: readonly JsonValue[]): JsonValue => ({
  kind: 'EncryptionConfiguration',
  apiVersion: 'apiserver.config.orch.io/v1',
  resources: [...resources],
});

/** The encryption of these entries. */
export const encryption = (...resources: readonly JsonValue[]): Promise<StoreEncryption> =>
  createEncryption({ configuration: configuration(...resources) });

/** Encrypts every key, even those of no resource, with one provider. */
export async function everything(name: string): Promise<ValueCodec> {
  const codec = await encryption(entry(['*.*'], provider(name, { one: KEY_1 })));
  const within = (key: string): string => `/registry/all/${key}`;
  return {
    protectionOf: (key) => codec.protectionOf(within(key)),
    encode: (key, text) => codec.encode(within(key), text),
    decode: (key, stored) => codec.decode(within(key), stored),
  };
}
