import { codedCause, delay, type Clock, type Entropy, type OutboundStream } from '../../foundation/index.js';
import { backOffMs } from '../back-off.js';
import type { Sender, WireRequest } from './sender.js';
import { retryAfter } from './wire-answer.js';

/** The attempts of a request. */
export interface Retries {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Maximum number of attempts. */
  readonly attempts: number;
  /** First and longest pause between attempts, in milliseconds. */
  readonly firstMs: number;
  readonly mostMs: number;
}

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

/** Longest pause that a server may ask for, in milliseconds. */
const MOST_ASKED_MS = 60_000;

/**
 * Sends a request again while the server asks for that (429, 503, and 5xx with `Retry-After`), or cannot be reached, as
 * far as the request may be repeated. A request that lasts is not: its caller knows where to resume.
 */
export function retried(send: Sender, retries: Retries): Sender {
  const { clock, entropy, attempts, firstMs, mostMs } = retries;
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOf(send, request);
      const askedMs = request.lasting === true || attempt >= attempts ? undefined : pauseAfter(outcome, request);
      if (askedMs === undefined) {
        if ('error' in outcome) throw outcome.error;
        return outcome;
      }
      if (!('error' in outcome)) outcome.cancel();
      const ownMs = backOffMs(attempt - 1, { firstMs, mostMs }, entropy);
      const pauseMs = Math.max(ownMs, Math.min(askedMs, MOST_ASKED_MS));
      await delay(clock, pauseMs, request.signal, request.background !== true);
      request.signal?.throwIfAborted();
    }
  };
}

type Outcome = OutboundStream | { readonly error: unknown };

async function attemptOf(send: Sender, request: WireRequest): Promise<Outcome> {
  try {
    return await send(request);
  } catch (error) {
    return { error };
  }
}

/** Returns the pause that a server asks for before the next attempt, in milliseconds; undefined for no attempt. */
function pauseAfter(outcome: Outcome, { repeats, method = 'GET' }: WireRequest): number | undefined {
  if ('error' in outcome) {
    const code = codedCause(outcome.error)?.code ?? '';
    const mayRepeat = UNSENT.has(code) || (method === 'GET' && repeats === 'always' && LOST.has(code));
    return mayRepeat ? 0 : undefined;
  }
  const { status } = outcome;
  if (status < 400) return undefined;
  const askedMs = askedPauseMs(outcome);
  if (status === TOO_MANY_REQUESTS) return repeats === 'unsent' ? undefined : (askedMs ?? 0);
  if (repeats !== 'always' || status < 500) return undefined;
  return status === UNAVAILABLE ? (askedMs ?? 0) : askedMs;
}

function askedPauseMs(response: OutboundStream): number | undefined {
  const seconds = retryAfter(response);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Codes of the host for a request that was not sent. */
const UNSENT: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
]);
/** Codes of the host for a connection that ended before the response. */
const LOST: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET']);
