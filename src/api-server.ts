import type { ExplainAccessOptions } from './assembly/access.js';
import { checkExplain, checkRecording } from './assembly/access-checks.js';
import { assemble, DEFERRED_CONTROLLERS, type Assembly } from './assembly/assemble.js';
import type { Audit, AuditOptions } from './assembly/audit.js';
import type { AuthenticationOptions } from './assembly/authentication.js';
import type { AuthorizationOptions } from './assembly/authorization-options.js';
import type { CertificateOptions } from './assembly/certificates.js';
import { closeInOrder } from './assembly/close-in-order.js';
import type { ServerParts } from './assembly/server-parts.js';
import { ServerResources } from './assembly/server-resources.js';
import { migrateDefinitions, type DefinitionMigration, type MigrationOptions } from './assembly/migration.js';
import type { ServiceOptions } from './assembly/service-allocation.js';
import { ensureSystemNamespaces } from './assembly/system-namespaces.js';
import type { AccessExplanation, AccessRecording, RecordingOptions } from './authz/explain/index.js';
import { attributesOf } from './authz/attributes.js';
import type { Authorizer } from './authz/authorizer.js';
import { Client, type ClientBackend, type ClientOptions, type ClientRequest } from './client/index.js';
import type { CallAuditing } from './client/backend.js';
import { checkKubeConfigOptions, kubeConfigOf, type KubeConfigOptions } from './client/kube-config.js';
import type { ControllerName } from './controllers/controller-table.js';
import type { Simulation } from './controllers/simulation/simulation.js';
import type { ConversionFunction } from './custom/webhook-converter.js';
import type { Clock, Entropy, UserInfo } from './meta/index.js';
import { encodeUtf8 } from './encoding/utf8.js';
import { keepAlive } from './meta/keep-alive.js';
import type { Dialect } from './names/index.js';
import type { InProcessWebhook } from './admission/webhook/webhook-definition.js';
import type { FindCredentials, ResolveService } from './outbound/webhook-client.js';
import type { AdmissionPlugin } from './registry/admission.js';
import type { ResourceDefinition } from './registry/definition.js';
import { preparation } from './registry/preparation.js';
import { openLog } from './server/connections.js';
import { Deadlines } from './server/deadline.js';
import type { NodeHandlers, PodHandlers, ServiceHandlers } from './server/connect/handlers.js';
import type { FeatureGateName } from './server/feature-gates.js';
import type { GenericServer, ServerLimits } from './server/generic-server.js';
import type { Release } from './server/release.js';
import type { Handler, WebSocketHandler } from './server/http.js';
import type { Logger } from './meta/logger.js';
import type { VersionOptions } from './server/version.js';
import { claimStore, type Storage } from './storage/index.js';

/** Options of the calls of webhooks. The option `httpClient` sends them. */
export interface WebhookCallOptions {
  /**
   * Returns the URL at which a webhook's service is reached. Default `https://<name>.<namespace>.svc:<port>`.
   *
   * @throws Error when the service does not exist; clients see the message
   */
  readonly resolveService?: ResolveService | undefined;
  /** Returns the credentials that the server presents to a webhook. Default none. */
  readonly credentials?: FindCredentials | undefined;
}

export { migrateStore, type DefinitionMigration } from './assembly/migration.js';

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
  /** Admission plugins that run after the built-in ones, and webhooks that are functions of the process. */
  readonly admission?: readonly (AdmissionPlugin | InProcessWebhook)[] | undefined;
  /** Calls of webhooks that API objects configure. */
  readonly webhooks?: WebhookCallOptions | undefined;
  /** The audit log: which requests are recorded, and where their events go. Default none. */
  readonly audit?: AuditOptions | undefined;
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
   * Release whose API versions are served and whose deprecations warn; default `1.31`. Behaviour, feature gates and the
   * body of `/version` remain those of release 1.31.
   */
  readonly release?: Release | undefined;
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
   * What pods answer where Kubernetes asks their node: `log`, `exec`, `attach`, `portForward` and `proxy`. Without a
   * handler the server refuses the request with 501.
   */
  readonly pods?: PodHandlers | undefined;
  /** What nodes answer: `proxy`. */
  readonly nodes?: NodeHandlers | undefined;
  /** Build information in `/version`. */
  readonly version?: VersionOptions | undefined;
}

