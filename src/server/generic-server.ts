/**
 * The server without a policy: its caller provides storage, kinds, authenticators and authorizer; the server handles
 * requests with them. `ApiServer` provides the usual ones.
 *
 * @module
 */
import { AdmissionChain } from '../admission/index.js';
import {
  ApiError,
  apiVersionOf,
  appendTo,
  errors,
  readyPromise,
  rejected,
  type Clock,
  type Dialect,
  type Entropy,
  type UserInfo,
} from '../foundation/index.js';
import type { StructuralSchema } from '../machinery/index.js';
import {
  notServed,
  ResourceStore,
  type AdmissionAttributes,
  type Catalogue,
  type CatalogueChange,
  type RequestContext,
  type ResourceDefinition,
  type ResourceInfo,
} from '../registry/index.js';
import type { Attributes, RequestAudit } from '../security/index.js';
import { StorageError, type Storage } from '../storage/index.js';
import { createCodec, machinerySchemas, type Codec } from './codec/index.js';
import { createDiscovery, type Discovery } from './discovery/index.js';
import type { RemoteVersion } from './discovery/remote-version.js';
import { authentication } from './filters/authentication.js';
import { authorization, requireAllowed, type RefusalLog } from './filters/authorization.js';
import { deadline, type LateStatus } from './filters/deadline.js';
import { fairness } from './filters/fairness.js';
import { impersonation } from './filters/impersonation.js';
import { inFlight } from './filters/in-flight.js';
import { interception } from './filters/interception.js';
import { memory, requestMemory } from './filters/memory.js';
import { tracked } from './filters/tracked.js';
import { whenStarted } from './filters/when-started.js';
import { work } from './filters/work.js';
import type { GenericServerOptions } from './generic-server-options.js';
import { bodyDecodeLimits } from './limits/decode-limits.js';
import { InFlightLimiter, WatchLimiter } from './limits/in-flight.js';
import { SlowClients } from './limits/slow-clients.js';
import { UserTurns } from './limits/user-turns.js';
import { authenticationMeter, authorizationMeter } from './metrics/access-metrics.js';
import { stageMeter } from './metrics/admission-metrics.js';
import type { Metrics } from './metrics/metrics.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { collectServerMetrics } from './metrics/server-metrics.js';
import { performerOf } from './operations/performer.js';
import { ResourceOperations } from './operations/resource-operations.js';
import { ViewOperations } from './operations/view-operations.js';
import { auditIdField, auditIdOf, withAuditId, withIds } from './requests/audit-id.js';
import { RequestAuditing } from './requests/auditing.js';
import type { RequestFollowers } from './requests/request-followers.js';
import { ConnectionLostError } from './requests/connection-lost.js';
import { isLasting } from './requests/connections.js';
import { withCors } from './requests/cors.js';
import { isStream, type ApiRequest, type ApiResponse, type Handler, type WebSocketHandler } from './requests/http.js';
import { parseRequestInfo } from './requests/request-info.js';
import { compose, RequestScope, type Endpoint, type Filter } from './requests/request-scope.js';
import { RequestWorks } from './requests/request-works.js';
import { UnansweredRequests } from './requests/unanswered-requests.js';
import { endEvenly } from './requests/watch-ends.js';
import { webSocketWatch, type SocketOutcome } from './requests/web-socket.js';
import { KeptEncodings } from './kept/index.js';
import { respondWithStatus } from './responses/respond.js';
import type { Responder } from './responses/response-context.js';
import { ForeignGroups } from './routes/foreign-groups.js';
import { HealthChecks } from './routes/health.js';
import { Router } from './routes/router.js';
import { unservedKind } from './routes/unserved-kind.js';
import type { FeatureGates } from './settings/feature-gates.js';

