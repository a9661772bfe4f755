import { createHash } from 'node:crypto';
import { messageOf, type Clock, type Entropy } from '../../foundation/index.js';
import { cipherOf, type CipherName } from './ciphers.js';
import { KmsKeyProvider, type KmsHost } from './kms/provider.js';
import { KmsError } from './kms/service.js';
import { covers, parseMask, type GroupResource } from './masks.js';
import type { Protector } from './protector.js';
import { decodedSecret } from './secrets.js';
import { encryptedText, isEncrypted, readEncrypted, type EncryptedValue } from './stored-form.js';
import type { EncryptionTally } from './tally.js';
import type { EncryptedResources, EncryptionConfiguration, EncryptionKey, EncryptionProvider } from './types.js';
import {
  STORED_AS_IT_IS as IDENTITY,
  UnreadableValueError,
  UnwritableValueError,
  type PlainValue,
  type ResourceKeys,
  type StoredValue,
} from './value-codec.js';

/** Prefix in metrics of a value that no provider reads. */
const UNKNOWN = 'unknown';
const NO_MATCH = 'no matching prefix found';
/** Bytes of the digest of a key that tell it from another one of the same name. */
const FINGERPRINT_BYTES = 8;

/** The providers of resources, in order; the first one writes. */
export class ProviderList {
  /** The resources and the names of the keys, for other servers. */
  readonly named: ResourceKeys;
  readonly #masks: readonly GroupResource[];
  readonly #protectors: readonly (Protector | typeof IDENTITY)[];
  readonly #needsPreparation: boolean;
  readonly #clock: Clock;
  readonly #tally: EncryptionTally;

  constructor(
    masks: readonly string[],
    protectors: readonly (Protector | typeof IDENTITY)[],
    { clock, tally }: Pick<KmsHost, 'clock' | 'tally'>,
  ) {
    this.named = {
      resources: masks,
      keys: protectors.map((each) => (each === IDENTITY ? IDENTITY : each.publicName)),
    };
    this.#masks = masks.map(parseMask);
    this.#protectors = protectors;
    this.#needsPreparation = protectors.some((each) => each !== IDENTITY && each.prepare !== undefined);
    this.#clock = clock;
    this.#tally = tally;
  }

  covers(resource: GroupResource): boolean {
    return this.#masks.some((mask) => covers(mask, resource));
  }

  /** Identifies the key with which the first provider writes; undefined when it stores values as they are. */
  get protection(): string | undefined {
    const [first] = this.#protectors;
    return first === undefined || first === IDENTITY ? undefined : first.protection;
  }

  /** @throws UnwritableValueError */
  encode(key: string, text: string): StoredValue {
    const [first] = this.#protectors;
    const beganMs = this.#clock.now();
    if (first === undefined || first === IDENTITY) {
      this.#count('to_storage', '', beganMs);
      return { stored: text, protection: undefined };
    }
    try {
      const { data, protection } = first.encrypt(Buffer.from(text), key);
      this.#count('to_storage', first.shownPrefix, beganMs);
      return { stored: encryptedText({ prefix: first.prefix, data }), protection };
    } catch (error) {
      this.#count('to_storage', first.shownPrefix, beganMs, error);
      throw new UnwritableValueError(messageOf(error), { cause: error });
    }
  }

  /** @throws UnreadableValueError */
  decode(key: string, stored: string): PlainValue {
    const beganMs = this.#clock.now();
    const value = readEncrypted(stored);
    if (value === undefined && !isEncrypted(stored) && this.#protectors.includes(IDENTITY)) {
      this.#count('from_storage', '', beganMs);
      return { text: stored, protection: undefined };
    }
    let failure: { readonly error: unknown; readonly prefix: string } | undefined;
    // A provider may appear again with another key of the same name.
    for (const protector of value === undefined ? [] : this.#protectorsOf(value)) {
      try {
        const { plain, protection } = protector.decrypt(value?.data ?? Buffer.alloc(0), key);
        this.#count('from_storage', protector.shownPrefix, beganMs);
        return { text: plain.toString(), protection };
      } catch (error) {
        failure ??= { error, prefix: protector.shownPrefix };
      }
    }
    this.#count('from_storage', failure?.prefix ?? UNKNOWN, beganMs, failure?.error ?? new Error(NO_MATCH));
    throw new UnreadableValueError(key, failure === undefined ? NO_MATCH : messageOf(failure.error));
  }

