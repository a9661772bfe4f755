/**
 * The server without a policy of its own: it is given its storage, its kinds, its authenticators and its authorizer, and
 * makes of them an entrance for requests. `ApiServer` chooses the usual ones.
 *
 * @module
 */
import { AdmissionChain } from '../admission/chain.js';
import type { Authenticator } from '../authn/index.js';
import type { Attributes, Authorizer } from '../authz/index.js';
import { createCodec, machinerySchemas, type Codec } from '../codec/index.js';
import { ApiError, errors } from '../meta/api-error.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { UserInfo } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import type { RequestContext } from '../registry/context.js';
import { ContinueTokens } from '../registry/continue-token.js';
import { DecodedForms } from '../registry/decoded-forms.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { OperationClient } from '../registry/operation-client.js';
import type { Perform } from '../registry/perform.js';
import { checkSchema } from '../registry/check-definition.js';
import { checkKinds } from '../registry/check-kinds.js';
import { ResourceInfo } from '../registry/resource-info.js';
import { ResourceStore, type StoreEnvironment } from '../registry/store.js';
import type { StructuralSchema } from '../schema/structural.js';
import { HistoryBudget } from '../storage/history-budget.js';
import { StorageError, type Storage } from '../storage/storage.js';
import { bodyDecodeLimits } from './decode-limits.js';
import { createDiscovery, type Discovery } from './discovery/index.js';
import type { FeatureGates } from './feature-gates.js';
import { authentication } from './filters/authentication.js';
import { authorization, requireAllowed, type RefusalLog } from './filters/authorization.js';
import { deadline } from './filters/deadline.js';
import { impersonation } from './filters/impersonation.js';
import { inFlight } from './filters/in-flight.js';
import { whenStarted } from './filters/when-started.js';
import { HealthChecks } from './health.js';
import { auditIdField, auditIdOf, withAuditId } from './audit-id.js';
import type { ApiRequest, ApiResponse, Handler, WebSocketAnswer, WebSocketHandler } from './http.js';
import { InFlightLimiter, WatchLimiter, type InFlightOptions, type WatchLimits } from './in-flight.js';
import type { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import type { DocumentSource } from './non-resource-routes.js';
import { parseRequestInfo } from './request-info.js';
import { compose, RequestScope, type Endpoint } from './request-scope.js';
import { ResourceOperations, type UpdateObserver } from './resource-operations.js';
import { respondWithStatus, type Responder } from './respond.js';
import { Router } from './router.js';
import type { RuntimeConfig } from './runtime-config.js';
import type { VersionOptions } from './version.js';
import { webSocketWatch } from './web-socket.js';

/** Everything that a server is made of; nothing has a default here. */
export interface GenericServerOptions {
  readonly dialect: Dialect;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly resources: readonly ResourceDefinition[];
  /** Stages of admission, given the server that they are for. */
  readonly admission: (server: GenericServer) => readonly AdmissionPlugin[];
  /** Waits for the start of the server; undefined when it has started. What it rejects with is the answer to requests that came too early. */
  readonly started: () => Promise<void> | undefined;
  /** Waits for what a kind needs before it is first asked for; undefined when there is nothing to wait for. */
  readonly prepare: (definition: ResourceDefinition) => Promise<void> | undefined;
  /** What virtual kinds do that leave it to the server, given the server that they are for. */
  readonly performers: (server: GenericServer) => ReadonlyMap<ResourceDefinition, Perform>;
  /** What virtual kinds reach other objects by. */
  readonly client: () => OperationClient;
  /** Who is told of the updates of a kind, given the server that they are for. */
  readonly observers: (server: GenericServer) => ReadonlyMap<ResourceDefinition, UpdateObserver>;
  readonly authenticator: Authenticator;
  /** Audiences of this server: a credential that names audiences must name one of them. */
  readonly apiAudiences: readonly string[];
  readonly authorizer: Authorizer;
  readonly featureGates: FeatureGates;
  readonly runtimeConfig: RuntimeConfig;
  readonly limits: ServerLimits;
  /** Time from now during which added checks do not fail `/livez`, in milliseconds. */
  readonly livezGracePeriodMs: number;
  readonly version: VersionOptions;
  readonly logger: Logger;
  /** Documents at paths of their own, beside those that every server has: what answers a GET, by path. */
  readonly documents: ReadonlyMap<string, DocumentSource>;
  /** Address that discovery tells clients, `host:port`. */
  readonly serverAddress: () => string;
  /** Secret bytes for the tokens of paged lists, asked for at each use; servers on one storage share them. */
  readonly continueKey: () => Uint8Array;
}

/** Bounds; times in milliseconds. */
export interface ServerLimits {
  /** Longest body of a write, in bytes. */
  readonly bodyBytes: number;
  readonly inFlight: InFlightOptions;
  readonly watches: WatchLimits;
  /** Longest time of a request that is not a watch, of a transport or of a client in the process; a request may ask for less (`timeout`). Default 60,000. */
  readonly requestTimeoutMs: number;
  /** Shortest time of a watch that does not say itself; the longest is twice that, so that watchers do not all come back at once. */
  readonly minWatchMs: number;
  readonly watchHistoryMs: number;
  readonly watchHistoryEvents: number;
  /** Bytes of memory that the past may take: the history of the storage, the events of watches, and decoded forms. What is beyond that is compacted. */
  readonly historyBytes: number;
  readonly bookmarkIntervalMs: number;
  /** How long a request for a version of the future waits. */
  readonly revisionWaitMs: number;
  /** How long each part of the server may take to end, the start included. Default 30,000. */
  readonly closeTimeoutMs: number;
}

/** A resource API server without a transport. */
export class GenericServer {
  readonly dialect: Dialect;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly featureGates: FeatureGates;
  readonly health: HealthChecks;
  readonly metrics = new Metrics();
  readonly discovery: Discovery;
  readonly codec: Codec;
  /** Kinds that are served, in the order of their declaration. */
  readonly resources: readonly ResourceInfo[];
  readonly environment: StoreEnvironment;
  readonly responder: Responder;
  readonly options: GenericServerOptions;
  readonly #operations = new Map<string, ResourceOperations>();
  readonly #byDefinition = new Map<ResourceDefinition, ResourceOperations>();
  readonly #schemas = new Map<string, () => StructuralSchema>();
  readonly #endpoint: Endpoint;
  readonly #socketEndpoint: (scope: RequestScope) => Promise<WebSocketAnswer>;
  readonly #shutdown = new AbortController();
  /** Who was refused is told nothing of the reasons; who runs the server is. */
  readonly #refused: RefusalLog = ({ message }, { reason, error }) => {
    if (reason === '' && error === undefined) return;
    this.options.logger.info('refused a request', {
      refusal: message,
      reason,
      ...(error === undefined ? {} : { error: error.message }),
    });
  };
  #unanswered = 0;
  #whenAnswered: (() => void) | undefined;

  constructor(options: GenericServerOptions) {
    this.options = options;
    const { dialect, storage, clock, entropy, limits, featureGates } = options;
    this.dialect = dialect;
    this.storage = storage;
    this.clock = clock;
    this.entropy = entropy;
    this.featureGates = featureGates;
    const history = new HistoryBudget(limits.historyBytes);
    storage.shareBudget?.(history);
    this.environment = {
      storage,
      history,
      decodedForms: new DecodedForms(history),
      dialect,
      clock,
      continueTokens: new ContinueTokens(options.continueKey),
      watchHistoryMs: limits.watchHistoryMs,
      watchHistoryEvents: limits.watchHistoryEvents,
      bookmarkIntervalMs: limits.bookmarkIntervalMs,
      revisionWaitMs: limits.revisionWaitMs,
      watchList: featureGates.enabled('WatchList'),
      watchLogs: new Map(),
    };
    const all = options.resources.map((definition) => new ResourceInfo(definition, dialect));
    checkKinds(all);
    for (const { definition } of all) if (definition.origin !== 'builtin') checkSchema(definition);
    this.resources = all.filter((info) => this.#isServed(info));
    const admission = new AdmissionChain(options.admission(this));
    const performers = options.performers(this);
    const observers = options.observers(this);
    for (const info of this.resources) this.#serve(info, admission, performers, observers.get(info.definition));
    const metaGroup = `meta.${dialect.groupSuffix}`;
    for (const [kind, schema] of machinerySchemas)
      for (const apiVersion of ['v1', `${metaGroup}/v1`]) this.#schemas.set(`${apiVersion}/${kind}`, () => schema);
    this.codec = createCodec({ dialect, limits: bodyDecodeLimits });
    this.responder = {
      codec: this.codec,
      clock,
      dialect,
      metaGroup,
      compress: featureGates.enabled('APIResponseCompression'),
      schemaFor: (apiVersion, kind) => this.#schemas.get(`${apiVersion}/${kind}`)?.(),
    };
    this.health = new HealthChecks({ clock, livezGracePeriodMs: options.livezGracePeriodMs });
    const { name = 'storage', readiness } = storage.healthChecks ?? {};
    const check = (): Promise<void> => storage.ping();
    this.health.add({ name, check });
    if (readiness !== undefined) this.health.add({ name: readiness, check }, ['readyz']);
    this.discovery = createDiscovery({ resources: this.resources, dialect, serverAddress: options.serverAddress });
    const router = new Router(this);
    const limiter = new InFlightLimiter(limits.inFlight);
    const watches = new WatchLimiter(limits.watches);
    const known = [
      whenStarted(options.started),
      authentication(options.authenticator, options.apiAudiences),
      impersonation(options.authorizer, dialect, this.#refused),
      authorization(options.authorizer, this.#refused, featureGates.enabled('AuthorizeWithSelectors')),
    ];
    const timed = [deadline(clock, limits.requestTimeoutMs), ...known];
    this.#endpoint = compose([...timed, inFlight(limiter, watches)], (scope) => router.route(scope));
    this.#socketEndpoint = webSocketWatch(this, router, timed, watches);
  }

  /** Whether a kind's version is on, and its feature. Who switched on only one of the two is told. */
  #isServed(info: ResourceInfo): boolean {
    const { logger, runtimeConfig } = this.options;
    const { kind, featureGate } = info.definition;
    const enabled = runtimeConfig.isEnabled(info.group, info.version, info.resource);
    if (featureGate === undefined) return enabled;
    const featured = this.featureGates.entries().some(([name, on]) => on && name === featureGate);
    if (enabled && !featured)
      logger.info(`${kind} storage is disabled because the ${featureGate} feature gate is disabled`);
    if (featured && !enabled)
      logger.info(`${kind} storage is disabled because the version ${info.apiVersion} is disabled`);
    return enabled && featured;
  }

  #serve(
    info: ResourceInfo,
    admission: AdmissionChain,
    performers: ReadonlyMap<ResourceDefinition, Perform>,
    observe: UpdateObserver | undefined,
  ): void {
    const { client } = this.options;
    const store = new ResourceStore(info, this.environment);
    const performed = new Map<string, ResourceOperations>();
    for (const [subresource, served] of info.subresources) {
      if (!('responseKind' in served)) continue;
      const { responseKind } = served;
      const parts = {
        admission,
        perform: performerOf(responseKind, performers),
        target: { store, subresource },
        client,
      };
      performed.set(subresource, new ResourceOperations(new ResourceStore(responseKind, this.environment), parts));
      this.#schemas.set(`${responseKind.apiVersion}/${responseKind.kind}`, () => responseKind.schema);
    }
    const perform = info.definition.virtual === true ? { perform: performerOf(info, performers), client } : {};
    const operations = new ResourceOperations(store, {
      admission,
      observe,
      ...perform,
      ...(performed.size === 0 ? {} : { performed }),
    });
    this.#operations.set(`${info.apiVersion}/${info.resource}`, operations);
    this.#byDefinition.set(info.definition, operations);
    this.#schemas.set(`${info.apiVersion}/${info.kind}`, () => info.schema);
  }

  /** The verbs of a resource; undefined when it is not served. */
  operations(apiVersion: string, resource: string): ResourceOperations | undefined {
    return this.#operations.get(`${apiVersion}/${resource}`);
  }

  /**
   * The verbs of a kind by its definition.
   *
   * @throws TypeError when the kind is not served
   */
  operationsOf(definition: ResourceDefinition): ResourceOperations {
    const found = this.#byDefinition.get(definition);
    if (found !== undefined) return found;
    const { kind, plural, version, featureGate } = definition;
    const needed = featureGate === undefined ? 'its version' : `its version and the feature gate ${featureGate}`;
    throw new TypeError(
      `${kind} (${plural}, ${version}) is not served: pass it to the server's resources, and enable ${needed}`,
    );
  }

  /** The context of one request. */
  context(user: UserInfo, userAgent: string, warn: (text: string) => void, signal?: AbortSignal): RequestContext {
    const { dialect, clock, entropy } = this;
    return { user, dialect, clock, entropy, userAgent, warn, ...(signal === undefined ? {} : { signal }) };
  }

  /** Refuses what a user may not do. @throws ApiError 403 */
  authorize(attributes: Attributes): Promise<void> {
    return requireAllowed(this.options.authorizer, attributes, this.#refused);
  }

  /** Aborts when the server shuts down; ends watches. */
  get shutdownSignal(): AbortSignal {
    return this.#shutdown.signal;
  }

  /** Answers a request. Never rejects: what goes wrong is an answer too. */
  readonly handle: Handler = async (request) => {
    const auditId = auditIdOf(request, this.entropy);
    const scope = this.#scopeOf(request);
    if (!(scope instanceof RequestScope)) return withAuditId(scope, auditId);
    this.#unanswered += 1;
    try {
      return withAuditId(await this.#endpoint(scope), auditId);
    } catch (error) {
      return withAuditId(this.#failure(request, scope, error, auditId), auditId);
    } finally {
      this.#unanswered -= 1;
      if (this.#unanswered === 0) this.#whenAnswered?.();
    }
  };

  /** Answers a request to watch over WebSocket. Never rejects. */
  readonly handleWebSocket: WebSocketHandler = async (request) => {
    const auditId = auditIdOf(request, this.entropy);
    const scope = this.#scopeOf(request);
    if (!(scope instanceof RequestScope)) return { refuse: withAuditId(scope, auditId) };
    try {
      return { accept: { ...(await this.#socketEndpoint(scope)), headers: auditIdField(auditId) } };
    } catch (error) {
      return { refuse: withAuditId(this.#failure(request, scope, error, auditId), auditId) };
    }
  };

  /**
   * Stops serving, in order: readiness fails, watches end, requests in flight get their answers. The owner of the storage
   * closes it afterwards. A request that waits for something without end is bounded by the request timeout.
   */
  async shutdown(): Promise<void> {
    this.health.startShutdown();
    this.#shutdown.abort();
    for (const log of this.environment.watchLogs.values()) (await log.catch(() => undefined))?.close();
    this.environment.watchLogs.clear();
    if (this.#unanswered > 0) await new Promise<void>((resolve) => (this.#whenAnswered = resolve));
  }

  #scopeOf(request: ApiRequest): RequestScope | ApiResponse {
    const info = parseRequestInfo(request.method, request.path, request.query);
    if (info instanceof ApiError) return respondWithStatus(this.responder, request, info.status);
    return new RequestScope(request, info);
  }

  #failure(request: ApiRequest, scope: RequestScope, error: unknown, auditId: string): ApiResponse {
    const { warnings } = scope;
    if (error instanceof ApiError) {
      // Who was refused is told nothing; who runs the server is told why.
      if (error.code === 401 && error.cause instanceof Error)
        this.options.logger.info('unable to authenticate the request', { reason: error.cause.message });
      if (error.cause instanceof StorageError)
        this.options.logger.error('the storage cannot serve', {
          method: request.method,
          path: scope.info.path,
          auditId,
          reason: error.cause.message,
        });
      return respondWithStatus(this.responder, request, error.status, warnings);
    }
    if (request.signal.aborted) return { status: 499, headers: {}, body: undefined };
    this.options.logger.error('request failed', { method: request.method, path: scope.info.path, auditId, error });
    return respondWithStatus(this.responder, request, errors.unexpected(error).status, warnings);
  }
}

/** What a virtual kind does. @throws TypeError when nobody says */
function performerOf({ definition }: ResourceInfo, performers: ReadonlyMap<ResourceDefinition, Perform>): Perform {
  const perform = definition.perform ?? performers.get(definition);
  if (perform === undefined)
    throw new TypeError(
      `${definition.kind} is a virtual kind, and nothing says what it does: its definition needs "perform"`,
    );
  return perform;
}
