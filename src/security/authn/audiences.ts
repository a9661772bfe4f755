import { whenReady } from '../../foundation/index.js';
import { ofFrozenResults, type AuthResult, type TokenAuthenticator } from './authenticator.js';

/** Returns the audiences in both lists, in the order of the first. */
export function intersectAudiences(wanted: readonly string[], offered: readonly string[]): string[] {
  return wanted.filter((audience) => offered.includes(audience));
}

/**
 * Adds audiences to an authenticator that has none: its tokens are valid for the API server's own. A request for other
 * audiences gets no opinion (KEP-1205).
 *
 * @param own audiences of the API server
 */
export function audienceAgnostic(own: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  const withOwn = ofFrozenResults((found) => withAudiences(found, own));
  return (token, request) => {
    if (request.audiences === undefined) return whenReady(authenticate(token, request), withOwn);
    const audiences = intersectAudiences(request.audiences, own);
    if (audiences.length === 0 && request.audiences.length > 0) return undefined;
    return whenReady(authenticate(token, request), (found) => withAudiences(found, audiences));
  };
}

function withAudiences(result: AuthResult, audiences: readonly string[]): AuthResult {
  if (result === undefined || 'error' in result || result.audiences !== undefined || audiences.length === 0)
    return result;
  return Object.freeze({ ...result, audiences });
}
