import { encodeHex } from './encoding/hex.js';
import { Access, type ExplainAccessOptions } from './assembly/access.js';
import { Authorization } from './assembly/authorization.js';
import type { AuthorizationOptions } from './assembly/authorization-options.js';
import { Authentication, type AuthenticationOptions } from './assembly/authentication.js';
import { certificateDurations } from './assembly/certificate-metrics.js';
import { Certificates, type CertificateOptions } from './assembly/certificates.js';
import { lateNodeRestriction } from './assembly/node-restriction.js';
import { performersOf } from './assembly/performers.js';
import type { Rbac } from './assembly/rbac.js';
import { reloadMetrics } from './assembly/reload-metrics.js';
import { runtimeConfigOf } from './assembly/runtime-config.js';
import { checkGivenKinds, checkServerOptions } from './assembly/server-options.js';
import { signerRights } from './assembly/signer-rights.js';
import { storedObject } from './assembly/stored-objects.js';
import { ensureSystemNamespaces } from './assembly/system-namespaces.js';
import type { AccessExplanation, AccessRecording, RecordingOptions } from './authz/explain/index.js';
import { attributesOf } from './authz/attributes.js';
import { alwaysDeny, type Authorizer } from './authz/authorizer.js';
import { certificateAdmission } from './admission/certificates/index.js';
import { firstNeed } from './admission/first-need.js';
import { garbageCollectionTrigger } from './admission/garbage-collection-trigger.js';
import { namespaceLifecycle } from './admission/namespace-lifecycle.js';
import { Client, type ClientBackend, type ClientOptions, type ClientRequest } from './client/index.js';
import { createControllers, type ControllerName, type Controllers } from './controllers/controllers.js';
import { kubeConfigOf, type KubeConfigOptions } from './client/kube-config.js';
import { systemClock, systemEntropy, type Clock, type Entropy, type UserInfo } from './meta/index.js';
import { keepAlive } from './meta/keep-alive.js';
import { definedOnly } from './meta/options.js';
import { dialects, orch, type Dialect } from './names/index.js';
import type { AdmissionPlugin } from './registry/admission.js';
import type { ResourceDefinition } from './registry/definition.js';
import { builtinResources, CertificateSigningRequest, ClusterRole, Namespace, Node, Pod } from './resources/index.js';
import { Deadlines } from './server/deadline.js';
import { FeatureGates, type FeatureGateName } from './server/feature-gates.js';
import { GenericServer, type ServerLimits } from './server/generic-server.js';
import type { Handler, WebSocketHandler } from './server/http.js';
import { consoleLogger, safeLogger, type Logger } from './server/logger.js';
import type { VersionOptions } from './server/version.js';
import { createMemoryStorage } from './storage/memory/index.js';
import { defaultHistoryBytes } from './storage/history-budget.js';
import { claimStore, type Storage } from './storage/index.js';
import { tokenDigest } from './tokens/digest.js';

/** How a server is set up. Everything has a default: `new ApiServer()` is a complete server in memory. */
export interface ApiServerOptions extends AuthenticationOptions {
  /** Names that the API spells; default `orch`. Existing clients need `kubernetes`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes';
  /** Kinds besides the built-in ones. */
  readonly resources?: readonly ResourceDefinition[];
  /** Where objects are kept; default in memory. The server closes it. */
  readonly storage?: Storage;
  /**
   * Who may do what, by the platform's own ways. Default `{ modes: ['RBAC'] }`: roles and bindings, with those that every server
   * has. Members of `system:masters` may do everything.
   */
  readonly authorization?: AuthorizationOptions;
  /** Who may do what, in place of all that; not together with `authorization`. */
  readonly authorizer?: Authorizer;
  /** Further stages of admission, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Controllers that run only when they are named: `tokencleaner`, `bootstrapsigner`. */
  readonly enabledControllers?: readonly ControllerName[];
  /** Controllers that do not run. */
  readonly disabledControllers?: readonly ControllerName[];
  /** Authority of the certificate by which clients reach the server, PEM; published to every namespace. Asked for at each use. */
  readonly rootCertificateAuthority?: () => string | undefined;
  /** Certificates that are requested of the platform's own signers. */
  readonly certificates?: CertificateOptions;
  /** `{ WatchList: true }`, or as the flag has it, `WatchList=true`. */
  readonly featureGates?: string | Partial<Record<FeatureGateName | 'AllAlpha' | 'AllBeta', boolean>>;
  /** Versions that are on or off besides the usual ones: `api/alpha=true,group/version=false`. Groups and versions must be ones that the server has. */
  readonly runtimeConfig?: string;
  readonly limits?: Partial<ServerLimits>;
  /** Time from the start during which what is still being set up does not fail `/livez`, in milliseconds; default 0. */
  readonly livezGracePeriodMs?: number;
  /** Token of the process that owns the server, as {@link ApiServer.kubeConfig} has it; default a new one. Whoever has it may do everything. */
  readonly ownerToken?: string;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** What goes on in the server. Default: failures, among them what hooks and plugins throw, on `console.error`. */
  readonly logger?: Logger;
  readonly version?: VersionOptions;
}

