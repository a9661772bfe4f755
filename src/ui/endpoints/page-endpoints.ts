/**
 * The endpoints of the page, `/ui/v1/…`: what the page shows and the API does not have. They are authorized as any path is
 * (`nonResourceURLs`), and exist only while a server serves its page.
 *
 * @module
 */
import { errors } from '../../foundation/index.js';
import type { AddedRoutes, ApiResponse, RequestScope } from '../../server/index.js';
import { attention } from './attention.js';
import { jsonAnswer, type PageEndpoint } from './call.js';
import { controllers } from './controllers.js';
import { counts, followedCounts } from './counts.js';
import { explain } from './explain.js';
import { info } from './info.js';
import type { PageParts } from './page-parts.js';
import { Recorders } from './recorders.js';
import { related } from './related.js';
import { bodies, followedRequests, requests, series } from './requests.js';
import { TEST_PATH } from '../serving/test-command.js';
import { accessMatrix, whoCan } from './who-can.js';
import { followedWrites, timeline, writes } from './writes.js';

const endpoints: ReadonlyMap<string, PageEndpoint> = new Map([
  ['/ui/v1/access-matrix', accessMatrix],
  ['/ui/v1/attention', attention],
  ['/ui/v1/controllers', controllers],
  ['/ui/v1/counts', counts],
  ['/ui/v1/counts/follow', followedCounts],
  ['/ui/v1/explain', explain],
  ['/ui/v1/info', info],
  ['/ui/v1/related', related],
  ['/ui/v1/requests', requests],
  ['/ui/v1/requests/bodies', bodies],
  ['/ui/v1/requests/follow', followedRequests],
  ['/ui/v1/series', series],
  ['/ui/v1/timeline', timeline],
  ['/ui/v1/who-can', whoCan],
  ['/ui/v1/writes', writes],
  ['/ui/v1/writes/follow', followedWrites],
]);

/** The endpoints of one server, with what it records for them. */
export class PageEndpoints implements AddedRoutes {
  readonly paths = [...endpoints.keys()];
  readonly #parts: PageParts;
  readonly #recorders: Recorders;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#recorders = new Recorders(parts);
  }

  /** Begins to record writes. */
  start(): Promise<void> {
    return this.#recorders.writes.start();
  }

  stop(): void {
    this.#recorders.close();
  }

  route(scope: RequestScope): Promise<ApiResponse> | undefined {
    const endpoint = endpoints.get(scope.path);
    if (endpoint !== undefined) return this.#answer(scope, endpoint);
    // The user may run the command.
    return scope.path.startsWith(TEST_PATH) && this.#parts.takesCommands()
      ? Promise.resolve(jsonAnswer({}))
      : undefined;
  }

  async #answer(scope: RequestScope, { method, answer }: PageEndpoint): Promise<ApiResponse> {
    if (scope.request.method !== method) throw errors.methodNotAllowed();
    return answer({ scope, parts: this.#parts, recorders: this.#recorders });
  }

  answered(scope: RequestScope, response: ApiResponse): void {
    const { code, ms } = this.#recorders.requests.record(scope, response, this.#parts.clock.now());
    this.#recorders.series.request(code, ms);
  }
}
