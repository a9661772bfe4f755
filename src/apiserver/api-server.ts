import {
  checkKubeConfigOptions,
  Client,
  InProcessBackend,
  kubeConfigOf,
  type CallAuditing,
  type ClientBackend,
  type ClientOptions,
  type KubeConfigOptions,
} from '../client/index.js';
import type { AdvertisedListener } from '../controllers/index.js';
import {
  aDuration,
  checkOptions,
  durationMs,
  definedOnly,
  errors,
  keepAlive,
  loading,
  systemClock,
  type Clock,
  type Dialect,
  type UserInfo,
  type Duration,
} from '../foundation/index.js';
import { once } from '../kinds/index.js';
import { preparation, type ResourceDefinition } from '../registry/index.js';
import {
  attributesOf,
  type AccessExplanation,
  type AccessRecording,
  type Auditor,
  type RecordingOptions,
} from '../security/index.js';
import {
  handshakeErrors,
  Interception,
  openLog,
  openPodStreams,
  openProxied,
  type GenericServer,
  type HealthChecks,
  type RequestOrigin,
} from '../server/index.js';
import type { Storage, StorageCondition } from '../storage/index.js';
import type { ServerTarget } from '../transport/index.js';
import { OneTimeCodes, type PageHost } from '../ui/index.js';
import type { SigningKeyRotation, SigningKeyRotationOptions } from './agreement/rotate-key.js';
import { checkExplain, checkRecording } from './access/access-checks.js';
import type { ExplainAccessOptions } from './access/access.js';
import { apiServerListeners } from './controllers/controller-table.js';
import type { BusyController } from './controllers/controllers.js';
import { migrateDefinitions, type DefinitionMigration, type MigrationOptions } from './custom-resources/migration.js';
import type { Assembly } from './instance/assembly.js';
import { infoOfCall } from './instance/info-of-call.js';
import { ServerInstance } from './instance/server-instance.js';
import { OWNER } from './instance/server-parts.js';
import { ServerResources } from './instance/server-resources.js';
import { pageProvidersOf } from './authentication/page-provider.js';
import type { ApiServerOptions, ForkOptions } from './options/api-server-options.js';
import type { ServerSnapshot } from './storage/server-snapshot.js';

export type { BusyController } from './controllers/controllers.js';
export type { ServerSnapshot } from './storage/server-snapshot.js';
export { migrateStore, type DefinitionMigration } from './custom-resources/migration.js';

/**
 * A resource API server. Transports serve it: `listen(server)` of `orch-apiserver/node`, `toFetchHandler(server)` of
 * `orch-apiserver/fetch`, and those for Express, Fastify and Hono. The process that created the server uses
 * {@link ApiServer.client}. The server itself opens no socket.
 */
export class ApiServer {
  readonly #options: ApiServerOptions;
  /** Replaced when the server goes back to a snapshot. */
  #instance: ServerInstance;
  /** The instances that are being replaced. */
  readonly #former = new Set<Promise<void>>();
  /** Addresses and host names of the server's listeners, by URL. */
  readonly #listeners = new Map<string, Omit<AdvertisedListener, 'url'>>();
  #resources: ServerResources | undefined;
  readonly #pageCodes = new OneTimeCodes();
  #servesPage = false;
  /** Whether the page sends commands of a test server. */
  #takesCommands = false;
  #closed = false;
  /** Aborts when everything is closed, with the error that clients in the process get from then on. */
  readonly #ended = new AbortController();

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

