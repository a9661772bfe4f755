import { goQuote, messageOf, wrapError, type Clock, type Logger, type Timer } from '../../../foundation/index.js';
import { discoverKeys } from './discovery.js';
import type { ReadDocument } from './document.js';
import { checkToken, type UntrustedToken } from './id-token.js';
import type { OidcLimits } from './limits.js';
import { RemoteKeySet } from './remote-key-set.js';
import type { Waiter } from './wait.js';

/** Options of {@link IssuerVerifier}. */
export interface IssuerVerifierOptions {
  readonly issuer: string;
  /** URL of the provider's configuration; default the well-known URL. */
  readonly discoveryURL?: string | undefined;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly read: ReadDocument;
  readonly clock: Clock;
  readonly limits: OidcLimits;
  readonly log: Logger;
}

/** Verifies the tokens of one issuer. Discovers the provider in the background and retries until it responds. */
export class IssuerVerifier {
  /** Resolves with the first successful discovery; never rejects. */
  readonly ready: Promise<void>;
  /** Resolves after the first discovery attempt, successful or not. */
  readonly tried: Promise<void>;
  readonly #options: IssuerVerifierOptions;
  #keySet: RemoteKeySet | undefined;
  #failure: unknown;
  #timer: Timer | undefined;
  #closed = false;
  #becomeReady: () => void = () => undefined;

  constructor(options: IssuerVerifierOptions) {
    this.#options = options;
    this.#failure = new Error(`oidc: authenticator for issuer ${goQuote(options.issuer)} is not initialized`);
    this.ready = new Promise((resolve) => (this.#becomeReady = resolve));
    this.tried = this.#discover();
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  get initialized(): boolean {
    return this.#keySet !== undefined;
  }

  /** Error while the provider is not discovered. */
  get health(): Error | undefined {
    if (this.#keySet !== undefined) return undefined;
    return wrapError(`oidc: authenticator for issuer ${goQuote(this.#options.issuer)} is not healthy`, this.#failure);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#keySet?.close();
  }

  /**
   * Verifies a token.
   *
   * @param token token of this issuer
   * @throws Error in the words of Kubernetes when the token is invalid or cannot be checked
   */
  async verify(token: UntrustedToken, waiter: Waiter): Promise<void> {
    const { audiences, algorithms, clock } = this.#options;
    checkToken(token, { audiences, algorithms, now: clock.now() });
    try {
      await this.#keySet?.verify(token.compact, waiter);
    } catch (error) {
      throw wrapError('failed to verify signature', error);
    }
    if (this.#keySet === undefined)
      throw new Error(`verifier not initialized for issuer: ${goQuote(this.#options.issuer)}`);
  }

  async #discover(): Promise<void> {
    const { issuer, discoveryURL, read, clock, limits, log, algorithms } = this.#options;
    try {
      const url = await discoverKeys(read, issuer, discoveryURL);
      if (this.#closed) return;
      this.#keySet = new RemoteKeySet({ url, read, algorithms, clock, limits, log });
      log.info('OpenID provider discovered', { issuer });
      this.#becomeReady();
    } catch (error) {
      this.#failure = error;
      if (this.#closed) return;
      log.error('oidc authenticator: initializing plugin', { issuer, error: messageOf(error) });
      this.#timer = clock.after(limits.retryMs, () => void this.#discover());
    }
  }
}
