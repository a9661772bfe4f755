import { StorageError, type Revision, type Storage, type StorageRecord } from '../../storage/index.js';

/** Prefix of the keys by which servers show that they live. */
const MEMBERS = '/internal/servers/';

/** Time after which the key of a server that is gone expires, by the store's own clock, in milliseconds. */
const LIFE_MS = 60_000;
/** Time between two renewals of the key, in milliseconds. */
export const RENEW_MS = 20_000;

/**
 * The key by which a server shows the others of its store that it lives. It expires by the clock of the store, so the
 * clocks of servers do not matter.
 */
export class Membership {
  readonly #storage: Storage;
  readonly #id: string;
  #record: StorageRecord | undefined;

  /** @param id identity of the server, which no other one has */
  constructor(storage: Storage, id: string) {
    this.#storage = storage;
    this.#id = id;
  }

  /**
   * Creates the key, or renews it.
   *
   * @returns false when the key had expired, and others may have believed that the server was gone
   * @throws StorageError when the storage fails
   */
  async show(): Promise<boolean> {
    const known = this.#record;
    if (known === undefined) {
      this.#record = await this.#created();
      return true;
    }
    try {
      this.#record = await this.#storage.update(known.key, this.#text, known.modRevision, OPTIONS);
      return true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.code === 'Conflict' && error.current !== undefined) {
        // The answer to an earlier renewal was lost.
        this.#record = error.current;
        return this.show();
      }
      if (error.code !== 'KeyNotFound') throw error;
      this.#record = await this.#created();
      return false;
    }
  }

  /**
   * Removes the key.
   *
   * @throws StorageError when the storage fails
   */
  async end(): Promise<void> {
    const known = this.#record;
    this.#record = undefined;
    if (known === undefined) return;
    try {
      await this.#storage.delete(known.key, this.#text, known.modRevision);
    } catch (error) {
      // The key has expired, or is left to do so.
      if (!(error instanceof StorageError && (error.code === 'KeyNotFound' || error.code === 'Conflict'))) throw error;
    }
  }

  /** Returns the identities of the servers that live. */
  async living(): Promise<ReadonlySet<string>> {
    const { records } = await this.#storage.list(MEMBERS);
    return new Set(records.map(({ key }) => key.slice(MEMBERS.length)));
  }

  async #created(): Promise<StorageRecord> {
    try {
      return await this.#storage.create(MEMBERS + this.#id, this.#text, OPTIONS);
    } catch (error) {
      // The answer to an earlier attempt was lost.
      if (error instanceof StorageError && error.code === 'KeyExists' && error.current !== undefined)
        return error.current;
      throw error;
    }
  }

  readonly #text = (revision: Revision): string =>
    JSON.stringify({
      kind: 'Server',
      apiVersion: 'internal/v1',
      metadata: { resourceVersion: String(revision) },
      identity: this.#id,
    });
}

/** A full store must not end the servers that could empty it. */
const OPTIONS = { ttl: LIFE_MS, growthWhenFull: Infinity };