const DEFAULT_LIMITS: Omit<ServerLimits, 'historyBytes'> = {
  bodyBytes: 3 * 1024 * 1024,
  inFlight: {},
  watches: {},
  requestTimeoutMs: 60_000,
  minWatchMs: 30 * 60_000,
  watchHistoryMs: 5 * 60_000,
  watchHistoryEvents: 1_000_000,
  bookmarkIntervalMs: 60_000,
  revisionWaitMs: 3_000,
};

/** Revision of a store that nothing was written to. */
const NEW_STORE_REVISION = 1;

/** Controllers that have work only where certificates are requested. */
const REQUEST_CONTROLLERS = ['csrapproving', 'csrsigning', 'csrcleaner'] as const;

/** Who the process is that owns a server, to that server. */
const OWNER: UserInfo = Object.freeze({
  username: 'system:apiserver',
  groups: Object.freeze(['system:masters', 'system:authenticated']),
});

function dialectOf(choice: ApiServerOptions['dialect']): Dialect {
  if (choice === undefined) return orch;
  if (typeof choice !== 'string') return choice;
  const found = dialects.get(choice);
  if (found === undefined)
    throw new TypeError(`unknown dialect ${JSON.stringify(choice)}: one of ${[...dialects.keys()].join(', ')}`);
  return found;
}

/**
 * A resource API server. It serves requests through {@link ApiServer.handle} to any transport, and the process that made it
 * through {@link ApiServer.client}. It opens no socket of its own: `listen` of `orch-apiserver/node` does.
 */
export class ApiServer {
  readonly #server: GenericServer;
  readonly #controllers: Controllers;
  readonly #authentication: Authentication;
  readonly #certificates: Certificates;
  readonly #authorization: Authorization | undefined;
  readonly #rbac: Rbac | undefined;
  readonly #access: Access;
  readonly #ownerToken: string;
  /** That of the store, once it is known. */
  #continueKey: string;
  #operationClient: Client | undefined;
  /** Of requests in the process. */
  #deadlines: Deadlines | undefined;
  #starting: Promise<void> | undefined;
  #started = false;
  #closing: Promise<void> | undefined;

