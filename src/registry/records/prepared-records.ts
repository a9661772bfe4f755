/**
 * Records that are converted before they are read, because their conversion takes long: a webhook is asked, a schema has
 * to be compiled first, or the object is large.
 *
 * @module
 */
import { LONG_TEXT, type Steps, type Work } from '../../foundation/index.js';
import { lengthOfText, type StorageRecord } from '../../storage/index.js';
import type { LogEvent } from '../watch/log-event.js';
import type { ConvertedForm } from './decoded-forms.js';
import { partFrom, type RecordConversions } from './record-conversions.js';
import { apiVersionInText, type StoredForm } from './stored-form.js';
import type { StoredVersions } from './stored-versions.js';

/** The parts of a store that {@link PreparedRecords} needs. */
interface PreparedRecordsParts {
  readonly kind: string;
  readonly apiVersion: string;
  readonly versions: StoredVersions;
  /** Marks prepared records. */
  readonly form: StoredForm;
  readonly conversions: RecordConversions;
  /** Returns whether a record needs no conversion. */
  readonly isPlain: (record: StorageRecord) => boolean;
  /** Returns whether the converted form of a record is known. */
  readonly isConverted: (record: StorageRecord) => boolean;
}

/** The records of one store, of a kind that is stored in several versions. */
export class PreparedRecords {
  readonly #parts: PreparedRecordsParts;
  /** The stored records that prepared records were converted from. */
  readonly #sources = new WeakMap<StorageRecord, StorageRecord>();

  constructor(parts: PreparedRecordsParts) {
    this.#parts = parts;
  }

  /** Returns the stored record that a record was converted from; the record itself when it was not. */
  sourceOf(record: StorageRecord): StorageRecord {
    return this.#sources.get(record) ?? record;
  }

  /** Returns the steps after which a record can be read at once; undefined when there are none. */
  preparation(record: StorageRecord, work: Work): Steps<void> | undefined {
    const { isPlain, isConverted } = this.#parts;
    return isPlain(record) || isConverted(record) ? undefined : this.#schemaSteps(record, work);
  }

  #schemaSteps({ text }: StorageRecord, work: Work | undefined): Steps<void> | undefined {
    const { versions, apiVersion, kind } = this.#parts;
    return versions.preparing([apiVersion, apiVersionInText(text, kind) ?? versions.storageVersion], work);
  }

  /**
   * Converts records whose conversion takes long, some megabytes after the other. Other records are returned as they
   * are, and converted on first use.
   *
   * @param work the work of the request that needs the records; undefined when they are not a part of a request. It
   *   holds the memory of the converted texts until the request is answered
   * @throws ApiError when a record cannot be read or converted
   */
  all(records: readonly StorageRecord[], work?: Work): readonly StorageRecord[] | Promise<readonly StorageRecord[]> {
    return records.some((record) => this.#takesLong(record)) ? this.#prepare(records, work) : records;
  }

  /** Does the same for one record. */
  one(record: StorageRecord, work?: Work): StorageRecord | Promise<StorageRecord> {
    return this.#takesLong(record) ? this.#prepare([record], work).then(([prepared = record]) => prepared) : record;
  }

  /**
   * Returns an event with converted records; undefined when nothing has to wait. An event whose object cannot be read
   * is returned unchanged.
   */
  event(event: LogEvent): Promise<LogEvent> | undefined {
    const { record, previous, problem } = event;
    if (problem !== undefined) return undefined;
    const records = previous === undefined ? [record] : [record, previous];
    return records.some((one) => this.#takesLong(one)) ? this.#preparedEvent(event, records) : undefined;
  }

  async #preparedEvent(event: LogEvent, records: readonly StorageRecord[]): Promise<LogEvent> {
    const { type, key, revision, problem } = event;
    const [record = event.record, previous] = await this.#prepare(records);
    return {
      ...{ type, key, revision, problem, record, previous },
      frame: (form) => event.frame(form),
      cacheFrame: (form, bytes) => event.cacheFrame(form, bytes),
      sharedFrame: (form, expectedBytes, make) => event.sharedFrame(form, expectedBytes, make),
    };
  }

  #takesLong(record: StorageRecord): boolean {
    const { versions, isPlain, isConverted } = this.#parts;
    if (isPlain(record)) return false;
    if (versions.asynchronous) return true;
    if (isConverted(record)) return false;
    return lengthOfText(record) >= LONG_TEXT || this.#schemaSteps(record, undefined) !== undefined;
  }

  /**
   * Converts records, some after the other: the objects of a part are given up before the next one is made, so that a
   * long list holds only its texts.
   */
  async #prepare(records: readonly StorageRecord[], work?: Work): Promise<readonly StorageRecord[]> {
    const { conversions, isPlain } = this.#parts;
    const others = records.filter((record) => !isPlain(record));
    const prepared = new Map<StorageRecord, StorageRecord>();
    for (let from = 0; from < others.length;) {
      const part = partFrom(others, from);
      const keepsObjects = part.length === others.length;
      for (const [record, form] of await conversions.formsOf(part, work)) {
        if (form.text === record.text) continue;
        work?.reserve(form.text.length);
        prepared.set(record, this.#preparedForm(record, form, keepsObjects));
      }
      from += part.length;
    }
    return prepared.size === 0 ? records : records.map((record) => prepared.get(record) ?? record);
  }

  #preparedForm(record: StorageRecord, { object, text }: ConvertedForm, keepsObject: boolean): StorageRecord {
    const { key, modRevision, createRevision } = record;
    const decoded = keepsObject ? object : undefined;
    const prepared: StorageRecord = { key, modRevision, createRevision, text, decoded };
    this.#parts.form.markCurrent(prepared);
    this.#sources.set(prepared, record);
    return prepared;
  }
}
