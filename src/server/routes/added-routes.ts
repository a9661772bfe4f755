import type { ApiResponse } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';

/** Paths that a server has besides those of its kinds, and only while something needs them, as its page does. */
export interface AddedRoutes {
  /** The paths that are served now, for the list at the root. */
  readonly paths: readonly string[];
  /**
   * Answers a request that has been authorized.
   *
   * @returns undefined for another path
   * @throws ApiError
   */
  route(scope: RequestScope): Promise<ApiResponse | undefined> | undefined;
  /** Called with every response of the server to a transport, before it is sent. It must not throw. */
  answered(scope: RequestScope, response: ApiResponse): void;
}
