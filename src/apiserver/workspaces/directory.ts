import {
  errors,
  isJsonObject,
  ownMember,
  parsedJson,
  stringOrEmpty,
  type Clock,
  type JsonObject,
} from '../../foundation/index.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StorageRecord,
  type StorageWatch,
  type StorageWatchEnd,
} from '../../storage/index.js';
import { DIRECTORY } from './keys.js';
import type { WorkspaceQuota } from './options.js';

/** The facts about a workspace that its record holds. */
export interface WorkspaceFacts {
  /** Random; a workspace that is created again has another one. The keys of its objects contain it. */
  readonly id: string;
  /** Id of the template with its default objects. */
  readonly template: string;
  /** Token of its owner. */
  readonly token: string;
  /** Its own limits; for others, the default quota applies. */
  readonly quota: WorkspaceQuota;
  readonly isDeleted: boolean;
}

/** A workspace in the directory. */
export interface WorkspaceEntry extends WorkspaceFacts {
  readonly name: string;
  /** Revision of its record. */
  readonly revision: Revision;
}

/** Number of records that are read at a time. */
const PAGE = 500;

/** Time after which a directory whose watch failed is read again, in milliseconds. */
const RETRY_MS = 1000;

const WORKSPACES = { group: '', resource: 'workspaces' };

/** The workspaces by name: records of the store, followed in memory. Several processes may change them. */
export class Directory {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #entries = new Map<string, WorkspaceEntry>();
  readonly #changed: (name: string, entry: WorkspaceEntry | undefined) => void;
  #watch: StorageWatch | undefined;
  #closed = false;

  /** @param changed called for each workspace that is added or changed, and with undefined for one that is gone */
  constructor(storage: Storage, clock: Clock, changed: (name: string, entry: WorkspaceEntry | undefined) => void) {
    this.#storage = storage;
    this.#clock = clock;
    this.#changed = changed;
  }

  get entries(): Iterable<WorkspaceEntry> {
    return this.#entries.values();
  }

  get(name: string): WorkspaceEntry | undefined {
    return this.#entries.get(name);
  }

  /** Reads the directory, and follows it. @throws StorageError when the storage fails */
  async start(): Promise<void> {
    const seen = new Set<string>();
    let page = await this.#storage.list(DIRECTORY, { limit: PAGE });
    const { revision } = page;
    for (;;) {
      for (const record of page.records) {
        seen.add(nameOf(record.key));
        this.#take(record);
      }
      const after = page.records.at(-1)?.key;
      if (page.remaining === 0 || after === undefined) break;
      page = await this.#storage.list(DIRECTORY, { limit: PAGE, after, revision });
    }
    for (const { name, revision: known } of [...this.#entries.values()])
      if (!seen.has(name) && known <= revision) this.#drop(name);
    if (this.#closed) return;
    this.#watch = this.#storage.watch(DIRECTORY, revision, {
      events: (events) => events.forEach((event) => this.#apply(event)),
      progress: () => undefined,
      end: (reason) => this.#ended(reason),
    });
  }

  /** Adds a workspace. @throws ApiError 409 when the name is taken; StorageError when the storage fails */
  async add(name: string, facts: WorkspaceFacts): Promise<WorkspaceEntry> {
    try {
      return this.#take(await this.#storage.create(keyOf(name), encoderOf(name, facts)));
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'KeyExists') throw error;
      const isDeleted = error.current !== undefined && entryOf(error.current).isDeleted;
      throw errors.alreadyExists(WORKSPACES, name, isDeleted);
    }
  }

  /**
   * Changes a workspace, unless it is deleted.
   *
   * @throws ApiError 404 when it does not exist; StorageError when the storage fails
   */
  async change(name: string, change: Partial<WorkspaceFacts>): Promise<WorkspaceEntry> {
    for (;;) {
      const { record } = await this.#storage.get(keyOf(name));
      const current = record && this.#take(record);
      if (record === undefined || current === undefined) throw noWorkspace(name);
      if (current.isDeleted) return current;
      try {
        const encode = encoderOf(name, { ...current, ...change });
        return this.#take(await this.#storage.update(record.key, encode, record.modRevision));
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== 'Conflict') throw error;
      }
    }
  }

