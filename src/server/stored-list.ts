/**
 * The body of a list in the form in which objects are stored: JSON without indentation. It consists of the stored texts.
 * Of a long list that is requested again, runs of successive items are kept as bytes, so that a transport need not
 * encode them again.
 *
 * @module
 */
import type { CompressedChunks } from '../codec/compression.js';
import { encodeUtf8, writeUtf8 } from '../encoding/utf8.js';
import { shareTurn } from '../meta/turn.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { StorageRecord } from '../storage/storage.js';
import { CHUNK_BYTES, type ByteChunks, type TextParts } from './http.js';
import { EncodedRun, type KeptForm } from './kept-encodings.js';

/** Number of texts at hand that are taken between two looks at the clock. */
export const TEXTS_PER_STEP = 64;
/** Number of items from which runs are worth their memory. */
const MANY = 256;

/** A list, with what precedes its items. */
interface StoredList {
  readonly head: string;
  readonly records: readonly StorageRecord[];
  /** Returns the text of an item without its brace. */
  textOf(record: StorageRecord): string;
}

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
  return runs?.isRequestedAgain === true && records.length >= MANY ? inRuns(list, runs) : inTexts(list);
}

/** Assembles a list from texts, without copying them. */
async function inTexts({ head, records, textOf }: StoredList): Promise<TextParts> {
  const parts = new Array<string>(records.length);
  for (let index = 0; index < records.length; index += 1) {
    const turn = index % TEXTS_PER_STEP === 0 ? shareTurn(TEXTS_PER_STEP) : undefined;
    if (turn !== undefined) await turn;
    parts[index] = textOf(records[index] as StorageRecord);
  }
  return { head: records.length === 0 ? head : `${head}{`, parts, separator: ',{', tail: TAIL, ascii: true };
}

/** Assembles a list from runs, and keeps those that are new. */
async function inRuns(list: StoredList, runs: KeptForm): Promise<ByteChunks> {
  const { head, records } = list;
  const chunks: Uint8Array[] = [encodeUtf8(head)];
  const compressed = new CompressedRuns(runs);
  let at = 0;
  while (at < records.length) {
    const turn = shareTurn(TEXTS_PER_STEP);
    if (turn !== undefined) await turn;
    const first = records[at] as StorageRecord;
    const kept = runs.find(first)?.encoding;
    let run = kept instanceof EncodedRun && isAt(kept, records, at) ? kept : undefined;
    if (run === undefined) {
      run = encodedRun(list, at, runs);
      runs.keep(first, run);
    }
    at += run.records.length;
    // Each item is followed by a comma, the last one by none.
    chunks.push(at < records.length ? run.bytes : run.bytes.subarray(0, -1));
    compressed.add(run);
  }
  chunks.push(encodeUtf8(TAIL));
  return { chunks, compressed };
}

/** The compressed forms of the runs of a list. */
class CompressedRuns implements CompressedChunks {
  readonly #form: KeptForm;
  readonly #runs = new Map<Uint8Array, EncodedRun>();

  /** @param form what the runs are kept in */
  constructor(form: KeptForm) {
    this.#form = form;
  }

  add(run: EncodedRun): void {
    this.#runs.set(run.bytes, run);
  }

  find(chunk: Uint8Array): Uint8Array | undefined {
    return this.#runs.get(chunk)?.compressed;
  }

  keep(chunk: Uint8Array, compressed: Uint8Array): void {
    const run = this.#runs.get(chunk);
    if (run !== undefined) this.#form.keepCompressed(run, compressed);
  }
}

/** Returns whether the records of a run are those of a list from an index. */
function isAt(run: EncodedRun, records: readonly StorageRecord[], at: number): boolean {
  for (let index = 0; index < run.records.length; index += 1)
    if (run.records[index] !== records[at + index]) return false;
  return true;
}

/** Encodes the records from an index, up to the size of a run or the next run that is kept. */
function encodedRun({ records, textOf }: StoredList, from: number, runs: KeptForm): EncodedRun {
  const texts: string[] = [];
  let length = 0;
  for (let at = from; at < records.length; at += 1) {
    const record = records[at] as StorageRecord;
    const text = textOf(record);
    if (at > from && (length + text.length > CHUNK_BYTES || runs.find(record) !== undefined)) break;
    texts.push(text);
    // The text with its brace, and a comma.
    length += text.length + 2;
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const text of texts) offset += writeUtf8(`{${text},`, bytes.subarray(offset));
  return new EncodedRun(records.slice(from, from + texts.length), bytes);
}
