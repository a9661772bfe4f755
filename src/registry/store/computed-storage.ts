import { errors, jsonText, type ApiObject } from '../../foundation/index.js';
import type { Revision, Storage, StorageListOptions, StoragePage, StorageRecord } from '../../storage/index.js';

/** Computes the current objects of a kind, by their keys. */
export type ComputeObjects = () => Promise<ReadonlyMap<string, ApiObject>>;

/** Refuses a write of the in-process client, which does not check the verbs of kinds. */
const refuseWrite = (): Promise<never> => Promise.reject(errors.methodNotAllowed());

/**
 * The storage of a kind whose objects are not stored but computed at each read. They have no version of their own; the
 * collection has that of the engine. For kinds with the verbs `get` and `list` only.
 */
export class ComputedStorage implements Storage {
  readonly #engine: Storage;
  readonly #compute: ComputeObjects;

  constructor(engine: Storage, compute: ComputeObjects) {
    this.#engine = engine;
    this.#compute = compute;
  }

  async get(key: string): Promise<{ record: StorageRecord | undefined; revision: Revision }> {
    const { records, revision } = await this.list(key);
    return { record: records.find((record) => record.key === key), revision };
  }

  async list(prefix: string, { after = '', limit = 0 }: StorageListOptions = {}): Promise<StoragePage> {
    // The objects may be those that say why the engine fails.
    const revision = await this.#engine.currentRevision().catch(() => 0);
    const objects = [...(await this.#compute())].filter(([key]) => key.startsWith(prefix) && key > after);
    const records = objects.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, object]) => recordOf(key, object));
    const page = limit > 0 ? records.slice(0, limit) : records;
    return { records: page, revision, remaining: records.length - page.length };
  }

  create = refuseWrite;
  update = refuseWrite;
  delete = refuseWrite;

  watch(...[, , sink]: Parameters<Storage['watch']>): ReturnType<Storage['watch']> {
    sink.end({ kind: 'closed' });
    return { stop() {}, requestProgress() {} };
  }

  expiries(): Promise<ReadonlyMap<string, number>> {
    return Promise.resolve(new Map());
  }

  currentRevision(): Promise<Revision> {
    return this.#engine.currentRevision();
  }

  compactedRevision(): Promise<Revision> {
    return this.#engine.compactedRevision();
  }

  compact(): Promise<void> {
    return Promise.resolve();
  }

  ping(): Promise<void> {
    return this.#engine.ping();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Returns the record of an object. Its revision is 0, that of a record that was never stored. */
const recordOf = (key: string, object: ApiObject): StorageRecord => ({
  key,
  text: jsonText(object),
  modRevision: 0,
  createRevision: 0,
  decoded: undefined,
});
