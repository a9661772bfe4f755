import { errors } from '../../meta/api-error.js';
import { onAbort } from '../../meta/on-abort.js';
import { isStream, type ApiResponse, type ClientBlocked } from '../http.js';
import { isLasting } from '../connections.js';
import { isLimited, requestClass, type InFlightLimiter, type WatchLimiter } from '../in-flight.js';
import type { Filter, RequestScope } from '../request-scope.js';

/**
 * Refuses requests beyond the limits with 429. Watches and connections have a separate limit and count until they end.
 *
 * @param blocked called by transports that wait for clients of watches
 */
export function inFlight(limiter: InFlightLimiter, watches: WatchLimiter, blocked: ClientBlocked): Filter {
  return (next) => async (scope) => {
    if (isLasting(scope.info)) return lasting(watches, blocked, scope, () => next(scope));
    const user = accountableUser(scope);
    if (!isLimited(scope.info.verb, user.groups)) return next(scope);
    const slot = limiter.enter(requestClass(scope.info.verb), user.username);
    scope.slot = slot;
    try {
      return await next(scope);
    } finally {
      slot.leave();
    }
  };
}

/** Returns the user whose share a request counts against: the caller, even when it impersonates another user. */
function accountableUser({ user, impersonator }: RequestScope): RequestScope['user'] {
  return impersonator ?? user;
}

async function lasting(
  watches: WatchLimiter,
  blocked: ClientBlocked,
  scope: RequestScope,
  open: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const leave = enterWatch(watches, scope);
  try {
    const answer = await open();
    const { body } = answer;
    if (isStream(body)) return { ...answer, body: { stream: endingWith(body.stream, leave), blocked } };
    leave();
    return answer;
  } catch (error) {
    leave();
    throw error;
  }
}

/**
 * Counts a watch of the caller until it ends or the client disconnects.
 *
 * @returns a function to call when the watch has ended
 * @throws ApiError 429 when too many watches are open, 504 when the request has already been aborted
 */
export function enterWatch(watches: WatchLimiter, scope: RequestScope): () => void {
  if (scope.signal.aborted) throw errors.timeout('request did not complete within the allotted timeout');
  const { username, groups } = accountableUser(scope);
  const leave = watches.enter(username, groups);
  // A response that is never read never ends by itself.
  const stop = onAbort(scope.signal, leave);
  return () => {
    stop();
    leave();
  };
}

/** Wraps a source and calls `ended` when it ends or is cancelled; unlike a generator also when it was never started. */
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
