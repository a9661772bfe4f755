import type { AuthResult, TokenAuthenticator } from './authenticator.js';

/** The audiences that both have, in the order of the first. */
export function intersectAudiences(wanted: readonly string[], offered: readonly string[]): string[] {
  return wanted.filter((audience) => offered.includes(audience));
}

/**
 * Makes of an authenticator that knows nothing of audiences one whose tokens are for the API server's own: asked for other
 * audiences only, it does not know them (KEP-1205).
 *
 * @param own audiences of the API server
 */
export function audienceAgnostic(own: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return (token, request) => {
    const audiences = request.audiences === undefined ? own : intersectAudiences(request.audiences, own);
    if (audiences.length === 0 && request.audiences !== undefined && request.audiences.length > 0) return undefined;
    const result = authenticate(token, request);
    return result instanceof Promise
      ? result.then((found) => withAudiences(found, audiences))
      : withAudiences(result, audiences);
  };
}

function withAudiences(result: AuthResult, audiences: readonly string[]): AuthResult {
  if (result === undefined || 'error' in result || result.audiences !== undefined || audiences.length === 0)
    return result;
  return { ...result, audiences };
}