/** Revision of a store without any write. */
const NEW_STORE_REVISION = 1;

/**
 * A resource API server. Transports send requests to {@link ApiServer.handle}; the process that created the server uses
 * {@link ApiServer.client}. The server opens no socket: `listen` of `orch-apiserver/node` does.
 */
export class ApiServer {
  readonly #assembly: Assembly;
  /** URLs of the server's listeners. */
  readonly #listeners = new Set<string>();
  /** Client of the operation subresources; acts as the owner. */
  #operationClient: Client | undefined;
  /** Deadlines of the in-process clients' requests. */
  #deadlines: Deadlines | undefined;
  #resources: ServerResources | undefined;
  #starting: Promise<void> | undefined;
  #started = false;
  /** The part that the start is waiting for. */
  #awaited = '';
  #closing: Promise<void> | undefined;

  /** @throws TypeError | Error for invalid or contradictory options; the message names the option */
  constructor(options: ApiServerOptions = {}) {
    this.#assembly = assemble(options, {
      ready: () => this.ready(),
      client: () => (this.#operationClient ??= new Client(this.#backend(this.#prepare, false))),
      address: () => discoveryAddress(this.#listeners),
    });
  }

  /** The dialect of this server. */
  get dialect(): Dialect {
    return this.#assembly.server.dialect;
  }

