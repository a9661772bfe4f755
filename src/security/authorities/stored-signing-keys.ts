import { greatest, least, type Clock } from '../../foundation/index.js';
import {
  replaceRecord,
  StorageError,
  untilWritten,
  UnusableStoreError,
  type Storage,
  type StorageRecord,
  type StorageWatch,
} from '../../storage/index.js';
import { generateSigningKey, type TokenSigner, type TokenVerifier } from '../tokens/index.js';
import { readStoredKeys, SIGNING_KEY, storedKeysText, type FormerKey, type StoredKeys } from './stored-key-record.js';

/** The key that signs tokens, and all keys of accepted tokens, of which it is the first. */
export interface SigningKeySet {
  readonly signer: TokenSigner;
  readonly verifiers: readonly TokenVerifier[];
}

/** The keys of a period in which none begins to sign or ends. */
interface Period extends SigningKeySet {
  readonly keys: StoredKeys;
  readonly fromMs: number;
  readonly toMs: number;
}

/** When an exchange of keys takes effect. */
export interface RotationTimes {
  /** Time until the new key signs, in milliseconds. Every server accepts it from the beginning. */
  readonly signAfterMs: number;
  /** Time after that in which tokens of the former key are accepted, in milliseconds. */
  readonly overlapMs: number;
}

/** An exchange of keys. */
export interface StoredKeyRotation {
  /** Identifier of the new key. */
  readonly keyId: string;
  /** Time from which on the new key signs, in milliseconds since the epoch. */
  readonly signsFromMs: number;
  /** Identifier of the former key. */
  readonly formerKeyId: string;
  /** Time until which tokens of the former key are accepted, likewise. */
  readonly formerUntilMs: number;
}

/** The key that signs last, of those that are known. */
export interface NewestKey {
  readonly keyId: string;
  /**
   * Time from which on it signs, in milliseconds since the epoch; undefined for the first key of a version that did not
   * write it.
   */
  readonly signsFromMs: number | undefined;
}

/**
 * The default signing key of service account tokens. It is created on first use and stored in the storage, so it survives
 * restarts and is the same on all servers of one storage. Each server follows the record, so all accept a new key before
 * it signs, and the former key until its time has passed.
 */
export class StoredSigningKeys {
  readonly #storage: Storage;
  readonly #clock: Clock;
  #record: StorageRecord | undefined;
  #period: Period | undefined;
  #reading: Promise<StoredKeys> | undefined;
  #watch: StorageWatch | undefined;
  #isClosed = false;

