/**
 * Answers about tokens, remembered for a while. A cache knows a token by a keyed hash and never holds the token itself.
 *
 * @module
 */
import type { Clock, Entropy, Timer } from '../meta/clock.js';
import { untilAborted } from '../meta/until-aborted.js';
import { encodeBase64Url } from '../encoding/base64url.js';
import { tokenDigest } from '../tokens/digest.js';
import type { AuthResult, TokenAuthenticator, TokenRequest } from './authenticator.js';

/** How a {@link cachedTokenAuthenticator} works. Times are milliseconds; 0 remembers nothing. */
export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Answers that are kept at most; what was not asked for longest goes first. As many lookups may be under way. Default 32,768. */
  readonly size?: number | undefined;
  /** How long a user is remembered. Default 10,000. */
  readonly successTtlMs?: number | undefined;
  /** How long it is remembered that a token is not known. Default 0. */
  readonly failureTtlMs?: number | undefined;
  /** How long a lookup may take that several requests wait for. Default 30,000. */
  readonly lookupTimeoutMs?: number | undefined;
}

interface Answer {
  readonly result: AuthResult;
  readonly warnings: readonly string[];
}

interface Entry {
  readonly answer: Answer;
  /** From this time on it counts no more. */
  readonly until: number;
}

const SEED_BYTES = 32;
const DEFAULT_SIZE = 32_768;
const DEFAULT_SUCCESS_TTL_MS = 10_000;
const DEFAULT_LOOKUP_TIMEOUT_MS = 30_000;

/**
 * Remembers what an authenticator says of a token for a set of wanted audiences.
 *
 * Requests that ask for the same while a lookup is under way wait for it; it does not end with the one that began it, and has
 * a time limit of its own. Errors are told to all who wait, and are never remembered. Warnings that came with a user come
 * again with each later answer. Stays synchronous for what is remembered, and where the authenticator is.
 *
 * What is remembered is handed out as it is: results are not to be changed.
 */
export function cachedTokenAuthenticator(
  authenticator: TokenAuthenticator,
  options: TokenCacheOptions,
): TokenAuthenticator {
  const {
    clock,
    size = DEFAULT_SIZE,
    successTtlMs = DEFAULT_SUCCESS_TTL_MS,
    failureTtlMs = 0,
    lookupTimeoutMs = DEFAULT_LOOKUP_TIMEOUT_MS,
  } = options;
  // In ASCII: a text with other characters takes a third longer to hash.
  const seed = encodeBase64Url(options.entropy.bytes(SEED_BYTES));
  const entries = new Map<string, Entry>();
  const lookups = new Map<string, Promise<Answer>>();

  const find = (key: string): Answer | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (entry.until <= clock.now()) return undefined;
    // Back in as the youngest: the oldest of a Map is the first.
    entries.set(key, entry);
    return entry.answer;
  };

  const remember = (key: string, answer: Answer): Answer => {
    const ttlMs = timeToLive(answer.result);
    if (ttlMs <= 0) return answer;
    entries.delete(key);
    if (entries.size >= size) entries.delete(entries.keys().next().value ?? '');
    entries.set(key, { answer, until: clock.now() + ttlMs });
    return answer;
  };

  const timeToLive = (result: AuthResult): number => {
    if (result === undefined) return failureTtlMs;
    return 'error' in result ? 0 : successTtlMs;
  };

  const ask = (key: string, token: string, request: TokenRequest): Answer | Promise<Answer> => {
    // Lookups outlive who began them, so the requests in flight do not bound them.
    if (lookups.size >= size)
      return { result: { error: new Error('too many tokens are being checked at a time') }, warnings: [] };
    const lookup = new SharedLookup(clock, lookupTimeoutMs, request.audiences);
    const result = authenticator(token, lookup);
    if (!(result instanceof Promise)) return remember(key, lookup.answer(result));
    const pending = lookup
      .bounded(result)
      .then((found) => remember(key, lookup.answer(found)))
      .finally(() => lookups.delete(key));
    // Whoever still waits hears of a failure; perhaps nobody does.
    pending.catch(() => undefined);
    lookups.set(key, pending);
    return pending;
  };

  return (token, request) => {
    const key = tokenDigest(seed + audiencesKey(request.audiences) + token);
    const answer = find(key) ?? lookups.get(key) ?? ask(key, token, request);
    return answer instanceof Promise ? waitFor(answer, request) : tell(answer, request);
  };
}

/** The audiences as a text that no other list has, and that ends where the list does. */
function audiencesKey(audiences: readonly string[] | undefined): string {
  if (audiences === undefined) return '-';
  let key = `${audiences.length}:`;
  for (const audience of audiences) key += `${audience.length}:${audience}`;
  return key;
}

function tell({ result, warnings }: Answer, request: TokenRequest): AuthResult {
  if (result !== undefined) for (const warning of warnings) request.warn?.(warning);
  return result;
}

/** Waits for a lookup as long as the request lasts. */
async function waitFor(pending: Promise<Answer>, request: TokenRequest): Promise<AuthResult> {
  const answer = await untilAborted(pending, request.signal, () => ({
    result: { error: new Error('the request ended before its token was checked') },
    warnings: [],
  }));
  return tell(answer, request);
}

/** The request that an authenticator sees: it belongs to nobody of those who wait. */
class SharedLookup implements TokenRequest {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #warnings: string[] = [];
  #abort: AbortController | undefined;
  readonly audiences?: readonly string[];

  constructor(clock: Clock, timeoutMs: number, audiences: readonly string[] | undefined) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    if (audiences !== undefined) this.audiences = audiences;
  }

  /** Aborts when the time is up. Made when somebody looks: most authenticators do not. */
  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  readonly warn = (text: string): void => {
    this.#warnings.push(text);
  };

  answer(result: AuthResult): Answer {
    return { result, warnings: this.#warnings };
  }

  /** The result, or an error when it takes too long. */
  bounded(result: Promise<AuthResult>): Promise<AuthResult> {
    let timer: Timer | undefined;
    const late = new Promise<AuthResult>((resolve) => {
      timer = this.#clock.after(this.#timeoutMs, () => {
        const error = new Error(`the token was not checked within ${this.#timeoutMs / 1000} seconds`);
        this.#abort?.abort(error);
        resolve({ error });
      });
    });
    return Promise.race([result, late]).finally(() => timer?.cancel());
  }
}