  /** The kinds that the program declares; kinds can be added and removed while the server runs. */
  get resources(): ServerResources {
    return (this.#resources ??= new ServerResources(this.#assembly.parts.catalogue));
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
   * @returns a function that removes the URL; call it when the listener closes
   */
  readonly listening = (url: string): (() => void) => {
    this.#listeners.add(url);
    return () => void this.#listeners.delete(url);
  };

  /**
   * Returns a typed in-process client: it uses no socket and encodes nothing. By default it acts as the owner, in
   * `system:masters`.
   */
  client(options: ClientOptions = {}): Client {
    return new Client(this.#backend(this.#prepare), options);
  }

  /** Waits for what a kind needs before a call. */
  readonly #prepare = (definition: ResourceDefinition, verb: string): Promise<void> | undefined =>
    this.#assembly.server.options.prepare(definition, verb);

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
    if (this.#started) return undefined;
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
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
   * from `status.storedVersions`. Requests are served meanwhile. docs/versions.md describes when it is needed.
   *
   * @returns the result of each definition
   * @throws StorageError when the storage fails; the reason of `signal`
   */
  async migrate(options: MigrationOptions = {}): Promise<DefinitionMigration[]> {
    await this.ready();
    return migrateDefinitions(this.#assembly.parts, options);
  }

  /** Resolves when no controller has work left. */
  async settled(): Promise<void> {
    await this.ready();
    await this.#assembly.controllers.settled();
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
  close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const { controllers, custom, policies, webhooks, authorization, authentication, certificates, server, parts } =
      this.#assembly;
    const { audit } = this.#assembly;
    const { closeTimeoutMs: limitMs, requestTimeoutMs } = server.options.limits;
    if (graceMs > 0) await server.answered(graceMs);
    await closeInOrder(server.clock, [
      {
        name: () => `the start of the server, which waits for ${this.#awaited},`,
        limitMs,
        // A failed start leaves nothing to close.
        close: () => this.#starting?.catch(() => undefined),
      },
      { name: 'the controllers', limitMs, close: () => controllers.stop() },
      { name: 'custom resource definitions', limitMs, close: () => custom.stop() },
      { name: 'admission policies', limitMs, close: () => policies.stop() },
      { name: 'admission webhooks', limitMs, close: () => webhooks.stop() },
      { name: 'authorization', limitMs, close: () => authorization?.close() },
      { name: 'authentication', limitMs, close: () => authentication.close() },
      { name: 'the issuing of certificates', limitMs, close: () => certificates.close() },
      { name: 'the requests in flight', limitMs: requestTimeoutMs + limitMs, close: () => server.shutdown() },
      { name: 'the audit log', limitMs, close: () => audit?.close() },
      { name: 'the allocation of services', limitMs, close: () => parts.serviceAllocation.stop() },
      { name: 'the storage', limitMs, close: () => server.storage.close() },
    ]);
  }

  /** Calls {@link ApiServer.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { parts, controllers, custom, policies, webhooks, audit, authorization, authentication } = this.#assembly;
    const { storage, dialect, catalogue, entropy, limits } = parts;
    // The store of an earlier run may have objects that these controllers work for.
    if ((await this.#await('the storage', storage.currentRevision())) > NEW_STORE_REVISION)
      controllers.wake(...DEFERRED_CONTROLLERS.filter((name) => name !== 'customresourcedefinition'));
    const claim = claimStore(storage, { dialect: dialect.name, continueKey: parts.continueKey });
    const { continueKey } = await this.#await('the storage', claim);
    catalogue.environment.continueTokens.useKey(encodeUtf8(continueKey));
    await this.#await('the storage', ensureSystemNamespaces(catalogue, entropy));
    const found = (): void => controllers.wake('customresourcedefinition');
    await this.#await('custom resource definitions', custom.start(found));
    await this.#await('admission policies', Promise.all([policies.start(), webhooks.start()]));
    await this.#await('authorization', authorization?.start());
    await this.#await('authentication', authentication.start());
    await this.#await('the audit log', audit?.start());
    this.#started = true;
    // Not before: a server must be able to start on a full store.
    catalogue.environment.memory.limitObjectsText(limits.objectsTextBytes);
    // The client of the controllers does not wait for authorization.
    controllers.start(new Client(this.#backend(preparation), { fieldManager: 'controller-manager' }));
  }

  /** Waits for a part of the start. @throws Error when the server was closed in the meantime */
  async #await<Value>(part: string, work: Promise<Value> | Value): Promise<Value> {
    this.#awaited = part;
    const value = await work;
    if (this.#assembly.server.shutdownSignal.aborted) throw new Error('the server was closed while it started');
    return value;
  }

  /**
   * @param prepare waits for what a kind needs before a call
   * @param isAudited false for calls that are a part of another request
   */
  #backend(
    prepare: (definition: ResourceDefinition, verb: string) => Promise<void> | undefined,
    isAudited = true,
  ): ClientBackend {
    const { server, parts, audit } = this.#assembly;
    const deadlines = (this.#deadlines ??= new Deadlines(server.clock, server.options.limits.requestTimeoutMs));
    return {
      started: (definition, verb) =>
        this.ready()?.then(() => prepare(definition(), verb)) ?? prepare(definition(), verb),
      operationsOf: (definition) => server.operationsOf(definition),
      operationsOfKind: (reference) => server.operationsOfKind(reference),
      owner: parts.owner.user,
      dialect: server.dialect,
      bounded: (answer) => deadlines.bound(answer),
      openLog: (request) => openLog(server, request),
      keepAlive: () => keepAlive(server.clock),
      auditing: audit === undefined || !isAudited ? undefined : callAuditing(audit, parts),
      authorize: (request, recorded) => server.authorize(attributesOf(requestInfoOf(request), request.user), recorded),
      context: (user, fieldManager, warn, signal, recorded) =>
        server.context(user, fieldManager, warn, signal, recorded),
    };
  }
}

/** Returns the address that discovery gives to clients, `host:port`. Without a listener the port is unknown. */
function discoveryAddress(listeners: ReadonlySet<string>): string {
  const urls = [...listeners];
  const url = urls.find((candidate) => candidate.startsWith('https:')) ?? urls[0];
  return url === undefined ? 'localhost' : url.slice(url.indexOf('//') + 2);
}

/** Returns the audit log of calls in the process. Such a call has no address. */
function callAuditing({ auditor }: Audit, { clock, entropy }: ServerParts): CallAuditing {
  return {
    begin(request, { requestUri, userAgent }) {
      const attributes = attributesOf(requestInfoOf(request), request.user);
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

function requestInfoOf(request: ClientRequest): Parameters<typeof attributesOf>[0] {
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
 * Returns the namespace that a request is authorized in. It is empty for cluster-scoped kinds, except for a request on
 * one namespace: its path makes that namespace the request's namespace. A list or watch has none, even if it selects a
 * name.
 */
function namespaceOf({ operations, verb, namespace, name }: ClientRequest): string {
  const { info } = operations.store;
  if (info.namespaced) return namespace;
  return info.resource === 'namespaces' && verb !== 'list' && verb !== 'watch' ? name : '';
}