  /**
   * Reads the current record of a workspace, which the watch may not have delivered yet.
   *
   * @throws StorageError when the storage fails
   */
  async current(name: string): Promise<WorkspaceEntry | undefined> {
    const { record } = await this.#storage.get(keyOf(name));
    return record && this.#take(record);
  }

  /** Removes a deleted workspace, unless another process already has. @throws StorageError when the storage fails */
  async remove({ name, id }: WorkspaceEntry): Promise<void> {
    for (;;) {
      const { record } = await this.#storage.get(keyOf(name));
      if (record === undefined || entryOf(record).id !== id) break;
      try {
        await this.#storage.delete(record.key, () => record.text, record.modRevision);
        break;
      } catch (error) {
        // Another process has changed or removed it meanwhile, or has the name for a new one.
        if (!(error instanceof StorageError) || !['KeyNotFound', 'Conflict'].includes(error.code)) throw error;
      }
    }
    if (this.#entries.get(name)?.id === id) this.#drop(name);
  }

  close(): void {
    this.#closed = true;
    this.#watch?.stop();
  }

  #apply({ type, key, record }: StorageEvent): void {
    const name = nameOf(key);
    if (type !== 'delete') this.#take(record);
    else if ((this.#entries.get(name)?.revision ?? 0) <= record.modRevision) this.#drop(name);
  }

  #take(record: StorageRecord): WorkspaceEntry {
    const entry = entryOf(record);
    const known = this.#entries.get(entry.name);
    if (known !== undefined && known.revision >= entry.revision) return known;
    this.#entries.set(entry.name, entry);
    this.#changed(entry.name, entry);
    return entry;
  }

  #drop(name: string): void {
    if (this.#entries.delete(name)) this.#changed(name, undefined);
  }

  #ended(reason: StorageWatchEnd): void {
    if (this.#closed || reason.kind === 'closed') return;
    this.start().catch(() => this.#clock.after(RETRY_MS, () => this.#ended(reason)));
  }
}

/** The error for a name without a workspace. */
export const noWorkspace = (name: string): Error => errors.notFound(WORKSPACES, name);

/** Returns the key of the record of a workspace. */
export const keyOf = (name: string): string => DIRECTORY + name;

const nameOf = (key: string): string => key.slice(DIRECTORY.length);

function encoderOf(name: string, { id, template, token, quota, isDeleted }: WorkspaceFacts) {
  return (revision: Revision): string =>
    JSON.stringify({
      kind: 'Workspace',
      apiVersion: 'internal/v1',
      metadata: { name, resourceVersion: String(revision) },
      ...{ id, template, token, quota, isDeleted },
    });
}

/** Reads a record of the directory. @throws Error when it cannot be read */
function entryOf({ key, text, modRevision }: StorageRecord): WorkspaceEntry {
  const value = parsedJson(text);
  if (!isJsonObject(value)) throw new Error(`the record of the workspace ${nameOf(key)} cannot be read`);
  return {
    name: nameOf(key),
    id: stringOrEmpty(value['id']),
    template: stringOrEmpty(value['template']),
    token: stringOrEmpty(value['token']),
    quota: isJsonObject(value['quota']) ? quotaOf(value['quota']) : NO_QUOTA,
    isDeleted: value['isDeleted'] === true,
    revision: modRevision,
  };
}

/** Most workspaces have no limits of their own. */
const NO_QUOTA: WorkspaceQuota = Object.freeze({});

function quotaOf(value: JsonObject): WorkspaceQuota {
  const limits = LIMITS.flatMap((name) => {
    const limit = ownMember(value, name);
    return typeof limit === 'number' ? [[name, limit] as const] : [];
  });
  return limits.length === 0 ? NO_QUOTA : Object.fromEntries(limits);
}

const LIMITS = [
  'objects',
  'bytes',
  'kinds',
  'requests',
  'watches',
] as const satisfies readonly (keyof WorkspaceQuota)[];
