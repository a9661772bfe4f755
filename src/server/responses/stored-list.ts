/**
 * The body of a list in the form in which objects are stored: JSON without indentation. It consists of the stored texts.
 * Of a long list that is requested again, runs of successive items are kept as bytes, so that a transport need not
 * encode them again.
 *
 * @module
 */
import { encodeUtf8, inSlices, type Steps, type Work } from '../../foundation/index.js';
import { listMeta, type ListOutcome, type ResourceStore } from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import { PART_BYTES, type ResponseBody, type TextParts } from '../requests/http.js';
import { REFERENCE_BYTES } from './item-list.js';
import { longBody, surrounded, type LongBodyParts } from './long-body.js';
import { RunList, type KeptForm } from '../kept/index.js';

/** A list, with what precedes its items. */
interface StoredList {
  readonly head: string;
  readonly records: readonly StorageRecord[];
  readonly work: Work;
  /** Returns the text of an item without its brace. */
  textOf(record: StorageRecord): string;
}

const AFTER = ',';
const TAIL = ']}\n';
/** Units of work to take the text of an item. */
const TAKEN_UNITS = 2;
const takenUnits = (): number => TAKEN_UNITS;

/**
 * Returns the index at which the text of an item begins in the text of its record, without its brace. Items of built-in
 * kinds omit kind and apiVersion.
 */
const itemStart = ({ info, typePrefix }: ResourceStore): number =>
  info.definition.origin === 'builtin' ? typePrefix.length : 1;

/** Returns the item of a record in compact JSON. @throws ApiError 500 when it cannot be read */
export const itemText = (store: ResourceStore, record: StorageRecord): string =>
  `{${store.text(record).slice(itemStart(store))}`;

/**
 * Returns the body of a list.
 *
 * @param runs the runs of the kind; undefined for a list that is made of its texts
 * @throws ApiError 429 when there is no memory for its references; 500 when an object cannot be read
 */
export function storedList(
  store: ResourceStore,
  outcome: ListOutcome,
  runs: KeptForm | undefined,
  parts: LongBodyParts,
): Promise<ResponseBody> | ResponseBody {
  const { records } = outcome;
  const { work } = parts;
  const head = `{"kind":${JSON.stringify(store.info.listKind)},"apiVersion":${JSON.stringify(store.info.apiVersion)},"metadata":${JSON.stringify(listMeta(outcome))},"items":[`;
  const start = itemStart(store);
  const list: StoredList = { head, records, work, textOf: (record) => store.text(record).slice(start) };
  if (runs !== undefined) return inStoredRuns(store, list, runs, parts);
  work.reserve(records.length * PART_BYTES);
  return inSlices(work, inTexts(list), 'list');
}

/** Assembles a list from texts, without copying them. */
function* inTexts({ head, records, textOf, work }: StoredList): Steps<TextParts> {
  const parts = new Array<string>(records.length);
  let partsLength = 0;
  for (let index = 0; index < records.length; index += 1) {
    const part = textOf(records[index] as StorageRecord);
    parts[index] = part;
    partsLength += part.length;
    if (work.spend(TAKEN_UNITS)) yield;
  }
  const begin = records.length === 0 ? head : `${head}{`;
  return { head: begin, parts, separator: ',{', tail: TAIL, ascii: true, partsLength };
}

/** Assembles a list from runs, and keeps those that are new. */
function inStoredRuns(
  store: ResourceStore,
  { head, records, work, textOf }: StoredList,
  form: KeptForm,
  parts: LongBodyParts,
): Promise<ResponseBody> {
  const runs = new RunList({
    ...{ records, form, work, kind: 'runs', before: '{', after: AFTER },
    unitsOf: takenUnits,
    encode: textOf,
  });
  return longBody(surrounded(runs, encodeUtf8(head), encodeUtf8(TAIL), AFTER.length), {
    ...parts,
    heldBytes: records.length * REFERENCE_BYTES,
    compressed: runs.compressed,
    beforeStream: () => inSlices(work, reading(store, form, records, work), 'list'),
  });
}

/**
 * Finds out whether the texts of all objects can be sent, and returns their length. Those in a run have been read.
 *
 * @throws ApiError 500
 */
function* reading(store: ResourceStore, form: KeptForm, records: readonly StorageRecord[], work: Work): Steps<number> {
  let length = 0;
  for (const record of records) {
    if (form.place(record) === undefined) store.text(record);
    length += record.text.length;
    if (work.spend(TAKEN_UNITS)) yield;
  }
  return length;
}
