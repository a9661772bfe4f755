import { formatTime, goQuote, messageOf, type Clock, type Entropy } from '../../../foundation/index.js';
import { cipherOf, type Cipher } from '../ciphers.js';
import type { ProtectedData, Protector, UnprotectedData } from '../protector.js';
import type { EncryptionTally } from '../tally.js';
import {
  decodeObject,
  encodeObject,
  hashIfNotEmpty,
  sourceIdOf,
  SourceType,
  validateSource,
  type EncryptedObject,
  type EncryptedSource,
} from './encrypted-object.js';
import { KeyIdSeries } from './key-id-series.js';
import { SEED_BYTES, seedCipher } from './seed-cipher.js';
import type { KmsService } from './service.js';

/** Options of a {@link KmsEnvelope}. */
export interface KmsEnvelopeOptions {
  readonly name: string;
  readonly service: Pick<KmsService, 'encrypt' | 'decrypt'>;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'bytes' | 'uuid'>;
  readonly tally: EncryptionTally;
}

/** The source of the keys that encrypt now. */
interface State {
  readonly cipher: Cipher;
  readonly source: EncryptedSource;
  readonly sourceId: string;
  /** When it no longer encrypts, unless the service confirms its key id before. */
  readonly expiresAt: number;
}

/** Duration for which writes continue after the last good status, in milliseconds. */
const WRITE_MS = 3 * 60_000;
/** Duration for which a decrypted seed is used, in milliseconds. */
const SEED_MS = 24 * 60 * 60_000;
/** Duration after which an old seed is dropped: a value that was prepared just before is still decoded. */
const KEPT_MS = SEED_MS + 60_000;

/**
 * Encrypts values with data keys that are derived from a seed, which is stored with each value, encrypted by a key
 * service. The service is called when its key changes, and for the seeds of others and of former processes.
 */
export class KmsEnvelope implements Protector {
  readonly prefix: string;
  readonly #options: KmsEnvelopeOptions;
  readonly #keyIds: KeyIdSeries;
  #state: State | undefined;
  /** The decrypted sources, oldest first. */
  readonly #ciphers = new Map<string, { readonly cipher: Cipher; readonly since: number }>();
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(options: KmsEnvelopeOptions) {
    this.prefix = `k8s:enc:kms:v2:${options.name}:`;
    this.#options = options;
    this.#keyIds = new KeyIdSeries(options);
  }

  get shownPrefix(): string {
    return this.prefix;
  }

  /** Whoever reaches the service reads all of its values, whatever key it uses at the moment. */
  get publicName(): string {
    return this.prefix;
  }

  get protection(): string {
    return this.#state === undefined ? this.prefix : this.#protectionOf(this.#state.source);
  }

