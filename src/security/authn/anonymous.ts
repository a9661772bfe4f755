import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP, type Authenticator } from './authenticator.js';

/** Options of anonymous authentication. */
export interface AnonymousOptions {
  /**
   * Exact paths with anonymous access. Default: all paths. The caller must check the feature gate
   * `AnonymousAuthConfigurableEndpoints`.
   */
  readonly paths?: readonly string[] | undefined;
}

const ANONYMOUS = Object.freeze({
  user: Object.freeze({ username: ANONYMOUS_USER, groups: Object.freeze([UNAUTHENTICATED_GROUP]) }),
});

/**
 * Returns an authenticator that accepts every request as the anonymous user. It must come last, after all
 * authenticators that can refuse.
 */
export function anonymousAuthenticator(options: AnonymousOptions = {}): Authenticator {
  if (options.paths === undefined) return () => ANONYMOUS;
  const paths = new Set(options.paths);
  return (request) => (paths.has(request.path) ? ANONYMOUS : undefined);
}
