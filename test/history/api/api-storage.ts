import {
  StorageError,
  type StorageListOptions,
  type StoragePage,
  type StorageReadOptions,
  type StorageRecord,
  type StorageWatch,
  type StorageWatchSink,
  type ValueEncoder,
} from '../../../src/storage/storage.js';
import type { AskedStorage } from '../driver/run.js';
import { encoding } from '../driver/values.js';
import { UNSHOWN } from '../history.js';
import type { Answer, ApiCalls } from './api-calls.js';

/** The kind of the objects that hold the values. Nothing but the clients writes such objects. */
const TYPE = { apiVersion: 'v1', kind: 'Secret' } as const;
const RESOURCE = 'secrets';
const PREFIX = '/registry/';
/** Words of a refusal that says that nothing was written. */
const NO_EFFECT = 'it has not taken effect';

interface ApiObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

interface ApiList {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ApiObject[];
}

/** The parts of an {@link ApiStorage}. */
export interface ApiStorageParts {
  readonly calls: ApiCalls;
  /** Drops the history of the store below a revision, which the API cannot ask for. */
  readonly compact: (revision: number) => Promise<void>;
  /** The continue tokens of lists, which are valid on all servers of the store. */
  readonly continueTokens: Map<string, string>;
}

/**
 * The objects of an API server as a storage, so that the clients of the history checker ask the server over HTTP. Keys are
 * `/registry/NAMESPACE/NAME`. The API shows neither the revision at which an object was created, nor that of a get or a
 * delete, nor the version before an event.
 */
export class ApiStorage implements AskedStorage {
  readonly #parts: ApiStorageParts;
  #gets = 0;

  constructor(parts: ApiStorageParts) {
    this.#parts = parts;
  }

  async create(key: string, encode: ValueEncoder): Promise<StorageRecord> {
    return this.#write(key, 'POST', pathOf(namespaceOf(key)), objectOf(key, encode));
  }

  async update(key: string, encode: ValueEncoder, modRevision: number): Promise<StorageRecord> {
    return this.#write(key, 'PUT', objectPath(key), objectOf(key, encode, modRevision));
  }

  async delete(key: string, encode: ValueEncoder, modRevision: number): Promise<StorageRecord> {
    const preconditions = { resourceVersion: String(modRevision) };
    const answer = await this.#parts.calls.ask('DELETE', objectPath(key), { preconditions });
    if (answer.status === 200)
      return { key, text: encode(modRevision), modRevision: UNSHOWN, createRevision: UNSHOWN, decoded: undefined };
    return this.#refuse(key, 'DELETE', answer);
  }

  /** Reads an object, each second time as a list of one, whose answer names its revision. */
  async get(
    key: string,
    { notOlderThan }: StorageReadOptions = {},
  ): Promise<{ readonly record: StorageRecord | undefined; readonly revision: number }> {
    if (notOlderThan === undefined && (this.#gets += 1) % 2 === 0)
      return { record: await this.#object(key), revision: UNSHOWN };
    const field = new URLSearchParams({ fieldSelector: `metadata.name=${nameOf(key)}`, ...atLeast(notOlderThan) });
    const { items, metadata } = await this.#listed(namespaceOf(key), field);
    const [found] = items;
    return { record: found && recordOf(found), revision: Number(metadata.resourceVersion) };
  }

  async list(prefix: string, options: StorageListOptions = {}): Promise<StoragePage> {
    const { revision, notOlderThan, limit, after } = options;
    const query = new URLSearchParams(atLeast(notOlderThan));
    if (limit !== undefined) query.set('limit', String(limit));
    if (after !== undefined)
      query.set('continue', this.#parts.continueTokens.get(pageName(prefix, revision, after)) ?? '');
    else if (revision !== undefined) {
      query.set('resourceVersion', String(revision));
      query.set('resourceVersionMatch', 'Exact');
    }
    const { items, metadata } = await this.#listed(namespaceOf(prefix), query);
    const records = items.map(recordOf);
    const at = Number(metadata.resourceVersion);
    const last = records.at(-1)?.key;
    if (metadata.continue !== undefined && last !== undefined)
      this.#parts.continueTokens.set(pageName(prefix, at, last), metadata.continue);
    return { records, revision: at, remaining: metadata.remainingItemCount ?? 0 };
  }

  watch(prefix: string, fromRevision: number, sink: StorageWatchSink): StorageWatch {
    const query = new URLSearchParams({
      ...{ watch: '1', allowWatchBookmarks: 'true', timeoutSeconds: '3600' },
      resourceVersion: String(fromRevision),
    });
    let reason: 'compacted' | 'failed' | undefined;
    const stop = this.#parts.calls.follow(`${pathOf(namespaceOf(prefix))}?${query.toString()}`, {
      line: (line) => {
        const { type, object } = JSON.parse(line) as { type: string; object: ApiObject & { code?: number } };
        if (type === 'ERROR') reason = object.code === 410 ? 'compacted' : 'failed';
        else deliver(sink, type, object);
      },
      end: (status) => {
        if (reason === 'compacted' || status === 410) sink.end({ kind: 'compacted', compactRevision: 0 });
        else if (reason === 'failed' || status !== 200) sink.end({ kind: 'failed', error: new Error(String(status)) });
        else sink.end({ kind: 'closed' });
      },
    });
    // Bookmarks come by themselves.
    return { stop, requestProgress: () => undefined };
  }

  async currentRevision(): Promise<number> {
    const { metadata } = await this.#listed(undefined, new URLSearchParams({ limit: '1' }));
    return Number(metadata.resourceVersion);
  }

  async ping(): Promise<void> {
    await this.currentRevision();
  }

  compact(revision: number): Promise<void> {
    return this.#parts.compact(revision);
  }

  async #write(key: string, method: string, path: string, object: object): Promise<StorageRecord> {
    const answer = await this.#parts.calls.ask(method, path, object);
    if (answer.status === 200 || answer.status === 201) return recordOf(JSON.parse(answer.text) as ApiObject);
    return this.#refuse(key, method, answer);
  }

  async #object(key: string): Promise<StorageRecord | undefined> {
    const answer = await this.#parts.calls.ask('GET', objectPath(key));
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw failure(answer);
    return recordOf(JSON.parse(answer.text) as ApiObject);
  }

