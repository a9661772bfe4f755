import { frozenUser, type Clock } from '../../foundation/index.js';
import { intersectAudiences, requireUser, type Authenticator, type AuthResult } from '../../security/index.js';
import type { AccessMeter } from '../metrics/access-metrics.js';
import type { Filter, RequestScope } from '../requests/request-scope.js';

/**
 * Authenticates the user. Refuses with 401, including credentials that are valid only for other audiences.
 *
 * @param count counts the results
 */
export function authentication(
  authenticate: Authenticator,
  apiAudiences: readonly string[],
  clock: Clock,
  count: AccessMeter<AuthResult>,
): Filter {
  const identify = (scope: RequestScope, result: AuthResult): void => {
    const beganMs = scope.momentMs;
    scope.momentMs = clock.now();
    count(result, scope.momentMs - beganMs);
    scope.user = frozenUser(requireUser(checkAudiences(result, apiAudiences)));
  };
  return (next) => (scope) => {
    const result = authenticate(scope);
    if (result instanceof Promise) {
      return result.then((found) => {
        identify(scope, found);
        return next(scope);
      });
    }
    identify(scope, result);
    return next(scope);
  };
}

function checkAudiences(result: AuthResult, apiAudiences: readonly string[]): AuthResult {
  if (result === undefined || 'error' in result || result.audiences === undefined || apiAudiences.length === 0)
    return result;
  // Most credentials have no audiences of their own, but those of the server.
  if (result.audiences === apiAudiences) return result;
  if (intersectAudiences(apiAudiences, result.audiences).length > 0) return result;
  return {
    error: new Error(
      `unable to match the audience: ${JSON.stringify(result.audiences)}, accepted: ${JSON.stringify(apiAudiences)}`,
    ),
  };
}
