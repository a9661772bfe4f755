import { requireUser, type Authenticator } from '../../authn/index.js';
import type { Filter } from '../request-scope.js';

/** Finds out who asks. Refuses with 401. */
export function authentication(authenticate: Authenticator): Filter {
  return (next) => (scope) => {
    const result = authenticate(scope);
    if (result instanceof Promise) {
      return result.then((found) => {
        scope.user = requireUser(found);
        return next(scope);
      });
    }
    scope.user = requireUser(result);
    return next(scope);
  };
}
