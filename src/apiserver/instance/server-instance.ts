import type { Client } from '../../client/index.js';
import type { AdvertisedListener } from '../../controllers/index.js';
import { encodeUtf8, shareTurn, type Dialect } from '../../foundation/index.js';
import { ensureSystemNamespaces, ensureSystemPriorityClasses } from '../../kinds/index.js';
import { servedResources, type OperationClient, type ResourceDefinition } from '../../registry/index.js';
import { Deadlines } from '../../server/index.js';
import { claimStore, type StorageCondition } from '../../storage/index.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { apiServerListeners, deferredControllers } from '../controllers/controller-table.js';
import type { ServerSnapshot } from '../storage/server-snapshot.js';
import { assemble } from './assemble.js';
import type { Assembly } from './assembly.js';
import { closeInOrder } from './close-in-order.js';

/** Deferred controllers that may have work in the store of an earlier run. Others wait for something that happens. */
const STORED_WORK = deferredControllers.filter(
  (name) => name !== 'customresourcedefinition' && !apiServerListeners.includes(name),
);

/** The parts that an instance uses of the server that it belongs to. */
export interface InstanceHost {
  /** A client that acts as the owner. */
  readonly client: () => OperationClient;
  /**
   * Returns a client of the controllers, which does not wait for authorization.
   *
   * @param condition condition of the storage under which the client writes
   */
  readonly controllerClient: (dialect: Dialect, condition?: StorageCondition) => Client;
  /** Address that discovery gives to clients, `host:port`. */
  readonly address: () => string;
  /** Returns the listener that is advertised; undefined while there is none. */
  readonly listener: () => AdvertisedListener | undefined;
}

/** How an instance closes. */
interface CloseOptions {
  /** Time that requests in flight have to finish before anything is closed, in milliseconds. */
  readonly graceMs?: number | undefined;
  /** Time after that over which the ends of watches are spread, in milliseconds. */
  readonly watchGraceMs?: number | undefined;
  /** Whether the storage stays open, for another instance. */
  readonly keepStorage?: boolean | undefined;
}

/** Revision of a store without any write. */
const NEW_STORE_REVISION = 1;

/**
 * An assembled server with its start and its end. A server has one, which it replaces when it goes back to a snapshot.
 */
export class ServerInstance {
  readonly assembly: Assembly;
  /** The state that it began with; undefined for a server that reads its store. */
  readonly #origin: ServerSnapshot | undefined;
  readonly #host: InstanceHost;
  #starting: Promise<void> | undefined;
  #started = false;
  /** Whether the controllers were asked to start. */
  #controllersWanted: boolean;
  /** The part that the start is waiting for. */
  #awaited = '';
  #closing: Promise<void> | undefined;
  #deadlines: Deadlines | undefined;

  /** @throws TypeError | Error for invalid or contradictory options; the message names the option */
  constructor(options: ApiServerOptions, host: InstanceHost, origin?: ServerSnapshot) {
    this.#host = host;
    this.#origin = origin;
    this.#controllersWanted = origin === undefined;
    this.assembly = assemble(
      options,
      {
        ready: () => this.ready(),
        client: host.client,
        controllerClient: host.controllerClient,
        address: host.address,
        listener: host.listener,
        writing: () => this.startControllers(),
      },
      origin,
    );
    const { storage, catalogue } = this.assembly.server;
    options.interceptor?.attach?.({
      storage,
      served: () => servedResources(catalogue),
      halt: () => this.halt(),
    });
  }

  /** Waits for what a kind needs before a call with a verb; undefined when it is ready. */
  prepare(definition: ResourceDefinition, verb: string, namespace?: string): Promise<void> | undefined {
    return this.assembly.server.options.prepare(definition, verb, namespace);
  }

