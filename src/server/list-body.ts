/**
 * The body of a list in the form that the client negotiated. It is assembled item by item and shares the turns of the
 * event loop with other requests, so that a list of a large store delays none of them.
 *
 * @module
 */
import {
  partialObjectMetadata,
  partialObjectMetadataFrame,
  tableFrame,
  tableRow,
  type ListFrame,
  type PartEncoder,
} from '../codec/index.js';
import { encodeUtf8, isAscii } from '../encoding/utf8.js';
import type { JsonObject } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';
import { shareTurn, visitInTurns } from '../meta/turn.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { StorageRecord } from '../storage/storage.js';
import type { ResponseBody, TextParts } from './http.js';
import { encodeOptions, isStoredForm, tableOptions, type ResponseContext } from './response-context.js';

/** Number of stored texts that are taken between two looks at the clock. */
const TEXTS_PER_STEP = 64;

/** A list in a negotiated form. */
interface ListForm {
  readonly frame: ListFrame;
  /** Returns the item of an object. */
  item(object: StoredObject): JsonObject;
}

/** Returns the item of a record in a negotiated form. */
type ItemOf = (record: StorageRecord) => JsonObject;

/**
 * Returns the body of a collection.
 *
 * @throws ApiError 406 when the collection has no such form; 500 when an object cannot be read
 */
export async function listBody(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): Promise<ResponseBody> {
  if (isStoredForm(context)) return storedList(store, outcome);
  const { frame, item } = listForm(context, store, outcome);
  const encoder = context.negotiated.serializer.listEncoder(frame, encodeOptions(context));
  const itemOf: ItemOf = (record) => item(store.read(record));
  return encoder.output === 'text'
    ? textList(encoder, outcome.records, itemOf)
    : bytesList(encoder, outcome.records, itemOf);
}

function listForm(context: ResponseContext, store: ResourceStore, outcome: ListOutcome): ListForm {
  const { info } = store;
  const list = { kind: info.listKind, apiVersion: info.apiVersion, metadata: { ...listMeta(outcome) } };
  const { transformation } = context.negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') {
    const item = info.definition.origin === 'builtin' ? withoutType : (object: StoredObject) => object;
    return { frame: { members: list, items: 'items' }, item };
  }
  const { kind, version } = transformation;
  if (kind === 'Table') {
    const options = tableOptions(context, store, version);
    return { frame: tableFrame(list, options), item: (object) => tableRow(object, options) };
  }
  const { dialect } = context.responder;
  const frame = partialObjectMetadataFrame(list, kind, dialect, version);
  return { frame, item: (object) => partialObjectMetadata(object, dialect, version) };
}

/** Items of built-in kinds omit kind and apiVersion. */
function withoutType({ kind: _kind, apiVersion: _apiVersion, ...rest }: StoredObject): JsonObject {
  return rest;
}

/** Assembles the JSON of a list from the stored texts of its objects, without copying them. */
async function storedList(store: ResourceStore, outcome: ListOutcome): Promise<TextParts> {
  const { info } = store;
  const { records } = outcome;
  const open = records.length === 0 ? '' : '{';
  const head = `{"kind":${JSON.stringify(info.listKind)},"apiVersion":${JSON.stringify(info.apiVersion)},"metadata":${JSON.stringify(listMeta(outcome))},"items":[${open}`;
  const skip = info.definition.origin === 'builtin' ? store.typePrefix.length : 1;
  const parts = new Array<string>(records.length);
  for (let index = 0; index < records.length; index += 1) {
    const turn = index % TEXTS_PER_STEP === 0 ? shareTurn(TEXTS_PER_STEP) : undefined;
    if (turn !== undefined) await turn;
    parts[index] = store.text(records[index] as StorageRecord).slice(skip);
  }
  return { head, parts, separator: ',{', tail: ']}\n', ascii: true };
}

async function textList(
  encoder: PartEncoder<string>,
  records: readonly StorageRecord[],
  itemOf: ItemOf,
): Promise<ResponseBody> {
  const parts = new Array<string>(records.length);
  let length = 0;
  let ascii = true;
  await visitInTurns(records, (record, index) => {
    const part = encoder.item(itemOf(record));
    parts[index] = part;
    length += part.length;
    ascii &&= isAscii(part);
  });
  const text = encoder.surround(records.length, length);
  if (ascii && isAscii(text.head)) return { ...text, parts, ascii };
  const bytes = new Array<Uint8Array>(parts.length);
  await visitInTurns(parts, (part, index) => void (bytes[index] = encodeUtf8(part)));
  return joined([encodeUtf8(text.head), encodeUtf8(text.separator), encodeUtf8(text.tail)], bytes);
}

async function bytesList(
  encoder: PartEncoder<Uint8Array>,
  records: readonly StorageRecord[],
  itemOf: ItemOf,
): Promise<Uint8Array> {
  const parts = new Array<Uint8Array>(records.length);
  let length = 0;
  await visitInTurns(records, (record, index) => {
    const part = encoder.item(itemOf(record));
    parts[index] = part;
    length += part.length;
  });
  const { head, separator, tail } = encoder.surround(records.length, length);
  return joined([head, separator, tail], parts);
}

/** Joins the encoded items of a list with what surrounds them. */
async function joined(
  [head, separator, tail]: readonly [Uint8Array, Uint8Array, Uint8Array],
  parts: readonly Uint8Array[],
): Promise<Uint8Array> {
  let length = head.length + tail.length + Math.max(0, parts.length - 1) * separator.length;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  const put = (bytes: Uint8Array): void => {
    whole.set(bytes, offset);
    offset += bytes.length;
  };
  put(head);
  await visitInTurns(parts, (part, index) => {
    if (index > 0) put(separator);
    put(part);
  });
  put(tail);
  return whole;
}