  /** The functions that transports call. It stays the same object when the server is restored or restarted. */
  readonly target: ServerTarget = Object.freeze({
    handle: (request) => this.#assembly.server.handle(request),
    handleWebSocket: (request) => this.#assembly.server.handleWebSocket(request),
    listening: (url, addresses = [], hostname) => this.#listening(url, { addresses, hostname }),
    handshakeFailed: () => handshakeErrors(this.#assembly.server.metrics).add(),
    page: this.#pageHost(),
  } satisfies ServerTarget);

  /**
   * Returns a typed in-process client: it uses no socket and encodes nothing. By default it acts as the owner, in
   * `system:masters`.
   */
  client(options: ClientOptions = {}): Client {
    const instance = (): ServerInstance => this.#instance;
    return new Client(
      this.#backend('client', instance, (...asked) => instance().prepare(...asked)),
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
   * Returns a link that opens the page for people as the owner of the server. It can be used once, within five minutes.
   *
   * @param url URL of a listener that serves the page, and its prefix
   */
  pageLink(url: string): string {
    const { clock, entropy } = this.#assembly.parts;
    return `${url.replace(/\/+$/, '')}/ui/#${this.#pageCodes.make(clock, entropy)}`;
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

  /**
   * Exchanges the signing key of service account tokens that the server made. All servers of the store follow without a
   * restart: they accept the new key at once, sign with it when `signAfter` has passed, and accept tokens of the former key
   * until they expire or `overlap` ends.
   *
   * @throws TypeError when the options contain the signing key; UnusableStoreError when a server of the store cannot
   *   follow, or the key is being exchanged already; StorageError when the storage fails
   */
  async rotateSigningKey(options: SigningKeyRotationOptions = {}): Promise<SigningKeyRotation> {
    checkOptions('rotateSigningKey', options, { signAfter: aDuration, overlap: aDuration });
    await this.ready();
    const { parts, authentication } = this.#assembly;
    const { stored } = await authentication.serviceAccounts.tokens();
    if (stored === undefined)
      throw new TypeError(
        'rotateSigningKey: the option authentication.serviceAccounts.signingKey contains the key of this server: replace it there',
      );
    const { rotateStoredKey } = await loading(import('./agreement/rotate-key.js'));
    return rotateStoredKey(parts.storage, stored, options);
  }

  /**
   * Revokes the owner token of a server of this store, on all its servers at once and for ever. A server whose token was
   * revoked goes on without one; it refuses to start with it again.
   *
   * @param token token of the option `authentication.ownerToken`, or of a kubeconfig
   * @throws TypeError when no other process uses the store; StorageError when the storage fails
   */
  async revokeOwnerToken(token: string): Promise<void> {
    const { storage } = this.#assembly.parts;
    if (storage.isShared !== true)
      throw new TypeError(
        'revokeOwnerToken: no other server uses the store: create the server with another authentication.ownerToken',
      );
    await this.ready();
    const { revokeOwnerToken } = await loading(import('./agreement/owner-token-record.js'));
    await revokeOwnerToken(storage, token);
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
   * Goes back to a snapshot. The server stays the same object: its clients and its listeners answer from
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
    const closing = former.close();
    this.#former.add(closing);
    try {
      await closing;
    } finally {
      this.#former.delete(closing);
    }
  }

  /**
   * Starts again on the same storage, as when the process of the server restarts: watches end, requests in flight are
   * aborted, and what only memory held is gone, such as kinds and health checks that were added while it ran. The server
   * stays the same object: its clients and its listeners answer again when the promise resolves.
   *
   * @param options parts that replace the current ones; default the same clock and randomness
   * @throws Error when the server is closed; as {@link close} and {@link ready} do
   */
  async restart(options: ForkOptions = {}): Promise<void> {
    if (this.#closed) throw new Error('the server is closed and cannot restart: start another one');
    const former = this.#instance;
    const { clock, entropy, engine, owner } = former.assembly.parts;
    const own = withOwner({ ...this.#optionsWith({ clock, entropy }, options), storage: engine }, owner.token);
    const closing = former.close({ keepStorage: true });
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
  get health(): HealthChecks {
    return this.#assembly.server.health;
  }

  /**
   * Closes the server: readiness fails, watches and controllers end, and the storage closes. A failure does not stop
   * the sequence, and a part that does not end in time (`limits.closeTimeout`) is abandoned. Further calls wait for
   * the first.
   *
   * @param options.grace time that requests in flight have to finish before anything is closed; a
   *   watch counts as answered when it begins. Default 0
   * @param options.watchGrace time after that over which watches end, a few at a time, so that their clients do not all
   *   resume at one moment: `--shutdown-watch-termination-grace-period`. Default 0
   * @throws the failure, or an error that names the part that hangs, after everything else is closed; an AggregateError
   *   for several
   */
  async close(
    options: { readonly grace?: Duration | undefined; readonly watchGrace?: Duration | undefined } = {},
  ): Promise<void> {
    checkOptions('close', options, { grace: aDuration, watchGrace: aDuration });
    this.#closed = true;
    await Promise.all([...this.#former]);
    const { grace = 0, watchGrace = 0 } = options;
    try {
      await this.#instance.close({ graceMs: durationMs(grace), watchGraceMs: durationMs(watchGrace) });
    } finally {
      this.#ended.abort(errors.serviceUnavailable('the server is closed'));
    }
  }

  /** Calls {@link ApiServer.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #pageHost(): PageHost {
    return {
      serve: (takesCommands) => {
        this.#servesPage = true;
        this.#takesCommands ||= takesCommands;
        return this.#assembly.page.serve(this.#takesCommands);
      },
      redeem: (code) => {
        const { clock, owner } = this.#assembly.parts;
        return this.#pageCodes.redeem(code, clock.now()) ? owner.token : undefined;
      },
      clock: () => this.#assembly.parts.clock,
      randomBytes: (length) => this.#assembly.parts.entropy.bytes(length),
      catalogue: () => this.#assembly.parts.catalogue,
      providers: () => pageProvidersOf(this.#options, this.#assembly.authentication.issuers),
    };
  }

  /** Registers a listener; see {@link ServerTarget.listening}. */
  #listening(url: string, host: Omit<AdvertisedListener, 'url'>): () => void {
    this.#listeners.set(url, host);
    this.#instance.listenersChanged();
    return () => {
      if (this.#listeners.delete(url)) this.#instance.listenersChanged();
    };
  }

  /** Returns the listener that is advertised: the first one with TLS, or else the first one. */
  #advertised(): AdvertisedListener | undefined {
    const urls = [...this.#listeners.keys()];
    const url = urls.find((candidate) => candidate.startsWith('https:')) ?? urls[0];
    return url === undefined ? undefined : { url, addresses: [], ...this.#listeners.get(url) };
  }

  #newInstance(options: ApiServerOptions, snapshot: ServerSnapshot | undefined): ServerInstance {
    const own = snapshot === undefined ? options : withStateOf(snapshot, options);
    const backend = (via: RequestOrigin, prepare: Prepare, condition?: StorageCondition): ClientBackend =>
      this.#backend(via, () => instance, prepare, condition);
    const instance: ServerInstance = new ServerInstance(
      own,
      {
        // They must not reach the instance that replaces this one.
        client: once(() => new Client(backend('server', (...asked) => instance.prepare(...asked)))),
        controllerClient: ({ controllerManagerName: fieldManager }, condition) =>
          new Client(backend('controllers', preparation, condition), { fieldManager }),
        address: () => discoveryAddress(this.#advertised()),
        listener: () => this.#advertised(),
      },
      snapshot,
    );
    if (this.#listeners.size > 0) instance.listenersChanged();
    if (this.#servesPage) void instance.assembly.page.serve(this.#takesCommands);
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
   * @param condition condition of the storage under which the calls write
   */
  #backend(
    via: RequestOrigin,
    instance: () => ServerInstance,
    prepare: Prepare,
    condition?: StorageCondition,
  ): ClientBackend {
    const { interceptor } = this.#options;
    const server = (): GenericServer => instance().assembly.server;
    return new InProcessBackend({
      started: (definition, verb, namespace) =>
        instance()
          .ready()
          ?.then(() => prepare(definition(), verb, namespace)) ?? prepare(definition(), verb, namespace),
      operationsOf: (definition) => server().operationsOf(definition),
      operationsOfKind: (reference) => server().operationsOfKind(reference),
      // Clients of the server itself end with the instance that made them.
      closed: via === 'client' ? this.#ended.signal : undefined,
      owner: OWNER,
      dialect: this.dialect,
      clock: () => server().clock,
      bounded: (answer) => instance().bounded(answer),
      openLog: (request) => openLog(server(), request),
      openStreams: (request) => openPodStreams(server(), request),
      openProxy: (request) => openProxied(server(), request),
      keepAlive: () => keepAlive(server().clock),
      // The steps of another request are a part of it.
      auditing:
        this.#options.observability?.audit === undefined || via === 'server' ? undefined : callAuditing(instance),
      authorize: (request, audit) => server().authorize(attributesOf(infoOfCall(request), request.user), audit),
      intercept: interceptor === undefined ? undefined : (requestOf) => new Interception(interceptor, requestOf(via)),
      opened: via === 'client' ? interceptor?.opened : undefined,
      context: (user, userAgent, warn, signal, { audit, span, written, whileWaiting, webhookTimes } = {}) => {
        const work = server().works.beginInProcess(signal, via === 'server');
        // An object literal, since each copy of an object with one more member would make a hidden class.
        const followers = { audit, span, written, whileWaiting, webhookTimes, work, while: condition };
        return server().context(user, userAgent, warn, signal, followers);
      },
    });
  }
}

/** Waits for what a kind needs before a call with a verb. */
type Prepare = (definition: ResourceDefinition, verb: string, namespace?: string) => Promise<void> | undefined;

/** Returns options with the storage and the owner's token of a snapshot. */
function withStateOf(snapshot: ServerSnapshot, options: ApiServerOptions): ApiServerOptions {
  const { storage, isOwnStorage = false, ownerToken } = snapshot;
  return withOwner(
    { ...options, storage: isOwnStorage ? storage : forkOf(storage, options.clock ?? systemClock) },
    ownerToken,
  );
}

/** Returns options with the token of an owner. */
const withOwner = (options: ApiServerOptions, ownerToken: string): ApiServerOptions => ({
  ...options,
  authentication: { ...options.authentication, ownerToken },
});

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
