/**
 * The server without a policy: its caller provides storage, kinds, authenticators and authorizer; the server handles
 * requests with them. `ApiServer` provides the usual ones.
 *
 * @module
 */
import { AdmissionChain } from '../admission/chain.js';
import type { RequestAudit } from '../audit/request-audit.js';
import type { Authenticator } from '../authn/index.js';
import { headerText } from '../authn/request-header/header-text.js';
import type { Attributes, Authorizer } from '../authz/index.js';
import { createCodec, machinerySchemas, type Codec } from '../codec/index.js';
import { ApiError, errors } from '../meta/api-error.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { UserInfo } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../registry/admission.js';
import type { RequestContext } from '../registry/context.js';
import { notServed, type Catalogue, type CatalogueChange } from '../registry/catalogue.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { OperationClient } from '../registry/operation-client.js';
import type { Perform } from '../registry/perform.js';
import type { ResourceInfo } from '../registry/resource-info.js';
import { servedResources } from '../registry/served-resource.js';
import { ResourceStore } from '../registry/store.js';
import type { StructuralSchema } from '../schema/structural.js';
import { StorageError, type Storage } from '../storage/storage.js';
import { RequestAuditing, type AuditorSource } from './auditing.js';
import { bodyDecodeLimits } from './decode-limits.js';
import { createDiscovery, type Discovery } from './discovery/index.js';
import type { FeatureGates } from './feature-gates.js';
import { authentication } from './filters/authentication.js';
import { authorization, requireAllowed, type RefusalLog } from './filters/authorization.js';
import { deadline } from './filters/deadline.js';
import { impersonation } from './filters/impersonation.js';
import { stageMeter } from './admission-metrics.js';
import { countedAuthenticator, countedAuthorizer } from './access-metrics.js';
import { isLasting } from './connections.js';
import { inFlight } from './filters/in-flight.js';
import { interception } from './filters/interception.js';
import { memory } from './filters/memory.js';
import { whenStarted } from './filters/when-started.js';
import { HealthChecks } from './health.js';
import type { ConnectHandlers } from './connect/handlers.js';
import {
  isStream,
  type ApiRequest,
  type ApiResponse,
  type Handler,
  type WebSocketAnswer,
  type WebSocketHandler,
} from './http.js';
import { InFlightLimiter, WatchLimiter, type InFlightOptions, type WatchLimits } from './in-flight.js';
import { ConnectionLostError } from './connection-lost.js';
import type { RequestInterceptor } from './interception.js';
import { definedOnly } from '../meta/defined-only.js';
import type { Logger } from '../meta/logger.js';
import type { Metrics } from './metrics.js';
import { measureProcess } from './process-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import { UnansweredRequests } from './unanswered-requests.js';
import { countObjects } from './watch-metrics.js';
import type { DocumentSource } from './non-resource-routes.js';
import { parseRequestInfo } from './request-info.js';
import { compose, RequestScope, type Endpoint } from './request-scope.js';
import { ResourceOperations, type UpdateObserver } from './resource-operations.js';
import { respondWithStatus } from './respond.js';
import { KeptEncodings } from './kept-encodings.js';
import { SlowClients } from './slow-clients.js';
import type { Responder } from './response-context.js';
import { Router } from './router.js';
import type { Release } from './release.js';
import type { VersionOptions } from './version.js';
import { ViewOperations } from './view-operations.js';
import { webSocketWatch } from './web-socket.js';

