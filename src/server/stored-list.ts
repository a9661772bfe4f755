/**
 * The body of a list in the form in which objects are stored: JSON without indentation. It consists of the stored texts.
 * Of a long list that is requested again, runs of successive items are kept as bytes, so that a transport need not
 * encode them again.
 *
 * @module
 */
import { encodeUtf8 } from '../encoding/utf8.js';
import { shareTurn } from '../meta/turn.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { StorageRecord } from '../storage/storage.js';
import type { ByteChunks, TextParts } from './http.js';
import type { KeptForm } from './kept-encodings.js';
import { inRuns, ITEMS_PER_STEP, MANY } from './run-list.js';

/** A list, with what precedes its items. */
interface StoredList {
  readonly head: string;
  readonly records: readonly StorageRecord[];
  /** Returns the text of an item without its brace. */
  textOf(record: StorageRecord): string;
}

const AFTER = ',';
const TAIL = ']}\n';

/**
 * Returns the body of a list.
 *
 * @param runs the runs of the kind; undefined for a list that leaves objects out
 * @throws ApiError 500 when an object cannot be read
 */
export function storedList(
  store: ResourceStore,
  outcome: ListOutcome,
  runs: KeptForm | undefined,
): Promise<TextParts | ByteChunks> {
  const { info } = store;
  const { records } = outcome;
  const head = `{"kind":${JSON.stringify(info.listKind)},"apiVersion":${JSON.stringify(info.apiVersion)},"metadata":${JSON.stringify(listMeta(outcome))},"items":[`;
  // Items of built-in kinds omit kind and apiVersion.
  const skip = info.definition.origin === 'builtin' ? store.typePrefix.length : 1;
  const list: StoredList = { head, records, textOf: (record) => store.text(record).slice(skip) };
  return runs?.isRequestedAgain === true && records.length >= MANY ? inStoredRuns(list, runs) : inTexts(list);
}

/** Assembles a list from texts, without copying them. */
async function inTexts({ head, records, textOf }: StoredList): Promise<TextParts> {
  const parts = new Array<string>(records.length);
  let partsLength = 0;
  for (let index = 0; index < records.length; index += 1) {
    const turn = index % ITEMS_PER_STEP === 0 ? shareTurn() : undefined;
    if (turn !== undefined) await turn;
    const part = textOf(records[index] as StorageRecord);
    parts[index] = part;
    partsLength += part.length;
  }
  const begin = records.length === 0 ? head : `${head}{`;
  return { head: begin, parts, separator: ',{', tail: TAIL, ascii: true, partsLength };
}

/** Assembles a list from runs, and keeps those that are new. */
async function inStoredRuns({ head, records, textOf }: StoredList, form: KeptForm): Promise<ByteChunks> {
  const { chunks, compressed } = await inRuns({
    records,
    form,
    kind: 'runs',
    itemsPerStep: ITEMS_PER_STEP,
    before: '{',
    after: AFTER,
    encode: textOf,
  });
  const last = chunks.pop();
  // Each item is followed by a comma, the last one by none.
  if (last !== undefined) chunks.push(last.subarray(0, -AFTER.length));
  return { chunks: [encodeUtf8(head), ...chunks, encodeUtf8(TAIL)], compressed };
}
