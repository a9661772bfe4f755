import { errors } from '../../meta/api-error.js';
import { onAbort } from '../../meta/on-abort.js';
import type { ApiResponse } from '../http.js';
import { isLimited, requestClass, type InFlightLimiter, type WatchLimiter } from '../in-flight.js';
import type { Filter, RequestScope } from '../request-scope.js';

/** Refuses requests past the bounds with 429. A watch has a bound of its own, until it ends. */
export function inFlight(limiter: InFlightLimiter, watches: WatchLimiter): Filter {
  return (next) => async (scope) => {
    if (scope.info.verb === 'watch') return watch(watches, scope, () => next(scope));
    const user = payer(scope);
    if (!isLimited(scope.info.verb, user.groups)) return next(scope);
    const place = limiter.enter(requestClass(scope.info.verb), user.username);
    scope.place = place;
    try {
      return await next(scope);
    } finally {
      place.leave();
    }
  };
}

/** Whose share a request takes: that of the user who makes it, whomever it is made as. */
function payer({ user, impersonator }: RequestScope): RequestScope['user'] {
  return impersonator ?? user;
}

async function watch(
  watches: WatchLimiter,
  scope: RequestScope,
  open: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const leave = enterWatch(watches, scope);
  try {
    const answer = await open();
    const { body } = answer;
    if (typeof body === 'object' && 'stream' in body)
      return { ...answer, body: { stream: endingWith(body.stream, leave) } };
    leave();
    return answer;
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Counts a watch of the user who asks for it, until it is let go or the client is gone.
 *
 * @returns what is called when it has ended
 * @throws ApiError 429 when there are too many, 504 when the request is over already
 */
export function enterWatch(watches: WatchLimiter, scope: RequestScope): () => void {
  if (scope.signal.aborted) throw errors.timeout('request did not complete within the allotted timeout');
  const { username, groups } = payer(scope);
  const leave = watches.enter(username, groups);
  // An answer that nobody ever begins to read is not let go either.
  const stop = onAbort(scope.signal, leave);
  return () => {
    stop();
    leave();
  };
}

/** Passes a source on and calls back once, when it has ended or is let go: also when it was never begun, where a generator would not. */
export function endingWith<Item>(source: AsyncIterable<Item>, ended: () => void): AsyncIterableIterator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const next = await iterator.next();
        if (next.done === true) ended();
        return next;
      } catch (error) {
        ended();
        throw error;
      }
    },
    async return() {
      ended();
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