/** The parts of a server. Nothing has a default here. */
export interface GenericServerOptions {
  /** The served kinds, with their stores. */
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
  readonly metrics: Metrics;
  /** Admission plugins, in order. */
  readonly admission: readonly AdmissionPlugin[];
  /** Waits for the start of the server; undefined when it has started. A rejection fails the requests that wait. */
  readonly started: () => Promise<void> | undefined;
  /** Prepares a kind before its first request; undefined when it is ready. */
  readonly prepare: (definition: ResourceDefinition, verb?: string) => Promise<void> | undefined;
  /** Operations of the virtual kinds whose definitions have no `perform`. */
  readonly performers: ReadonlyMap<ResourceDefinition, Perform>;
  /** Returns the client with which virtual kinds access other objects. */
  readonly client: () => OperationClient;
  /** What answers the subresources that connect, such as logs. */
  readonly connectHandlers: ConnectHandlers;
  /** Observers of updates, by kind. */
  readonly observers: ReadonlyMap<ResourceDefinition, UpdateObserver>;
  readonly authenticator: Authenticator;
  /** Audiences of this server: a credential that names audiences must name one of them. */
  readonly apiAudiences: readonly string[];
  readonly authorizer: Authorizer;
  /** Sees every request; absent for a server that needs none. */
  readonly interceptor?: RequestInterceptor | undefined;
  /** Returns what records requests; undefined without an audit log. */
  readonly audit?: AuditorSource | undefined;
  readonly featureGates: FeatureGates;
  readonly limits: ServerLimits;
  /** Grace period from now, in milliseconds, during which added checks do not fail `/livez`. */
  readonly livezGracePeriodMs: number;
  readonly version: VersionOptions;
  /** Release that decides which versions are deprecated. */
  readonly release: Release;
  readonly logger: Logger;
  /** Additional documents that a GET returns, by path. */
  readonly documents: ReadonlyMap<string, DocumentSource>;
  /** Returns the address that discovery gives to clients, `host:port`. */
  readonly serverAddress: () => string;
}

/** Limits of a server; times in milliseconds. docs/limits.md describes what happens beyond each. */
export interface ServerLimits {
  /** Maximum size of a request body, in bytes; a larger body is refused with 413. Default 3 MiB. */
  readonly bodyBytes: number;
  /** Maximum numbers of requests in flight and waiting. */
  readonly inFlight: InFlightOptions;
  /** Maximum numbers of open watches. */
  readonly watches: WatchLimits;
  /**
   * Maximum duration of a request other than a watch, from a transport or an in-process client; a request may ask for
   * less (`timeout`). Default 60,000.
   */
  readonly requestTimeoutMs: number;
  /**
   * Minimum duration of a watch that does not set `timeoutSeconds`; the maximum is twice that, so that clients do not
   * reconnect all at once. Default 1,800,000.
   */
  readonly minWatchMs: number;
  /**
   * Watch history: how long the events of a kind are kept for watches that start in the past. It also bounds the
   * history of the default storage; a storage from the options has its own setting. Default 300,000.
   */
  readonly watchHistoryMs: number;
  /** Maximum number of events kept per kind for watches that start in the past. Default 1,000,000. */
  readonly watchHistoryEvents: number;
  /**
   * Maximum memory of the history and the caches, in bytes: storage history, watch events, indexes and decoded objects.
   * Older history is compacted. Default a quarter of the heap limit, and at most a third of `memoryBytes`.
   */
  readonly historyBytes: number;
  /**
   * Maximum memory of the encoded items of lists, in bytes, that are kept because the lists are requested again. 0 keeps
   * none. They are counted in `historyBytes`. Default a quarter of it.
   */
  readonly encodingBytes: number;
  /**
   * Maximum memory of everything that the server counts, in bytes: history and caches, the present objects, and bodies
   * in flight. Beyond it, caches and history are given up; requests that do not fit even then are refused with 429. Default
   * three quarters of the heap limit.
   */
  readonly memoryBytes: number;
  /**
   * Maximum total length of the keys and JSON texts of the present objects, in bytes; 0 for no limit. A create, or an
   * update that would let them grow further, is refused with 429. It applies to storage engines that hold all objects in
   * memory. Default two fifths of the heap limit, and at most half of `memoryBytes`.
   */
  readonly objectsTextBytes: number;
  /** Bookmark interval of watches that ask for bookmarks. Default 60,000. */
  readonly bookmarkIntervalMs: number;
  /** How long a request for a future resource version waits before it is refused with 504. Default 3,000. */
  readonly revisionWaitMs: number;
  /** Maximum time that each part of the server takes to close, including a pending start. Default 30,000. */
  readonly closeTimeoutMs: number;
}