  constructor({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Returns the current keys.
   *
   * @throws StorageError when the storage fails; TypeError when the stored key cannot be read. The next call retries
   */
  current(): SigningKeySet | Promise<SigningKeySet> {
    const now = this.#clock.now();
    const known = this.#period;
    if (known !== undefined && this.#isFollowed) {
      if (now < known.fromMs || now >= known.toMs) this.#period = periodOf(known.keys, now);
      return this.#period ?? known;
    }
    return this.reread();
  }

  /** Returns the keys that the storage holds now, for a token of a key that is not known. Calls share one read. */
  async reread(): Promise<SigningKeySet> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return periodOf(await this.#reading, this.#clock.now());
  }

  /** Returns the key that signs last, as the storage holds it now. @throws as {@link StoredSigningKeys.current} */
  async newest(): Promise<NewestKey> {
    await this.reread();
    const keys = this.#period?.keys;
    if (keys === undefined) throw new TypeError('the stored keys have been read, and are not known');
    return newestOf(keys);
  }

  /** Identifier of the key that signs later; undefined for none, and before the keys were read. */
  get nextKeyId(): string | undefined {
    const next = this.#period?.keys.next;
    return next !== undefined && this.#clock.now() < next.signsFromMs ? next.signer.keyId : undefined;
  }

  /**
   * Begins to exchange the key for a new one. The store must have a layout that holds several keys.
   *
   * @param keyId the key to exchange; default the one that signs
   * @param announce called with the new key before it is written; what it throws ends the exchange
   * @throws UnusableStoreError while another exchange is under way, or when another key signs; StorageError when the
   *   storage fails
   */
  async rotate(
    times: RotationTimes,
    keyId?: string,
    announce: (rotation: StoredKeyRotation) => Promise<void> = () => Promise.resolve(),
  ): Promise<StoredKeyRotation> {
    let rotation: StoredKeyRotation | undefined;
    await untilWritten(SIGNING_KEY, async () => {
      await this.reread();
      const [record, keys] = [this.#record, this.#period?.keys];
      if (record === undefined || keys === undefined) return false;
      const newest = newestOf(keys);
      if (keyId !== undefined && newest.keyId !== keyId)
        throw new UnusableStoreError(`the signing key ${keyId} was exchanged already, for ${newest.keyId}`);
      const next = await successorOf(keys, times, this.#clock.now());
      rotation = rotationOf(next);
      await announce(rotation);
      return replaceRecord(this.#storage, SIGNING_KEY, record, storedKeysText(next), (made) => this.#learn(made));
    });
    if (rotation === undefined) throw new TypeError('the keys were written, and are not known');
    return rotation;
  }

  /** Stops following. */
  close(): void {
    this.#isClosed = true;
    this.#watch?.stop();
  }

  /** Whether the keys in memory are those of the storage. Only this server writes to an engine that is not shared. */
  get #isFollowed(): boolean {
    return this.#watch !== undefined || this.#storage.isShared !== true || this.#isClosed;
  }

  async #read(): Promise<StoredKeys> {
    const { record, revision } = await this.#storage.get(SIGNING_KEY);
    const keys = await this.#learn(record ?? (await this.#create()));
    this.#follow(record === undefined ? (this.#record?.modRevision ?? revision) : revision);
    return keys;
  }

  async #create(): Promise<StorageRecord> {
    const signer = await generateSigningKey();
    try {
      const text = storedKeysText({ createdMs: this.#clock.now(), signer, next: undefined, former: [] });
      return await this.#storage.create(SIGNING_KEY, text, { growthWhenFull: Infinity });
    } catch (error) {
      // Another server on the same storage created it first.
      if (error instanceof StorageError && error.code === 'KeyExists' && error.current !== undefined)
        return error.current;
      throw error;
    }
  }

  /** Takes the keys of a record, unless later ones are known. */
  async #learn(record: StorageRecord): Promise<StoredKeys> {
    const known = (): StoredKeys | undefined =>
      (this.#record?.modRevision ?? 0) >= record.modRevision ? this.#period?.keys : undefined;
    // Anybody can send tokens of unknown keys. To parse the keys takes longer than to verify a signature.
    const keys = known() ?? (await readStoredKeys(record));
    const later = known();
    if (later !== undefined) return later;
    this.#record = record;
    this.#period = periodOf(keys, this.#clock.now());
    return keys;
  }

  #follow(revision: number): void {
    if (this.#storage.isShared !== true || this.#watch !== undefined || this.#isClosed) return;
    // After the watch ends, the next token begins another one.
    const end = (): void => void (this.#watch = undefined);
    this.#watch = this.#storage.watch(SIGNING_KEY, revision, {
      events: (events) => {
        for (const { type, key, record } of events)
          // A record that cannot be read leaves the keys as they are: the next one may be right.
          if (type !== 'delete' && key === SIGNING_KEY) void this.#learn(record).catch(() => undefined);
      },
      progress: () => undefined,
      end,
    });
  }
}

function newestOf({ createdMs, signer, next }: StoredKeys): NewestKey {
  if (next === undefined) return { keyId: signer.keyId, signsFromMs: createdMs };
  return { keyId: next.signer.keyId, signsFromMs: next.signsFromMs };
}

/** Returns what the keys are at a time. */
function periodOf(keys: StoredKeys, now: number): Period {
  const { signer, next, former } = keys;
  const ends = former.map(({ untilMs }) => untilMs);
  const times = [...ends, ...(next === undefined ? [] : [next.signsFromMs, next.formerUntilMs])];
  const hasBegun = next !== undefined && now >= next.signsFromMs;
  const current = hasBegun ? next.signer : signer;
  const others: TokenVerifier[] = former.filter(({ untilMs }) => untilMs > now).map(({ verifier }) => verifier);
  if (next !== undefined && !hasBegun) others.unshift(next.signer.publicKey);
  if (hasBegun && next.formerUntilMs > now) others.unshift(signer.publicKey);
  return {
    keys,
    signer: current,
    verifiers: [current.publicKey, ...others],
    fromMs: greatest(times.filter((time) => time <= now)),
    toMs: least(times.filter((time) => time > now)),
  };
}

/** Returns the keys with a new successor of the one that signs. @throws UnusableStoreError while there is one */
async function successorOf(
  { signer, next, former }: StoredKeys,
  { signAfterMs, overlapMs }: RotationTimes,
  now: number,
): Promise<StoredKeys> {
  if (next !== undefined && now < next.signsFromMs)
    throw new UnusableStoreError(
      `the signing key is being exchanged: the key ${next.signer.keyId} signs from ${new Date(next.signsFromMs).toISOString()} on. Wait until then`,
    );
  const past: FormerKey[] =
    next === undefined ? [...former] : [{ verifier: signer.publicKey, untilMs: next.formerUntilMs }, ...former];
  const signsFromMs = now + signAfterMs;
  return {
    createdMs: undefined,
    signer: next?.signer ?? signer,
    next: { signer: await generateSigningKey(), signsFromMs, formerUntilMs: signsFromMs + overlapMs },
    former: past.filter(({ untilMs }) => untilMs > now),
  };
}

function rotationOf({ signer, next }: StoredKeys): StoredKeyRotation {
  if (next === undefined) throw new TypeError('the keys have no successor');
  const { signsFromMs, formerUntilMs } = next;
  return { keyId: next.signer.keyId, signsFromMs, formerKeyId: signer.keyId, formerUntilMs };
}
