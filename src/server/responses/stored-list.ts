/**
 * The body of a list in the form in which objects are stored: JSON without indentation. It consists of the stored texts.
 * Of a long list that is requested again, runs of successive items are kept as bytes, so that a transport need not
 * encode them again.
 *
 * @module
 */
import {
  encodeUtf8,
  inSlices,
  latin1Writer,
  uninitializedBytes,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { listMeta, type ListOutcome, type ResourceStore } from '../../registry/index.js';
import { lengthOfText, unitsToRead, type StorageRecord } from '../../storage/index.js';
import { CHUNK_BYTES, PART_BYTES, textLength, type ResponseBody, type TextParts } from '../requests/http.js';
import { REFERENCE_BYTES } from './item-list.js';
import { longBody, surrounded, WHOLE_BYTES, written, type BodySteps, type LongBodyParts } from './long-body.js';
import type { ByteChunkWriter } from './byte-chunk-writer.js';
import { RunList, type KeptForm, type KeptPages } from '../kept/index.js';

/** A list, with what precedes its items. */
interface StoredList {
  readonly head: string;
  readonly records: readonly StorageRecord[];
  readonly work: Work;
  /** Returns the text of an item without its brace. */
  textOf(record: StorageRecord): string;
}

const AFTER = ',';
const SEPARATOR = `${AFTER}{`;
const TAIL = ']}\n';
/** Units of work to take the text of an item. */
const TAKEN_UNITS = 2;
const takenUnits = (record: StorageRecord): number => TAKEN_UNITS + unitsToRead(record);

/**
 * Returns the index at which the text of an item begins in the text of its record, without its brace. Items of built-in
 * kinds omit kind and apiVersion.
 */
const itemStart = ({ info, typePrefix }: ResourceStore): number =>
  info.definition.origin === 'builtin' ? typePrefix.length : 1;

/** Returns the item of a record in compact JSON. @throws ApiError 500 when it cannot be read */
export const itemText = (store: ResourceStore, record: StorageRecord): string =>
  `{${store.text(record).slice(itemStart(store))}`;

/** Kept forms of the lists of a kind. A list that is in neither is made of its texts. */
export interface KeptLists {
  readonly runs?: KeptForm | undefined;
  readonly pages?: KeptPages | undefined;
}

/**
 * Returns the body of a list.
 *
 * @param kept what is kept of the lists of the kind
 * @throws ApiError 429 when there is no memory for its references; 500 when an object cannot be read
 */
export function storedList(
  store: ResourceStore,
  outcome: ListOutcome,
  { runs, pages }: KeptLists,
  parts: LongBodyParts,
): Promise<ResponseBody> | ResponseBody {
  const { records } = outcome;
  const { work } = parts;
  const head = `{"kind":${JSON.stringify(store.info.listKind)},"apiVersion":${JSON.stringify(store.info.apiVersion)},"metadata":${JSON.stringify(listMeta(outcome))},"items":[`;
  const page = pages?.find(records);
  if (page !== undefined) return { chunks: [encodeUtf8(head), ...page.chunks], compressed: page.compressed };
  const start = itemStart(store);
  const list: StoredList = { head, records, work, textOf: (record) => store.text(record).slice(start) };
  if (runs !== undefined) return inStoredRuns(store, list, runs, parts);
  const unread = unreadLength(records);
  if (unread > WHOLE_BYTES) return streamed(store, list, parts);
  work.reserve(records.length * PART_BYTES + unread);
  return inSlices(work, pages === undefined ? inTexts(list) : onPage(list, pages), 'list');
}

/**
 * Assembles a list from texts, without copying them; as bytes when it is worth keeping.
 *
 * @throws ApiError 429 when the memory budget has no room for the bytes
 */
function* onPage(list: StoredList, pages: KeptPages): Steps<ResponseBody> {
  const text = yield* inTexts(list);
  const { records, work } = list;
  const length = textLength({ ...text, head: '{' });
  if (length > MAX_PAGE_BYTES || !pages.isWorth(records, length)) return text;
  work.reserve(length);
  const chunks = yield* pageBytes(text, length, work);
  const { compressed } = pages.keep(records, chunks, length);
  return { chunks: [encodeUtf8(list.head), ...chunks], compressed };
}

/** Maximum length of a list that is kept as a whole, in bytes. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** Encodes the items of a list, with the brackets after them. */
function* pageBytes({ parts, separator, tail }: TextParts, length: number, work: Work): Steps<readonly Uint8Array[]> {
  const bytes = uninitializedBytes(length);
  const put = latin1Writer(bytes);
  let at = 0;
  const add = (text: string): void => {
    put(text, at);
    at += text.length;
  };
  let before = '{';
  for (const part of parts) {
    add(before);
    add(part);
    before = separator;
    if (work.spend(COPIED_UNITS + part.length / COPIED_PER_UNIT)) yield;
  }
  add(tail);
  const chunks: Uint8Array[] = [];
  for (let from = 0; from < length; from += CHUNK_BYTES) chunks.push(bytes.subarray(from, from + CHUNK_BYTES));
  return chunks;
}

/** Units of work to copy a text, and its characters that are copied in one unit. */
const COPIED_UNITS = 4;
const COPIED_PER_UNIT = 64;

/**
 * Returns the length of the texts that the list would hold itself, since the store may give them up. It stops counting when
 * the body is too long to be made before the response begins.
 */
function unreadLength(records: readonly StorageRecord[]): number {
  let length = 0;
  for (const record of records) {
    if (record.textLength === undefined || length > WHOLE_BYTES) break;
    length += record.textLength;
  }
  return length;
}

/** Reads the texts of a list as the client takes it, after checking that all of them can be sent. */
function streamed(store: ResourceStore, list: StoredList, parts: LongBodyParts): Promise<ResponseBody> {
  const { records, work } = list;
  return longBody(
    written((writer) => textSteps(list, writer)),
    {
      ...parts,
      heldBytes: records.length * REFERENCE_BYTES,
      beforeStream: () => inSlices(work, reading(store, undefined, records, work), 'list'),
    },
  );
}

function* textSteps({ head, records, textOf, work }: StoredList, writer: ByteChunkWriter): BodySteps {
  writer.ascii(head);
  let before = '{';
  for (const record of records) {
    if (work.spend(takenUnits(record)) || writer.isFull) yield;
    writer.ascii(before);
    writer.ascii(textOf(record));
    before = SEPARATOR;
  }
  writer.ascii(TAIL);
}

/** Assembles a list from texts, without copying them. */
function* inTexts({ head, records, textOf, work }: StoredList): Steps<TextParts> {
  const parts = new Array<string>(records.length);
  let partsLength = 0;
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as StorageRecord;
    const part = textOf(record);
    parts[index] = part;
    partsLength += part.length;
    if (work.spend(takenUnits(record))) yield;
  }
  const begin = records.length === 0 ? head : `${head}{`;
  return { head: begin, parts, separator: SEPARATOR, tail: TAIL, ascii: true, partsLength };
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
function* reading(
  store: ResourceStore,
  form: KeptForm | undefined,
  records: readonly StorageRecord[],
  work: Work,
): Steps<number> {
  let length = 0;
  for (const record of records) {
    const isKept = form?.place(record) !== undefined;
    if (!isKept) store.text(record);
    length += lengthOfText(record);
    if (work.spend(isKept ? TAKEN_UNITS : takenUnits(record))) yield;
  }
  return length;
}
