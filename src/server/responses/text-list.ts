/**
 * A list in a form of text: JSON or YAML, of objects, metadata or rows.
 *
 * @module
 */
import { isSteps, type JsonObject, type Steps } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import { CellTexts, TimedText, type EncodeContext, type EncodedChunks, type TextListEncoder } from '../codec/index.js';
import type { ByteChunkWriter } from './byte-chunk-writer.js';
import { isLong, KEPT_UNITS, LONG_TEXT, unitsOf, type ItemList } from './item-list.js';
import { addChunks, written, type BodySource, type BodySteps } from './long-body.js';

/** A list of texts. */
export interface TextList extends ItemList {
  /** Encodes the item of a record in compact JSON so that it can be used at any time; absent for YAML. */
  readonly compactOf?: ((record: StorageRecord) => string | TimedText | undefined) | undefined;
  readonly options: EncodeContext;
  /** Returns an upper bound of the length of an encoded item, in characters; counts no further than `most`. */
  lengthOf(item: JsonObject, most: number): number;
  /** Whether compact JSON is the form of the list. */
  readonly keepsCompact: boolean;
}

/** Returns what makes the body of a list. */
export function textList(encoder: TextListEncoder, list: TextList): BodySource {
  return written((writer) => textSteps(encoder, list, writer), list.records.length * EXPECTED_ITEM_BYTES);
}

/** Length of an item of which nothing is known, in bytes. */
const EXPECTED_ITEM_BYTES = 512;

function* textSteps(encoder: TextListEncoder, list: TextList, writer: ByteChunkWriter): BodySteps {
  const { records, kept, work } = list;
  const { head, separator, tail } = encoder.surround(records.length);
  const cells = new CellTexts(list.nowMs);
  const { text: add, ascii } = writer;
  add(head);
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as StorageRecord;
    const item = kept.find(record);
    const known = item?.encoding;
    // Before the item: a long one may take a slice.
    if (work.spend(known === undefined ? unitsOf(record) : KEPT_UNITS) || writer.isFull) yield;
    const encoding = known ?? encodedText(encoder, list, record) ?? (yield* encodedObject(encoder, list, record));
    // A row with cells that change brings its separator.
    if (index > 0 && !(encoding instanceof TimedText)) ascii(separator);
    const addKnown = item?.ascii === true ? ascii : add;
    if (typeof encoding === 'string') addKnown(encoding);
    else if (encoding instanceof TimedText) encoding.addTo(addKnown, add, cells, index === 0);
    else yield* addChunks(encoding, writer);
  }
  add(tail);
}

/** Encodes the item of a record from its text: a long one in chunks. Undefined when its object is needed. */
function encodedText(
  encoder: TextListEncoder,
  list: TextList,
  record: StorageRecord,
): string | TimedText | EncodedChunks | undefined {
  const { kept, timeless, nowMs, work, options } = list;
  const compact = list.compactOf?.(record);
  if (list.keepsCompact && compact !== undefined) {
    kept.keep(record, compact);
    return compact;
  }
  const text = textAt(compact, nowMs);
  if (text === undefined || encoder.fromText === undefined) return undefined;
  const encoding = encoder.fromText.encode(text, options, LONG_TEXT) ?? encoder.fromText.chunks(text, options, work);
  if (timeless && typeof encoding === 'string') kept.keep(record, encoding);
  return encoding;
}

/** Decodes the object of a record, and encodes its item: a long one in chunks. */
function* encodedObject(
  encoder: TextListEncoder,
  list: TextList,
  record: StorageRecord,
): Steps<string | EncodedChunks> {
  const made = list.itemOf(record);
  const item = isSteps(made) ? yield* made : made;
  const isLongItem = isLong(record) || list.lengthOf(item, LONG_TEXT) > LONG_TEXT;
  if (isLongItem && encoder.itemChunks !== undefined) return encoder.itemChunks(item, list.work);
  const encoding = encoder.item(item);
  if (list.timeless) list.kept.keep(record, encoding);
  return encoding;
}

/** Returns compact JSON at a time. */
function textAt(compact: string | TimedText | undefined, nowMs: number): string | undefined {
  if (!(compact instanceof TimedText)) return compact;
  let text = '';
  const add = (part: string): void => void (text += part);
  compact.addTo(add, add, new CellTexts(nowMs), true);
  return text;
}