  /** As that of the codec. */
  prepare(key: string, stored: string): Promise<void> | undefined {
    if (!this.#needsPreparation) return undefined;
    const value = readEncrypted(stored);
    if (value === undefined) return undefined;
    for (const protector of this.#protectorsOf(value)) {
      const beganMs = this.#clock.now();
      const fetched = protector.prepare?.(value.data);
      if (fetched !== undefined)
        return fetched.catch((error: unknown) => {
          this.#count('from_storage', protector.shownPrefix, beganMs, error);
          throw new UnreadableValueError(key, `failed to decrypt DEK, error: ${messageOf(error)}`, {
            cause: error,
            isTemporary: error instanceof KmsError && error.isUnanswered,
          });
        });
    }
    return undefined;
  }

  #protectorsOf({ prefix }: EncryptedValue): Protector[] {
    return this.#protectors.filter((each): each is Protector => each !== IDENTITY && each.prefix === prefix);
  }

  #count(type: 'from_storage' | 'to_storage', prefix: string, beganMs: number, error?: unknown): void {
    const labels = { transformation_type: type, transformer_prefix: prefix };
    const status = error === undefined ? 'OK' : error instanceof KmsError ? error.code : 'unknown-non-grpc';
    this.#tally.add('apiserver_storage_transformation_operations_total', { ...labels, status });
    if (error === undefined)
      this.#tally.observe(
        'apiserver_storage_transformation_duration_seconds',
        (this.#clock.now() - beganMs) / 1000,
        labels,
      );
  }
}

/** The providers of a configuration. */
export interface Providers {
  /** Those of each entry, in order. */
  readonly lists: readonly ProviderList[];
  /** The key services, which must be started and closed. */
  readonly services: readonly KmsKeyProvider[];
}

/** Returns the providers of a valid configuration. */
export function providersOf({ resources }: EncryptionConfiguration, host: KmsHost): Providers {
  const services: KmsKeyProvider[] = [];
  const listOf = ({ resources: masks, providers }: EncryptedResources): ProviderList => {
    const protectors = providers.flatMap((provider) => {
      if (provider.kms === undefined) return protectorsOf(provider, host.entropy);
      const service = new KmsKeyProvider(provider.kms, host);
      services.push(service);
      return service.envelope;
    });
    return new ProviderList(masks, protectors, host);
  };
  return { lists: resources.map(listOf), services };
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

function protectorOf(
  name: CipherName,
  { name: keyName, secret }: EncryptionKey,
  entropy: Pick<Entropy, 'bytes'>,
): Protector {
  const bytes = decodedSecret(secret) ?? new Uint8Array();
  const shownPrefix = `k8s:enc:${name}:v1:`;
  const prefix = `${shownPrefix}${keyName}:`;
  const digest = createHash('sha256').update(prefix).update(bytes).digest();
  const protection = `${prefix}${digest.toString('base64')}`;
  const cipher = cipherOf(name, bytes, entropy);
  return {
    prefix,
    shownPrefix,
    protection,
    // Who reads the store can try a key on its values anyway.
    publicName: `${prefix}${digest.toString('hex', 0, FINGERPRINT_BYTES)}`,
    encrypt: (plain, key) => ({ data: cipher.encrypt(plain, key), protection }),
    decrypt: (data, key) => ({ plain: cipher.decrypt(data, key), protection }),
  };
}
