import type { InProcessWebhook, PluginOptions } from '../admission/index.js';
import {
  checkKubeConfigOptions,
  Client,
  kubeConfigOf,
  type CallAuditing,
  type ClientBackend,
  type ClientOptions,
  type KubeConfigOptions,
} from '../client/index.js';
import type { AdvertisedListener } from '../controllers/index.js';
import {
  definedOnly,
  keepAlive,
  systemClock,
  type Clock,
  type Dialect,
  type Entropy,
  type FindCredentials,
  type Logger,
  type ResolveService,
  type UserInfo,
} from '../foundation/index.js';
import { once, type ConversionFunction, type ServiceOptions } from '../kinds/index.js';
import { preparation, type AdmissionPlugin, type ResourceDefinition } from '../registry/index.js';
import {
  attributesOf,
  type AccessExplanation,
  type AccessRecording,
  type Auditor,
  type Authorizer,
  type RecordingOptions,
} from '../security/index.js';
import {
  handshakeErrors,
  Interception,
  openLog,
  type FeatureGateName,
  type GenericServer,
  type Handler,
  type MetricsOptions,
  type NodeHandlers,
  type PodHandlers,
  type Release,
  type RequestInterceptor,
  type RequestOrigin,
  type ServerLimits,
  type ServiceHandlers,
  type VersionOptions,
  type WebSocketHandler,
} from '../server/index.js';
import type { Simulation } from '../simulation/index.js';
import type { Storage } from '../storage/index.js';
import { checkExplain, checkRecording } from './access/access-checks.js';
import type { ExplainAccessOptions } from './access/access.js';
import type { AuthorizationOptions } from './access/authorization-options.js';
import type { AuthenticationOptions } from './authentication/authentication.js';
import type { CertificateOptions } from './authentication/certificates.js';
import { apiServerListeners } from './controllers/controller-table.js';
import type { ControllerName } from './controllers/controller-table.js';
import type { BusyController } from './controllers/controllers.js';
import { migrateDefinitions, type DefinitionMigration, type MigrationOptions } from './custom-resources/migration.js';
import type { Assembly } from './instance/assemble.js';
import { infoOfCall } from './instance/info-of-call.js';
import { ServerInstance } from './instance/server-instance.js';
import { OWNER } from './instance/server-parts.js';
import { ServerResources } from './instance/server-resources.js';
import type { AuditOptions } from './observability/audit.js';
import type { TracingOptions } from './observability/tracing.js';
import type { ServerSnapshot } from './storage/server-snapshot.js';

/** Options of the calls of webhooks. The option `httpClient` sends them. */
export interface WebhookCallOptions {
  /**
   * Returns the URL at which a webhook's service is reached; undefined for one that the server finds by the stored
   * Services and Endpoints, as it finds all by default.
   *
   * @throws Error when the service does not exist; clients see the message
   */
  readonly resolveService?: ResolveService | undefined;
  /**
   * The address of a service that the server requests: `Endpoints`, one of its endpoints, as Kubernetes does with
   * `--enable-aggregator-routing`; or its `ClusterIP`, for a host on which these are routed. Default `Endpoints`.
   */
  readonly serviceRouting?: 'Endpoints' | 'ClusterIP' | undefined;
  /** Returns the credentials that the server presents to a webhook. Default none. */
  readonly credentials?: FindCredentials | undefined;
}

export type { BusyController } from './controllers/controllers.js';
export type { ServerSnapshot } from './storage/server-snapshot.js';
export { migrateStore, type DefinitionMigration } from './custom-resources/migration.js';

