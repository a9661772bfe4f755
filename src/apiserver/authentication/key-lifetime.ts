import { messageOf, type Clock, type Logger, type Timer } from '../../foundation/index.js';
import type { StoredSigningKeys } from '../../security/index.js';
import type { Storage } from '../../storage/index.js';
import { rotateStoredKey, SIGN_AFTER_MS } from '../agreement/rotate-key.js';

/** Dependencies of {@link KeyLifetime}. */
export interface KeyLifetimeParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: StoredSigningKeys;
  /** Time for which a key signs, in milliseconds. */
  readonly lifetimeMs: number;
}

/** Time after which a server tries again what has failed. */
const RETRY_MS = 10 * 60_000;

/**
 * Exchanges the signing key in the storage before it has signed for too long. Each server of a store that has the option
 * watches the age; the write that replaces the key is conditional, so one server exchanges it, and the others follow.
 */
export class KeyLifetime {
  readonly #parts: KeyLifetimeParts;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(parts: KeyLifetimeParts) {
    this.#parts = parts;
  }

  /** Exchanges the key if it is time to, and goes on doing so. A failure is logged, and tried again later. */
  async start(): Promise<void> {
    const waitMs = await this.#check().catch((error: unknown) => {
      if (!this.#isClosed)
        this.#parts.logger.error(
          'this server could not check the age of the signing key, or exchange it, and will try again',
          {
            reason: messageOf(error),
          },
        );
      return RETRY_MS;
    });
    this.#timer?.cancel();
    if (!this.#isClosed) this.#timer = this.#parts.clock.after(waitMs, () => void this.start());
  }

  /** Stops. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  /** @returns the time until the next check, in milliseconds */
  async #check(): Promise<number> {
    const { storage, logger, keys } = this.#parts;
    const { keyId, waitMs } = await this.#newest();
    if (waitMs > 0 || this.#isClosed) return waitMs;
    try {
      const rotation = await rotateStoredKey(storage, keys, {}, keyId);
      logger.info('the signing key of service account tokens is being exchanged', {
        keyId: rotation.keyId,
        signsFrom: rotation.signsFrom.toISOString(),
        formerKeyId: rotation.formerKeyId,
        formerUntil: rotation.formerUntil.toISOString(),
      });
    } catch (error) {
      const { waitMs: nextMs } = await this.#newest();
      // Unless another server was first.
      if (nextMs <= 0) throw error;
      return nextMs;
    }
    return (await this.#newest()).waitMs;
  }

  /** Returns the newest key, and the time until its successor has to be made: it is accepted before it signs. */
  async #newest(): Promise<{ readonly keyId: string; readonly waitMs: number }> {
    const { clock, keys, lifetimeMs } = this.#parts;
    const { keyId, signsFromMs = -Infinity } = await keys.newest();
    return { keyId, waitMs: Math.max(0, signsFromMs + lifetimeMs - SIGN_AFTER_MS - clock.now()) };
  }
}
