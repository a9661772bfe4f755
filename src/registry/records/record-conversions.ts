/**
 * Conversions of records that have to wait, as for a webhook.
 *
 * @module
 */
import { errors, inSlices, SharedWork, type Steps, type StoredObject, type Work } from '../../foundation/index.js';
import { lengthOfText, type StorageRecord } from '../../storage/index.js';
import type { ConvertedForm } from './decoded-forms.js';

/** Length of the texts of objects that are converted together, in characters: that of one request to a webhook. */
const CONVERTED_TOGETHER = 2 * 1024 * 1024;
/** Units of work of reading or writing a record, and of its text. */
const UNITS_PER_RECORD = 20;
const CHARACTERS_PER_UNIT = 4;

/** The parts of a store that {@link RecordConversions} needs. */
interface RecordConversionsParts {
  /** Returns the converted form of a record; undefined when it is not known. */
  readonly known: (record: StorageRecord) => ConvertedForm | undefined;
  /** @throws ApiError when a record has an unknown version */
  readonly assertKnown: (record: StorageRecord) => void;
  readonly decode: (record: StorageRecord, work: Work) => Steps<StoredObject>;
  /** Returns the steps that objects need before they are converted; undefined for none. */
  readonly preparing: (objects: readonly StoredObject[], work: Work) => Steps<void> | undefined;
  readonly convert: (
    objects: readonly StoredObject[],
    work: Work,
  ) => readonly StoredObject[] | Promise<readonly StoredObject[]>;
  /** Encodes a converted object, and keeps its form. */
  readonly keep: (record: StorageRecord, object: StoredObject, work: Work) => Steps<ConvertedForm>;
}

/** The conversions of one store. */
export class RecordConversions {
  readonly #parts: RecordConversionsParts;
  /** Conversions that are under way, by the record that they convert. */
  readonly #converting = new WeakMap<StorageRecord, Promise<unknown>>();

  constructor(parts: RecordConversionsParts) {
    this.#parts = parts;
  }

  /** Returns the converted forms of records, in one conversion of those that nobody converts yet. */
  async formsOf(records: readonly StorageRecord[], work: Work | undefined): Promise<Map<StorageRecord, ConvertedForm>> {
    const forms = new Map<StorageRecord, ConvertedForm>();
    const addKnown = (): StorageRecord[] =>
      records.filter((record) => {
        const form = forms.get(record) ?? this.#parts.known(record);
        if (form !== undefined) forms.set(record, form);
        return form === undefined;
      });
    // Several watchers of an event share its conversion. One that fails may have failed for another record.
    const shared = addKnown().flatMap((record) => this.#converting.get(record) ?? []);
    if (shared.length > 0) await Promise.allSettled(shared);
    const pending = addKnown();
    if (pending.length === 0) return forms;
    const conversion = this.#convertAll(pending, work);
    for (const record of pending) this.#converting.set(record, conversion);
    try {
      for (const [record, form] of await conversion) forms.set(record, form);
    } finally {
      for (const record of pending) this.#converting.delete(record);
    }
    return forms;
  }

  async #convertAll(
    records: readonly StorageRecord[],
    request: Work | undefined,
  ): Promise<Map<StorageRecord, ConvertedForm>> {
    for (const record of records) this.#parts.assertKnown(record);
    const work = request ?? new SharedWork();
    const objects = await inSlices(work, this.#decodeSteps(records, work), 'conversion');
    const preparing = this.#parts.preparing(objects, work);
    if (preparing !== undefined) await inSlices(work, preparing, 'definition');
    const converted = await this.#parts.convert(objects, work);
    return inSlices(work, this.#encodeSteps(records, converted, work), 'conversion');
  }

  *#decodeSteps(records: readonly StorageRecord[], work: Work): Steps<readonly StoredObject[]> {
    const objects: StoredObject[] = [];
    for (const record of records) {
      objects.push(yield* this.#parts.decode(record, work));
      if (work.spend(UNITS_PER_RECORD + record.text.length / CHARACTERS_PER_UNIT)) yield;
    }
    return objects;
  }

  *#encodeSteps(
    records: readonly StorageRecord[],
    converted: readonly StoredObject[],
    work: Work,
  ): Steps<Map<StorageRecord, ConvertedForm>> {
    const forms = new Map<StorageRecord, ConvertedForm>();
    for (const [index, record] of records.entries()) {
      const object = converted[index];
      if (object === undefined) throw errors.internal(`the conversion of ${record.key} returned no object`);
      const form = yield* this.#parts.keep(record, object, work);
      forms.set(record, form);
      if (work.spend(UNITS_PER_RECORD + form.text.length / CHARACTERS_PER_UNIT)) yield;
    }
    return forms;
  }
}

/** Returns the records from an index on whose texts are converted together; at least one. */
export function partFrom(records: readonly StorageRecord[], from: number): readonly StorageRecord[] {
  let end = from;
  for (let length = 0; end < records.length; end += 1) {
    const record = records[end];
    length += record === undefined ? 0 : lengthOfText(record);
    if (end > from && length > CONVERTED_TOGETHER) break;
  }
  return records.slice(from, end);
}
