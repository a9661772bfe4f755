import { intersectAudiences } from '../../authn/audiences.js';
import { requireUser, type Authenticator, type AuthResult } from '../../authn/authenticator.js';
import type { Filter } from '../request-scope.js';

/** Authenticates the user. Refuses with 401, including credentials that are valid only for other audiences. */
export function authentication(authenticate: Authenticator, apiAudiences: readonly string[]): Filter {
  const userOf = (result: AuthResult): ReturnType<typeof requireUser> =>
    requireUser(checkAudiences(result, apiAudiences));
  return (next) => (scope) => {
    const result = authenticate(scope);
    if (result instanceof Promise) {
      return result.then((found) => {
        scope.user = userOf(found);
        return next(scope);
      });
    }
    scope.user = userOf(result);
    return next(scope);
  };
}

function checkAudiences(result: AuthResult, apiAudiences: readonly string[]): AuthResult {
  if (result === undefined || 'error' in result || result.audiences === undefined || apiAudiences.length === 0)
    return result;
  if (intersectAudiences(apiAudiences, result.audiences).length > 0) return result;
  return {
    error: new Error(
      `unable to match the audience: ${JSON.stringify(result.audiences)}, accepted: ${JSON.stringify(apiAudiences)}`,
    ),
  };
}
