import type { ExplainAccessOptions } from './assembly/access.js';
import { checkExplain, checkRecording } from './assembly/access-checks.js';
import { assemble, REQUEST_CONTROLLERS, type Assembly } from './assembly/assemble.js';
import type { AuthenticationOptions } from './assembly/authentication.js';
import type { AuthorizationOptions } from './assembly/authorization-options.js';
import type { CertificateOptions } from './assembly/certificates.js';
import { endInTurn } from './assembly/end-in-turn.js';
import { keyBytes } from './assembly/server-parts.js';
import { ensureSystemNamespaces } from './assembly/system-namespaces.js';
import type { AccessExplanation, AccessRecording, RecordingOptions } from './authz/explain/index.js';
import { attributesOf } from './authz/attributes.js';
import type { Authorizer } from './authz/authorizer.js';
import { Client, type ClientBackend, type ClientOptions, type ClientRequest } from './client/index.js';
import { checkKubeConfigOptions, kubeConfigOf, type KubeConfigOptions } from './client/kube-config.js';
import type { ControllerName } from './controllers/controllers.js';
import type { Clock, Entropy, UserInfo } from './meta/index.js';
import { keepAlive } from './meta/keep-alive.js';
import type { Dialect } from './names/index.js';
import type { AdmissionPlugin } from './registry/admission.js';
import type { ResourceDefinition } from './registry/definition.js';
import { Deadlines } from './server/deadline.js';
import type { FeatureGateName } from './server/feature-gates.js';
import type { GenericServer, ServerLimits } from './server/generic-server.js';
import type { Handler, WebSocketHandler } from './server/http.js';
import type { Logger } from './meta/logger.js';
import type { VersionOptions } from './server/version.js';
import { claimStore, type Storage } from './storage/index.js';

/** How a server is set up. Everything has a default: `new ApiServer()` is a complete server in memory. */
export interface ApiServerOptions extends AuthenticationOptions {
  /** Names that the API spells; default `orch`. Existing clients need `kubernetes`. */
  readonly dialect?: Dialect | 'orch' | 'kubernetes' | undefined;
  /** Kinds besides the built-in ones. */
  readonly resources?: readonly ResourceDefinition[] | undefined;
  /** Where objects are kept; default in memory. The server closes it. */
  readonly storage?: Storage | undefined;
  /**
   * Who may do what, by the platform's own ways. Default `{ modes: ['RBAC'] }`: roles and bindings, with those that every server
   * has. Members of `system:masters` may do everything.
   */
  readonly authorization?: AuthorizationOptions | undefined;
  /** Who may do what, in place of all that; not together with `authorization`. */
  readonly authorizer?: Authorizer | undefined;
  /** Further stages of admission, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Controllers that run only when they are named: `tokencleaner`, `bootstrapsigner`. */
  readonly enabledControllers?: readonly ControllerName[] | undefined;
  /** Controllers that do not run. */
  readonly disabledControllers?: readonly ControllerName[] | undefined;
  /** Authority of the certificate by which clients reach the server, PEM; published to every namespace. Asked for at each use. */
  readonly rootCertificateAuthority?: (() => string | undefined) | undefined;
  /** Certificates that are requested of the platform's own signers. */
  readonly certificates?: CertificateOptions | undefined;
  /** `{ WatchList: true }`, or as the flag has it, `WatchList=true`. */
  readonly featureGates?: string | Partial<Record<FeatureGateName | 'AllAlpha' | 'AllBeta', boolean>> | undefined;
  /** Versions that are on or off besides the usual ones: `api/alpha=true,group/version=false`. Groups and versions must be ones that the server has. */
  readonly runtimeConfig?: string | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Time from the start during which what is still being set up does not fail `/livez`, in milliseconds; default 0. */
  readonly livezGracePeriodMs?: number | undefined;
  /** Token of the process that owns the server, as {@link ApiServer.kubeConfig} has it; default a new one. Whoever has it may do everything. */
  readonly ownerToken?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly entropy?: Entropy | undefined;
  /** What goes on in the server. Default: failures, among them what hooks and plugins throw, on `console.error`. */
  readonly logger?: Logger | undefined;
  readonly version?: VersionOptions | undefined;
}

