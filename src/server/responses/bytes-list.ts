/**
 * A list in a form of bytes: protobuf. The length of the items precedes them.
 *
 * @module
 */
import { inSlices, isSteps, type JsonObject, type Steps } from '../../foundation/index.js';
import { lengthOfText, type StorageRecord } from '../../storage/index.js';
import type { BytesListEncoder } from '../codec/index.js';
import { joinedChunks } from '../limits/chunk-memory.js';
import { CHUNK_BYTES, type ResponseBody } from '../requests/http.js';
import type { ByteChunkWriter } from './byte-chunk-writer.js';
import { KEPT_UNITS, unitsOf, type ItemList } from './item-list.js';
import { longBody, surrounded, written, type BodySource, type BodySteps, type LongBodyParts } from './long-body.js';
import { MANY, RunList } from '../kept/index.js';
import { ShortBody } from './short-body.js';

/** A list of bytes. */
export interface BytesList extends ItemList {
  /** Whether runs of the items may be kept: the list leaves none out. */
  readonly inRuns: boolean;
}

/**
 * Returns the body of a list. While it is short, or its items are in runs that are kept, they are encoded once. Otherwise
 * they are encoded twice: for their length, and when the client takes them.
 *
 * @throws ApiError 429 when there is no memory for it; 500 when an object cannot be read
 */
export async function bytesList(
  encoder: BytesListEncoder,
  list: BytesList,
  parts: LongBodyParts,
): Promise<ResponseBody> {
  const { kept, records, work } = list;
  const isInRuns = list.inRuns && list.timeless && kept.isRequestedAgain && records.length >= MANY;
  const made = new ShortBody(work);
  const runs = isInRuns ? itemRuns(encoder, list) : undefined;
  const length = await inSlices(work, measured(runs ?? items(encoder, list), made), 'encode');
  const { head, tail } = encoder.surround(length);
  if (made.isWhole) {
    const chunks = [head, ...made.chunks, tail];
    return length < CHUNK_BYTES ? joinedChunks(chunks) : { chunks, compressed: runs?.compressed };
  }
  const again = isInRuns ? itemRuns(encoder, list) : undefined;
  return longBody(surrounded(again ?? items(encoder, list), head, tail), {
    ...parts,
    length: head.length + length + tail.length,
    compressed: again?.compressed,
    // Each object has been read.
    beforeStream: () => inSlices(work, textLength(list), 'list'),
  });
}

/** Returns the length of the texts of a list, in characters. */
function* textLength({ records, work }: BytesList): Steps<number> {
  let length = 0;
  for (const record of records) {
    length += lengthOfText(record);
    if (work.spend(1)) yield;
  }
  return length;
}

/** Encodes a long list that is requested again. */
function itemRuns(encoder: BytesListEncoder, list: BytesList): RunList {
  const { records, kept, work } = list;
  return new RunList({
    ...{ records, work, form: kept, kind: 'items', before: '', after: '' },
    unitsOf,
    encode: (record) => {
      const known = kept.find(record)?.encoding;
      if (typeof known === 'string') return known;
      const item = list.itemOf(record);
      return isSteps(item) ? encodedSteps(encoder, list, item) : encoder.item(item);
    },
  });
}

const items = (encoder: BytesListEncoder, list: BytesList): BodySource =>
  written((writer) => itemSteps(encoder, list, writer));

/** Makes the items, and returns their length. */
function* measured(source: BodySource, made: ShortBody): Steps<number> {
  let length = 0;
  const add = (chunks: readonly Uint8Array[]): void => {
    for (const chunk of chunks) length += chunk.length;
    made.add(chunks);
  };
  for (const _step of source.steps()) {
    add(source.take());
    yield;
  }
  add(source.end());
  return length;
}

function* itemSteps(encoder: BytesListEncoder, list: BytesList, writer: ByteChunkWriter): BodySteps {
  for (const record of list.records) {
    const known = keptItem(list, record);
    // Before the item: a long one may take a slice.
    if (list.work.spend(known === undefined ? unitsOf(record) : KEPT_UNITS) || writer.isFull) yield;
    let bytes = known;
    if (bytes === undefined) {
      const item = list.itemOf(record);
      bytes = isSteps(item) ? yield* encodedSteps(encoder, list, item) : encoder.item(item);
      if (list.timeless) list.kept.keep(record, bytes);
    }
    if (typeof bytes === 'string') writer.latin1(bytes);
    else writer.bytes(bytes);
  }
}

/** Returns the bytes of an item that is kept, or the Latin-1 text of them; undefined when it is not. */
function keptItem({ kept }: BytesList, record: StorageRecord): Uint8Array | string | undefined {
  const known = kept.find(record)?.encoding;
  if (typeof known === 'string') return known;
  const place = known === undefined ? kept.place(record) : undefined;
  return place?.run.items(place.index, place.index + 1);
}

/** Encodes a long item. The bytes are for immediate use. */
function* encodedSteps(encoder: BytesListEncoder, { work }: BytesList, item: Steps<JsonObject>): Steps<Uint8Array> {
  return yield* encoder.itemSteps(yield* item, work);
}
