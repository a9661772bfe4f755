import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP, type Authenticator } from './authenticator.js';

/** Where anonymous requests are let in. */
export interface AnonymousOptions {
  /**
   * Paths, compared as they are; every other path has no anonymous access. Default: all paths. Needs the feature gate
   * `AnonymousAuthConfigurableEndpoints`, which is for the caller to ask.
   */
  readonly paths?: readonly string[];
}

const ANONYMOUS = Object.freeze({
  user: Object.freeze({ username: ANONYMOUS_USER, groups: Object.freeze([UNAUTHENTICATED_GROUP]) }),
});

/** Knows everybody, as the anonymous user. Stands last, after all authenticators that may refuse. */
export function anonymousAuthenticator(options: AnonymousOptions = {}): Authenticator {
  if (options.paths === undefined) return () => ANONYMOUS;
  const paths = new Set(options.paths);
  return (request) => (paths.has(request.path) ? ANONYMOUS : undefined);
}
