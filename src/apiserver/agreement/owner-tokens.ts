import { frozenUser, messageOf, toError, type Clock, type Logger, type Timer } from '../../foundation/index.js';
import { tokenDigest, type AuthResult, type StaticToken, type TokenAuthenticator } from '../../security/index.js';
import type { Storage, StorageEvent, StorageWatch } from '../../storage/index.js';
import { ExpiringKey } from './expiring-key.js';

/** Dependencies of {@link OwnerTokens}. */
export interface OwnerTokensParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The owner of this server. */
  readonly owner: StaticToken;
}

/** Prefix of the keys of owner tokens, each the SHA-256 of one. No request can read them. */
const PREFIX = '/internal/owner-tokens/';
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
  readonly #digests = new Set<string>();
  #watch: StorageWatch | undefined;
  #reading: Promise<void> | undefined;
  #timer: Timer | undefined;
  #ended = false;

  constructor(parts: OwnerTokensParts) {
    this.#parts = parts;
    this.#accepted = Object.freeze({ user: frozenUser(parts.owner.user) });
    this.#own = new ExpiringKey({
      storage: parts.storage,
      key: PREFIX + tokenDigest(parts.owner.token),
      lifeMs: LIFE_MS,
      text: (revision) =>
        JSON.stringify({
          kind: 'OwnerToken',
          apiVersion: 'internal/v1',
          metadata: { resourceVersion: String(revision) },
        }),
    });
  }

  /** Reads the tokens of the other servers, and stores that of this one. @throws StorageError when the storage fails */
  async start(): Promise<void> {
    await this.#read();
    await this.#own.show();
    this.#schedule();
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
    const { records, revision } = await storage.list(PREFIX);
    // Nobody would stop the watch any more.
    if (this.#ended) return;
    this.#digests.clear();
    for (const { key } of records) this.#digests.add(key.slice(PREFIX.length));
    this.#watch = storage.watch(PREFIX, revision, {
      events: (events) => events.forEach((event) => this.#learn(event)),
      progress: () => undefined,
      end: () => void (this.#watch = undefined),
    });
  }

  #learn({ type, key }: StorageEvent): void {
    const digest = key.slice(PREFIX.length);
    if (type === 'delete') this.#digests.delete(digest);
    else this.#digests.add(digest);
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
