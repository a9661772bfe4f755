import { errors } from '../meta/api-error.js';
import type { Clock } from '../meta/clock.js';
import { toError } from '../meta/error-message.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import type { HistoryBudget } from '../storage/history-budget.js';
import type { Revision, Storage, StorageRecord, StorageWriteOptions } from '../storage/storage.js';
import type { RequestContext, Waiting } from './context.js';
import type { ContinueTokens } from './continue-token.js';
import { createObject } from './create.js';
import type { ConvertedForm, ConvertedForms, DecodedForms } from './decoded-forms.js';
import { deleteCollection, deleteObject, type DeleteOptions, type DeleteOutcome } from './delete.js';
import { listObjects, type ListOutcome } from './list.js';
import type { ListOptions, WatchOptions } from './list-options.js';
import { asciiJson, encodeAt } from './record-codec.js';
import { ResourceInfo } from './resource-info.js';
import { parseResourceVersion } from './resource-version.js';
import { waitForRevision } from './revision-wait.js';
import { storageAnswers } from './storage-answers.js';
import { StoredForm, typePrefix } from './stored-form.js';
import { updateObject, type UpdateOptions, type UpdateOutcome, type UpdateTransform } from './update.js';
import { WatchLog } from './watch-log.js';
import { openWatch } from './watch-open.js';
import type { WatchNotice } from './watch.js';

/** What all stores of a server share. */
export interface StoreEnvironment {
  readonly storage: Storage;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly continueTokens: ContinueTokens;
  /** How much of the past is kept in memory, by the storage, the watch logs and the caches together. */
  readonly history: HistoryBudget;
  readonly decodedForms: DecodedForms;
  /** How long watch events are kept, in milliseconds. */
  readonly watchHistoryMs: number;
  /** How many watch events of a kind are kept. */
  readonly watchHistoryEvents: number;
  readonly bookmarkIntervalMs: number;
  /** How long a request for a version of the future waits, in milliseconds. */
  readonly revisionWaitMs: number;
  /** Whether `sendInitialEvents` is allowed. */
  readonly watchList: boolean;
  /** Logs of the stored kinds, by key prefix: the versions of one kind share one. */
  readonly watchLogs: Map<string, Promise<WatchLog>>;
}

/** Options that every write takes. */
export interface WriteOptions {
  /** Everything but the write. */
  readonly dryRun?: boolean | undefined;
  /** Validating admission: refuses by throwing. Sees the object as it would be stored. */
  readonly admit?: ((object: StoredObject, old: StoredObject | undefined) => void | Promise<void>) | undefined;
}

/**
 * The registry of one kind: its verbs, over the storage. It alone knows resourceVersion, generation, uid, finalizers and
 * dry run; what the kind means is in its strategy.
 *
 * Records that it returns are shared and must not be changed; {@link ResourceStore.read} gives their object in this
 * kind's version, {@link ResourceStore.text} its JSON.
 */
export class ResourceStore {
  readonly info: ResourceInfo;
  readonly environment: StoreEnvironment;
  /** In which kind and version the objects are stored. */
  readonly form: StoredForm;
  /** How the text of every object of this kind's version begins. */
  readonly typePrefix: string;
  readonly #hubApiVersion: string;
  /** What becomes of a failure of the storage, for each verb. */
  readonly #answer: ReturnType<typeof storageAnswers>;
  readonly #converted: ConvertedForms = new WeakMap();

  constructor(info: ResourceInfo, environment: StoreEnvironment) {
    this.info = info;
    this.environment = environment;
    this.#answer = storageAnswers(info);
    const { conversion } = info.definition;
    const hub = conversion === undefined ? info : new ResourceInfo(conversion.hub, environment.dialect);
    this.form = new StoredForm(hub, environment.decodedForms);
    this.typePrefix = typePrefix(info);
    this.#hubApiVersion = hub.apiVersion;
  }

