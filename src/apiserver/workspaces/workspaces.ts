import {
  checkKubeConfigOptions,
  IN_PROCESS_URL,
  kubeConfigOf,
  type Client,
  type ClientOptions,
  type KubeConfigOptions,
} from '../../client/index.js';
import {
  chosenDialect,
  consoleLogger,
  encodeHex,
  orch,
  safeLogger,
  shareTurn,
  systemClock,
  systemEntropy,
  type Clock,
  type Entropy,
  type Logger,
} from '../../foundation/index.js';
import { CronJob, Job } from '../../kinds/index.js';
import { storageKeyPrefix } from '../../registry/index.js';
import { HealthChecks, type ServerLimits } from '../../server/index.js';
import {
  partPrefix,
  claimStore,
  createMemoryStorage,
  MemoryBudget,
  SharedMemory,
  type Storage,
} from '../../storage/index.js';
import type { TransportTarget } from '../../transport/index.js';
import type { ApiServer } from '../api-server.js';
import { Directory, noWorkspace, type WorkspaceEntry } from './directory.js';
import { workspacesTarget } from './handling.js';
import {
  checkQuota,
  checkWorkspacesOptions,
  defaultQuota,
  storeLimits,
  type CompleteQuota,
  type WorkspaceQuota,
  type WorkspacesOptions,
} from './options.js';
import { removeKeys } from './removal.js';
import { loadWorkspace } from './resident.js';
import { Residents } from './residents.js';
import { Seats } from './seats.js';
import { Templates } from './template.js';
import { workspacePath } from './workspace-request.js';

/** Information about a workspace. */
export interface WorkspaceInfo {
  readonly name: string;
  /** Random; a workspace that is created again with the same name has another one. */
  readonly id: string;
  /** Limits of its own; others are the default ones. */
  readonly quota: WorkspaceQuota;
  /** Whether its server is in memory. */
  readonly isLoaded: boolean;
  /** Whether its keys are being removed. Such a workspace does not answer any more. */
  readonly isDeleted: boolean;
}

/** A workspace that stays in memory until it is closed. */
export interface OpenWorkspace {
  /** Its server. {@link close} gives it back; do not close the server itself. */
  readonly server: ApiServer;
  /** Returns a typed client in the process, by default one that acts as the owner of the workspace. */
  client(options?: ClientOptions): Client;
  /** Lets the workspace be unloaded again. */
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Creates separate servers that share one store and one port. Each has its own objects, kinds, users, keys and limits below
 * `/clusters/<name>`, and takes memory only while it is used. Transports serve them as they serve one server:
 * `listen(workspaces)`.
 *
 * @throws TypeError that names an invalid option
 */
export function createWorkspaces(options: WorkspacesOptions = {}): Workspaces {
  return new Workspaces(options);
}

/** Names are DNS labels, as those of kcp. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Kinds whose controllers wait for times: a workspace with such objects is loaded at the start. */
const TIMED = [CronJob, Job];

/** Separate servers that share one store and one port; see {@link createWorkspaces}. */
export class Workspaces {
  readonly #options: WorkspacesOptions;
  readonly #clock: Clock;
  readonly #entropy: Entropy;
  readonly #logger: Logger;
  readonly #storage: Storage;
  readonly #directory: Directory;
  readonly #templates: Templates;
  readonly #residents: Residents;
  readonly #quota: CompleteQuota;
  readonly #storeLimits: ServerLimits;
  /** The memory of the store. */
  readonly #budget: MemoryBudget;
  readonly #urls = new Set<string>();
  readonly #removals = new Map<string, Promise<void>>();
  #starting: Promise<void> | undefined;
  #started = false;
  #closed = false;

  /** The functions that transports call. */
  readonly target: TransportTarget;