/** Options of a server. Every option has a default: `new ApiServer()` is a complete server in memory. */
export interface ApiServerOptions extends AuthenticationOptions {
  /** Dialect that sets the names in the API; default `orch`. Existing Kubernetes clients need `kubernetes`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
  /** Kinds in addition to the built-in ones. */
  readonly resources?: readonly ResourceDefinition[] | undefined;
  /** Storage of the objects; default in memory. The server closes it. */
  readonly storage?: Storage | undefined;
  /**
   * Authorization modes, or an authorization configuration. Default `{ modes: ['RBAC'] }`, with the default roles and
   * bindings of Kubernetes. Members of `system:masters` may do everything.
   */
  readonly authorization?: AuthorizationOptions | undefined;
  /** Authorizer that replaces the built-in ones. Cannot be combined with `authorization`. */
  readonly authorizer?: Authorizer | undefined;
  /**
   * Sees every request that has been authenticated, also of in-process clients, and may delay it, fail it, answer it
   * from a past state or lose its connection. Default none.
   */
  readonly interceptor?: RequestInterceptor | undefined;
  /** Admission plugins that run after the built-in ones, and webhooks that are functions of the process. */
  readonly admission?: readonly (AdmissionPlugin | InProcessWebhook)[] | undefined;
  /**
   * The built-in admission plugins that run, by Kubernetes' names, and their configuration. Default: those of
   * Kubernetes, except ServiceAccount, which needs the accounts that a controller creates, and TaintNodesByCondition,
   * whose taint no controller of the server removes.
   */
  readonly admissionPlugins?: PluginOptions | undefined;
  /** Calls of webhooks that API objects configure. */
  readonly webhooks?: WebhookCallOptions | undefined;
  /** The audit log: which requests are recorded, and where their events go. Default none. */
  readonly audit?: AuditOptions | undefined;
  /**
   * Traces every request with OpenTelemetry, as Kubernetes' APIServerTracing does. Default: nothing is traced, and
   * OpenTelemetry is not loaded.
   */
  readonly tracing?: TracingOptions | undefined;
  /** Which metrics are shown on `/metrics`, and which values of their labels. Default as in Kubernetes. */
  readonly metrics?: MetricsOptions | undefined;
  /**
   * Functions that convert custom resources in place of the webhook that their definition names, by the name of the
   * definition, `<plural>.<group>`. Definitions with the conversion strategy `None` do not use them.
   */
  readonly conversionWebhooks?: Readonly<Record<string, ConversionFunction>> | undefined;
  /** Controllers to run that are off by default: `tokencleaner`, `bootstrapsigner`. */
  readonly enabledControllers?: readonly ControllerName[] | undefined;
  /** Simulated nodes that run the pods, from `createSimulation`. Default none: pods stay Pending. */
  readonly simulation?: Simulation | undefined;
  /** Controllers that do not run. */
  readonly disabledControllers?: readonly ControllerName[] | undefined;
  /**
   * Number of pods that have ended and that the controller `podgc` keeps; the oldest of more are deleted. Default 12500;
   * 0 keeps all.
   */
  readonly terminatedPodThreshold?: number | undefined;
  /**
   * Returns the certificate authority (PEM) that clients verify the server with. It is published to every namespace.
   * Called at each use.
   */
  readonly rootCertificateAuthority?: (() => string | undefined) | undefined;
  /** Signing of certificate requests by the built-in signers. */
  readonly certificates?: CertificateOptions | undefined;
  /** The addresses and ports that services get, and what services answer: `proxy`. */
  readonly services?: (ServiceOptions & ServiceHandlers) | undefined;
  /** Feature gates: `{ WatchList: true }`, or the text of the flag `--feature-gates`, `WatchList=true`. */
  readonly featureGates?: string | Partial<Record<FeatureGateName | 'AllAlpha' | 'AllBeta', boolean>> | undefined;
  /**
   * API versions to turn on or off, as in the flag `--runtime-config`: `api/alpha=true,group/version=false`. The groups
   * and versions must exist.
   */
  readonly runtimeConfig?: string | undefined;
  /**
   * Whether containers may be privileged, and processes of their node. Default true; the API server of Kubernetes has
   * false, and most installations change it.
   */
  readonly allowPrivileged?: boolean | undefined;
  /**
   * Release whose API versions are served and whose deprecations warn; default `1.31`. Behaviour, feature gates and the
   * body of `/version` remain those of release 1.31.
   */
  readonly release?: Release | undefined;
  /**
   * API Priority and Fairness, in place of the limits of requests in flight: flow schemas and priority levels, which the
   * server creates and maintains, decide which requests execute, wait in fair queues, or are refused. Default false.
   */
  readonly fairness?: boolean | undefined;
  /** Limits of requests, watches and memory. */
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Grace period after the start, in milliseconds, during which added checks do not fail `/livez`; default 0. */
  readonly livezGracePeriodMs?: number | undefined;
  /**
   * Bearer token of the server's owner, which {@link ApiServer.kubeConfig} contains; default a random token. It grants
   * all permissions.
   */
  readonly ownerToken?: string | undefined;
  /** Clock of the server; default the host's. */
  readonly clock?: Clock | undefined;
  /** Randomness of the server; default the host's. */
  readonly entropy?: Entropy | undefined;
  /** Log of the server. By default failures, including errors thrown by hooks and plugins, go to `console.error`. */
  readonly logger?: Logger | undefined;
  /**
   * The handlers that answer for pods where Kubernetes asks their node: `log`, `exec`, `attach`, `portForward` and
   * `proxy`. Without a handler the server refuses the request with 501.
   */
  readonly pods?: PodHandlers | undefined;
  /** The handler that answers for nodes: `proxy`. */
  readonly nodes?: NodeHandlers | undefined;
  /** Build information in `/version`. */
  readonly version?: VersionOptions | undefined;
}

