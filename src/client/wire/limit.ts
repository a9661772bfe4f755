import { delay, type Clock } from '../../foundation/index.js';
import type { Sender } from './sender.js';

/** A limit on the rate of requests. */
export interface RateLimit {
  readonly perSecond: number;
  /** Number of requests that may be sent at once, after a pause. */
  readonly burst: number;
}

/** Lets requests wait, in their order, so that no more are sent than the limit allows. */
export function limited(send: Sender, clock: Clock, { perSecond, burst }: RateLimit): Sender {
  const spacingMs = 1000 / perSecond;
  /** The time at which the requests so far would have been sent one by one. */
  let sentMs = 0;
  return async (request) => {
    const nowMs = clock.now();
    sentMs = Math.max(sentMs, nowMs - spacingMs) + spacingMs;
    const waitMs = sentMs - burst * spacingMs - nowMs + spacingMs;
    if (waitMs > 0) await delay(clock, waitMs, request.signal);
    request.signal?.throwIfAborted();
    return send(request);
  };
}
