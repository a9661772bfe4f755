/**
 * A list in a form of bytes: protobuf. The length of the items precedes them.
 *
 * @module
 */
import type { BytesListEncoder } from '../codec/index.js';
import { concatBytes } from '../encoding/bytes.js';
import { inSlices, type Steps } from '../meta/work.js';
import type { StorageRecord } from '../storage/storage.js';
import { ByteChunkWriter } from './byte-chunk-writer.js';
import { CHUNK_BYTES, chunksLength, type ByteChunks, type ResponseBody } from './http.js';
import { KEPT_UNITS, unitsOf, type ItemList } from './item-list.js';
import { KeptBytes } from './kept-encodings.js';
import { chunksOf, longBody, type BodySteps, type LongBodyParts } from './long-body.js';
import { ReservedChunks } from './reserved-chunks.js';
import { inRuns, MANY } from './run-list.js';

/** A list of bytes. */
export interface BytesList extends ItemList {
  /** Whether runs of the items may be kept: the list leaves none out. */
  readonly inRuns: boolean;
}

/**
 * Returns the body of a list. While there is memory for it, its items are encoded once. Otherwise they are encoded twice:
 * for their length, and when the client takes them.
 *
 * @throws ApiError 500 when an object cannot be read
 */
export async function bytesList(
  encoder: BytesListEncoder,
  list: BytesList,
  parts: LongBodyParts,
): Promise<ResponseBody> {
  const { kept, records, work } = list;
  if (list.inRuns && list.timeless && kept.isRequestedAgain && records.length >= MANY) {
    const body = await bytesInRuns(encoder, list);
    if (body !== undefined) return body;
  }
  const made = new ReservedChunks(work);
  const length = await inSlices(work, measured(encoder, list, made));
  const { head, tail } = encoder.surround(length);
  if (made.isWhole) {
    const body = { chunks: [head, ...made.chunks, tail] };
    return chunksLength(body) < CHUNK_BYTES ? concatBytes(body.chunks) : body;
  }
  const make = (writer: ByteChunkWriter): BodySteps => streamed(encoder, list, writer, { head, tail });
  // Each object has been read.
  return longBody(chunksOf(work, make), {
    ...parts,
    length: head.length + length + tail.length,
    beforeStream: undefined,
  });
}

/** Encodes a long list that is requested again; undefined when there is no memory for it. */
async function bytesInRuns(encoder: BytesListEncoder, list: BytesList): Promise<ResponseBody> {
  const { records, kept, work } = list;
  const runs = await inSlices(
    work,
    inRuns({
      ...{ records, work, form: kept, kind: 'items', before: '', after: '' },
      unitsOf,
      encode: (record) => {
        const encoding = kept.find(record)?.encoding;
        return encoding instanceof KeptBytes ? encoding.text : encoder.item(list.itemOf(record));
      },
    }),
  );
  if (runs === undefined) return undefined;
  const { chunks, compressed } = runs;
  const { head, tail } = encoder.surround(chunksLength({ chunks }));
  const body: ByteChunks = { chunks: [head, ...chunks, tail], compressed };
  return chunksLength(body) < CHUNK_BYTES ? concatBytes(body.chunks) : body;
}

/** Encodes the items, and returns their length. */
function* measured(encoder: BytesListEncoder, list: BytesList, made: ReservedChunks): Steps<number> {
  const writer = new ByteChunkWriter();
  let length = 0;
  for (const record of list.records) {
    const item = itemOf(encoder, list, record);
    length += item.bytes.length;
    if (made.isWhole) addItem(writer, item.bytes);
    if (writer.isFull) made.add(writer.take());
    if (list.work.spend(item.units)) yield;
  }
  made.add(writer.end());
  return length;
}

function* streamed(
  encoder: BytesListEncoder,
  list: BytesList,
  writer: ByteChunkWriter,
  { head, tail }: { readonly head: Uint8Array; readonly tail: Uint8Array },
): BodySteps {
  writer.bytes(head);
  for (const record of list.records) {
    const item = itemOf(encoder, list, record);
    addItem(writer, item.bytes);
    if (list.work.spend(item.units) || writer.isFull) yield;
  }
  writer.bytes(tail);
}

/** An encoded item: bytes for immediate use, or the Latin-1 text of its bytes. */
interface EncodedItem {
  readonly bytes: Uint8Array | string;
  readonly units: number;
}

function itemOf(encoder: BytesListEncoder, list: BytesList, record: StorageRecord): EncodedItem {
  const { kept, timeless } = list;
  const known = kept.find(record)?.encoding;
  if (known instanceof KeptBytes) return { bytes: known.text, units: KEPT_UNITS };
  const place = known === undefined ? kept.place(record) : undefined;
  if (place !== undefined) return { bytes: place.run.items(place.index, place.index + 1), units: KEPT_UNITS };
  const bytes = encoder.item(list.itemOf(record));
  if (timeless && kept.isRequestedAgain) kept.keep(record, new KeptBytes(bytes));
  return { bytes, units: unitsOf(record) };
}

function addItem(writer: ByteChunkWriter, item: Uint8Array | string): void {
  if (typeof item === 'string') writer.latin1(item);
  else writer.bytes(item);
}
