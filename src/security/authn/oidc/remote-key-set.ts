import { messageOf, wrapError, type Clock, type Logger, type Timer } from '../../../foundation/index.js';
import type { ReadDocument } from './document.js';
import { readKeySet, type VerificationKeys } from './jose-keys.js';
import type { OidcLimits } from './limits.js';
import { KEY_AGE_RANGE_MS } from './limits.js';
import { waitFor, type Waiter } from './wait.js';

/** Options of {@link RemoteKeySet}. */
export interface RemoteKeySetOptions {
  readonly url: string;
  readonly read: ReadDocument;
  readonly algorithms: readonly string[];
  readonly clock: Clock;
  readonly limits: OidcLimits;
  readonly log: Logger;
}

const FAILED = 'failed to verify id token signature';

/**
 * The published keys of a provider.
 *
 * Keys are read on construction and whenever they reach their maximum age. After a failed read the current keys stay,
 * and the read is repeated. A token that no key verifies also triggers a read, because the provider may have rotated
 * its keys: at most one request per {@link OidcLimits.keyRefreshPauseMs} for all such tokens.
 */
export class RemoteKeySet {
  readonly #options: RemoteKeySetOptions;
  #keys: VerificationKeys | undefined;
  #reading: Promise<void> | undefined;
  /** Error of the last read. */
  #failure: unknown;
  #lastReadMs = -Infinity;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: RemoteKeySetOptions) {
    this.#options = options;
    void this.#refresh();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /**
   * Verifies a token.
   *
   * @param waiter the request that waits if keys must be read
   * @throws Error when no key of the provider signed the token, or the keys are unavailable
   */
  async verify(compact: string, waiter: Waiter): Promise<void> {
    const before = this.#keys;
    if (before !== undefined && (await before.verifies(compact))) return;
    if (this.#keys === before) await waitFor(this.#refreshNow(), waiter);
    const keys = this.#keys;
    if (keys === undefined)
      throw wrapError('fetching keys oidc: get keys failed', this.#failure ?? new Error('closed'));
    if (keys === before || !(await keys.verifies(compact))) throw new Error(FAILED);
  }

  /** Joins the current read or starts one, unless the last one was too recent. */
  #refreshNow(): Promise<void> {
    const { clock, limits } = this.#options;
    if (this.#reading === undefined && clock.now() - this.#lastReadMs < limits.keyRefreshPauseMs)
      return Promise.resolve();
    return this.#refresh();
  }

  /** Never rejects. */
  #refresh(): Promise<void> {
    this.#reading ??= this.#readKeys().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  async #readKeys(): Promise<void> {
    if (this.#closed) return;
    const { url, read, algorithms, clock, limits, log } = this.#options;
    this.#timer?.cancel();
    this.#lastReadMs = clock.now();
    let nextMs = limits.retryMs;
    try {
      const { text, cacheControl } = await read(url);
      this.#keys = await readKeySet(text, algorithms, limits.maxKeys);
      this.#failure = undefined;
      nextMs = cacheAge(cacheControl, limits.keyMaxAgeMs);
    } catch (error) {
      this.#failure = error;
      if (!this.#closed) log.error('the keys of an OpenID provider could not be read', { error: messageOf(error) });
    }
    if (!this.#closed) this.#timer = clock.after(nextMs, () => void this.#refresh());
  }
}

/**
 * Returns how long a response can be cached by its `Cache-Control` (RFC 9111 section 5.2.2), clamped to between a
 * minute and an hour: a provider cannot force constant requests, and withdrawn keys are not kept for days.
 *
 * @param defaultMs used without `Cache-Control`
 */
function cacheAge(cacheControl: string | undefined, defaultMs: number): number {
  const directives = (cacheControl ?? '')
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim());
  const { least, most } = KEY_AGE_RANGE_MS;
  if (directives.some((directive) => directive === 'no-store' || directive.startsWith('no-cache'))) return least;
  for (const directive of directives) {
    const [, seconds] = /^max-age="?(\d{1,10})"?$/.exec(directive) ?? [];
    if (seconds !== undefined) return Math.min(most, Math.max(least, Number(seconds) * 1000));
  }
  return defaultMs;
}
