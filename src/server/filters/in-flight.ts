import { isLimited, requestClass, tooManyRequests, type InFlightLimiter } from '../in-flight.js';
import type { Filter } from '../request-scope.js';

/** Refuses requests past the bounds with 429. Watches are free once they have started. */
export function inFlight(limiter: InFlightLimiter): Filter {
  return (next) => async (scope) => {
    if (!isLimited(scope.info.verb, scope.user.groups)) return next(scope);
    const release = limiter.acquire(requestClass(scope.info.verb));
    if (release === undefined) throw tooManyRequests();
    try {
      return await next(scope);
    } finally {
      release();
    }
  };
}
