/**
 * A cache of token authentication results. The cache key is a keyed hash; the token itself is never stored.
 *
 * @module
 */
import {
  encodeBase64Url,
  LruMap,
  toError,
  untilAborted,
  WaitingRoom,
  type Clock,
  type Entropy,
  type Timer,
} from '../../foundation/index.js';
import { tokenDigest } from '../tokens/digest.js';
import type { AuthResult, TokenAuthenticator, TokenContext } from './authenticator.js';

/** Measures a cache. */
export interface TokenCacheMeter {
  /**
   * Called for each result.
   *
   * @param status whether it came from the cache
   * @param beganMs when it was asked for, in milliseconds of the clock
   */
  answered(status: 'hit' | 'miss', beganMs: number): void;
  /** Called when a request begins to wait for a lookup. Returns the function that is called when it stops. */
  waiting(): () => void;
  /** Called when a lookup begins. Returns the function that is called with its outcome. */
  fetching(): (outcome: 'ok' | 'error') => void;
}

/** Options of {@link cachedTokenAuthenticator}. Times are in milliseconds; 0 disables caching. */
export interface TokenCacheOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /**
   * Maximum number of cached results and of concurrent lookups. The least recently used result is evicted first; one of
   * more than a kilobyte counts as several. Default 32,768.
   */
  readonly size?: number | undefined;
  /** Lifetime of a result with a user. Default 10,000. */
  readonly successTtlMs?: number | undefined;
  /** Lifetime of a result without a user. Default 0. */
  readonly failureTtlMs?: number | undefined;
  /** Timeout of a shared lookup. Default 30,000. */
  readonly lookupTimeoutMs?: number | undefined;
  /** Default: nothing is measured. */
  readonly meter?: TokenCacheMeter | undefined;
}

interface Answer {
  readonly result: AuthResult;
  readonly warnings: readonly string[];
}

interface Entry {
  readonly answer: Answer;
  /** Expiry, in milliseconds of the clock. */
  readonly until: number;
}

const SEED_BYTES = 32;
/** Length of all tokens that are being looked up. */
const MAX_LOOKUP_BYTES = 8 * 1024 * 1024;
/** Memory of a result that counts as one. */
const RESULT_BYTES = 1024;
/** Memory of a text besides its characters. */
const TEXT_BYTES = 24;
const DEFAULT_SIZE = 32_768;
const DEFAULT_SUCCESS_TTL_MS = 10_000;
const DEFAULT_LOOKUP_TIMEOUT_MS = 30_000;

/**
 * Caches the results of an authenticator by token and wanted audiences.
 *
 * Concurrent requests for the same token share one lookup. The lookup does not end with the request that started it,
 * and has its own timeout. All waiting requests receive its error; errors are never cached. Warnings of a cached user
 * are repeated with each result. The result is synchronous when it is cached, and when the authenticator is
 * synchronous.
 *
 * Cached results are shared and must not be changed.
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
    meter,
  } = options;
  // The seed is ASCII: other characters make hashing a third slower.
  const seed = encodeBase64Url(options.entropy.bytes(SEED_BYTES));
  const entries = new LruMap<string, Entry>(size, { weigh: ({ answer }) => weightOf(answer) });
  const lookups = new Map<string, Promise<Answer>>();
  const room = new WaitingRoom(MAX_LOOKUP_BYTES);

  const find = (key: string): Answer | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > clock.now()) return entry.answer;
    entries.delete(key);
    return undefined;
  };

  const remember = (key: string, answer: Answer): Answer => {
    const ttlMs = timeToLive(answer.result);
    if (ttlMs <= 0) return answer;
    entries.set(key, { answer, until: clock.now() + ttlMs });
    return answer;
  };

  const timeToLive = (result: AuthResult): number => {
    if (result === undefined) return failureTtlMs;
    return 'error' in result ? 0 : successTtlMs;
  };

  /** Starts a lookup. @param leave called at its end */
  const start = (token: string, lookup: SharedLookup, leave: () => void): Pending => {
    let found: Pending;
    try {
      found = measuredFetch(() => {
        const asked = authenticator(token, lookup);
        return asked instanceof Promise ? lookup.bounded(asked) : asked;
      }, meter);
    } catch (error) {
      leave();
      throw error;
    }
    if (found instanceof Promise) return found.finally(leave);
    leave();
    return found;
  };

  const ask = (key: string, token: string, request: TokenContext): Answer | Promise<Answer> => {
    // Lookups outlive their requests, so the number of requests in flight does not limit them.
    const leave = lookups.size < size ? room.enter(token.length) : undefined;
    if (leave === undefined) return { result: { error: new Error('too many concurrent token lookups') }, warnings: [] };
    const lookup = new SharedLookup(clock, lookupTimeoutMs, request.audiences);
    const result = start(token, lookup, leave);
    if (!(result instanceof Promise)) return remember(key, lookup.answer(result));
    const pending = result.then((found) => remember(key, lookup.answer(found))).finally(() => lookups.delete(key));
    // Waiting requests receive the error; without any, it must not be unhandled.
    pending.catch(() => undefined);
    lookups.set(key, pending);
    return pending;
  };

  const lookUp = (key: string, token: string, request: TokenContext): Pending => {
    const answer = lookups.get(key) ?? ask(key, token, request);
    return answer instanceof Promise ? waitFor(answer, request) : withWarnings(answer, request);
  };

  return (token, request) => {
    const beganMs = clock.now();
    const key = tokenDigest(seed + audiencesKey(request.audiences) + token);
    const known = find(key);
    if (known === undefined)
      return meter === undefined
        ? lookUp(key, token, request)
        : measuredWait(() => lookUp(key, token, request), meter, beganMs);
    meter?.answered('hit', beganMs);
    return withWarnings(known, request);
  };
}