  /** The object of a record, in this kind's version. Nobody may change it. @throws ApiError 500 for one that cannot be read */
  read(record: StorageRecord): StoredObject {
    return this.#isPlain(record) ? this.environment.decodedForms.read(record) : this.#convert(record).object;
  }

  /** Why a record cannot be read; undefined when it can. */
  problemOf(record: StorageRecord): Error | undefined {
    try {
      this.read(record);
      return undefined;
    } catch (error) {
      return toError(error);
    }
  }

  /** The JSON text of a record, in this kind's version; begins with {@link typePrefix}. @throws ApiError 500 for one that cannot be read */
  text(record: StorageRecord): string {
    return this.#isPlain(record) ? record.text : this.#convert(record).text;
  }

  /** Whether a record is what is shown of it, as one that was never stored is. */
  #isPlain(record: StorageRecord): boolean {
    if (record.modRevision === 0) return true;
    return this.info.definition.conversion === undefined
      ? this.form.begins(record)
      : record.text.startsWith(this.typePrefix);
  }

  /** The text that is stored for an object of this kind's version. */
  #encode(object: ApiObject, revision: Revision): string {
    const { conversion } = this.info.definition;
    if (conversion === undefined) return encodeAt(object, revision);
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = conversion.toHub(object);
    return encodeAt({ kind: conversion.hub.kind, apiVersion: this.#hubApiVersion, ...rest }, revision);
  }

  /** Writes a new object, which becomes the record's own. @throws StorageError `KeyExists` */
  async insert(key: string, object: ApiObject): Promise<StorageRecord> {
    return this.#kept(
      await this.environment.storage.create(
        key,
        (revision) => this.#encode(object, revision),
        this.#writeOptions(object),
      ),
    );
  }

  /** Writes an object over a record, unless another write came between. @throws StorageError `Conflict`, `KeyNotFound` */
  async overwrite(record: StorageRecord, object: ApiObject): Promise<StorageRecord> {
    return this.#kept(
      await this.environment.storage.update(
        record.key,
        (revision) => this.#encode(object, revision),
        record.modRevision,
        this.#writeOptions(object),
      ),
    );
  }

  /** Removes a record; watchers see `object` as its last state. @throws StorageError `Conflict`, `KeyNotFound` */
  async erase(record: StorageRecord, object: ApiObject): Promise<StorageRecord> {
    return this.#kept(
      await this.environment.storage.delete(
        record.key,
        (revision) => this.#encode(object, revision),
        record.modRevision,
        this.#decodedForm(object),
      ),
    );
  }

  #kept(record: StorageRecord): StorageRecord {
    if (record.decoded !== undefined) this.environment.decodedForms.keepWritten(record);
    return record;
  }

  /** The decoded form that is kept with a record, so that nobody parses what was just written. */
  #decodedForm(object: ApiObject): StorageWriteOptions {
    return this.info.definition.conversion === undefined ? { decoded: object } : {};
  }

  #writeOptions(object: ApiObject): StorageWriteOptions {
    const ttlMs = this.info.definition.strategy?.ttlMs;
    if (ttlMs === undefined) return this.#decodedForm(object);
    return {
      ...this.#decodedForm(object),
      ttlMs,
      encodeExpired: (revision: Revision) => this.#encode({ ...object, metadata: { ...object.metadata } }, revision),
    };
  }

  /** An object of the stored form, in this kind's version. */
  #fromHub(object: StoredObject): StoredObject {
    const { conversion } = this.info.definition;
    const {
      kind: _kind,
      apiVersion: _apiVersion,
      ...rest
    } = conversion === undefined ? object : conversion.fromHub(object);
    return { kind: this.info.kind, apiVersion: this.info.apiVersion, ...rest };
  }

  #convert(record: StorageRecord): ConvertedForm {
    const known = this.#converted.get(record);
    if (known !== undefined) return known;
    this.form.assertKnown(record);
    const object = this.#fromHub(this.environment.decodedForms.read(record));
    const made = { object, text: asciiJson(object) };
    this.environment.decodedForms.keepConverted(this.#converted, record, made);
    return made;
  }

  /**
   * One object. With a resourceVersion the answer is not older than that.
   *
   * @throws ApiError 404, 500 for a version that is not a number, or 504 for one that does not come
   */
  async get(
    namespace: string,
    name: string,
    resourceVersion = '',
    signal?: AbortSignal,
    waiting?: Waiting,
  ): Promise<StorageRecord> {
    try {
      if (resourceVersion !== '' && resourceVersion !== '0')
        await waitForRevision(this.environment, parseResourceVersion(resourceVersion), signal, waiting);
      const { record } = await this.environment.storage.get(this.info.key(namespace, name));
      if (record === undefined) throw errors.notFound(this.info, name);
      return record;
    } catch (error) {
      return this.#answer.get(error);
    }
  }

  /** The record of one object as it is now; undefined when it is not there. */
  async find(namespace: string, name: string): Promise<StorageRecord | undefined> {
    try {
      return (await this.environment.storage.get(this.info.key(namespace, name))).record;
    } catch (error) {
      return this.#answer.get(error);
    }
  }

  /** The objects of a namespace, or of all when it is empty. See {@link ListOptions}. */
  list(namespace: string, options: ListOptions = {}, signal?: AbortSignal, waiting?: Waiting): Promise<ListOutcome> {
    return listObjects(this, namespace, options, signal, waiting).catch(this.#answer.list);
  }

  /** What happens to the objects of a namespace, or of all when it is empty. */
  watch(
    namespace: string,
    options: WatchOptions = {},
    signal?: AbortSignal,
  ): Promise<AsyncIterableIterator<WatchNotice>> {
    return openWatch(this, namespace, options, signal).catch(this.#answer.watch);
  }

  /** Stores a new object. The object is taken over: it becomes the stored one. */
  create(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    options: WriteOptions = {},
  ): Promise<StorageRecord> {
    return createObject(this, context, namespace, object, options).catch(this.#answer.create);
  }

  /** Replaces an object by what `transform` makes of it. */
  update(
    context: RequestContext,
    namespace: string,
    name: string,
    transform: UpdateTransform,
    options: UpdateOptions = {},
  ): Promise<UpdateOutcome> {
    return updateObject(this, context, namespace, name, transform, options).catch(this.#answer.update);
  }

  /** Deletes an object, or begins to. */
  delete(
    context: RequestContext,
    namespace: string,
    name: string,
    options: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    return deleteObject(this, context, namespace, name, options).catch(this.#answer.delete);
  }

  /** Deletes what a list would show; the objects as they were, or as they are while they end. */
  deleteCollection(
    context: RequestContext,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions = {},
  ): Promise<ListOutcome> {
    return deleteCollection(this, context, namespace, list, options);
  }

  /** The log that watches of this kind read. One that could not be opened, or whose own watch ended, gives way to a new one. */
  async watchLog(): Promise<WatchLog> {
    const { environment, info } = this;
    const { watchLogs } = environment;
    const known = watchLogs.get(info.keyPrefix);
    const log = await known?.catch(() => undefined);
    if (log !== undefined && (log.end === undefined || log.end.kind === 'closed')) return log;
    // Somebody else who waited for the same may have opened one already.
    const present = watchLogs.get(info.keyPrefix);
    if (present !== undefined && present !== known) return this.watchLog();
    const opened = WatchLog.open({
      storage: environment.storage,
      prefix: info.keyPrefix,
      clock: environment.clock,
      historyMs: environment.watchHistoryMs,
      maxEvents: environment.watchHistoryEvents,
      bookmarkIntervalMs: environment.bookmarkIntervalMs,
      form: this.form,
      history: environment.history,
    });
    watchLogs.set(info.keyPrefix, opened);
    return opened;
  }
}
