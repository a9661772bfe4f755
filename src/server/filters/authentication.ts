import { requireUser, type Authenticator } from '../../authn/index.js';
import type { Filter, RequestScope } from '../request-scope.js';

/** Finds out who asks. Refuses with 401. */
export function authentication(authenticate: Authenticator): Filter {
  return (next) => (scope) => {
    const result = authenticate(asAuthRequest(scope));
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

function asAuthRequest(scope: RequestScope): Parameters<Authenticator>[0] {
  const { request, info } = scope;
  return {
    path: info.path,
    headers: request.headers,
    peer: request.peer,
    get signal() {
      return request.signal;
    },
    warn: scope.warn,
  };
}
