/**
 * A workspace in memory: its server, on its part of the store.
 *
 * @module
 */
import { encodeHex, type Clock, type Dialect, type Entropy } from '../../foundation/index.js';
import { CustomResourceDefinition } from '../../kinds/index.js';
import { storageKeyPrefix } from '../../registry/index.js';
import { defaultIssuer } from '../../security/index.js';
import {
  layeredStorage,
  limitedStorage,
  partitionOf,
  partPrefix,
  StoreUsage,
  decorateStorage,
  StorageError,
  type SharedMemory,
  type Storage,
  type StorageWriteOptions,
} from '../../storage/index.js';
import { ApiServer } from '../api-server.js';
import type { ControllerName } from '../controllers/controller-names.js';
import { controllersByNeed } from '../controllers/controller-table.js';
import type { AuditOptions } from '../observability/audit.js';
import { keyOf, type Directory, type WorkspaceEntry } from './directory.js';
import { workspaceLimits, type CompleteQuota, type WorkspaceServerOptions } from './options.js';
import type { Templates } from './template.js';
import { workspacePath } from './workspace-request.js';

/** The parts that all workspaces share. */
export interface ResidentParts {
  readonly storage: Storage;
  readonly directory: Directory;
  readonly templates: Templates;
  readonly options: WorkspaceServerOptions;
  /** The memory of the store and of all loaded workspaces. */
  readonly memory: SharedMemory;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** URL at which clients reach the workspaces; undefined when it is not known. */
  readonly url: string | undefined;
  quotaOf(entry: WorkspaceEntry): CompleteQuota;
}

/** A workspace in memory. */
export interface Resident {
  readonly server: ApiServer;
  readonly usage: StoreUsage;
}

/**
 * Loads a workspace: a server that begins with the state of its template, on a part of the store. Resolves when it
 * serves.
 *
 * @throws StorageError | Error when the store cannot be read
 */
export async function loadWorkspace(parts: ResidentParts, entry: WorkspaceEntry): Promise<Resident> {
  const { templates, entropy, quotaOf } = parts;
  const { snapshot, id: currentTemplate } = templates.current;
  const base = await templates.base(entry.template);
  const part = partitionOf(fencedStorage(parts, entry), partPrefix(entry.id));
  const usage = new StoreUsage(part);
  await usage.start();
  const definitions = storageKeyPrefix(CustomResourceDefinition);
  const limited = limitedStorage(part, usage, () => {
    const { objects, bytes, kinds } = quotaOf(parts.directory.get(entry.name) ?? entry);
    return { objects, bytes, collections: new Map([[definitions, { max: kinds, name: 'kinds' }]]) };
  });
  const storage = layeredStorage(limited, base);
  const server = new ApiServer(serverOptions(parts, entry), {
    ...snapshot,
    ...{ storage, isOwnStorage: true, ownerToken: entry.token, continueKey: encodeHex(entropy.bytes(32)) },
    sharedMemory: parts.memory,
    wokenControllers: neededControllers(usage),
    hasDefaultPolicy: snapshot.hasDefaultPolicy && entry.template === currentTemplate,
  });
  try {
    await server.ready();
  } catch (error) {
    usage.stop();
    // The caller gets the first failure.
    await server.close().catch(() => undefined);
    throw error;
  }
  // Unfinished work continues; the controllers of a workspace without objects wait for its first write.
  if (usage.objects > 0) server.settled().catch(() => undefined);
  return { server, usage };
}

/** Returns the controllers of the kinds that have objects. */
function neededControllers(usage: StoreUsage): ControllerName[] {
  const names = new Set<ControllerName>();
  if (usage.hasOwners) names.add('garbage-collector');
  for (const [definition, needed] of controllersByNeed())
    if (usage.objectsOf(storageKeyPrefix(definition)) > 0) for (const name of needed) names.add(name);
  return [...names];
}

/** Returns the options of the server of a workspace: its identity, its limits, and its name in the audit log. */
function serverOptions(parts: ResidentParts, entry: WorkspaceEntry) {
  const { options, clock, entropy, dialect } = parts;
  const { authentication, limits, observability } = options;
  const { watches } = parts.quotaOf(entry);
  // A name can be used again; the signing key of another workspace is another one in any case.
  const issuer =
    parts.url === undefined ? `${defaultIssuer(dialect)}/clusters/${entry.id}` : parts.url + workspacePath(entry.name);
  return {
    ...options,
    ...{ clock, entropy },
    authentication: {
      ...authentication,
      serviceAccounts: { ...authentication?.serviceAccounts, issuers: [issuer] },
    },
    limits: { ...workspaceLimits(limits), watches: { ...limits?.watches, max: watches } },
    observability: {
      ...observability,
      audit: observability?.audit && auditOf(observability.audit, entry.name, dialect),
    },
  };
}

/** Returns the audit log of a workspace. Its output stays open when the workspace is unloaded. */
function auditOf(audit: AuditOptions, name: string, dialect: Dialect): AuditOptions {
  const output = audit.log?.output;
  return {
    ...audit,
    annotations: { ...audit.annotations, [`workspace.${dialect.groupSuffix}/name`]: name },
    log: audit.log && output && { ...audit.log, output: { write: (lines) => output.write(lines) } },
  };
}

/**
 * Returns the store, which refuses writes as soon as any process has deleted the workspace: otherwise a late write would
 * leave a key behind.
 */
function fencedStorage({ storage, directory }: ResidentParts, { name, id, revision }: WorkspaceEntry): Storage {
  let known = revision;
  const key = keyOf(name);
  const fenced = async <Written>(
    options: StorageWriteOptions | undefined,
    write: (options: StorageWriteOptions) => Promise<Written>,
  ): Promise<Written> => {
    // A condition is on another key of the workspace, which is deleted with it.
    if (options?.while !== undefined) return write(options);
    for (;;) {
      const at = known;
      try {
        return await write({ ...options, while: { key, modRevision: at } });
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== 'Fenced') throw error;
        // Its quota may have changed.
        const current = await directory.current(name);
        if (current === undefined || current.id !== id || current.isDeleted || current.revision === at)
          throw new StorageError('Unavailable', { message: `the workspace ${name} is deleted`, cause: error });
        known = current.revision;
      }
    }
  };
  return decorateStorage(storage, {
    create: (at, encode, options) => fenced(options, (held) => storage.create(at, encode, held)),
    update: (at, encode, modRevision, options) =>
      fenced(options, (held) => storage.update(at, encode, modRevision, held)),
    delete: (at, encode, modRevision, options) =>
      fenced(options, (held) => storage.delete(at, encode, modRevision, held)),
  });
}