  constructor(options: WorkspacesOptions) {
    checkWorkspacesOptions(options);
    const { clock = systemClock, entropy = systemEntropy, server = {}, quota = {} } = options;
    this.#options = options;
    this.#clock = clock;
    this.#entropy = entropy;
    this.#logger = safeLogger(server.observability?.logger ?? consoleLogger);
    this.#quota = completed(quota, defaultQuota);
    this.#storeLimits = storeLimits(options);
    const memory = new SharedMemory(this.#storeLimits.memoryBytes);
    this.#budget = new MemoryBudget(this.#storeLimits);
    this.#budget.share(memory);
    this.#storage = options.storage ?? createMemoryStorage({ clock });
    this.#storage.shareBudget?.(this.#budget);
    this.#directory = new Directory(this.#storage, clock, (name, entry) => this.#changed(name, entry));
    this.#templates = new Templates(this.#storage);
    const quotaOf = (entry: WorkspaceEntry): CompleteQuota => this.#quotaOf(entry);
    const shared = {
      ...{ storage: this.#storage, directory: this.#directory, templates: this.#templates, options: server },
      memory,
      ...{ dialect: chosenDialect(server.dialect ?? orch), clock, entropy, url: options.url, quotaOf },
    };
    const { unloadAfter = '5m', maxLoaded = 500 } = options;
    this.#residents = new Residents((entry) => loadWorkspace(shared, entry), { clock, unloadAfter, maxLoaded });
    const health = new HealthChecks({ clock });
    health.add({ name: 'storage', check: () => this.#storage.ping() });
    this.target = workspacesTarget({
      ...{ residents: this.#residents, seats: new Seats(options.maxInFlight ?? 400), health, logger: this.#logger },
      ready: () => this.ready(),
      find: (name) => this.#find(name),
      listening: (url) => this.#listening(url),
      quotaOf,
    });
  }

  /**
   * Reads the directory, and continues deletions that an earlier process did not finish. All other methods call it.
   *
   * @returns undefined when that has been done
   * @throws UnusableStoreError when the store belongs to another dialect; StorageError when the storage fails
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
   * Creates a workspace, which is one small record. Its first request creates the server.
   *
   * @param name a DNS label: lower-case letters, digits and hyphens, at most 63
   * @param options.quota limits of its own
   * @throws TypeError for an invalid name or quota; ApiError 409 when the name is taken, also by a workspace that is being
   *   deleted; StorageError
   */
  async create(name: string, options: { readonly quota?: WorkspaceQuota | undefined } = {}): Promise<WorkspaceInfo> {
    if (typeof name !== 'string' || !NAME.test(name))
      throw new TypeError(
        `the name of a workspace has lower-case letters, digits and hyphens, at most 63, got ${JSON.stringify(name)}`,
      );
    const { quota = {} } = options;
    checkQuota('create', quota);
    await this.ready();
    const id = encodeHex(this.#entropy.bytes(16));
    const token = encodeHex(this.#entropy.bytes(32));
    const facts = { id, token, template: this.#templates.current.id, quota, isDeleted: false };
    return this.#info(await this.#directory.add(name, facts));
  }

  /** Returns a workspace; undefined when there is none. @throws StorageError when the directory cannot be read */
  async get(name: string): Promise<WorkspaceInfo | undefined> {
    await this.ready();
    const entry = this.#directory.get(name);
    return entry && this.#info(entry);
  }

  /** Returns all workspaces, by name. @throws StorageError when the directory cannot be read */
  async list(): Promise<WorkspaceInfo[]> {
    await this.ready();
    const all = [...this.#directory.entries].map((entry) => this.#info(entry));
    return all.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /**
   * Replaces the limits of a workspace. That of watches applies when it is next loaded.
   *
   * @throws TypeError for an invalid quota; ApiError 404; StorageError
   */
  async setQuota(name: string, quota: WorkspaceQuota): Promise<WorkspaceInfo> {
    checkQuota('setQuota', quota);
    await this.ready();
    const entry = await this.#directory.change(name, { quota });
    if (entry.isDeleted) throw noWorkspace(name);
    return this.#info(entry);
  }

  /**
   * Deletes a workspace: it stops answering at once, in all processes, and then its keys are removed. Afterwards, the name
   * can be used again, for a workspace that has nothing of this one.
   *
   * @throws ApiError 404; StorageError when the storage fails: the next start continues
   */
  async delete(name: string): Promise<void> {
    await this.ready();
    const entry = await this.#directory.change(name, { isDeleted: true });
    await this.#remove(entry);
  }

  /**
   * Loads a workspace and keeps it in memory until the result is closed.
   *
   * @throws ApiError 404; StorageError | Error when it cannot be loaded
   */
  async open(name: string): Promise<OpenWorkspace> {
    await this.ready();
    const entry = this.#find(name);
    if (entry === undefined) throw noWorkspace(name);
    const { resident, end } = await this.#residents.use(entry);
    return {
      server: resident.server,
      client: (options) => resident.server.client(options),
      close: end,
      [Symbol.dispose]: end,
    };
  }

  /**
   * Returns a kubeconfig (YAML) with which tools reach a workspace as its owner.
   *
   * @param options URL of a listener, by default the option `url`, or else that of the first listener; and the authority of
   *   its certificate
   * @throws ApiError 404
   */
  async kubeConfigOf(name: string, options: KubeConfigOptions = {}): Promise<string> {
    checkKubeConfigOptions(options);
    await this.ready();
    const entry = this.#find(name);
    if (entry === undefined) throw noWorkspace(name);
    const base = options.server ?? this.#options.url ?? [...this.#urls][0] ?? IN_PROCESS_URL;
    const server = base.replace(/\/+$/, '') + workspacePath(name);
    return kubeConfigOf({ token: entry.token, name, ...options, server });
  }

  /** Ends all servers, and closes the storage. @throws the first failure, after everything else is closed */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting?.catch(() => undefined);
    this.#directory.close();
    await Promise.allSettled(this.#removals.values());
    try {
      await this.#residents.close();
      await this.#templates.close();
      await this.#options.server?.observability?.audit?.log?.output.close?.();
    } finally {
      await this.#storage.close();
    }
  }

  /** Calls {@link Workspaces.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #start(): Promise<void> {
    const { dialect = orch } = this.#options.server ?? {};
    const continueKey = encodeHex(this.#entropy.bytes(32));
    await claimStore(this.#storage, { dialect: chosenDialect(dialect).name, continueKey });
    await this.#templates.start(this.#options.server ?? {}, this.#clock, this.#entropy);
    await this.#directory.start();
    // Not before: workspaces must be able to start on a full store.
    this.#budget.limitObjectsText(this.#storeLimits.objectsTextBytes);
    this.#started = true;
    this.#loadTimed().catch((error: unknown) =>
      this.#logger.error('workspaces with work that is due later cannot be loaded', { error }),
    );
  }

  /** Loads the workspaces with objects whose controllers wait for times; these controllers keep them loaded. */
  async #loadTimed(): Promise<void> {
    for (const entry of [...this.#directory.entries]) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      if (this.#closed) return;
      if (this.#find(entry.name)?.id === entry.id && (await this.#hasTimed(entry)))
        (await this.#residents.use(entry)).end();
    }
  }

  async #hasTimed({ id }: WorkspaceEntry): Promise<boolean> {
    for (const kind of TIMED) {
      const { records } = await this.#storage.list(partPrefix(id) + storageKeyPrefix(kind), { limit: 1 });
      if (records.length > 0) return true;
    }
    return false;
  }

  /** Returns a workspace that answers. */
  #find(name: string): WorkspaceEntry | undefined {
    const entry = this.#directory.get(name);
    return entry?.isDeleted === true ? undefined : entry;
  }

  #quotaOf({ quota }: WorkspaceEntry): CompleteQuota {
    return completed(quota, this.#quota);
  }

  /** Follows the directory: another process, or an earlier one, may have deleted a workspace. */
  #changed(_name: string, entry: WorkspaceEntry | undefined): void {
    if (entry?.isDeleted === true)
      this.#remove(entry).catch((error: unknown) =>
        this.#logger.error('the keys of a deleted workspace cannot be removed yet', { workspace: entry.name, error }),
      );
  }

  #remove(entry: WorkspaceEntry): Promise<void> {
    let removal = this.#removals.get(entry.id);
    if (removal === undefined) {
      removal = this.#removeAll(entry).finally(() => this.#removals.delete(entry.id));
      this.#removals.set(entry.id, removal);
    }
    return removal;
  }

  async #removeAll(entry: WorkspaceEntry): Promise<void> {
    await this.#residents
      .evict(entry.id)
      .catch((error: unknown) =>
        this.#logger.error('the server of a deleted workspace has failed to end', { workspace: entry.name, error }),
      );
    await removeKeys(this.#storage, `${partPrefix(entry.id)}/`);
    await this.#directory.remove(entry);
  }

  #info({ name, id, quota, isDeleted }: WorkspaceEntry): WorkspaceInfo {
    return { name, id, quota, isLoaded: this.#residents.has(id), isDeleted };
  }

  #listening(url: string): () => void {
    this.#urls.add(url);
    return () => void this.#urls.delete(url);
  }
}

/** Returns a quota with all limits. */
function completed(quota: WorkspaceQuota, rest: CompleteQuota): CompleteQuota {
  return {
    objects: quota.objects ?? rest.objects,
    bytes: quota.bytes ?? rest.bytes,
    kinds: quota.kinds ?? rest.kinds,
    requests: quota.requests ?? rest.requests,
    watches: quota.watches ?? rest.watches,
  };
}
