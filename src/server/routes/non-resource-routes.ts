import { errors, loading, whenReady, type JsonObject } from '../../foundation/index.js';
import { once } from '../../kinds/index.js';
import { notModified, wantsAggregated, type CachedDocument } from '../discovery/index.js';
import type { GenericServer } from '../generic-server.js';
import { METRICS_MEDIA_TYPE } from '../metrics/metrics.js';
import type { OpenApi } from '../openapi/index.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import { respondWith } from '../responses/respond.js';
import { versionInfo } from '../settings/version.js';

/** Loads the OpenAPI module on first use: most clients never request it. */
const openApi = once(() => import('../openapi/index.js'));

/** Paths of the dumps of the flow control. */
const FLOW_DUMPS = '/debug/api_priority_and_fairness/';

/** Discovery is available in JSON and YAML, not as a Table. */
const DISCOVERY = { protobuf: false, forms: false } as const;

/** A document served verbatim. */
export interface ServedDocument {
  readonly contentType: string;
  readonly body: string;
  /** Header fields in addition to the content type, names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Returns the document for a request; undefined when none exists. */
export type DocumentSource = () => ServedDocument | undefined | Promise<ServedDocument | undefined>;

/** Paths that are not resources: discovery, OpenAPI, version, health, metrics. */
export class NonResourceRoutes {
  readonly #server: GenericServer;
  #openApi: OpenApi | undefined;

  constructor(server: GenericServer) {
    this.#server = server;
  }

  /** Answers a request; returns undefined for an unknown path. */
  async route(scope: RequestScope): Promise<ApiResponse | undefined> {
    const { path } = scope.info;
    const health = await this.#server.health.handle(path, scope.query, scope.request.signal);
    if (health !== undefined) return health;
    const words = path.split('/');
    if (words[1] === 'api' || words[1] === 'apis')
      return this.#discover(scope, words.slice(1, words.at(-1) === '' ? -1 : undefined));
    if (words[1] === 'openapi') return this.#openApiDocument(scope, path);
    if (path === '/version' || path === '/version/')
      return this.#json(
        scope,
        versionInfo(this.#server.dialect, this.#server.options.version),
        scope.request.headers.get('accept'),
      );
    if (path === '/metrics')
      return document(scope, { contentType: METRICS_MEDIA_TYPE, body: await this.#server.metrics.read() });
    if (path.startsWith(FLOW_DUMPS)) return document(scope, await this.#flowDump(scope, path.slice(FLOW_DUMPS.length)));
    const source = this.#server.options.documents.get(path);
    if (source !== undefined) return document(scope, await source());
    const added = this.#server.options.added?.route(scope);
    if (added !== undefined) return added;
    if (path === '/') return this.#json(scope, this.#server.discovery.rootPaths(this.#paths()), undefined);
    return undefined;
  }

  /** Returns a dump of the flow control; undefined for an unknown one, and without a flow control. */
  async #flowDump({ query }: RequestScope, dump: string): Promise<ServedDocument | undefined> {
    const control = this.#server.options.fairness?.()?.control;
    if (control === undefined) return undefined;
    const { flowDumps } = await loading(import('../fairness/dump.js'));
    const body = flowDumps.get(dump)?.(control, (query.get('includeRequestDetails') ?? '') !== '');
    return body === undefined ? undefined : { contentType: 'text/plain; charset=utf-8', body };
  }

  /** Returns the paths served, except those of resources. */
  #paths(): string[] {
    const { health, options } = this.#server;
    const own = ['/metrics', '/openapi/v2', '/openapi/v3', '/version'];
    return [...health.paths(), ...options.documents.keys(), ...own, ...(options.added?.paths ?? [])];
  }

  #discover(scope: RequestScope, words: readonly string[]): ApiResponse | Promise<ApiResponse> | undefined {
    const { discovery, dialect } = this.#server;
    const [root, first, second] = words;
    // The core group has no name; an empty name must not find it.
    if (root === 'apis' && first === '') return undefined;
    if (words.length === 1 && (root === 'api' || root === 'apis')) {
      requireGet(scope);
      const aggregated = wantsAggregated(scope.request.headers.get('accept') ?? '', dialect);
      if (aggregated !== undefined)
        return whenReady(discovery.aggregated(root, aggregated), (written) => documentResponse(scope, written));
      return this.#object(scope, root === 'api' ? discovery.apiVersions() : discovery.apiGroupList());
    }
    if (root === 'apis' && words.length === 2) return this.#found(scope, discovery.apiGroup(first ?? ''));
    const [group, version] = root === 'api' ? ['', first] : [first ?? '', second];
    if (words.length > (root === 'api' ? 2 : 3) || (group !== '' && !discovery.servesGroup(group))) return undefined;
    const list = discovery.apiResourceList(group, version ?? '');
    if (list === undefined) {
      if (group !== '' && !discovery.isRouted(group)) return undefined;
      throw errors.resourceNotFound();
    }
    return this.#found(scope, list);
  }

  #found(scope: RequestScope, value: object | undefined): ApiResponse | Promise<ApiResponse> | undefined {
    if (value === undefined) return undefined;
    requireGet(scope);
    return this.#object(scope, value);
  }

  #object(scope: RequestScope, value: object): ApiResponse | Promise<ApiResponse> {
    requireGet(scope);
    const { responder } = this.#server;
    // Every discovery document is plain data.
    const negotiated = responder.codec.negotiate(scope.request.headers.get('accept'), DISCOVERY);
    return respondWith({ responder, scope, negotiated }, 200, value as JsonObject);
  }

  /** Answers with a document that exists only in JSON, always indented as in Kubernetes. @throws ApiError 406 */
  #json(scope: RequestScope, value: object, accept: string | undefined): ApiResponse | Promise<ApiResponse> {
    requireGet(scope);
    const { responder } = this.#server;
    const negotiated = { ...responder.codec.negotiate(accept, { jsonOnly: true }), pretty: true };
    return respondWith({ responder, scope, negotiated }, 200, value as JsonObject);
  }

  async #openApiDocument(scope: RequestScope, path: string): Promise<ApiResponse | undefined> {
    requireGet(scope);
    const { handleOpenApi, OpenApi } = await openApi();
    const { catalogue, dialect, clock, options } = this.#server;
    const { resources } = catalogue;
    const { remote } = this.#server.discovery;
    if (this.#openApi?.resources !== resources || this.#openApi.remote !== remote) {
      const build = options.version.packageVersion;
      this.#openApi = new OpenApi({ resources, remote, documents: options.remote, dialect, build }, this.#openApi);
    }
    const { headers } = scope.request;
    return handleOpenApi(this.#openApi, {
      path,
      query: scope.query,
      accept: headers.get('accept'),
      ifNoneMatch: headers.get('if-none-match'),
      nowMs: clock.now(),
    });
  }
}

function document(scope: RequestScope, served: ServedDocument | undefined): ApiResponse | undefined {
  if (served === undefined) return undefined;
  requireGet(scope);
  return { status: 200, headers: { 'content-type': served.contentType, ...served.headers }, body: served.body };
}

function requireGet(scope: RequestScope): void {
  if (scope.request.method !== 'GET') throw errors.methodNotAllowed();
}

/** Answers with a cached document, or with 304 when the client already has it. */
function documentResponse(scope: RequestScope, document: CachedDocument): ApiResponse {
  const headers = { etag: document.etag, vary: 'Accept', 'cache-control': 'public' };
  if (notModified(scope.request.headers.get('if-none-match'), document.etag))
    return { status: 304, headers, body: undefined };
  return { status: 200, headers: { ...headers, 'content-type': document.contentType }, body: document.text };
}
