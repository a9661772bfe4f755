import { createHash } from 'node:crypto';
import { messageOf, type Entropy } from '../../foundation/index.js';
import { cipherOf, type Cipher, type CipherName } from './ciphers.js';
import { covers, parseMask, type GroupResource } from './masks.js';
import { decodedSecret } from './secrets.js';
import { encryptedText, isEncrypted, readEncrypted } from './stored-form.js';
import type { EncryptionConfiguration, EncryptionKey, EncryptionProvider } from './types.js';
import { UnreadableValueError, type PlainValue, type StoredValue } from './value-codec.js';

/** Stores values as they are. */
const IDENTITY = 'identity';

/** A key of a provider. */
interface Protector {
  /** Identifies the cipher and its key, in memory only. */
  readonly id: string;
  readonly prefix: string;
  readonly cipher: Cipher;
}

/** The providers of resources, in order; the first one writes. */
export class ProviderList {
  readonly #masks: readonly GroupResource[];
  readonly #protectors: readonly (Protector | typeof IDENTITY)[];

  constructor(masks: readonly string[], providers: readonly EncryptionProvider[], entropy: Pick<Entropy, 'bytes'>) {
    this.#masks = masks.map(parseMask);
    this.#protectors = providers.flatMap((provider) => protectorsOf(provider, entropy));
  }

  covers(resource: GroupResource): boolean {
    return this.#masks.some((mask) => covers(mask, resource));
  }

  /** Identifies the key with which the first provider writes; undefined when it stores values as they are. */
  get protection(): string | undefined {
    const [first] = this.#protectors;
    return first === undefined || first === IDENTITY ? undefined : first.id;
  }

  encode(key: string, text: string): StoredValue {
    const [first] = this.#protectors;
    if (first === undefined || first === IDENTITY) return { stored: text, protection: undefined };
    const { id, prefix, cipher } = first;
    return { stored: encryptedText({ prefix, data: cipher.encrypt(Buffer.from(text), key) }), protection: id };
  }

  /** @throws UnreadableValueError */
  decode(key: string, stored: string): PlainValue {
    const value = readEncrypted(stored);
    if (value === undefined) {
      if (!isEncrypted(stored) && this.#protectors.includes(IDENTITY)) return { text: stored, protection: undefined };
      throw new UnreadableValueError(key, 'no matching prefix found');
    }
    const failures: string[] = [];
    // A provider may appear again with another key of the same name.
    for (const protector of this.#protectors) {
      if (protector === IDENTITY || protector.prefix !== value.prefix) continue;
      try {
        return { text: protector.cipher.decrypt(value.data, key).toString(), protection: protector.id };
      } catch (error) {
        failures.push(messageOf(error));
      }
    }
    throw new UnreadableValueError(key, failures[0] ?? 'no matching prefix found');
  }
}

/** Returns the providers of each entry of a valid configuration, in order. */
export function providerLists(
  { resources }: EncryptionConfiguration,
  entropy: Pick<Entropy, 'bytes'>,
): readonly ProviderList[] {
  return resources.map(({ resources: masks, providers }) => new ProviderList(masks, providers, entropy));
}

function protectorsOf(
  { aesgcm, aescbc, secretbox }: EncryptionProvider,
  entropy: Pick<Entropy, 'bytes'>,
): (Protector | typeof IDENTITY)[] {
  const of = (name: CipherName, keys: readonly EncryptionKey[]): Protector[] =>
    keys.map((key) => protectorOf(name, key, entropy));
  if (aesgcm !== undefined) return of('aesgcm', aesgcm.keys);
  if (aescbc !== undefined) return of('aescbc', aescbc.keys);
  return secretbox === undefined ? [IDENTITY] : of('secretbox', secretbox.keys);
}

function protectorOf(cipher: CipherName, { name, secret }: EncryptionKey, entropy: Pick<Entropy, 'bytes'>): Protector {
  const bytes = decodedSecret(secret) ?? new Uint8Array();
  const prefix = `k8s:enc:${cipher}:v1:${name}:`;
  return {
    id: `${prefix}${createHash('sha256').update(prefix).update(bytes).digest('base64')}`,
    prefix,
    cipher: cipherOf(cipher, bytes, entropy),
  };
}