/** Revision of a store that nothing was written to. */
const NEW_STORE_REVISION = 1;

/**
 * A resource API server. It serves requests through {@link ApiServer.handle} to any transport, and the process that made it
 * through {@link ApiServer.client}. It opens no socket of its own: `listen` of `orch-apiserver/node` does.
 */
export class ApiServer {
  readonly #assembly: Assembly;
  /** URLs of the listeners that serve it. */
  readonly #listeners = new Set<string>();
  /** Reaches the server as its owner, for operations. */
  #operationClient: Client | undefined;
  /** Deadlines of requests in the process. */
  #deadlines: Deadlines | undefined;
  #starting: Promise<void> | undefined;
  #started = false;
  /** The part that the start waits for. */
  #awaited = '';
  #closing: Promise<void> | undefined;

  /** @throws TypeError | Error for options that contradict themselves, with the option's name */
  constructor(options: ApiServerOptions = {}) {
    this.#assembly = assemble(options, {
      ready: () => this.ready(),
      client: () => (this.#operationClient ??= this.client()),
      address: () => discoveryAddress(this.#listeners),
    });
  }

  /** The names that this server spells. */
  get dialect(): Dialect {
    return this.#assembly.server.dialect;
  }

  /** Answers a request; what every transport calls. Never rejects. */
  readonly handle: Handler = (request) => this.#assembly.server.handle(request);

  /** Answers a request to watch over WebSocket. Never rejects. */
  readonly handleWebSocket: WebSocketHandler = (request) => this.#assembly.server.handleWebSocket(request);

  /**
   * Says where clients reach this server. Discovery gives them the address (`serverAddressByClientCIDRs`): that of a listener
   * with TLS, if there is one. `listen` calls it.
   *
   * @param url `https://127.0.0.1:6443` and the like
   * @returns takes it back, when the listener closes
   */
  readonly listening = (url: string): (() => void) => {
    this.#listeners.add(url);
    return () => void this.#listeners.delete(url);
  };

  /** The typed client of this process: no socket, no bytes. Without a user it acts as the owner, in `system:masters`. */
  client(options: ClientOptions = {}): Client {
    return new Client(
      this.#backend((definition) => this.#assembly.authorization?.rbac.prepare(definition)),
      options,
    );
  }

