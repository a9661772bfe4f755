import { errors, onAbort } from '../../foundation/index.js';
import { isLimited, requestClass, type InFlightLimiter, type WatchLimiter } from '../limits/in-flight.js';
import type { RequestMetrics } from '../metrics/request-metrics.js';
import { isLasting } from '../requests/connections.js';
import { isStream, type ApiResponse, type ClientBlocked } from '../requests/http.js';
import type { Filter, RequestScope } from '../requests/request-scope.js';
import { untilAnswered } from './until-answered.js';

/** The limits that watches and connections count against. */
export interface LastingLimits {
  readonly watches: WatchLimiter;
  /** Called by transports that wait for clients. */
  readonly blocked: ClientBlocked;
  readonly metrics: RequestMetrics;
}

/**
 * Refuses requests beyond the limits with 429. Watches and connections have a separate limit and count until they end.
 *
 * @param limiter undefined when the flow control limits all other requests
 */
export function inFlight(limiter: InFlightLimiter | undefined, limits: LastingLimits): Filter {
  return (next) => (scope) => {
    if (isLasting(scope.info)) return lasting(limits, scope, () => next(scope));
    if (limiter === undefined) return next(scope);
    const user = accountableUser(scope);
    if (!isLimited(scope.info.verb, user.groups)) return next(scope);
    const slot = limiter.enter(requestClass(scope.info.verb), user.username);
    scope.slot = slot;
    return untilAnswered(scope, next, () => slot.leave());
  };
}

/** Returns the user whose share a request counts against: the caller, even when it impersonates another user. */
export function accountableUser({ user, impersonator }: RequestScope): RequestScope['user'] {
  return impersonator ?? user;
}

async function lasting(
  limits: LastingLimits,
  scope: RequestScope,
  open: () => ApiResponse | Promise<ApiResponse>,
): Promise<ApiResponse> {
  const watch = enterWatch(limits, scope);
  try {
    const answer = await open();
    const { body, status } = answer;
    if (isStream(body)) {
      watch.opened(status);
      const stream = endingWith(body.stream, watch.leave);
      return { ...answer, body: { stream, take: body.take, blocked: limits.blocked } };
    }
    watch.leave();
    return answer;
  } catch (error) {
    watch.leave();
    throw error;
  }
}

/** A watch or connection that counts against the limits. */
export interface EnteredWatch {
  /** Notes that it was opened, with the code of its response. */
  opened(code: number): void;
  /** To be called when it has ended; only the first call counts. */
  readonly leave: () => void;
}

/**
 * Counts a watch of the caller until it ends or the client disconnects.
 *
 * @throws ApiError 429 when too many watches are open, 504 when the request has already been aborted
 */
export function enterWatch({ watches, metrics }: LastingLimits, scope: RequestScope): EnteredWatch {
  if (scope.signal.aborted) throw errors.timeout('request did not complete within the allotted timeout');
  const { username, groups } = accountableUser(scope);
  const release = watches.enter(username, groups);
  const initialState = watches.initialStates.begin(username);
  // An interceptor may hold back the events of a watch; those of others do not wait for it.
  if (scope.interception === undefined) scope.initialState = initialState;
  const measured = metrics.lasting(scope);
  const end = (): void => {
    release();
    measured.end();
    scope.watchSeat?.ended();
    initialState.end();
  };
  // A response that is never read never ends by itself.
  const stop = onAbort(scope.signal, end);
  return {
    opened: (code) => measured.opened(code),
    leave: () => {
      stop();
      end();
    },
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