/** Options of {@link ApiServer.fork}: the parts that servers cannot share. */
export interface ForkOptions {
  /** Clock of the fork; default the host's. It should start at the time of the original. */
  readonly clock?: Clock | undefined;
  /** Randomness of the fork; default the host's. */
  readonly entropy?: Entropy | undefined;
  /** Simulated nodes of the fork; default those of the original, with their current rules. */
  readonly simulation?: Simulation | undefined;
  /** Interceptor of the fork; default that of the original. */
  readonly interceptor?: RequestInterceptor | undefined;
}

/**
 * A resource API server. Transports send requests to {@link ApiServer.handle}; the process that created the server uses
 * {@link ApiServer.client}. The server opens no socket: `listen` of `orch-apiserver/node` does.
 */
export class ApiServer {
  readonly #options: ApiServerOptions;
  /** Replaced when the server goes back to a snapshot. */
  #instance: ServerInstance;
  /** The instances that are being replaced. */
  readonly #former = new Set<Promise<void>>();
  /** Addresses of the server's listeners, by URL. */
  readonly #listeners = new Map<string, readonly string[]>();
  #resources: ServerResources | undefined;
  #closed = false;

  /**
   * @param snapshot state that the server begins with, from {@link snapshot} of a server with the same options; default
   *   the state of the storage
   * @throws TypeError | Error for invalid or contradictory options; the message names the option
   */
  constructor(options: ApiServerOptions = {}, snapshot?: ServerSnapshot) {
    if (snapshot !== undefined && options.storage !== undefined)
      throw new TypeError('ApiServer: a server that begins with a snapshot has its storage: omit the option storage');
    this.#options = options;
    this.#instance = this.#newInstance(options, snapshot);
  }