type Pending = AuthResult | Promise<AuthResult>;

/** Returns what an answer counts in the cache. */
function weightOf({ result, warnings }: Answer): number {
  if (result === undefined || 'error' in result) return 1;
  const { username, uid = '', groups, extra = {} } = result.user;
  let bytes = username.length + uid.length + lengthOf(groups) + lengthOf(result.audiences ?? []) + lengthOf(warnings);
  for (const [name, values] of Object.entries(extra)) bytes += TEXT_BYTES + name.length + lengthOf(values);
  return Math.max(1, Math.ceil(bytes / RESULT_BYTES));
}

const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + TEXT_BYTES + length, 0);

/** Looks a token up, and reports whether that failed. */
function measuredFetch(fetch: () => Pending, meter: TokenCacheMeter | undefined): Pending {
  if (meter === undefined) return fetch();
  const fetched = meter.fetching();
  return thenCall(fetch, (result) => fetched(result !== undefined && 'error' in result ? 'error' : 'ok'));
}

/** Waits for a lookup, and reports how long it took. */
function measuredWait(wait: () => Pending, meter: TokenCacheMeter, beganMs: number): Pending {
  const stopped = meter.waiting();
  return thenCall(wait, () => {
    stopped();
    meter.answered('miss', beganMs);
  });
}

/** Calls a function with a result when it is there. An authenticator that throws counts as one that fails. */
function thenCall(run: () => Pending, done: (result: AuthResult) => void): Pending {
  const failed = (error: unknown): never => {
    done({ error: toError(error) });
    throw error;
  };
  const succeeded = (result: AuthResult): AuthResult => {
    done(result);
    return result;
  };
  let result: Pending;
  try {
    result = run();
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? result.then(succeeded, failed) : succeeded(result);
}

/** Encodes audiences as unambiguous text with a fixed end. */
function audiencesKey(audiences: readonly string[] | undefined): string {
  if (audiences === undefined) return '-';
  let key = `${audiences.length}:`;
  for (const audience of audiences) key += `${audience.length}:${audience}`;
  return key;
}

function withWarnings({ result, warnings }: Answer, request: TokenContext): AuthResult {
  if (result !== undefined) for (const warning of warnings) request.warn?.(warning);
  return result;
}

/** Waits for a lookup until the request ends. */
async function waitFor(pending: Promise<Answer>, request: TokenContext): Promise<AuthResult> {
  const answer = await untilAborted(pending, request.signal, () => ({
    result: { error: new Error('the request ended before its token was checked') },
    warnings: [],
  }));
  return withWarnings(answer, request);
}

/** The context of a shared lookup. It belongs to none of the waiting requests. */
class SharedLookup implements TokenContext {
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

  /** Aborts on timeout. Created on first use: most authenticators do not need it. */
  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  readonly warn = (text: string): void => {
    this.#warnings.push(text);
  };

  answer(result: AuthResult): Answer {
    return { result, warnings: this.#warnings };
  }

  /** Returns the result, or an error on timeout. */
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