  async #listed(namespace: string | undefined, query: URLSearchParams): Promise<ApiList> {
    const answer = await this.#parts.calls.ask('GET', `${pathOf(namespace)}?${query.toString()}`);
    if (answer.status === 200) return JSON.parse(answer.text) as ApiList;
    throw failure(answer);
  }

  /** Throws the refusal of a write. The API does not show the current version, so it is read before the call ends. */
  async #refuse(key: string, method: string, answer: Answer): Promise<never> {
    if (answer.status === 404) throw new StorageError('KeyNotFound');
    if (answer.status !== 409) throw failure(answer);
    const current = await this.#object(key).catch(() => undefined);
    if (current === undefined) throw new StorageError('Unavailable', { message: `${answer.text}: ${NO_EFFECT}` });
    throw new StorageError(method === 'POST' ? 'KeyExists' : 'Conflict', { current });
  }
}

/** Returns the error of an answer other than a success. */
function failure({ status, text }: Answer): StorageError {
  if (status === 410) return new StorageError('Compacted');
  if (status === 504 && text.includes('Too large resource version')) return new StorageError('FutureRevision');
  // A server that is full, or shuts down, refuses before it does anything.
  const message = status === 429 ? `${text}: ${NO_EFFECT}` : text;
  if (status === 429 || status >= 500) return new StorageError('Unavailable', { message });
  throw new Error(`an unexpected answer: ${status} ${text}`);
}

function deliver(sink: StorageWatchSink, type: string, object: ApiObject): void {
  const revision = Number(object.metadata.resourceVersion);
  if (type === 'BOOKMARK') return sink.progress(revision);
  const record = recordOf(object);
  const kind = type === 'ADDED' ? 'create' : type === 'MODIFIED' ? 'update' : 'delete';
  // Of the version before, the API shows only the value that was deleted.
  const unshown = { ...record, modRevision: UNSHOWN, text: kind === 'delete' ? record.text : '' };
  const previous = kind === 'create' ? undefined : unshown;
  sink.events([{ type: kind, key: record.key, revision, record, previous }]);
}

function recordOf({ metadata }: ApiObject): StorageRecord {
  const modRevision = Number(metadata.resourceVersion);
  return {
    key: `${PREFIX}${metadata.namespace}/${metadata.name}`,
    text: encoding(Number(metadata.annotations?.['value']))(modRevision),
    modRevision,
    createRevision: UNSHOWN,
    decoded: undefined,
  };
}

function objectOf(key: string, encode: ValueEncoder, modRevision?: number): object {
  const { value } = JSON.parse(encode(0)) as { value: number };
  const resourceVersion = modRevision === undefined ? {} : { resourceVersion: String(modRevision) };
  return { ...TYPE, metadata: { name: nameOf(key), annotations: { value: String(value) }, ...resourceVersion } };
}

const atLeast = (notOlderThan: number | undefined): Record<string, string> =>
  notOlderThan === undefined
    ? {}
    : {
        resourceVersion: String(notOlderThan),
        ...(notOlderThan === 0 ? {} : { resourceVersionMatch: 'NotOlderThan' }),
      };

const pageName = (prefix: string, revision: number | undefined, after: string): string =>
  `${prefix} ${revision ?? ''} ${after}`;

/** Returns the namespace of a key or prefix; undefined for that of all. */
function namespaceOf(key: string): string | undefined {
  const [namespace = ''] = key.slice(PREFIX.length).split('/');
  return namespace === '' ? undefined : namespace;
}

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
const pathOf = (namespace: string | undefined): string =>
  namespace === undefined ? `/api/v1/${RESOURCE}` : `/api/v1/namespaces/${namespace}/${RESOURCE}`;
const objectPath = (key: string): string => `${pathOf(namespaceOf(key))}/${nameOf(key)}`;
