import { errors } from '../../meta/api-error.js';
import type { Clock } from '../../meta/clock.js';
import { messageOf } from '../../meta/error-message.js';
import { parseGoDuration } from '../../meta/go-duration.js';
import { withDeadline } from '../deadline.js';
import type { ApiResponse } from '../http.js';
import type { Endpoint, Filter, RequestScope } from '../request-scope.js';

/**
 * Gives every request a deadline. A client may ask for a shorter one by `timeout`, as in Kubernetes (`WithRequestDeadline` of its
 * API server). A watch may last, but not its opening: it has the longest time, whatever its `timeout` says. This is the outermost
 * filter, so that nothing can hold a request.
 *
 * Refuses with 400 a `timeout` that is not a length of time, and answers 504 when the time is out.
 *
 * @param limitMs the longest time of a request, in milliseconds
 */
export function deadline(clock: Clock, limitMs: number): Filter {
  return (next) => (scope) => {
    if (isLongRunning(scope)) return opened(clock, limitMs, scope, next);
    const asked = requestedMs(scope);
    return withDeadline(clock, asked > 0 && asked < limitMs ? asked : limitMs, next(scope));
  };
}

/** Opens a watch in time. One that is opened too late finds its client gone, and ends. */
async function opened(clock: Clock, limitMs: number, scope: RequestScope, next: Endpoint): Promise<ApiResponse> {
  const end = scope.endable();
  try {
    return await withDeadline(clock, limitMs, next(scope));
  } catch (error) {
    end();
    throw error;
  }
}

/** Only a GET can be a watch: whatever else is sent to the path of one is refused, and waits for that no longer than others. */
const isLongRunning = ({ info, request }: RequestScope): boolean => info.verb === 'watch' && request.method === 'GET';

/** The time that the request itself asks for, in milliseconds; 0 for none. @throws ApiError 400 */
function requestedMs(scope: RequestScope): number {
  const { query } = scope.request;
  // An encoded letter could hide the word.
  if (query === '' || (!query.includes('timeout') && !query.includes('%'))) return 0;
  const text = scope.query.get('timeout') ?? '';
  if (text === '') return 0;
  try {
    return parseGoDuration(text);
  } catch (error) {
    throw errors.badRequest(`invalid timeout specified in the request URL - ${messageOf(error)}`);
  }
}