  get #assembly(): Assembly {
    return this.#instance.assembly;
  }

  /** The dialect of this server. */
  get dialect(): Dialect {
    return this.#assembly.server.dialect;
  }

  /** The kinds that the program declares; kinds can be added and removed while the server runs. */
  get resources(): ServerResources {
    return (this.#resources ??= new ServerResources(() => this.#assembly.parts.catalogue));
  }

  /** Handles a request; every transport calls it. Never rejects. */
  readonly handle: Handler = (request) => this.#assembly.server.handle(request);

  /** Handles a request to watch over WebSocket. Never rejects. */
  readonly handleWebSocket: WebSocketHandler = (request) => this.#assembly.server.handleWebSocket(request);

  /**
   * Registers the URL of a listener. Discovery gives its address to clients (`serverAddressByClientCIDRs`) and prefers
   * listeners with TLS. `listen` calls this method.
   *
   * @param url URL of the listener, such as `https://127.0.0.1:6443`
   * @param addresses IP addresses at which others reach its host, for the Endpoints of the server; default none
   * @returns a function that removes the URL; call it when the listener closes
   */
  readonly listening = (url: string, addresses: readonly string[] = []): (() => void) => {
    this.#listeners.set(url, addresses);
    this.#instance.listenersChanged();
    return () => {
      if (this.#listeners.delete(url)) this.#instance.listenersChanged();
    };
  };

  /** Counts a client that failed to establish TLS with a listener. `listen` calls this method. */
  readonly handshakeFailed = (): void => handshakeErrors(this.#assembly.server.metrics).add();

  /**
   * Returns a typed in-process client: it uses no socket and encodes nothing. By default it acts as the owner, in
   * `system:masters`.
   */
  client(options: ClientOptions = {}): Client {
    const instance = (): ServerInstance => this.#instance;
    return new Client(
      this.#backend('client', instance, (definition, verb) => instance().prepare(definition, verb)),
      options,
    );
  }

  /**
   * Returns a kubeconfig (YAML) with which command-line tools and client libraries reach this server as its owner.
   *
   * @param options the URL of a listener, and the authority of its certificate
   */
  kubeConfig(options: KubeConfigOptions = {}): string {
    checkKubeConfigOptions(options);
    return kubeConfigOf({ token: this.#assembly.parts.owner.token, name: this.dialect.product, ...options });
  }

  /**
   * Starts the background work and creates the objects of a new server. Every request calls it implicitly. After a
   * failed start, the next call tries again.
   *
   * @returns undefined when the server has already started
   * @throws UnusableStoreError when the store belongs to another dialect or server; Error when the storage fails, a
   *   configuration is invalid, or authorities or policies cannot be read
   */
  ready(): Promise<void> | undefined {
    return this.#instance.ready();
  }

  /**
   * Explains why a user may or may not do something: every authorizer, binding and rule that was evaluated, the nearest
   * matches, and the least-privilege role that would allow it. Only the process that owns the server can call it; no
   * request can.
   *
   * @param user a user; or a user name, which gets the groups that its form implies and those of the options
   * @param verb an API verb; for a path an HTTP method in lower case
   * @param resource a kind, or its name (`pods`, `deployments.apps`, `pods/log`), or a path, which begins with a slash
   * @throws TypeError for an unknown resource, with suggestions; Error as a request would fail
   */
  async explain(
    user: UserInfo | string,
    verb: string,
    resource: ResourceDefinition | string,
    options?: ExplainAccessOptions,
  ): Promise<AccessExplanation> {
    checkExplain(user, verb, resource, options);
    await this.ready();
    return this.#assembly.access.explain(user, verb, resource, options);
  }

  /**
   * Starts to record the access of users, and derives least-privilege roles from it. Recording ends when the result is
   * stopped.
   *
   * @param user user to record; default all users. In-process requests without a user are not authorized, hence not
   *   recorded
   */
  recordAccess(user?: UserInfo | string, options?: RecordingOptions): AccessRecording {
    checkRecording(user, options);
    return this.#assembly.access.record(user, options);
  }

  /**
   * Rewrites the stored custom resources in the storage versions of their definitions, and removes the other versions
   * from `status.storedVersions`. Requests are served meanwhile. docs/concepts/versions.md describes when it is needed.
   *
   * @returns the result of each definition
   * @throws StorageError when the storage fails; the reason of `signal`
   */
  async migrate(options: MigrationOptions = {}): Promise<DefinitionMigration[]> {
    await this.ready();
    return migrateDefinitions(this.#assembly.parts, options);
  }

  /** Resolves when no controller has work left. */
  settled(): Promise<void> {
    return this.#instance.settled();
  }

  /** Returns the controllers that have work now, or wait for time to pass. For a test that waits in vain. */
  busyControllers(): BusyController[] {
    return this.#assembly.controllers.busy();
  }

  /**
   * Takes a snapshot of the current state, which shares its memory with the server. Starts the server if necessary.
   *
   * @throws TypeError when the storage cannot be forked; as {@link ready} does
   */
  async snapshot(): Promise<ServerSnapshot> {
    await this.ready();
    const { parts, controllers, custom, authorization } = this.#assembly;
    return {
      storage: forkOf(parts.storage, stoppedClock(parts.clock.now())),
      catalogue: parts.catalogue.state(),
      customKinds: custom.served,
      // The listeners stay with this server.
      wokenControllers: [...controllers.woken].filter((name) => !apiServerListeners.includes(name)),
      hasDefaultPolicy: authorization?.rbac.hasDefaultPolicy === true,
      ownerToken: parts.owner.token,
      continueKey: parts.continueKey,
    };
  }

  /**
   * Returns an independent server with the same state, history, kinds and options. Both share the memory of what neither
   * has changed, so this takes the same time and memory at any number of objects. Objects, tokens and the kubeconfig of
   * the original are valid in the fork.
   *
   * Watches and listeners are not copied. Health checks that were added, the access that was recorded, and what the
   * options contain (authorizers, admission plugins, handlers) are not copied either: both servers call the same functions.
   * The controllers of the fork start with its first write, or with {@link settled}.
   *
   * @param options clock, randomness and simulated nodes of the fork
   * @param snapshot state of the fork, from {@link snapshot} of this server; default the current state
   * @throws TypeError when the storage cannot be forked
   */
  async fork(options: ForkOptions = {}, snapshot?: ServerSnapshot): Promise<ApiServer> {
    const origin = snapshot ?? (await this.snapshot());
    return new ApiServer(this.#optionsWith({ clock: undefined, entropy: undefined }, options), origin);
  }

  /**
   * Goes back to a snapshot. The server stays the same object: its clients, its listeners and its handler answer from
   * the restored state. Watches end and requests in flight are aborted, as when the server closes.
   *
   * @param snapshot a state from {@link snapshot} of this server or of the one that it was forked from
   * @param options parts that replace the current ones; default the same clock and randomness. Simulated nodes are
   *   replaced in any case: pass a simulation to give it rules later
   * @throws Error when the server is closed; as {@link close} does
   */
  async restore(snapshot: ServerSnapshot, options: ForkOptions = {}): Promise<void> {
    if (this.#closed) throw new Error('the server is closed and cannot go back to a snapshot: start another one');
    const former = this.#instance;
    const { clock, entropy } = former.assembly.parts;
    this.#instance = this.#newInstance(this.#optionsWith({ clock, entropy }, options), snapshot);
    const closing = former.close(0);
    this.#former.add(closing);
    try {
      await closing;
    } finally {
      this.#former.delete(closing);
    }
  }

  /**
   * Ends all work at once without closing the storage, as when the process of the server dies. Only {@link restart} and
   * {@link close} may follow.
   */
  halt(): void {
    this.#instance.halt();
  }

  /**
   * Starts again on the same storage, as when the process of the server restarts: watches end, requests in flight are
   * aborted, and what only memory held is gone, such as kinds and health checks that were added while it ran. The server
   * stays the same object: its clients, its listeners and its handler answer again when the promise resolves.
   *
   * @param options parts that replace the current ones; default the same clock and randomness
   * @throws Error when the server is closed; as {@link close} and {@link ready} do
   */
  async restart(options: ForkOptions = {}): Promise<void> {
    if (this.#closed) throw new Error('the server is closed and cannot restart: start another one');
    const former = this.#instance;
    const { clock, entropy, engine, owner } = former.assembly.parts;
    const own = { ...this.#optionsWith({ clock, entropy }, options), storage: engine, ownerToken: owner.token };
    const closing = former.close(0, true);
    this.#former.add(closing);
    try {
      await closing;
    } finally {
      this.#former.delete(closing);
    }
    this.#instance = this.#newInstance(own, undefined);
    await this.ready();
  }

  /** The health checks of `/healthz`, `/livez` and `/readyz`; more can be added. */
  get health(): GenericServer['health'] {
    return this.#assembly.server.health;
  }

  /**
   * Closes the server: readiness fails, watches and controllers end, and the storage closes. A failure does not stop
   * the sequence, and a part that does not end in time (`limits.closeTimeoutMs`) is abandoned. Further calls wait for
   * the first.
   *
   * @param options.graceMs time that requests in flight have to finish before anything is closed, in milliseconds; a
   *   watch counts as answered when it begins. Default 0
   * @throws the failure, or an error that names the part that hangs, after everything else is closed; an AggregateError
   *   for several
   */
  async close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#former]);
    await this.#instance.close(graceMs);
  }

  /** Calls {@link ApiServer.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the listener that is advertised: the first one with TLS, or else the first one. */
  #advertised(): AdvertisedListener | undefined {
    const urls = [...this.#listeners.keys()];
    const url = urls.find((candidate) => candidate.startsWith('https:')) ?? urls[0];
    return url === undefined ? undefined : { url, addresses: this.#listeners.get(url) ?? [] };
  }

  #newInstance(options: ApiServerOptions, snapshot: ServerSnapshot | undefined): ServerInstance {
    const own = snapshot === undefined ? options : withStateOf(snapshot, options);
    const backend = (via: RequestOrigin, prepare: Prepare): ClientBackend =>
      this.#backend(via, () => instance, prepare);
    const instance: ServerInstance = new ServerInstance(
      own,
      {
        // They must not reach the instance that replaces this one.
        client: once(() => new Client(backend('server', (definition, verb) => instance.prepare(definition, verb)))),
        controllerClient: ({ controllerManagerName: fieldManager }) =>
          new Client(backend('controllers', preparation), { fieldManager }),
        address: () => discoveryAddress(this.#advertised()),
        listener: () => this.#advertised(),
      },
      snapshot,
    );
    if (this.#listeners.size > 0) instance.listenersChanged();
    return instance;
  }

  /** Returns the options of this server with the parts of another one. */
  #optionsWith(defaults: ForkOptions, given: ForkOptions): ApiServerOptions {
    const simulation = given.simulation ?? this.#options.simulation?.fork();
    return { ...this.#options, storage: undefined, ...defaults, ...definedOnly(given), simulation };
  }

  /**
   * @param via who uses the client, for the interceptor
   * @param instance returns the instance that answers a call
   * @param prepare waits for what a kind needs before a call
   */
  #backend(via: RequestOrigin, instance: () => ServerInstance, prepare: Prepare): ClientBackend {
    const { interceptor } = this.#options;
    const server = (): GenericServer => instance().assembly.server;
    return {
      started: (definition, verb) =>
        instance()
          .ready()
          ?.then(() => prepare(definition(), verb)) ?? prepare(definition(), verb),
      operationsOf: (definition) => server().operationsOf(definition),
      operationsOfKind: (reference) => server().operationsOfKind(reference),
      owner: OWNER,
      dialect: this.dialect,
      bounded: (answer) => instance().bounded(answer),
      openLog: (request) => openLog(server(), request),
      keepAlive: () => keepAlive(server().clock),
      // The steps of another request are a part of it.
      auditing: this.#options.audit === undefined || via === 'server' ? undefined : callAuditing(instance),
      authorize: (request, audit) => server().authorize(attributesOf(infoOfCall(request), request.user), audit),
      intercept: interceptor === undefined ? undefined : (requestOf) => new Interception(interceptor, requestOf(via)),
      context: (user, userAgent, warn, signal, { audit, span, written, whileWaiting, webhookTimes } = {}) => {
        const work = server().works.beginInProcess(signal, via === 'server');
        // An object literal, since each copy of an object with one more member would make a hidden class.
        const followers = { audit, span, written, whileWaiting, webhookTimes, work };
        return server().context(user, userAgent, warn, signal, followers);
      },
    };
  }
}

/** Waits for what a kind needs before a call with a verb. */
type Prepare = (definition: ResourceDefinition, verb: string) => Promise<void> | undefined;

/** Returns options with the storage and the owner's token of a snapshot. */
function withStateOf({ storage, ownerToken }: ServerSnapshot, options: ApiServerOptions): ApiServerOptions {
  return { ...options, ownerToken, storage: forkOf(storage, options.clock ?? systemClock) };
}

/** Forks a storage. @throws TypeError when its engine cannot do that */
function forkOf(storage: Storage, clock: Clock): Storage {
  const fork = storage.fork?.({ clock });
  if (fork !== undefined) return fork;
  throw new TypeError(
    'ApiServer: the engine of the option storage cannot be forked: omit the option, use createMemoryStorage, or start another server',
  );
}

/** A clock whose time does not pass. */
const stoppedClock = (nowMs: number): Clock => ({ now: () => nowMs, after: () => ({ cancel: () => undefined }) });

/** Returns the address that discovery gives to clients, `host:port`. Without a listener the port is unknown. */
const discoveryAddress = (listener: AdvertisedListener | undefined): string =>
  listener === undefined ? 'localhost' : listener.url.slice(listener.url.indexOf('//') + 2);

/** Returns the audit log of calls in the process. Such a call has no address. */
function callAuditing(instance: () => ServerInstance): CallAuditing {
  const auditor = (): Auditor | undefined => instance().assembly.audit?.auditor();
  return {
    begin(request, { requestUri, userAgent }) {
      const { clock, entropy } = instance().assembly.parts;
      const attributes = attributesOf(infoOfCall(request), request.user);
      return auditor()?.begin(attributes, () => ({
        auditId: entropy.uuid(),
        receivedMs: clock.now(),
        ...{ requestUri, userAgent, sourceIPs: [] },
        apiVersion: attributes.apiVersion,
      }));
    },
    rejected: () => auditor()?.rejected(),
  };
}