  /** Bounds the wait for the answer to an in-process request. @throws ApiError 504 after the request timeout */
  bounded<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { server } = this.assembly;
    this.#deadlines ??= new Deadlines({
      clock: server.clock,
      limitMs: server.options.limits.requestTimeoutMs,
      keepsAlive: true,
    });
    return this.#deadlines.bound(answer);
  }

  /** Tells the controllers that a listener has come or gone. */
  listenersChanged(): void {
    const { listeners, controllers } = this.assembly;
    listeners.changed((...names) => controllers.wake(...names));
  }

  /** Starts the background work; see `ApiServer.ready`. */
  ready(): Promise<void> | undefined {
    if (this.#started) return undefined;
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  /**
   * Starts the controllers, once the server has started. Those of a server that began with a snapshot wait for this
   * call: many tests only read.
   */
  startControllers(): void {
    if (this.#controllersWanted) return;
    this.#controllersWanted = true;
    if (this.#started) this.#runControllers();
  }

  /** Resolves when no controller has work left. */
  async settled(): Promise<void> {
    this.startControllers();
    await this.ready();
    await this.assembly.controllers.settled();
  }

  /**
   * Closes the parts; see `ApiServer.close`. Further calls wait for the first.
   *
   * @param options.keepStorage whether the storage stays open, for another instance
   */
  close({ graceMs = 0, watchGraceMs = 0, keepStorage = false }: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs, watchGraceMs, keepStorage);
    return this.#closing;
  }

  /** Ends all work at once, as when the process dies. The storage stays open, and closing continues in the background. */
  halt(): void {
    // The step of the controllers would come later, and they would report that their requests fail.
    void this.assembly.controllers.stop(false).catch(() => undefined);
    this.assembly.agreement?.halt();
    // Whoever closes the instance learns of a failure.
    this.close({ keepStorage: true }).catch(() => undefined);
  }

  async #close(graceMs: number, watchGraceMs: number, keepStorage: boolean): Promise<void> {
    const { controllers, custom, policies, webhooks, builtinAdmission, authorization, authentication } = this.assembly;
    const { aggregation, certificates, audit, fairness, page, server, parts, agreement } = this.assembly;
    const { closeTimeoutMs: limitMs, requestTimeoutMs } = server.options.limits;
    if (graceMs > 0 || watchGraceMs > 0) {
      // Other servers take over at once, not when the last request has been answered.
      controllers.stop().catch(() => undefined);
      await server.answered(graceMs);
      await server.endWatches(watchGraceMs);
    }
    await closeInOrder(server.clock, [
      {
        name: () => `the start of the server, which waits for ${this.#awaited},`,
        limitMs,
        // A failed start leaves nothing to close.
        close: () => this.#starting?.catch(() => undefined),
      },
      { name: 'the controllers', limitMs, close: () => controllers.stop() },
      { name: 'custom resource definitions', limitMs, close: () => custom.stop() },
      { name: 'the page', limitMs, close: () => page.stop() },
      { name: 'admission policies', limitMs, close: () => policies.stop() },
      { name: 'admission webhooks', limitMs, close: () => webhooks.stop() },
      { name: 'the API groups of other servers', limitMs, close: () => aggregation.stop() },
      { name: 'admission plugins', limitMs, close: () => builtinAdmission.stop() },
      { name: 'authorization', limitMs, close: () => authorization?.close() },
      { name: 'authentication', limitMs, close: () => authentication.close() },
      { name: 'the issuing of certificates', limitMs, close: () => certificates.close() },
      { name: 'the requests in flight', limitMs: requestTimeoutMs + limitMs, close: () => server.shutdown() },
      { name: 'priority and fairness', limitMs, close: () => fairness?.stop() },
      { name: 'the audit log', limitMs, close: () => audit?.close() },
      { name: 'the allocation of services', limitMs, close: () => parts.serviceAllocation.stop() },
      { name: 'the agreement of the servers', limitMs, close: () => agreement?.leave() },
      { name: 'the storage', limitMs, close: () => (keepStorage ? undefined : server.storage.close()) },
    ]);
  }

  async #start(): Promise<void> {
    const { parts, controllers, custom, policies, webhooks, builtinAdmission, authorization, authentication } =
      this.assembly;
    const { aggregation, audit, fairness, agreement } = this.assembly;
    const { storage, dialect, catalogue, entropy, limits } = parts;
    await this.#await('tracing', this.assembly.server.options.tracing?.start());
    if (this.#origin !== undefined) controllers.wake(...this.#origin.wokenControllers);
    // The store of an earlier run may have objects that these controllers work for.
    else if ((await this.#await('the storage', storage.currentRevision())) > NEW_STORE_REVISION)
      controllers.wake(...STORED_WORK);
    const claim = claimStore(storage, { dialect: dialect.name, continueKey: parts.continueKey });
    const { continueKey } = await this.#await('the storage', claim);
    catalogue.environment.continueTokens.useKey(encodeUtf8(continueKey));
    await this.#await('the agreement of the servers', agreement?.join());
    await this.#await('the storage', ensureSystemNamespaces(catalogue, entropy));
    const found = (): void => controllers.wake('customresourcedefinition');
    await this.#await('custom resource definitions', custom.start(found));
    if (builtinAdmission.runs('Priority'))
      await this.#await('the storage', ensureSystemPriorityClasses(catalogue, entropy));
    await this.#await(
      'admission policies',
      Promise.all([policies.start(), webhooks.start(), builtinAdmission.start()]),
    );
    await this.#await('API services', aggregation.start());
    await this.#await('authorization', authorization?.start());
    await this.#await('authentication', authentication.start());
    await this.#await('the audit log', audit?.start());
    await this.#await('flow schemas and priority levels', fairness?.start());
    this.#started = true;
    // Not before: a server must be able to start on a full store.
    catalogue.environment.memory.limitObjectsText(limits.objectsTextBytes);
    if (this.#controllersWanted) this.#runControllers();
  }

  #runControllers(): void {
    const { controllers, parts } = this.assembly;
    const client = (condition?: StorageCondition): Client => this.#host.controllerClient(parts.dialect, condition);
    controllers.start(client(), client);
  }

  /** Waits for a part of the start. @throws Error when the server was closed in the meantime */
  async #await<Value>(part: string, work: Promise<Value> | Value): Promise<Value> {
    this.#awaited = part;
    const value = await work;
    // With an engine in the process, nothing else would leave the turn of the event loop to other work.
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    if (this.assembly.server.shutdownSignal.aborted) throw new Error('the server was closed while it started');
    return value;
  }
}