  /** @throws TypeError | Error for options that contradict themselves, with the option's name */
  constructor(options: ApiServerOptions = {}) {
    checkServerOptions(options);
    checkGivenKinds(options.resources ?? []);
    const dialect = dialectOf(options.dialect);
    const clock = options.clock ?? systemClock;
    const entropy = options.entropy ?? systemEntropy;
    this.#ownerToken = options.ownerToken ?? encodeHex(entropy.bytes(32));
    const limits: ServerLimits = {
      ...DEFAULT_LIMITS,
      historyBytes: defaultHistoryBytes(),
      ...definedOnly(options.limits ?? {}),
    };
    const featureGates =
      typeof options.featureGates === 'string'
        ? FeatureGates.parse(options.featureGates)
        : FeatureGates.from(definedOnly(options.featureGates ?? {}));
    const storage = options.storage ?? createMemoryStorage({ clock, historyMs: limits.watchHistoryMs });
    const logger = safeLogger(options.logger ?? consoleLogger);
    const serverId = (): string => `sha256:${tokenDigest(`server ${this.#ownerToken}`)}`;
    const { authorizer: ownAuthorizer } = options;
    this.#authorization =
      ownAuthorizer === undefined
        ? new Authorization(options.authorization ?? { modes: ['RBAC'] }, {
            server: () => this.#server,
            dialect,
            clock,
            entropy,
            logger,
            featureGates,
            reloadMetrics: reloadMetrics(
              () => this.#server.metrics,
              'apiserver_authorization_config_controller',
              'authorization configuration',
              serverId,
            ),
          })
        : undefined;
    this.#rbac = this.#authorization?.rbac;
    const authorizer = ownAuthorizer ?? this.#authorization?.authorize ?? alwaysDeny;
    this.#access = new Access({
      authorize: authorizer,
      authorizers: () => this.#authorization?.authorizers ?? [{ name: 'authorizer', authorize: authorizer }],
      rbac: this.#rbac,
      server: () => this.#server,
    });
    this.#certificates = new Certificates(options.certificates ?? {}, { storage, clock, entropy, dialect });
    this.#authentication = new Authentication(options, {
      dialect,
      clock,
      entropy,
      storage,
      logger,
      featureGates,
      reloadMetrics: reloadMetrics(
        () => this.#server.metrics,
        'apiserver_authentication_config_controller',
        'authentication configuration',
        serverId,
      ),
      madeAuthority: this.#certificates.made,
      anonymousByDefault: () => this.#authorization?.anonymousByDefault ?? true,
      owner: { token: this.#ownerToken, user: OWNER },
      find: (definition, namespace, name) => storedObject(this.#server, definition, namespace, name),
    });
    this.#continueKey = encodeHex(entropy.bytes(32));
    const resources = [...builtinResources, ...(options.resources ?? [])];
    this.#server = new GenericServer({
      apiAudiences: this.#authentication.apiAudiences,
      documents: this.#authentication.documents,
      dialect,
      clock,
      entropy,
      storage,
      resources,
      admission: (server) => [
        namespaceLifecycle(dialect, (name) => storedObject(server, Namespace, '', name)),
        lateNodeRestriction({
          dialect,
          findPod: (namespace, name) => storedObject(server, Pod, namespace, name),
          findNode: (name) => storedObject(server, Node, '', name),
          active: () => this.#authorization?.allowsNodes === true,
        }),
        ...certificateAdmission(dialect, signerRights(this.#access.authorize, dialect, OWNER)),
        ...(options.admission ?? []),
        garbageCollectionTrigger(() => this.#controllers.wake('garbage-collector')),
        firstNeed(
          'ClusterRoleAggregationTrigger',
          ({ info }) => info.definition === ClusterRole,
          () => this.#controllers.wake('clusterrole-aggregation'),
        ),
        firstNeed(
          'CertificateRequestTrigger',
          ({ info }) => info.definition === CertificateSigningRequest,
          () => this.#wakeForRequests(),
        ),
        ...(this.#rbac === undefined ? [] : [this.#rbac.admission(this.#access.authorize)]),
      ],
      started: () => this.ready(),
      prepare: (definition) => this.#rbac?.prepare(definition),
      performers: () =>
        performersOf({
          authorize: authorizer,
          authentication: this.#authentication,
          withSelectors: featureGates.enabled('AuthorizeWithSelectors'),
        }),
      client: () => (this.#operationClient ??= this.client()),
      observers: () =>
        new Map([[CertificateSigningRequest, certificateDurations(() => this.#server.metrics, dialect)]]),
      authenticator: this.#authentication.request,
      authorizer: this.#access.authorize,
      featureGates,
      runtimeConfig: runtimeConfigOf(options.runtimeConfig ?? '', resources, dialect),
      limits,
      livezGracePeriodMs: options.livezGracePeriodMs ?? 0,
      version: options.version ?? {},
      logger,
      serverAddress: () => 'localhost',
      continueKey: () => new TextEncoder().encode(this.#continueKey),
    });
    if (this.#rbac !== undefined)
      this.#server.health.add({ name: 'poststarthook/rbac/bootstrap-roles', check: () => this.#rbac?.ready() });
    this.#controllers = createControllers(
      new Client(
        this.#backend(() => undefined),
        { fieldManager: 'controller-manager' },
      ),
      {
        kinds: this.#server.resources.map((info) => info.definition),
        dialect,
        clock,
        enabled: options.enabledControllers ?? [],
        disabled: options.disabledControllers ?? [],
        deferred: ['garbage-collector', 'clusterrole-aggregation', ...REQUEST_CONTROLLERS],
        signingAuthorities: this.#certificates,
        ...(options.rootCertificateAuthority === undefined
          ? {}
          : { rootCertificateAuthority: options.rootCertificateAuthority }),
        logger,
      },
    );
  }

  /** The names that this server spells. */
  get dialect(): Dialect {
    return this.#server.dialect;
  }

  /** Answers a request; what every transport calls. Never rejects. */
  readonly handle: Handler = (request) => this.#server.handle(request);

  /** Answers a request to watch over WebSocket. Never rejects. */
  readonly handleWebSocket: WebSocketHandler = (request) => this.#server.handleWebSocket(request);

  /** The typed client of this process: no socket, no bytes. Without a user it acts as the owner, in `system:masters`. */
  client(options: ClientOptions = {}): Client {
    return new Client(
      this.#backend((definition) => this.#rbac?.prepare(definition)),
      options,
    );
  }

  /**
   * A kubeconfig (YAML) by which command-line tools and client libraries reach this server as its owner.
   *
   * @param options where the server is reached: the URL of a listener, and the authority of its certificate
   */
  kubeConfig(options: KubeConfigOptions = {}): string {
    return kubeConfigOf({ token: this.#ownerToken, name: this.dialect.product, ...options });
  }

  /**
   * Starts what runs in the background, and makes what a new server has. Every request does this by itself. A start that
   * failed is tried again by the next.
   *
   * @returns undefined when the server has started already
   * @throws UnusableStoreError when the store is another's; Error when the storage fails, a configuration is wrong, or
   *   authorities or policies cannot be read
   */
  ready(): Promise<void> | undefined {
    if (this.#started) return undefined;
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /**
   * Why a user may or may not do something: every authorizer, binding and rule that was asked, what came nearest, and the least
   * role that would allow it. For the process that owns the server; no request can ask for it.
   *
   * @param user a user, or a name with the groups that such a user always has and those of the options
   * @param verb an API verb; for a path an HTTP method in lower case
   * @param resource a kind, or words for one: `pods`, `deployments.apps`, `pods/log`; or a path, which begins with a slash
   * @throws TypeError for words that are no resource, naming what they could have meant; Error as a request would fail
   */
  async explain(
    user: UserInfo | string,
    verb: string,
    resource: ResourceDefinition | string,
    options?: ExplainAccessOptions,
  ): Promise<AccessExplanation> {
    await this.ready();
    return this.#access.explain(user, verb, resource, options);
  }

  /**
   * Records what users ask for from now on, until it is stopped, and makes the roles that are just enough for it.
   *
   * @param user whose requests; default everybody's. Requests of the process itself, without a user, are not asked about
   */
  recordAccess(user?: UserInfo | string, options?: RecordingOptions): AccessRecording {
    return this.#access.record(user, options);
  }

  /** Resolves when no controller has work left. */
  async settled(): Promise<void> {
    await this.ready();
    await this.#controllers.settled();
  }

  /** Checks of `/readyz` and the like may be added here. */
  get health(): GenericServer['health'] {
    return this.#server.health;
  }

  /**
   * Fails readiness, ends watches and controllers, and closes the storage, whatever fails on the way. Further calls wait for the first.
   *
   * @throws what failed, when all is closed that could be; an AggregateError when it was more than one
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // A start that failed has nothing to end.
    await this.#starting?.catch(() => undefined);
    await inTurn([
      () => this.#controllers.stop(),
      () => this.#authorization?.close(),
      () => this.#authentication.close(),
      () => this.#certificates.close(),
      () => this.#server.shutdown(),
      () => this.#server.storage.close(),
    ]);
  }

  /** {@link ApiServer.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    // What an earlier run left may have owners; a new store has not.
    if ((await this.#server.storage.currentRevision()) > NEW_STORE_REVISION) {
      for (const name of ['garbage-collector', 'clusterrole-aggregation'] as const) this.#controllers.wake(name);
      this.#wakeForRequests();
    }
    const { storage, dialect } = this.#server;
    ({ continueKey: this.#continueKey } = await claimStore(storage, {
      dialect: dialect.name,
      continueKey: this.#continueKey,
    }));
    await ensureSystemNamespaces(this.#server);
    await this.#authorization?.start();
    await this.#authentication.start();
    this.#started = true;
    this.#controllers.start();
  }

  /** Begins with the controllers of certificate signing requests, of which most servers never see one. */
  #wakeForRequests(): void {
    for (const name of REQUEST_CONTROLLERS) this.#controllers.wake(name);
  }

  /** @param prepare what is waited for before a kind is asked for; controllers take things as they are, and wait for nothing */
  #backend(prepare: (definition: ResourceDefinition) => Promise<void> | undefined): ClientBackend {
    const server = this.#server;
    const deadlines = (this.#deadlines ??= new Deadlines(server.clock, server.options.limits.requestTimeoutMs));
    return {
      started: (definition) => this.ready()?.then(() => prepare(definition)) ?? prepare(definition),
      operationsOf: (definition) => server.operationsOf(definition),
      owner: OWNER,
      dialect: server.dialect,
      bounded: (answer) => deadlines.bound(answer),
      keepAlive: () => keepAlive(server.clock),
      authorize: (request) => server.authorize(attributesOf(requestFacts(request), request.user)),
      context: (user, fieldManager, warn, signal) => server.context(user, fieldManager, warn, signal),
    };
  }
}

function requestFacts(request: ClientRequest): Parameters<typeof attributesOf>[0] {
  const { info } = request.operations.store;
  return {
    isResource: true,
    verb: request.verb,
    path: '',
    group: info.group,
    version: info.version,
    namespace: namespaceOf(request),
    resource: info.resource,
    subresource: request.subresource,
    name: request.name,
  };
}

/**
 * Objects outside of namespaces are never asked about as if they were in one; but the path of a namespace has it as its namespace,
 * too. That of a list or watch has not, even if it selects a name.
 */
function namespaceOf({ operations, verb, namespace, name }: ClientRequest): string {
  const { info } = operations.store;
  if (info.namespaced) return namespace;
  return info.resource === 'namespaces' && verb !== 'list' && verb !== 'watch' ? name : '';
}

/** Takes every step, one after the other, whether or not those before it failed. @throws what failed */
async function inTurn(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, 'the server was closed, but not everything went well');
  if (failures.length === 1) throw failures[0];
}