/** Default limits, except those of memory, which depend on the host. */
export const defaultLimits: Omit<ServerLimits, 'historyBytes' | 'encodingBytes' | 'memoryBytes' | 'objectsTextBytes'> =
  {
    bodyBytes: 3 * 1024 * 1024,
    inFlight: {},
    watches: {},
    requestTimeoutMs: 60_000,
    minWatchMs: 30 * 60_000,
    watchHistoryMs: 5 * 60_000,
    watchHistoryEvents: 1_000_000,
    bookmarkIntervalMs: 60_000,
    revisionWaitMs: 3_000,
    closeTimeoutMs: 30_000,
  };

/** Who follows a request. */
export interface RequestFollowers {
  /** The audit events of the request. */
  readonly audit?: RequestAudit | undefined;
  /** Gets every record that the request writes. */
  readonly written?: RequestContext['written'] | undefined;
}

/** A resource API server without a transport. */
export class GenericServer {
  readonly catalogue: Catalogue;
  readonly dialect: Dialect;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly featureGates: FeatureGates;
  readonly health: HealthChecks;
  readonly metrics: Metrics;
  readonly codec: Codec;
  readonly responder: Responder;
  readonly options: GenericServerOptions;
  /** The operations of the kinds that have been used: most servers use few of the kinds. */
  readonly #operations = new Map<ResourceInfo, ResourceOperations>();
  /** Schemas of kinds that the catalogue does not have, by `apiVersion/kind`. */
  readonly #schemas = new Map<string, () => StructuralSchema>();
  readonly #admission: AdmissionChain;
  #discovery: Discovery | undefined;
  readonly #endpoint: Endpoint;
  readonly #socketEndpoint: (scope: RequestScope) => Promise<WebSocketAnswer>;
  readonly #shutdown = new AbortController();
  /** Logs why a request was refused: only the operator may see the reason. */
  readonly #refused: RefusalLog = ({ message }, { reason, error }) => {
    if (reason === '' && error === undefined) return;
    this.options.logger.info('refused a request', {
      refusal: message,
      reason,
      error: error?.message,
    });
  };
  readonly #unanswered = new UnansweredRequests();
  readonly #requestMetrics: RequestMetrics;
  readonly #auditing: RequestAuditing | undefined;

  constructor(options: GenericServerOptions) {
    this.options = options;
    const { catalogue, entropy, metrics, limits, featureGates } = options;
    const { dialect, storage, clock } = catalogue.environment;
    this.#auditing = options.audit === undefined ? undefined : new RequestAuditing(options.audit, clock);
    this.catalogue = catalogue;
    this.dialect = dialect;
    this.storage = storage;
    this.clock = clock;
    this.entropy = entropy;
    this.featureGates = featureGates;
    this.metrics = metrics;
    this.#requestMetrics = new RequestMetrics({
      metrics,
      now: () => clock.now(),
      serves: ({ group, version, resource, subresource }) => this.#servesRoute(group, version, resource, subresource),
    });
    this.#admission = new AdmissionChain(options.admission, stageMeter(metrics, clock));
    options.interceptor?.attach?.({ storage, served: () => servedResources(catalogue) });
    this.#follow({ added: catalogue.resources, removed: [] });
    catalogue.onChange((change) => this.#follow(change));
    const metaGroup = `meta.${dialect.groupSuffix}`;
    for (const [kind, schema] of machinerySchemas)
      for (const apiVersion of ['v1', `${metaGroup}/v1`]) this.#schemas.set(`${apiVersion}/${kind}`, () => schema);
    this.codec = createCodec({ dialect, limits: bodyDecodeLimits });
    this.responder = {
      codec: this.codec,
      clock,
      dialect,
      metrics,
      metaGroup,
      compress: featureGates.enabled('APIResponseCompression'),
      encodings: new KeptEncodings(limits.encodingBytes, catalogue.environment.memory),
      schemaFor: (apiVersion, kind) =>
        catalogue.ofKind(apiVersion, kind)?.schema ?? this.#schemas.get(`${apiVersion}/${kind}`)?.(),
    };
    this.health = new HealthChecks({ clock, livezGracePeriodMs: options.livezGracePeriodMs });
    const { name = 'storage', readiness } = storage.healthChecks ?? {};
    const check = (): Promise<void> => storage.ping();
    this.health.add({ name, check });
    if (readiness !== undefined) this.health.add({ name: readiness, check }, ['readyz']);
    const router = new Router(this);
    const limiter = new InFlightLimiter(limits.inFlight);
    const watches = new WatchLimiter(limits.watches);
    const budget = catalogue.environment.memory;
    const { add: blocked } = new SlowClients(budget, clock);
    const lasting = { watches, blocked, metrics: this.#requestMetrics };
    const identified = [
      whenStarted(options.started),
      authentication(countedAuthenticator(options.authenticator, metrics), options.apiAudiences),
      ...(this.#auditing === undefined ? [] : [this.#auditing.filter]),
      impersonation(options.authorizer, dialect, this.#refused),
      ...(options.interceptor === undefined
        ? []
        : [interception(options.interceptor, this.responder, limits.bodyBytes)]),
      authorization(
        countedAuthorizer(options.authorizer, metrics, clock),
        this.#refused,
        featureGates.enabled('AuthorizeWithSelectors'),
      ),
    ];
    const filters = [deadline(clock, limits.requestTimeoutMs), ...identified];
    this.#endpoint = compose([...filters, memory(budget.open('bodies')), inFlight(limiter, lasting)], (scope) =>
      router.route(scope),
    );
    this.#socketEndpoint = webSocketWatch(this, router, filters, lasting);
    this.#collectInFlight(limiter);
    metrics.onCollect(countObjects(metrics, catalogue, clock));
    metrics.onCollect(measureProcess(metrics, clock));
  }

  /** The discovery documents of the present kinds. */
  get discovery(): Discovery {
    return (this.#discovery ??= createDiscovery({
      resources: this.catalogue.resources,
      dialect: this.dialect,
      serverAddress: this.options.serverAddress,
    }));
  }

  /** Follows a change of the catalogue. */
  #follow({ added, removed }: CatalogueChange): void {
    for (const info of removed) this.#operations.delete(info);
    // Throws for a virtual kind that nothing performs.
    for (const info of added) if (info.definition.virtual === true) performerOf(info, this.options.performers);
    this.#discovery = undefined;
  }

  #operationsOf(info: ResourceInfo): ResourceOperations {
    let operations = this.#operations.get(info);
    if (operations === undefined) this.#operations.set(info, (operations = this.#createOperations(info)));
    return operations;
  }

  #createOperations(info: ResourceInfo): ResourceOperations {
    const admission = this.#admission;
    const { client, performers, observers } = this.options;
    const store = this.catalogue.store(info.definition);
    const operationSubresources = new Map<string, ResourceOperations>();
    for (const [subresource, served] of info.subresources) {
      if (!('responseKind' in served)) continue;
      const { responseKind } = served;
      const { environment } = this.catalogue;
      if ('view' in served) {
        const parent = (): ResourceOperations => operations;
        operationSubresources.set(subresource, new ViewOperations({ parent, subresource, served, environment }));
      } else {
        const operation = { perform: performerOf(responseKind, performers), target: { store, subresource }, client };
        const virtual = new ResourceStore(responseKind, environment);
        operationSubresources.set(subresource, new ResourceOperations(virtual, { admission, operation }));
      }
      this.#schemas.set(`${responseKind.apiVersion}/${responseKind.kind}`, () => responseKind.schema);
    }
    const operations: ResourceOperations = new ResourceOperations(store, {
      admission,
      observe: observers.get(info.definition),
      operation: info.definition.virtual === true ? { perform: performerOf(info, performers), client } : undefined,
      operationSubresources,
    });
    return operations;
  }

  /** Returns the operations of a resource; undefined when it is not served. */
  operations(apiVersion: string, resource: string): ResourceOperations | undefined {
    const info = this.catalogue.ofResource(apiVersion, resource);
    return info && this.#operationsOf(info);
  }

  /**
   * Returns the operations of a kind.
   *
   * @throws TypeError when the kind is not served
   */
  operationsOf(definition: ResourceDefinition): ResourceOperations {
    const info = this.catalogue.infoOf(definition);
    if (info === undefined) throw notServed(definition);
    return this.#operationsOf(info);
  }

  /**
   * Returns the operations of a kind by its names.
   *
   * @throws ApiError 404 when the kind is not served
   */
  operationsOfKind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ResourceOperations {
    const info = this.catalogue.ofKind(apiVersion, kind);
    if (info === undefined) throw errors.resourceNotFound();
    return this.#operationsOf(info);
  }

  /** Creates the context of a request. */
  context(
    user: UserInfo,
    userAgent: string,
    warn: (text: string) => void,
    signal?: AbortSignal,
    followers: RequestFollowers = {},
  ): RequestContext {
    const { dialect, clock, entropy, featureGates } = this;
    const context = { user, dialect, clock, entropy, featureGates, userAgent, warn, signal };
    const { audit, written } = followers;
    if (audit === undefined && written === undefined) return context;
    return { ...context, ...definedOnly({ written, annotate: audit?.annotate, took: audit?.took }) };
  }

  /** Authorizes a request. @param audit records the decision; @throws ApiError 403 */
  authorize(attributes: Attributes, audit?: RequestAudit): Promise<void> {
    return requireAllowed(this.options.authorizer, attributes, this.#refused, audit);
  }

  /**
   * Runs admission for a request that stores nothing; undefined for one that admission does not see.
   *
   * @throws ApiError when a plugin refuses it
   */
  async admit(attributes: AdmissionAttributes | undefined): Promise<void> {
    if (attributes === undefined) return;
    await this.#admission.mutate(attributes);
    await this.#admission.validate(attributes);
  }

  /** Aborts when the server shuts down; ends watches. */
  get shutdownSignal(): AbortSignal {
    return this.#shutdown.signal;
  }

  /** Answers a request. Never rejects: a failure becomes a response. */
  readonly handle: Handler = async (request) => {
    const auditId = auditIdOf(request, this.entropy);
    const scope = this.#scopeOf(request, auditId);
    if (!(scope instanceof RequestScope)) return withAuditId(scope, auditId);
    this.#unanswered.begin();
    const beganMs = this.#requestMetrics.begin();
    try {
      const answer = this.#measured(scope, await this.#endpoint(scope), beganMs);
      return withAuditId(this.#auditing === undefined ? answer : await this.#auditing.answered(scope, answer), auditId);
    } catch (error) {
      return withAuditId(this.#measured(scope, await this.#failed(scope, error), beganMs), auditId);
    } finally {
      this.#unanswered.end();
    }
  };

  /** Counts a response. What lasts is counted at its end. */
  #measured(scope: RequestScope, response: ApiResponse, beganMs: number): ApiResponse {
    const { status, body } = response;
    if (!isLasting(scope.info) || !isStream(body)) this.#requestMetrics.answered(scope, status, body, beganMs);
    if (status === TOO_MANY_REQUESTS || status === GATEWAY_TIMEOUT) this.#requestMetrics.terminated(scope, status);
    return response;
  }

  #servesRoute(group: string, version: string, resource: string, subresource: string): boolean {
    const operations = this.operations(group === '' ? version : `${group}/${version}`, resource);
    return operations !== undefined && (subresource === '' || operations.store.info.subresources.has(subresource));
  }

  #collectInFlight(limiter: InFlightLimiter): void {
    const requests = this.metrics.gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Maximal number of currently used inflight request limit of this apiserver per request kind in last second.',
    });
    this.metrics.onCollect(() => {
      const { readOnly, mutating } = limiter.current;
      requests.set(readOnly, { request_kind: 'readOnly' });
      requests.set(mutating, { request_kind: 'mutating' });
    });
  }

  /** Answers a request to watch over WebSocket. Never rejects. */
  readonly handleWebSocket: WebSocketHandler = async (request) => {
    const auditId = auditIdOf(request, this.entropy);
    const scope = this.#scopeOf(request, auditId);
    if (!(scope instanceof RequestScope)) return { refuse: withAuditId(scope, auditId) };
    this.#unanswered.begin();
    const beganMs = this.#requestMetrics.begin();
    try {
      const answer = await this.#socketEndpoint(scope);
      const accept = this.#auditing === undefined ? answer : await this.#auditing.accepted(scope, answer);
      return { accept: { ...accept, headers: auditIdField(auditId) } };
    } catch (error) {
      return { refuse: withAuditId(this.#measured(scope, await this.#failed(scope, error), beganMs), auditId) };
    } finally {
      this.#unanswered.end();
    }
  };

  /**
   * Resolves when every request has been answered, or after `timeoutMs` milliseconds. A watch counts as answered when
   * it begins.
   */
  answered(timeoutMs: number): Promise<void> {
    return this.#unanswered.answeredWithin(this.clock, timeoutMs);
  }

  /**
   * Stops serving, in order: readiness fails, watches end, requests in flight finish, each within the request timeout.
   * The owner of the storage closes it afterwards.
   */
  async shutdown(): Promise<void> {
    this.health.startShutdown();
    this.#shutdown.abort();
    for (const log of this.catalogue.environment.watchLogs.values()) (await log.catch(() => undefined))?.close();
    this.catalogue.environment.watchLogs.clear();
    await this.#unanswered.answered();
    for (const index of this.catalogue.environment.selectorIndexes) index.close();
    // The records may be in use: forks of a store share them.
    this.responder.encodings.shrink(Infinity);
    this.catalogue.environment.decodedForms.close();
  }

  #scopeOf(request: ApiRequest, auditId: string): RequestScope | ApiResponse {
    const info = parseRequestInfo(request.method, request.path, request.query);
    if (info instanceof ApiError) return respondWithStatus(this.responder, request, info.status);
    const scope = new RequestScope(request, info);
    scope.auditId = auditId;
    this.#auditing?.arrived(scope);
    return scope;
  }

  /** Answers a request that failed. */
  async #failed(scope: RequestScope, error: unknown): Promise<ApiResponse> {
    const response = this.#failure(scope, error);
    await this.#auditing?.failed(scope, response, error);
    return response;
  }

  #failure(scope: RequestScope, error: unknown): ApiResponse {
    const { request, warnings, auditId } = scope;
    if (error instanceof ApiError) {
      // Only the operator may see the reason.
      if (error.code === 401 && error.cause instanceof Error)
        this.options.logger.info('unable to authenticate the request', { reason: error.cause.message });
      if (error.cause instanceof StorageError)
        this.options.logger.error('the storage is unavailable', {
          method: request.method,
          path: scope.info.path,
          auditId,
          reason: error.cause.message,
        });
      return respondWithStatus(this.responder, request, error.status, warnings);
    }
    if (error instanceof ConnectionLostError) return CONNECTION_LOST;
    if (request.signal.aborted) return { status: 499, headers: {}, body: undefined };
    this.options.logger.error('request failed', { method: request.method, path: scope.info.path, auditId, error });
    return respondWithStatus(this.responder, request, errors.unexpected(error).status, warnings);
  }
}

