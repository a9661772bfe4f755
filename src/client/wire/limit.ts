import { delay, monotonicMs, type Clock, type OutboundStream } from '../../foundation/index.js';
import type { WireRequest } from './sender.js';

/** A limit on the rate of requests. */
export interface RateLimit {
  readonly perSecond: number;
  /** Number of requests that may be sent at once, after a pause. */
  readonly burst: number;
}

/** A request that its caller may abort while it waits. */
interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Whether the process may end while it waits. */
  readonly background?: boolean | undefined;
}

/** Lets requests wait, in their order, so that no more are sent than the limit allows. */
export function limited<Request extends Waiting = WireRequest, Answer = OutboundStream>(
  send: (request: Request) => Promise<Answer>,
  clock: Clock,
  { perSecond, burst }: RateLimit,
): (request: Request) => Promise<Answer> {
  const spacingMs = 1000 / perSecond;
  /** The time at which the requests so far would have been sent one by one. */
  let sentMs = -Infinity;
  return async (request) => {
    const nowMs = monotonicMs(clock);
    sentMs = Math.max(sentMs, nowMs - spacingMs) + spacingMs;
    const waitMs = sentMs - burst * spacingMs - nowMs + spacingMs;
    if (waitMs > 0) await delay(clock, waitMs, request.signal, request.background !== true);
    request.signal?.throwIfAborted();
    return send(request);
  };
}