/** A resource API server without a transport. */
export class GenericServer {
  readonly catalogue: Catalogue;
  readonly dialect: Dialect;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly featureGates: FeatureGates;
  readonly health: HealthChecks;
  readonly foreignGroups: ForeignGroups;
  readonly metrics: Metrics;
  readonly codec: Codec;
  readonly responder: Responder;
  readonly options: GenericServerOptions;
  /** The operations of the kinds that have been used: most servers use few of the kinds. */
  readonly #operations = new Map<ResourceInfo, ResourceOperations>();
  /** The same, by the name of the resource: a key of group, version and name would be made for each request. */
  readonly #byResource = new Map<string, ResourceOperations[]>();
  /** Schemas of kinds that the catalogue does not have, by `apiVersion/kind`. */
  readonly #schemas = new Map<string, () => StructuralSchema>();
  readonly #admission: AdmissionChain;
  #discovery: Discovery | undefined;
  readonly #endpoint: Endpoint;
  readonly #socketEndpoint: (scope: RequestScope) => Promise<SocketOutcome>;
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
  /** The work of the requests. */
  readonly works: RequestWorks;
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
      ...{ metrics, now: () => clock.now() },
      serves: ({ group, version, resource, subresource }) => this.#servesRoute(group, version, resource, subresource),
    });
    this.works = new RequestWorks({ metrics, logger: options.logger, cpuLimitMs: limits.requestCpuMs });
    this.#admission = new AdmissionChain(options.admission, stageMeter(metrics, clock));
    this.#follow({ added: catalogue.resources, removed: [] });
    catalogue.onChange((change) => this.#follow(change));
    const metaGroup = `meta.${dialect.groupSuffix}`;
    for (const [kind, schema] of machinerySchemas)
      for (const apiVersion of ['v1', `${metaGroup}/v1`]) this.#schemas.set(`${apiVersion}/${kind}`, () => schema);
    this.codec = createCodec({ dialect, limits: bodyDecodeLimits(limits) });
    this.responder = {
      codec: this.codec,
      clock,
      dialect,
      metrics,
      metaGroup,
      compress: featureGates.enabled('APIResponseCompression'),
      freezes: options.freezes === true,
      encodings: new KeptEncodings(limits.encodingBytes, catalogue.environment.memory, clock),
      longFrames: new UserTurns(),
      schemaFor: (apiVersion, kind) =>
        catalogue.ofKind(apiVersion, kind)?.schema ?? this.#schemas.get(`${apiVersion}/${kind}`)?.(),
    };
    this.health = new HealthChecks({ clock, livezGracePeriodMs: options.livezGracePeriodMs });
    this.foreignGroups = new ForeignGroups(dialect, options.logger, catalogue);
    const router = new Router(this);
    const limiter = new InFlightLimiter(limits.inFlight);
    const watches = new WatchLimiter(limits.watches);
    const budget = catalogue.environment.memory;
    const { add: blocked } = new SlowClients(budget, clock);
    const requests = requestMemory(budget, metrics);
    const lasting = { watches, blocked, metrics: this.#requestMetrics };
    const track = (name: string, filter: Filter): Filter => tracked(name, filter, metrics);
    const identified = [
      whenStarted(options.started, clock),
      track(
        'authentication',
        authentication(options.authenticator, options.apiAudiences, clock, authenticationMeter(metrics, dialect)),
      ),
      ...(this.#auditing === undefined ? [] : [track('audit', this.#auditing.filter)]),
      track('impersonation', impersonation(options.authorizer, dialect, this.#refused, clock)),
      ...(options.interceptor === undefined
        ? []
        : [interception(options.interceptor, this.responder, limits.bodyBytes)]),
      ...(options.fairness === undefined
        ? []
        : [
            track(
              'priorityandfairness',
              fairness({
                fairness: options.fairness,
                limiter,
                expected: this.works.meter.expected,
                dialect,
                clock,
                requestTimeoutMs: limits.requestTimeoutMs,
              }),
            ),
          ]),
      work(this.works),
      track(
        'authorization',
        authorization(
          options.authorizer,
          this.#refused,
          clock,
          authorizationMeter(metrics),
          featureGates.enabled('AuthorizeWithSelectors'),
        ),
      ),
    ];
    const late = (status: LateStatus): void => this.#requestMetrics.afterTimeout(status);
    const filters = [deadline(clock, limits.requestTimeoutMs, late), ...identified];
    const limited = inFlight(options.fairness === undefined ? limiter : undefined, lasting);
    this.#endpoint = compose([...filters, memory(budget, requests), limited], (scope) => router.route(scope));
    this.#socketEndpoint = webSocketWatch(this, router, filters, { ...lasting, memory: requests });
    this.handle = options.cors === undefined ? this.#handle : withCors(this.#handle, options.cors);
    collectServerMetrics(metrics, {
      // The flow control counts the requests itself.
      limiter: options.fairness === undefined ? limiter : undefined,
      ...{ catalogue, dialect, featureGates },
      version: options.version,
    });
  }

  /** The discovery documents of the current kinds, and of those that other servers serve. */
  get discovery(): Discovery {
    const remote = this.options.remote?.versions() ?? NO_VERSIONS;
    if (this.#discovery?.remote !== remote) this.#discovery = undefined;
    return (this.#discovery ??= createDiscovery({
      ...{ resources: this.catalogue.resources, remote },
      dialect: this.dialect,
      serverAddress: this.options.serverAddress,
    }));
  }

  /** Follows a change of the catalogue. */
  #follow({ added, removed }: CatalogueChange): void {
    for (const info of removed) this.#operations.delete(info);
    this.#byResource.clear();
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
      served: (apiVersion) => this.catalogue.ofKind(apiVersion, info.kind),
      operation: info.definition.virtual === true ? { perform: performerOf(info, performers), client } : undefined,
      operationSubresources,
    });
    return operations;
  }

  /** Returns the operations of a resource; undefined when it is not served. */
  operations(group: string, version: string, resource: string): ResourceOperations | undefined {
    const known = this.#byResource.get(resource);
    if (known !== undefined)
      for (const operations of known) {
        const { info } = operations.store;
        if (info.version === version && info.group === group) return operations;
      }
    const info = this.catalogue.ofResource(apiVersionOf(group, version), resource);
    if (info === undefined) return undefined;
    const operations = this.#operationsOf(info);
    if (operations.store.info === info) appendTo(this.#byResource, resource, operations);
    return operations;
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
    if (info === undefined) throw unservedKind({ apiVersion, kind }, this.catalogue.resources);
    return this.#operationsOf(info);
  }

  /** Creates the context of a request. */
  context(
    user: UserInfo,
    userAgent: string,
    warn: (text: string) => void,
    signal?: AbortSignal,
    { audit, span, written, whileWaiting, webhookTimes, work, while: condition }: RequestFollowers = {},
  ): RequestContext {
    const { dialect, clock, entropy, featureGates } = this;
    const annotate = audit?.annotate;
    const took = audit?.took;
    return {
      user,
      dialect,
      clock,
      entropy,
      featureGates,
      userAgent,
      warn,
      signal,
      whileWaiting,
      annotate,
      took,
      written,
      ...{ span, webhookTimes, work, while: condition },
      ...{ definitionLimits: this.options.limits.definitions, checkedRules: this.options.checkedRules },
      allowPrivileged: this.options.allowPrivileged,
      freezes: this.options.freezes,
    };
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
  readonly handle: Handler;

  readonly #handle: Handler = (request) => {
    const auditId = auditIdOf(request, this.entropy);
    const scope = this.#scopeOf(request, auditId);
    if (!(scope instanceof RequestScope)) return Promise.resolve(withAuditId(scope, auditId));
    const { tracing } = this.options;
    return tracing === undefined ? this.#answer(scope) : tracing.traced(scope, () => this.#answer(scope));
  };

  /** Answers a request at once when no step has to wait. */
  #answer(scope: RequestScope): Promise<ApiResponse> {
    this.#unanswered.begin();
    try {
      const answering = this.#endpoint(scope);
      if (answering instanceof Promise || this.#auditing !== undefined) return this.#answerLater(scope, answering);
      const answer = withIds(this.#measured(scope, answering), scope);
      this.#ended(scope);
      return readyPromise(answer);
    } catch (error) {
      return this.#answerLater(scope, rejected(error));
    }
  }

  async #answerLater(scope: RequestScope, answering: ApiResponse | Promise<ApiResponse>): Promise<ApiResponse> {
    try {
      return await this.#completed(scope, answering instanceof Promise ? await answering : answering);
    } catch (error) {
      return withIds(this.#measured(scope, await this.#failed(scope, error)), scope);
    } finally {
      this.#ended(scope);
    }
  }

  async #completed(scope: RequestScope, response: ApiResponse): Promise<ApiResponse> {
    const answer = this.#measured(scope, response);
    return withIds(this.#auditing === undefined ? answer : await this.#auditing.answered(scope, answer), scope);
  }

  #ended(scope: RequestScope): void {
    scope.ticket?.end();
    this.#unanswered.end();
  }

  /** Counts a response. A lasting one is counted at its end. */
  #measured(scope: RequestScope, response: ApiResponse): ApiResponse {
    const { status, body } = response;
    if (!isLasting(scope.info) || !isStream(body)) this.#requestMetrics.answered(scope, status, body);
    this.works.meter.answered(scope);
    this.options.added?.answered(scope, response);
    if (response.lost === true) this.#requestMetrics.aborted(scope);
    if (status === TOO_MANY_REQUESTS || status === GATEWAY_TIMEOUT) this.#requestMetrics.terminated(scope, status);
    return response;
  }

  #servesRoute(group: string, version: string, resource: string, subresource: string): boolean {
    const operations = this.operations(group, version, resource);
    return operations !== undefined && (subresource === '' || operations.store.info.subresources.has(subresource));
  }

  /** Answers a request to watch over WebSocket. Never rejects. */
  readonly handleWebSocket: WebSocketHandler = async (request) => {
    const auditId = auditIdOf(request, this.entropy);
    const scope = this.#scopeOf(request, auditId);
    if (!(scope instanceof RequestScope)) return { refuse: withAuditId(scope, auditId) };
    const { tracing } = this.options;
    return tracing === undefined
      ? this.#accept(scope, auditId)
      : tracing.tracedAcceptance(
          scope,
          () => this.#accept(scope, auditId),
          (answer) => ('refuse' in answer ? answer.refuse.status : SWITCHING_PROTOCOLS),
        );
  };

  async #accept(scope: RequestScope, auditId: string): ReturnType<WebSocketHandler> {
    this.#unanswered.begin();
    try {
      const outcome = await this.#socketEndpoint(scope);
      if ('refuse' in outcome) return { refuse: await this.#completed(scope, outcome.refuse) };
      const { accept: answer } = outcome;
      const accept = this.#auditing === undefined ? answer : await this.#auditing.accepted(scope, answer);
      return { accept: { ...accept, headers: { ...auditIdField(auditId), ...scope.flowHeaders } } };
    } catch (error) {
      return { refuse: withIds(this.#measured(scope, await this.#failed(scope, error)), scope) };
    } finally {
      this.#unanswered.end();
    }
  }

  /**
   * Resolves when every request has been answered, or after `timeoutMs` milliseconds. A watch counts as answered when
   * it begins.
   */
  answered(timeoutMs: number): Promise<void> {
    return this.#unanswered.answeredWithin(this.clock, timeoutMs);
  }

  /** Ends the current watches evenly over a time in milliseconds, each with a last bookmark. */
  async endWatches(overMs: number): Promise<void> {
    const opened = [...this.catalogue.environment.watchLogs.values()];
    // One that is not open yet has no watches, and its storage may hang.
    const logs = await Promise.all(opened.map((log) => Promise.race([log, Promise.resolve()]).catch(() => undefined)));
    const watches = logs.flatMap((log) => [...(log?.watchers ?? [])]);
    await endEvenly(this.clock, watches, overMs);
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
    this.catalogue.environment.memory.close();
    this.responder.encodings.close();
  }

  #scopeOf(request: ApiRequest, auditId: string): RequestScope | ApiResponse {
    const info = parseRequestInfo(request.method, request.path, request.query);
    if (info instanceof ApiError) return respondWithStatus(this.responder, request, info.status);
    const scope = new RequestScope(request, info, this.clock);
    scope.auditId = auditId;
    scope.receivedMs = scope.momentMs = this.clock.now();
    return scope;
  }

  /** Answers a request that failed. */
  async #failed(scope: RequestScope, error: unknown): Promise<ApiResponse> {
    const response = this.#failure(scope, error);
    await this.#auditing?.failed(scope, response, error);
    return response;
  }

  #failure(scope: RequestScope, error: unknown): ApiResponse {
    const { request, auditId, info } = scope;
    if (error instanceof ApiError) {
      if (error.reason === 'Forbidden') this.foreignGroups.warn(scope);
      // Only the operator may see the reason.
      if (error.code === 401 && error.cause instanceof Error)
        this.options.logger.info('unable to authenticate the request', { reason: error.cause.message });
      if (error.cause instanceof StorageError)
        this.options.logger.error('the storage is unavailable', {
          ...{ method: request.method, path: info.path, auditId },
          reason: error.cause.message,
        });
      return respondWithStatus(this.responder, request, error.status, scope.warnings);
    }
    if (error instanceof ConnectionLostError) return CONNECTION_LOST;
    if (request.signal.aborted) return { status: 499, headers: {}, body: undefined };
    this.options.logger.error('request failed', { method: request.method, path: info.path, auditId, error });
    return respondWithStatus(this.responder, request, errors.unexpected(error).status, scope.warnings);
  }
}

const NO_VERSIONS: readonly RemoteVersion[] = Object.freeze([]);
const TOO_MANY_REQUESTS = 429;
const GATEWAY_TIMEOUT = 504;
/** Status of an accepted WebSocket. */
const SWITCHING_PROTOCOLS = 101;

/** Makes the transport close the connection. The status and the field are for a transport that cannot. */
const CONNECTION_LOST: ApiResponse = { status: 500, headers: { connection: 'close' }, body: undefined, lost: true };
