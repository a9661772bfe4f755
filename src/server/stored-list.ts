/**
 * The body of a list in the form in which objects are stored: JSON without indentation. It consists of the stored texts.
 * Of a long list that is requested again, runs of successive items are kept as bytes, so that a transport need not
 * encode them again.
 *
 * @module
 */
import { encodeUtf8 } from '../encoding/utf8.js';
import { inSlices, type Steps, type Work } from '../meta/work.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { StorageRecord } from '../storage/storage.js';
import { REFERENCE_BYTES, type ByteChunks, type TextParts } from './http.js';
import type { KeptForm } from './kept-encodings.js';
import { inRuns, MANY } from './run-list.js';

/** What a list in the stored form depends on besides its objects. */
export interface StoredListParts {
  /** The runs of the kind; undefined for a list that leaves objects out. */
  readonly runs: KeptForm | undefined;
  readonly work: Work;
}

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
 * @throws ApiError 429 when there is no memory for its references; 500 when an object cannot be read
 */
export async function storedList(
  store: ResourceStore,
  outcome: ListOutcome,
  { runs, work }: StoredListParts,
): Promise<TextParts | ByteChunks> {
  const { records } = outcome;
  const head = `{"kind":${JSON.stringify(store.info.listKind)},"apiVersion":${JSON.stringify(store.info.apiVersion)},"metadata":${JSON.stringify(listMeta(outcome))},"items":[`;
  const start = itemStart(store);
  const list: StoredList = { head, records, work, textOf: (record) => store.text(record).slice(start) };
  const isKept = runs?.isRequestedAgain === true && records.length >= MANY;
  const inBytes = isKept ? await inStoredRuns(list, runs) : undefined;
  if (inBytes !== undefined) return inBytes;
  work.reserve(records.length * REFERENCE_BYTES);
  return inSlices(work, inTexts(list));
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

/** Assembles a list from runs, and keeps those that are new; undefined when there is no memory for it. */
async function inStoredRuns(
  { head, records, textOf, work }: StoredList,
  form: KeptForm,
): Promise<ByteChunks | undefined> {
  const runs = await inSlices(
    work,
    inRuns({
      ...{ records, form, work, kind: 'runs', before: '{', after: AFTER },
      unitsOf: takenUnits,
      encode: textOf,
    }),
  );
  if (runs === undefined) return undefined;
  const { chunks, compressed } = runs;
  const last = chunks.pop();
  // Each item is followed by a comma, the last one by none.
  if (last !== undefined) chunks.push(last.subarray(0, -AFTER.length));
  return { chunks: [encodeUtf8(head), ...chunks, encodeUtf8(TAIL)], compressed };
}
