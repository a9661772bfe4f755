import { frozenUser, messageOf, toError, type Clock, type Logger, type Timer } from '../../foundation/index.js';
import { tokenDigest, type AuthResult, type StaticToken, type TokenAuthenticator } from '../../security/index.js';
import {
  UnusableStoreError,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatch,
} from '../../storage/index.js';
import { ExpiringKey } from './expiring-key.js';
import { digestIn, isRevoked, OWNER_TOKENS, ownerTokenKey, ownerTokenText } from './owner-token-record.js';

/** Dependencies of {@link OwnerTokens}. */
export interface OwnerTokensParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The owner of this server. */
  readonly owner: StaticToken;
}

/** Time for which the token of an ended server stays valid on the others, in milliseconds: a restart takes less. */
const LIFE_MS = 3_600_000;
/** Time between two renewals of the key, in milliseconds. */
const RENEW_MS = 1_200_000;

/**
 * The owner tokens of the servers that share a store. Each server accepts the tokens of all, so a kubeconfig written by one
 * of them works through a balancer. The store holds only their hashes.
 */
export class OwnerTokens {
  readonly #parts: OwnerTokensParts;
  readonly #own: ExpiringKey;
  readonly #accepted: AuthResult;
  readonly #ownKey: string;
  readonly #digests = new Set<string>();
  #isOwnRevoked = false;
  #watch: StorageWatch | undefined;
  #reading: Promise<void> | undefined;
  #timer: Timer | undefined;
  #ended = false;

  constructor(parts: OwnerTokensParts) {
    this.#parts = parts;
    this.#ownKey = ownerTokenKey(parts.owner.token);
    this.#accepted = Object.freeze({ user: frozenUser(parts.owner.user) });
    this.#own = new ExpiringKey({
      storage: parts.storage,
      key: ownerTokenKey(parts.owner.token),
      lifeMs: LIFE_MS,
      text: ownerTokenText(false),
      isFinal: isRevoked,
    });
  }

  /**
   * Reads the tokens of the other servers, and stores that of this one.
   *
   * @throws UnusableStoreError when the token of this one was revoked; StorageError when the storage fails
   */
  async start(): Promise<void> {
    await this.#read();
    await this.#own.show();
    if (this.#isOwnRevoked || this.#own.isFinal)
      throw new UnusableStoreError(
        'the token of the owner (authentication.ownerToken, or that in the file of --kubeconfig-out) has been revoked in the store: use another one',
      );
    this.#schedule();
  }

  /** Returns whether the token of this server was revoked: as far as it knows, while the storage cannot be asked. */
  isOwnRevoked(): boolean | Promise<boolean> {
    const known = (): boolean => this.#isOwnRevoked || this.#own.isFinal;
    // A watch that has ended has missed events.
    return this.#watch === undefined && !known() ? this.#read().then(known, known) : known();
  }

  /**
   * Authenticates the owner of another server. A token that has just been stored may not be known yet: its holder can
   * retry.
   */
  readonly authenticate: TokenAuthenticator = (token) => {
    const known = (): AuthResult => (this.#digests.has(tokenDigest(token)) ? this.#accepted : undefined);
    // A watch that has ended, such as with a lost connection, has missed events.
    return this.#watch === undefined
      ? this.#read().then(known, (error: unknown) => ({ error: toError(error) }))
      : known();
  };

  /** Stops following and renewing. The token stays valid on the others until it expires, as for a restart. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
    this.#watch?.stop();
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    if (this.#ended) return;
    const { storage } = this.#parts;
    const { records, revision } = await storage.list(OWNER_TOKENS);
    // Nobody would stop the watch any more.
    if (this.#ended) return;
    this.#digests.clear();
    for (const record of records) this.#take(record);
    this.#watch = storage.watch(OWNER_TOKENS, revision, {
      events: (events) => events.forEach((event) => this.#learn(event)),
      progress: () => undefined,
      end: () => void (this.#watch = undefined),
    });
  }

  #learn({ type, key, record }: StorageEvent): void {
    if (type === 'delete') this.#digests.delete(digestIn(key));
    else this.#take(record);
  }

  #take(record: StorageRecord): void {
    if (!isRevoked(record)) {
      this.#digests.add(digestIn(record.key));
      return;
    }
    this.#digests.delete(digestIn(record.key));
    if (record.key === this.#ownKey) this.#isOwnRevoked = true;
  }

  #schedule(): void {
    if (this.#ended) return;
    this.#timer = this.#parts.clock.after(RENEW_MS, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    try {
      await this.#own.show();
    } catch (error) {
      if (!this.#ended)
        this.#parts.logger.error('the token of the owner could not be renewed for the other servers', {
          reason: messageOf(error),
        });
    }
    this.#schedule();
  }
}
