import {
  errors,
  inSlices,
  LONG_TEXT,
  readyPromise,
  readyValue,
  toError,
  UNBOUNDED_WORK,
  type ApiObject,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { Labels } from '../../machinery/index.js';
import { lengthOfText, storageAt, type Revision, type StorageRecord } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import { ConvertedRecords } from '../records/converted-records.js';
import type { ConvertedForm } from '../records/decoded-forms.js';
import { fromHub } from '../records/hub-conversion.js';
import { mayBeEscaped, metadataInText } from '../records/metadata-text.js';
import { ObjectTexts, parseRecord, parseRecordSteps } from '../records/record-codec.js';
import { PreparedRecords } from '../records/prepared-records.js';
import { RecordConversions } from '../records/record-conversions.js';
import { isOwnText, StoredForm, typePrefix } from '../records/stored-form.js';
import { RecordLabels } from '../selection/record-labels.js';
import { SelectorIndex } from '../selection/selector-index.js';
import { createObject } from '../verbs/create.js';
import { deleteCollection } from '../verbs/delete-collection.js';
import { deleteObject, type DeleteOptions, type DeleteOutcome } from '../verbs/delete.js';
import type { ListOptions, WatchOptions } from '../verbs/list-options.js';
import { listObjects, type ListOutcome } from '../verbs/list.js';
import { parseResourceVersion } from '../verbs/resource-version.js';
import { waitForRevision } from '../verbs/revision-wait.js';
import { updateObject, type UpdateOptions, type UpdateOutcome, type UpdateTransform } from '../verbs/update.js';
import type { WriteOptions } from '../verbs/write-options.js';
import { watchLogOf } from '../watch/watch-log-of.js';
import type { LogEvent } from '../watch/log-event.js';
import type { WatchLog } from '../watch/watch-log.js';
import { openWatch } from '../watch/watch-open.js';
import type { WatchNotice } from '../watch/watch.js';
import { KeyTurns } from '../writes/key-turns.js';
import type { WriteHooks } from '../writes/write-hooks.js';
import type { RequestContext, WhileWaiting } from './context.js';
import { storageErrorHandlers } from './storage-errors.js';
import { RecordWrites } from './record-writes.js';
import type { VersionedRead } from './store-options.js';
import type { StoreEnvironment } from './store-environment.js';
import type { StoreMeter } from './store-meter.js';

/**
 * The registry of one kind: implements its verbs over the storage. It handles resourceVersion, generation, uid,
 * finalizers and dry run; the strategy holds the behaviour of the kind.
 *
 * The records that it returns are shared and must not be changed. {@link ResourceStore.read} returns their object in
 * this kind's version, {@link ResourceStore.text} its JSON.
 */
export class ResourceStore {
  readonly info: ResourceInfo;
  readonly environment: StoreEnvironment;
  /** The kind and version in which the objects are stored. */
  readonly form: StoredForm;
  /** Prefix of the text of every object of this kind's version. */
  readonly typePrefix: string;
  /** Measures the kind; undefined where nothing is measured, and for kinds whose objects are not stored. */
  readonly meter: StoreMeter | undefined;
  /** Encodes the objects. */
  readonly texts = new ObjectTexts();
  /** The turns of the updates of the same object. */
  readonly turns: KeyTurns;
  /** Writes the records. */
  readonly writes = new RecordWrites(this, {
    sourceOf: (record) => this.#prepared?.sourceOf(record) ?? record,
    fromStored: (objects, work) => this.#fromStored(objects, work),
    keep: (record, object) => void this.#converted.keep(record, object),
  });
  /** Error handlers for failures of the storage, by verb. */
  readonly #rethrow: ReturnType<typeof storageErrorHandlers>;
  readonly #converted: ConvertedRecords;
  readonly #labels = new RecordLabels();
  #selectorIndex: SelectorIndex | undefined;
  #retired = false;
  readonly #conversions = new RecordConversions({
    known: (record) => this.#converted.of(record),
    assertKnown: (record) => this.form.assertKnown(record),
    decode: (record, work) => this.environment.decodedForms.readSteps(record, work),
    preparing: (objects, work) =>
      this.info.definition.storedVersions?.preparing(
        [this.info.apiVersion, ...new Set(objects.map(({ apiVersion }) => apiVersion))],
        work,
      ),
    convert: (objects, work) => this.#fromStored(objects, work),
    keep: (record, object, work) => this.#converted.keepSteps(record, object, work),
  });
  /** Undefined for a kind that is stored in one version. */
  readonly #prepared: PreparedRecords | undefined;

  constructor(info: ResourceInfo, environment: StoreEnvironment) {
    this.info = info;
    const computed = environment.computed?.get(info.definition);
    const isStored = computed === undefined && info.definition.virtual !== true;
    this.meter = isStored ? environment.meters?.(info) : undefined;
    const storage = computed ?? this.meter?.measured(environment.storage);
    this.environment = storage === undefined ? environment : { ...environment, storage };
    this.turns = new KeyTurns(environment.clock);
    this.#rethrow = storageErrorHandlers(info);
    this.form = new StoredForm(info.hub, environment.decodedForms, info);
    this.typePrefix = typePrefix(info);
    this.#converted = new ConvertedRecords(info, this.form, this.typePrefix, environment.decodedForms);
    const { storedVersions } = info.definition;
    this.#prepared =
      storedVersions === undefined
        ? undefined
        : new PreparedRecords({
            kind: info.hub.kind,
            apiVersion: info.apiVersion,
            versions: storedVersions,
            form: this.form,
            conversions: this.#conversions,
            isPlain: (record) => this.#isPlain(record),
            isConverted: (record) => this.#converted.of(record) !== undefined,
          });
  }

  /**
   * Returns a store for reading the state at a revision that has been reached; its gets and lists fail with 410 once the
   * history is gone. It cannot write or watch.
   */
  at(revision: Revision): ResourceStore {
    return new ResourceStore(this.info, {
      ...this.environment,
      storage: storageAt(this.environment.storage, revision),
      ...{ computed: undefined, meters: undefined },
    });
  }

  /** Loads what {@link read} and {@link text} need; undefined when nothing is missing. */
  readable(): Promise<void> | undefined {
    const { conversion, prepare } = this.info.definition;
    return conversion === undefined ? undefined : prepare?.();
  }

  /**
   * Returns the object of a record in this kind's version. It must not be changed.
   *
   * @throws ApiError 500 when the record cannot be read
   */
  read(record: StorageRecord): StoredObject {
    return this.#isPlain(record) ? this.environment.decodedForms.read(record) : this.#convert(record).object;
  }

  /** Does the same as {@link read}; a long text is parsed in slices. A promise rejects with what the work throws, too. */
  readFor(work: Work | undefined, record: StorageRecord): StoredObject | Promise<StoredObject> {
    return work === undefined || work === UNBOUNDED_WORK || this.#isReadAtOnce(record)
      ? this.read(record)
      : inSlices(work, this.readSteps(work, record), 'decode');
  }

  /** Does the same as {@link read}, in steps where the text is long. */
  *readSteps(work: Work, record: StorageRecord): Steps<StoredObject> {
    if (this.#isReadAtOnce(record)) return this.read(record);
    const decoded = yield* this.environment.decodedForms.readSteps(record, work);
    const preparation = this.#prepared?.preparation(record, work);
    if (preparation !== undefined) yield* preparation;
    return this.#isPlain(record) ? decoded : this.#convert(record).object;
  }

  /** Does the same as {@link read}, but does not keep the object. @throws Error when the record cannot be read */
  peek(record: StorageRecord): StoredObject {
    return record.decoded === undefined && this.#isPlain(record) ? parseRecord(record) : this.read(record);
  }

  /** Does the same as {@link peek}, in steps where the text is long. */
  *peekSteps(work: Work, record: StorageRecord): Steps<StoredObject> {
    return this.#isReadAtOnce(record) || !this.#isPlain(record)
      ? yield* this.readSteps(work, record)
      : yield* parseRecordSteps(record, work);
  }

  #isReadAtOnce(record: StorageRecord): boolean {
    return record.decoded !== undefined || lengthOfText(record) < LONG_TEXT || this.#converted.of(record) !== undefined;
  }

  /**
   * Returns the labels of a record, from its text where that is enough.
   *
   * @throws ApiError 500 when the record cannot be read
   */
  labels(record: StorageRecord): Labels | undefined {
    const labels = record.decoded === undefined ? this.labelsInText(record) : undefined;
    return labels ?? this.read(record).metadata.labels;
  }

  /** Returns the labels of a record from its text; undefined when only a parser can tell. */
  labelsInText(record: StorageRecord): Labels | undefined {
    return this.#isPlain(record) ? this.#labels.read(record) : undefined;
  }

  /** Returns whether a record looks as this program writes it, so that its key tells what it contains. */
  looksReadable(record: StorageRecord): boolean {
    return this.#isPlain(record) && (record.decoded !== undefined || record.text.endsWith('}'));
  }

  /** Returns the error of a record that cannot be read; undefined when it can. */
  problemOf(record: StorageRecord): Error | undefined {
    try {
      this.read(record);
      return undefined;
    } catch (error) {
      return toError(error);
    }
  }

  /**
   * Returns the JSON text of a record in this kind's version; it starts with {@link typePrefix}.
   *
   * @throws ApiError 500 when the record cannot be read
   */
  text(record: StorageRecord): string {
    return this.#isPlain(record) ? record.text : this.#convert(record).text;
  }

  /**
   * Returns the JSON of the metadata of a record as an encoder would write it again, from its text where that is enough;
   * undefined when it has to be {@link read}.
   *
   * @throws ApiError 500 when the record cannot be read
   */
  metadataText(record: StorageRecord): string | undefined {
    const metadata = metadataInText(this.text(record), this.typePrefix.length);
    return metadata === undefined || mayBeEscaped(metadata) ? undefined : metadata;
  }

  /** Returns whether a record needs no conversion. A record that was never stored needs none. */
  #isPlain(record: StorageRecord): boolean {
    if (record.modRevision === 0) return true;
    return this.info.definition.conversion === undefined
      ? this.form.hasKnownPrefix(record)
      : isOwnText(record.text, this.typePrefix);
  }

  /**
   * Converts records whose conversion takes long (a webhook, a schema that is not compiled, a large object). Other
   * records are returned as they are, and converted on first use.
   *
   * @param work the work of the request that needs the records; undefined when they are not a part of a request. It
   *   holds the memory of the converted texts until the request is answered
   * @throws ApiError when a record cannot be read or converted
   */
  prepared(
    records: readonly StorageRecord[],
    work?: Work,
  ): readonly StorageRecord[] | Promise<readonly StorageRecord[]> {
    return this.#prepared === undefined ? records : this.#prepared.all(records, work);
  }

  /** Does the same for one record. */
  preparedOne(record: StorageRecord, work?: Work): StorageRecord | Promise<StorageRecord> {
    return this.#prepared === undefined ? record : this.#prepared.one(record, work);
  }

  /** Work around the writes of this kind; undefined for most kinds. */
  get hooks(): WriteHooks | undefined {
    return this.environment.writeHooks?.get(this.info.definition);
  }

  /** Whether records have to be converted, asynchronously, before they are read. */
  get waitsForConversion(): boolean {
    return this.info.definition.storedVersions?.asynchronous === true;
  }

  /** Converts the records of an event, like {@link prepared}; undefined for a kind whose records are never converted. */
  get preparedEvent(): ((event: LogEvent) => Promise<LogEvent> | undefined) | undefined {
    const prepared = this.#prepared;
    return prepared === undefined ? undefined : (event) => prepared.event(event);
  }

  /** Converts stored objects to this kind's version. */
  #fromStored(
    objects: readonly StoredObject[],
    work?: Work,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]> {
    const { conversion, storedVersions } = this.info.definition;
    if (storedVersions !== undefined) return storedVersions.read(objects, this.info.apiVersion, work);
    if (conversion === undefined) return objects;
    return objects.map((object) => fromHub(object, this.info, this.environment.dialect));
  }

  #convert(record: StorageRecord): ConvertedForm {
    const known = this.#converted.of(record);
    if (known !== undefined) return known;
    this.form.assertKnown(record);
    const converted = this.#fromStored([this.environment.decodedForms.read(record)]);
    if (converted instanceof Promise) throw new Error(`${record.key} was read before it was converted`);
    const [object] = converted;
    if (object === undefined) throw errors.internal(`the conversion of ${record.key} returned no object`);
    return this.#converted.keep(record, object);
  }

  /**
   * Returns one object. With a resourceVersion, the result is at least that recent.
   *
   * @throws ApiError 404; 500 for an invalid version; 504 when the store does not reach the version in time
   */
  get(
    namespace: string,
    name: string,
    resourceVersion = '',
    signal?: AbortSignal,
    whileWaiting?: WhileWaiting,
    work?: Work,
  ): Promise<StorageRecord> {
    const key = this.info.key(namespace, name);
    if (resourceVersion !== '' || this.#prepared !== undefined)
      return this.#getConverted(key, name, { resourceVersion, signal, whileWaiting }, work);
    const reading = this.environment.storage.get(key);
    const record = readyValue(reading)?.record;
    return record === undefined ? this.#found(reading, name) : readyPromise(record);
  }

  async #getConverted(
    key: string,
    name: string,
    { resourceVersion, signal, whileWaiting }: VersionedRead,
    work: Work | undefined,
  ): Promise<StorageRecord> {
    try {
      const notOlderThan = resourceVersion === '' ? undefined : parseResourceVersion(resourceVersion);
      if (notOlderThan !== undefined && notOlderThan > 0)
        await waitForRevision(this.environment, notOlderThan, signal, whileWaiting);
      const record = await this.#found(this.environment.storage.get(key, { notOlderThan }), name);
      return await this.preparedOne(record, work);
    } catch (error) {
      return this.#rethrow.get(error);
    }
  }

  /** Waits for a read. @throws ApiError 404 */
  async #found(reading: Promise<{ readonly record: StorageRecord | undefined }>, name: string): Promise<StorageRecord> {
    try {
      const { record } = await reading;
      if (record === undefined) throw errors.notFound(this.info, name);
      return record;
    } catch (error) {
      return this.#rethrow.get(error);
    }
  }

  /** Returns the current record of one object; undefined when it does not exist. */
  async find(namespace: string, name: string): Promise<StorageRecord | undefined> {
    try {
      const { record } = await this.environment.storage.get(this.info.key(namespace, name));
      const prepared = record === undefined ? undefined : this.preparedOne(record);
      return prepared instanceof Promise ? await prepared : prepared;
    } catch (error) {
      return this.#rethrow.get(error);
    }
  }

  /** Lists the objects of a namespace; an empty namespace selects all. See {@link ListOptions}. */
  list(
    namespace: string,
    options: ListOptions = {},
    signal?: AbortSignal,
    whileWaiting?: WhileWaiting,
    work?: Work,
  ): Promise<ListOutcome> {
    const listing = listObjects(this, namespace, options, signal, whileWaiting, work);
    return readyValue(listing) === undefined ? listing.catch(this.#rethrow.list) : listing;
  }

  /** Watches the objects of a namespace; an empty namespace selects all. */
  watch(
    namespace: string,
    options: WatchOptions = {},
    signal?: AbortSignal,
  ): Promise<AsyncIterableIterator<WatchNotice>> {
    return openWatch(this, namespace, options, signal).catch(this.#rethrow.watch);
  }

  /** Stores a new object. The store takes ownership of the object, which becomes the stored one. */
  create(
    context: RequestContext,
    namespace: string,
    object: ApiObject,
    options: WriteOptions = {},
  ): Promise<StorageRecord> {
    return createObject({ store: this, context, namespace, object, options }).catch(this.#rethrow.create);
  }

  /** Replaces an object with the result of `transform`. */
  update(
    context: RequestContext,
    namespace: string,
    name: string,
    transform: UpdateTransform,
    options: UpdateOptions = {},
  ): Promise<UpdateOutcome> {
    return updateObject({ store: this, context, namespace, name, transform, options }).catch(this.#rethrow.update);
  }

  /** Deletes an object, or marks it for deletion. */
  delete(
    context: RequestContext,
    namespace: string,
    name: string,
    options: DeleteOptions = {},
  ): Promise<DeleteOutcome> {
    return deleteObject(this, context, namespace, name, options).catch(this.#rethrow.delete);
  }

  /**
   * Deletes the objects of a list. Returns them in their last state, or in their current state while they are being
   * deleted.
   */
  deleteCollection(
    context: RequestContext,
    namespace: string,
    list: ListOptions,
    options: DeleteOptions = {},
  ): Promise<ListOutcome> {
    return deleteCollection(this, context, namespace, list, options);
  }

  /** Marks the store as replaced: it opens no watch any more, since a log would have the kind's former form. */
  retire(): void {
    this.#retired = true;
    if (this.#selectorIndex === undefined) return;
    this.#selectorIndex.close();
    this.environment.selectorIndexes.delete(this.#selectorIndex);
  }

  /**
   * Returns the index of the labels and selectable fields; undefined when the storage has none, when records have to be
   * converted before they are read, or when the store has been replaced.
   */
  selectorIndex(): SelectorIndex | undefined {
    const { storage, selectorIndexes } = this.environment;
    if (this.#selectorIndex !== undefined) return this.#selectorIndex;
    if (storage.index === undefined || this.waitsForConversion || this.#retired) return undefined;
    this.#selectorIndex = new SelectorIndex(this, storage.index.bind(storage));
    selectorIndexes.add(this.#selectorIndex);
    return this.#selectorIndex;
  }

  /**
   * Returns the log that the watches of this kind read; undefined when the store has been replaced. A log that failed
   * to open, or whose storage watch ended, is replaced.
   */
  watchLog(): Promise<WatchLog | undefined> {
    return watchLogOf(this, () => this.#retired);
  }
}