const TOO_MANY_REQUESTS = 429;
const GATEWAY_TIMEOUT = 504;

/** Returns the operation of a virtual kind. @throws TypeError when it has none */
function performerOf({ definition }: ResourceInfo, performers: ReadonlyMap<ResourceDefinition, Perform>): Perform {
  const perform = definition.perform ?? performers.get(definition);
  if (perform === undefined)
    throw new TypeError(`${definition.kind} is a virtual kind without an operation: its definition needs "perform"`);
  return perform;
}

/** Makes the transport close the connection. The status and the field are for a transport that cannot. */
const CONNECTION_LOST: ApiResponse = { status: 500, headers: { connection: 'close' }, body: undefined, lost: true };

/** Header of the id that identifies a request to client, server and logs. Every response carries it. */
const AUDIT_ID = 'audit-id';

/** Returns the id that the client sent, unchanged and of any length, as Kubernetes does; otherwise a new id. */
function auditIdOf({ headers }: ApiRequest, entropy: Entropy): string {
  const given = headers.get(AUDIT_ID) === undefined ? undefined : headers.getAll(AUDIT_ID)[0];
  return given === undefined || given === '' ? entropy.uuid() : headerText(given);
}

/** Returns the header field of a response. */
const auditIdField = (auditId: string): Readonly<Record<string, string>> => ({ [AUDIT_ID]: auditId });

/** Adds the id of the request to a response. */
function withAuditId(answer: ApiResponse, auditId: string): ApiResponse {
  if (answer.lost === true) return answer;
  const { status, headers, body } = answer;
  return { status, headers: { [AUDIT_ID]: auditId, ...headers }, body };
}
