import { ApiError, errors, messageOf, parseGoDuration, type Clock } from '../../foundation/index.js';
import { isLasting } from '../requests/connections.js';
import { Deadlines, withDeadline } from '../requests/deadline.js';
import type { ApiResponse } from '../requests/http.js';
import type { Endpoint, Filter, RequestScope } from '../requests/request-scope.js';

/**
 * Gives every request a deadline. A client may ask for a shorter one with `timeout`, as in Kubernetes
 * (`WithRequestDeadline` of its API server). A watch or a connection has no deadline, but opening it has: the maximum, whatever its
 * `timeout`. This is the outermost filter, so that nothing can block a request.
 *
 * Refuses an invalid `timeout` with 400, and responds with 504 after the deadline.
 *
 * @param limitMs maximum duration of a request, in milliseconds
 * @param late called with what became of a request that was answered with a timeout
 */
export function deadline(clock: Clock, limitMs: number, late: (status: LateStatus) => void): Filter {
  const expired = (work: Promise<unknown>): void => followLate(clock, work, late);
  const deadlines = new Deadlines({ clock, limitMs, keepsAlive: false, expired });
  return (next) => (scope) => {
    if (isLongRunning(scope)) return openInTime(clock, limitMs, scope, next);
    const requested = requestedMs(scope);
    const isShorter = requested > 0 && requested < limitMs;
    scope.timeoutMs = isShorter ? requested : limitMs;
    const work = next(scope);
    if (!(work instanceof Promise)) return work;
    return isShorter
      ? withDeadline(clock, requested, work, () => expired(work))
      : deadlines.bound(work, scope.receivedMs);
  };
}

/** The outcome of the work of a request after its deadline; `pending` when it still goes on long after. */
export type LateStatus = 'ok' | 'error' | 'panic' | 'pending';

/** Time after which late work counts as pending, as in Kubernetes. */
const PENDING_AFTER_MS = 5 * 60_000;

/** Reports what becomes of late work, once. */
function followLate(clock: Clock, work: Promise<unknown>, late: (status: LateStatus) => void): void {
  let isKnown = false;
  const settle = (status: LateStatus): void => {
    if (!isKnown) late(status);
    isKnown = true;
    timer.cancel();
  };
  const timer = clock.after(PENDING_AFTER_MS, () => settle('pending'));
  work.then(
    () => settle('ok'),
    (error: unknown) => settle(error instanceof ApiError ? 'error' : 'panic'),
  );
}

/** Bounds the opening of a watch or connection. One that opens later is aborted and ends. */
async function openInTime(clock: Clock, limitMs: number, scope: RequestScope, next: Endpoint): Promise<ApiResponse> {
  const abort = scope.abortable();
  try {
    const opening = next(scope);
    return opening instanceof Promise ? await withDeadline(clock, limitMs, opening) : opening;
  } catch (error) {
    abort();
    throw error;
  }
}

/** Only a GET can be a watch. Other methods on a watch path are refused, within the normal deadline. */
const isLongRunning = ({ info, request }: RequestScope): boolean =>
  isLasting(info) && (info.verb !== 'watch' || request.method === 'GET');

/** Returns the timeout that the request asks for, in milliseconds; 0 without one. @throws ApiError 400 */
function requestedMs(scope: RequestScope): number {
  const { query } = scope.request;
  // A percent-encoded letter could hide the word.
  if (query === '' || (!query.includes('timeout') && !query.includes('%'))) return 0;
  const text = scope.query.get('timeout') ?? '';
  if (text === '') return 0;
  try {
    return parseGoDuration(text);
  } catch (error) {
    throw errors.badRequest(`invalid timeout specified in the request URL - ${messageOf(error)}`);
  }
}
