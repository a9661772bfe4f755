import { StorageError, type Storage, type StorageRecord, type ValueEncoder } from '../../storage/index.js';

/** Dependencies of {@link ExpiringKey}. */
export interface ExpiringKeyParts {
  readonly storage: Storage;
  readonly key: string;
  /** Encodes the value of the key. */
  readonly text: ValueEncoder;
  /** Time after which the store removes the key unless it is renewed, in milliseconds. */
  readonly lifeMs: number;
  /** Whether no server renews the key any more, by its version; default never. */
  readonly isFinal?: ((record: StorageRecord) => boolean) | undefined;
}

/**
 * A key by which a server tells the other servers of its store something while it runs. It expires by the clock of the
 * store, so the clocks of servers do not matter.
 */
export class ExpiringKey {
  readonly #parts: ExpiringKeyParts;
  #record: StorageRecord | undefined;

  constructor(parts: ExpiringKeyParts) {
    this.#parts = parts;
  }

  /** Whether the key was found final. It is neither renewed nor removed then. */
  get isFinal(): boolean {
    return this.#record !== undefined && this.#parts.isFinal?.(this.#record) === true;
  }

  /**
   * Creates the key, or renews it unless it is final.
   *
   * @returns false when the key had expired
   * @throws StorageError when the storage fails
   */
  async show(): Promise<boolean> {
    const known = this.#record;
    if (known === undefined) return this.#begin();
    if (this.isFinal) return true;
    const { storage, text } = this.#parts;
    try {
      this.#record = await storage.update(known.key, text, known.modRevision, this.#options);
      return true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.code === 'Conflict' && error.current !== undefined) {
        // The answer to an earlier renewal was lost, or another server has the same key.
        this.#record = error.current;
        return this.show();
      }
      if (error.code !== 'KeyNotFound') throw error;
      await this.#begin();
      return false;
    }
  }

  /** Creates the key; or renews that of an earlier attempt, whose answer was lost, or of another server with the same key. */
  async #begin(): Promise<boolean> {
    const { storage, key, text } = this.#parts;
    try {
      this.#record = await storage.create(key, text, this.#options);
      return true;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'KeyExists' || error.current === undefined) throw error;
      this.#record = error.current;
      return this.show();
    }
  }

  /**
   * Removes the key.
   *
   * @throws StorageError when the storage fails
   */
  async end(): Promise<void> {
    const known = this.#record;
    if (this.isFinal) return;
    this.#record = undefined;
    if (known === undefined) return;
    try {
      await this.#parts.storage.delete(known.key, this.#parts.text, known.modRevision);
    } catch (error) {
      // The key has expired, or is left to do so.
      if (!(error instanceof StorageError && (error.code === 'KeyNotFound' || error.code === 'Conflict'))) throw error;
    }
  }

  /** A full store must not end the servers that could empty it. */
  get #options() {
    return { ttl: this.#parts.lifeMs, growthWhenFull: Infinity };
  }
}