  encrypt(plain: Buffer, key: string): ProtectedData {
    const state = this.#state;
    if (state === undefined) throw new Error('got unexpected nil transformer');
    const now = this.#options.clock.now();
    const { cipher, source, sourceId, expiresAt } = state;
    if (now > expiresAt)
      throw new Error(
        `encryptedDEKSource with keyID hash ${goQuote(hashIfNotEmpty(source.keyId))} expired at ${formatTime(expiresAt)} (current time is ${formatTime(now)})`,
      );
    this.#keep(sourceId, cipher);
    const data = encodeObject({ data: cipher.encrypt(plain, key), source });
    this.#keyIds.used('to_storage', source.keyId);
    return { data, protection: this.#protectionOf(source) };
  }

  decrypt(bytes: Buffer, key: string): UnprotectedData {
    const { data, source } = decodeObject(bytes);
    const found = this.#ciphers.get(sourceIdOf(source));
    if (found === undefined) throw new Error('failed to decrypt DEK, error: it was not requested');
    this.#keyIds.used('from_storage', source.keyId);
    return { plain: found.cipher.decrypt(data, key), protection: this.#protectionOf(source) };
  }

  prepare(bytes: Buffer): Promise<void> | undefined {
    let object: EncryptedObject;
    try {
      object = decodeObject(bytes);
    } catch {
      // Decrypting tells why.
      return undefined;
    }
    const id = sourceIdOf(object.source);
    const found = this.#ciphers.get(id);
    if (found !== undefined && this.#options.clock.now() - found.since < SEED_MS) return undefined;
    let fetching = this.#fetching.get(id);
    if (fetching === undefined) {
      fetching = this.#fetch(id, object.source).finally(() => this.#fetching.delete(id));
      this.#fetching.set(id, fetching);
    }
    return fetching;
  }

  /**
   * Makes a new seed when the service's key has changed; otherwise lets the current one encrypt for longer. After a failure,
   * the current seed stays, until it expires.
   *
   * @throws Error in the words of Kubernetes
   */
  async confirm(statusKeyId: string): Promise<void> {
    const { clock, entropy } = this.#options;
    // The time before the call: it limits how old the confirmation is.
    const expiresAt = clock.now() + WRITE_MS;
    const state = this.#state;
    if (state?.source.keyId === statusKeyId) {
      this.#state = { ...state, expiresAt };
      return;
    }
    const uid = entropy.uuid();
    let [keyId, failure] = ['', '<nil>'];
    try {
      const made = await this.#makeSeed(uid);
      ({ keyId } = made.source);
      if (keyId === statusKeyId) {
        this.#state = { ...made, sourceId: sourceIdOf(made.source), expiresAt };
        return;
      }
    } catch (error) {
      failure = messageOf(error);
    }
    const current = state === undefined ? 'got unexpected nil transformer' : '<nil>';
    const hash = (text: string): string => goQuote(hashIfNotEmpty(text));
    throw new Error(
      `failed to rotate DEK uid=${goQuote(uid)}, useSeed=true, errState=${current}, errGen=${failure}, statusKeyIDHash=${hash(statusKeyId)}, encryptKeyIDHash=${hash(keyId)}, stateKeyIDHash=${hash(state?.source.keyId ?? '')}, expirationTimestamp=${state === undefined ? '0001-01-01T00:00:00Z' : formatTime(state.expiresAt)}`,
    );
  }

  async #makeSeed(uid: string): Promise<Pick<State, 'cipher' | 'source'>> {
    const { service, clock, entropy, tally } = this.#options;
    const beganMs = clock.now();
    const seed = entropy.bytes(SEED_BYTES);
    tally.observe('apiserver_storage_data_key_generation_duration_seconds', (clock.now() - beganMs) / 1000);
    const encrypted = await service.encrypt(seed, uid).catch((error: unknown) => {
      throw new Error(`failed to encrypt DEK, error: ${messageOf(error)}`, { cause: error });
    });
    const source: EncryptedSource = { ...encrypted, type: SourceType.seed };
    validateSource(source);
    return { cipher: seedCipher(seed, entropy), source };
  }

  async #fetch(id: string, source: EncryptedSource): Promise<void> {
    const { service, entropy, tally } = this.#options;
    tally.add('apiserver_storage_envelope_transformation_cache_misses_total');
    const key = await service.decrypt(source, entropy.uuid());
    const cipher = source.type === SourceType.seed ? seedCipher(key, entropy) : cipherOf('aesgcm', key, entropy);
    this.#keep(id, cipher);
  }

  #keep(id: string, cipher: Cipher): void {
    const now = this.#options.clock.now();
    this.#ciphers.delete(id);
    this.#ciphers.set(id, { cipher, since: now });
    for (const [each, { since }] of this.#ciphers) {
      if (now - since < KEPT_MS) break;
      this.#ciphers.delete(each);
    }
    this.#options.tally.set('apiserver_envelope_encryption_dek_source_cache_size', this.#ciphers.size, {
      provider_name: this.#options.name,
    });
  }

  #protectionOf({ type, keyId }: EncryptedSource): string {
    return `${this.prefix}${type}:${keyId}`;
  }
}
