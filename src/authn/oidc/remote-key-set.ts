import type { Clock, Timer } from '../../meta/clock.js';
import { messageOf, wrapError } from '../../meta/error-message.js';
import type { Logger } from '../../meta/logger.js';
import type { ReadDocument } from './document.js';
import { readKeySet, type VerificationKeys } from './jose-keys.js';
import type { OidcLimits } from './limits.js';
import { KEY_AGE_RANGE_MS } from './limits.js';
import { waitFor, type Waiter } from './wait.js';

/** What a {@link RemoteKeySet} needs. */
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
 * They are read when the set is made and whenever they have reached their age; a reading that fails keeps the keys that are
 * there and is repeated. A token that no key verifies makes them be read once more, since the provider may just have changed
 * them: at most one request every {@link OidcLimits.keyRefreshPauseMs}, for all such tokens together.
 */
export class RemoteKeySet {
  private keys: VerificationKeys | undefined;
  private reading: Promise<void> | undefined;
  /** Why the last reading failed. */
  private failure: unknown;
  private lastReadMs = -Infinity;
  private timer: Timer | undefined;
  private closed = false;

  constructor(private readonly options: RemoteKeySetOptions) {
    void this.refresh();
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  /**
   * @param waiter who waits for the keys, if they must be read
   * @throws Error when no key of the provider signed the token, or its keys cannot be had
   */
  async verify(compact: string, waiter: Waiter): Promise<void> {
    const before = this.keys;
    if (before !== undefined && (await before.verifies(compact))) return;
    if (this.keys === before) await waitFor(this.refreshNow(), waiter);
    const { keys } = this;
    if (keys === undefined) throw wrapError('fetching keys oidc: get keys failed', this.failure ?? new Error('closed'));
    if (keys === before || !(await keys.verifies(compact))) throw new Error(FAILED);
  }

  /** Joins the reading that is under way, or begins one, unless the last began a moment ago. */
  private refreshNow(): Promise<void> {
    const { clock, limits } = this.options;
    if (this.reading === undefined && clock.now() - this.lastReadMs < limits.keyRefreshPauseMs)
      return Promise.resolve();
    return this.refresh();
  }

  /** Never rejects. */
  private refresh(): Promise<void> {
    this.reading ??= this.readKeys().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readKeys(): Promise<void> {
    if (this.closed) return;
    const { url, read, algorithms, clock, limits, log } = this.options;
    this.timer?.cancel();
    this.lastReadMs = clock.now();
    let nextMs = limits.retryMs;
    try {
      const { text, cacheControl } = await read(url);
      this.keys = await readKeySet(text, algorithms, limits.maxKeys);
      this.failure = undefined;
      nextMs = cacheAge(cacheControl, limits.keyMaxAgeMs);
    } catch (error) {
      this.failure = error;
      if (!this.closed) log.error('the keys of an OpenID provider could not be read', { error: messageOf(error) });
    }
    if (!this.closed) this.timer = clock.after(nextMs, () => void this.refresh());
  }
}

/**
 * For how long an answer may be kept, by its `Cache-Control` (RFC 9111 section 5.2.2), between a minute and an hour: neither
 * does a provider make us ask all the time, nor are keys that it has withdrawn kept for days.
 *
 * @param defaultMs for an answer that does not say
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