  /**
   * A kubeconfig (YAML) by which command-line tools and client libraries reach this server as its owner.
   *
   * @param options where the server is reached: the URL of a listener, and the authority of its certificate
   */
  kubeConfig(options: KubeConfigOptions = {}): string {
    checkKubeConfigOptions(options);
    return kubeConfigOf({ token: this.#assembly.parts.owner.token, name: this.dialect.product, ...options });
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
    checkExplain(user, verb, resource, options);
    await this.ready();
    return this.#assembly.access.explain(user, verb, resource, options);
  }

  /**
   * Records what users ask for from now on, until it is stopped, and makes the roles that are just enough for it.
   *
   * @param user whose requests; default everybody's. Requests of the process itself, without a user, are not asked about
   */
  recordAccess(user?: UserInfo | string, options?: RecordingOptions): AccessRecording {
    checkRecording(user, options);
    return this.#assembly.access.record(user, options);
  }

  /** Resolves when no controller has work left. */
  async settled(): Promise<void> {
    await this.ready();
    await this.#assembly.controllers.settled();
  }

  /** Checks of `/readyz` and the like may be added here. */
  get health(): GenericServer['health'] {
    return this.#assembly.server.health;
  }

  /**
   * Fails readiness, ends watches and controllers, and closes the storage, whatever fails on the way. A part that does not end in
   * time (`limits.closeTimeoutMs`) is left behind. Further calls wait for the first.
   *
   * @param options.graceMs milliseconds in which requests in flight get their answers before anything is closed; a watch is answered
   *   when it begins. Default 0
   * @throws the failure, or an error that names the part that hangs, once everything else is closed; an AggregateError for several
   */
  close({ graceMs = 0 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    const { controllers, authorization, authentication, certificates, server } = this.#assembly;
    const { closeTimeoutMs: limitMs, requestTimeoutMs } = server.options.limits;
    if (graceMs > 0) await server.answered(graceMs);
    await endInTurn(server.clock, [
      {
        name: () => `the start of the server, which waits for ${this.#awaited},`,
        limitMs,
        // A start that failed has nothing to end.
        end: () => this.#starting?.catch(() => undefined),
      },
      { name: 'the controllers', limitMs, end: () => controllers.stop() },
      { name: 'authorization', limitMs, end: () => authorization?.close() },
      { name: 'authentication', limitMs, end: () => authentication.close() },
      { name: 'the issuing of certificates', limitMs, end: () => certificates.close() },
      { name: 'the requests in flight', limitMs: requestTimeoutMs + limitMs, end: () => server.shutdown() },
      { name: 'the storage', limitMs, end: () => server.storage.close() },
    ]);
  }

  /** {@link ApiServer.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { parts, controllers, authorization, authentication } = this.#assembly;
    const { storage, dialect, catalogue, entropy } = parts;
    // Objects of an earlier run may have owners; a new store has none.
    if ((await this.#await('the storage', storage.currentRevision())) > NEW_STORE_REVISION)
      controllers.wake('garbage-collector', 'clusterrole-aggregation', ...REQUEST_CONTROLLERS);
    const claim = claimStore(storage, { dialect: dialect.name, continueKey: parts.continueKey });
    const { continueKey } = await this.#await('the storage', claim);
    catalogue.environment.continueTokens.useKey(keyBytes(continueKey));
    await this.#await('the storage', ensureSystemNamespaces(catalogue, entropy));
    await this.#await('authorization', authorization?.start());
    await this.#await('authentication', authentication.start());
    this.#started = true;
    // Controllers take kinds as they are, and wait for nothing.
    controllers.start(
      new Client(
        this.#backend(() => undefined),
        { fieldManager: 'controller-manager' },
      ),
    );
  }

  /** Waits for a part of the start. @throws Error when the server was closed meanwhile */
  async #await<Value>(part: string, work: Promise<Value> | Value): Promise<Value> {
    this.#awaited = part;
    const value = await work;
    if (this.#assembly.server.shutdownSignal.aborted) throw new Error('the server was closed while it started');
    return value;
  }

  /** @param prepare waits for what a kind needs before its first request */
  #backend(prepare: (definition: ResourceDefinition) => Promise<void> | undefined): ClientBackend {
    const { server, parts } = this.#assembly;
    const deadlines = (this.#deadlines ??= new Deadlines(server.clock, server.options.limits.requestTimeoutMs));
    return {
      started: (definition) => this.ready()?.then(() => prepare(definition)) ?? prepare(definition),
      operationsOf: (definition) => server.operationsOf(definition),
      owner: parts.owner.user,
      dialect: server.dialect,
      bounded: (answer) => deadlines.bound(answer),
      keepAlive: () => keepAlive(server.clock),
      authorize: (request) => server.authorize(attributesOf(requestFacts(request), request.user)),
      context: (user, fieldManager, warn, signal) => server.context(user, fieldManager, warn, signal),
    };
  }
}

/** The address that discovery gives to clients, `host:port`. Without a listener nobody knows the port. */
function discoveryAddress(listeners: ReadonlySet<string>): string {
  const urls = [...listeners];
  const url = urls.find((candidate) => candidate.startsWith('https:')) ?? urls[0];
  return url === undefined ? 'localhost' : url.slice(url.indexOf('//') + 2);
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
