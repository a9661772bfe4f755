/**
 * The body of a list in the form that the client negotiated. It is assembled item by item and shares the turns of the
 * event loop with other requests, so that a list of a large store delays none of them.
 *
 * @module
 */
import type { TimedText } from '../codec/index.js';
import {
  CellTexts,
  ROW_SEPARATOR,
  encodeJson,
  lastingRow,
  partialObjectMetadata,
  partialObjectMetadataFrame,
  partialObjectMetadataText,
  tableFrame,
  tableRow,
  type BytesListEncoder,
  type ListFrame,
  type TableOptions,
  type TextListEncoder,
} from '../codec/index.js';
import { concatBytes } from '../encoding/bytes.js';
import { encodeUtf8, isAscii } from '../encoding/utf8.js';
import type { JsonObject } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';
import { shareTurn, visitInTurns } from '../meta/turn.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import { mayBeEscaped } from '../registry/metadata-text.js';
import type { ResourceStore } from '../registry/store.js';
import type { StorageRecord } from '../storage/storage.js';
import { ByteChunkWriter } from './byte-chunk-writer.js';
import { CHUNK_BYTES, chunksLength, type ByteChunks, type ResponseBody } from './http.js';
import { KeptBytes, textsOf, type KeptForm } from './kept-encodings.js';
import { inRuns, ITEMS_PER_STEP, MANY } from './run-list.js';
import { storedList } from './stored-list.js';
import { encodeOptions, isCompactJson, isStoredForm, tableOptions, type ResponseContext } from './response-context.js';

/** A list in a negotiated form. */
interface ListForm {
  readonly frame: ListFrame;
  /** Returns the item of an object. */
  item(object: StoredObject): JsonObject;
  /**
   * Encodes the item of a record in compact JSON so that it can be used at any time; undefined when there is a reason to
   * encode {@link ListForm.item}.
   */
  readonly lasting?: ((record: StorageRecord) => string | TimedText | undefined) | undefined;
  /** Whether the items depend on nothing but their records. */
  readonly timeless: boolean;
  /** What the encoding depends on besides the serializer, the records and the store. */
  readonly key: string;
}

/** A list that is encoded item by item. */
interface ItemList {
  readonly records: readonly StorageRecord[];
  readonly form: ListForm;
  readonly kept: KeptForm;
  /** Whether runs of the items may be kept: the list leaves none out. */
  readonly inRuns: boolean;
  readonly nowMs: number;
  /** Returns the item of a record. */
  itemOf(record: StorageRecord): JsonObject;
}

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
  if (isStoredForm(context)) return storedList(store, outcome, runsFor(context, store));
  const form = listForm(context, store, outcome);
  const { responder, negotiated, scope } = context;
  const options = encodeOptions(context);
  const encoder = negotiated.serializer.listEncoder(form.frame, options);
  const kept = responder.encodings.form(store, `${negotiated.serializer.mediaType} ${options.pretty} ${form.key}`);
  // The later pages of a list are no further request for its objects.
  if (!scope.request.query.includes('continue=')) kept.countRequest();
  const { records } = outcome;
  const itemOf = (record: StorageRecord): JsonObject => form.item(store.read(record));
  const isAll = !scope.request.query.includes('Selector=');
  const list: ItemList = { records, form, kept, inRuns: isAll, nowMs: responder.clock.now(), itemOf };
  return encoder.output === 'text' ? textList(encoder, list) : bytesList(encoder, list);
}

/** Returns the runs of the items of a kind; undefined for a list that leaves objects out. */
function runsFor({ responder, scope }: ResponseContext, store: ResourceStore): KeptForm | undefined {
  const { query } = scope.request;
  if (query.includes('Selector=')) return undefined;
  const runs = responder.encodings.form(store, '');
  if (!query.includes('continue=')) runs.countRequest();
  return runs;
}

function listForm(context: ResponseContext, store: ResourceStore, outcome: ListOutcome): ListForm {
  const { info } = store;
  const list = { kind: info.listKind, apiVersion: info.apiVersion, metadata: { ...listMeta(outcome) } };
  const { transformation } = context.negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') {
    const item = info.definition.origin === 'builtin' ? withoutType : (object: StoredObject) => object;
    return { frame: { members: list, items: 'items' }, item, timeless: true, key: '' };
  }
  const { kind, version } = transformation;
  return kind === 'Table'
    ? tableForm(context, store, list, version)
    : metadataForm(context, store, list, { kind, version });
}

function tableForm(
  context: ResponseContext,
  store: ResourceStore,
  list: JsonObject,
  version: TableOptions['version'],
): ListForm {
  const options = tableOptions(context, store, version);
  const { includeObject, columns } = options;
  const frame = tableFrame(list, options);
  const metadataOf = metadataText(context, store, version);
  const included = (record: StorageRecord): string => {
    if (includeObject === 'None') return 'null';
    if (includeObject === 'Metadata') return metadataOf(record);
    const text = store.text(record);
    return mayBeEscaped(text) ? encodeJson(store.read(record)) : text;
  };
  const lasting = (record: StorageRecord): string | TimedText | undefined =>
    lastingRow(store.read(record), included(record), columns);
  return {
    frame,
    item: (object) => tableRow(object, options),
    lasting: isCompactJson(context) && columns.every((column) => 'lasting' in column) ? lasting : undefined,
    timeless: false,
    key: `Table ${version} ${includeObject}`,
  };
}

function metadataForm(
  context: ResponseContext,
  store: ResourceStore,
  list: JsonObject,
  { kind, version }: { kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList'; version: TableOptions['version'] },
): ListForm {
  const { dialect } = context.responder;
  return {
    frame: partialObjectMetadataFrame(list, kind, dialect, version),
    item: (object) => partialObjectMetadata(object, dialect, version),
    lasting: isCompactJson(context) ? metadataText(context, store, version) : undefined,
    timeless: true,
    key: `PartialObjectMetadata ${version}`,
  };
}

/** Returns a function that encodes the metadata-only form of a record, from its text where that is enough. */
function metadataText(
  { responder: { dialect } }: ResponseContext,
  store: ResourceStore,
  version: TableOptions['version'],
): (record: StorageRecord) => string {
  return (record) => {
    const metadata = store.metadataText(record);
    return metadata === undefined
      ? encodeJson(partialObjectMetadata(store.read(record), dialect, version))
      : partialObjectMetadataText(metadata, dialect, version);
  };
}

/** Items of built-in kinds omit kind and apiVersion. */
function withoutType({ kind: _kind, apiVersion: _apiVersion, ...rest }: StoredObject): JsonObject {
  return rest;
}

async function textList(encoder: TextListEncoder, list: ItemList): Promise<ResponseBody> {
  const { records, kept, nowMs, form } = list;
  const text = encoder.surround(records.length);
  const cells = new CellTexts(nowMs);
  // Rows with cells that change bring their separators.
  const isJoined = form.timeless || form.lasting === undefined;
  const parts: string[] = [];
  let partsLength = 0;
  let ascii = true;
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as StorageRecord;
    const item = kept.find(record);
    const turn = turnFor(item, index);
    if (turn !== undefined) await turn;
    const known = item?.encoding;
    const encoding = known === undefined || known instanceof KeptBytes ? encodeText(encoder, list, record) : known;
    // A row of which cells change is several parts, so that it is no new string.
    if (typeof encoding === 'string')
      partsLength += addText(parts, encoding, isJoined || index === 0 ? '' : ROW_SEPARATOR);
    else partsLength += encoding.addTo(parts, cells, index === 0);
    ascii &&= item?.ascii ?? textsOf(encoding).every(isAscii);
  }
  const { head, tail } = text;
  const separator = isJoined ? text.separator : '';
  if (ascii && cells.ascii && isAscii(head)) return { head, parts, separator, tail, ascii, partsLength };
  const body = new ByteChunkWriter();
  await visitInTurns(parts, (part, index) => {
    if (index > 0) body.text(separator);
    body.text(part);
  });
  return body.finish(encodeUtf8(head), encodeUtf8(tail));
}

/** Decides whether a list may go on in this turn. Items that are kept take almost no time. */
function turnFor(item: object | undefined, index: number): Promise<void> | undefined {
  if (item === undefined) return shareTurn();
  return index % ITEMS_PER_STEP === 0 ? shareTurn() : undefined;
}

/** Adds a text to the parts of a list. Returns the length that is added. */
function addText(parts: string[], text: string, separator: string): number {
  if (separator !== '') parts.push(separator);
  parts.push(text);
  return separator.length + text.length;
}

function encodeText(encoder: TextListEncoder, list: ItemList, record: StorageRecord): string | TimedText {
  const { form, kept } = list;
  const lasting = form.lasting?.(record);
  const encoding = lasting ?? encoder.item(list.itemOf(record));
  if (lasting !== undefined || form.timeless) kept.keep(record, encoding);
  return encoding;
}

async function bytesList(encoder: BytesListEncoder, list: ItemList): Promise<ResponseBody> {
  const { records, form, kept } = list;
  if (list.inRuns && form.timeless && kept.isRequestedAgain && records.length >= MANY)
    return bytesInRuns(encoder, list);
  const body = new ByteChunkWriter();
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] as StorageRecord;
    const item = kept.find(record);
    const place = item === undefined ? kept.place(record) : undefined;
    const turn = turnFor(item ?? place, index);
    if (turn !== undefined) await turn;
    if (item?.encoding instanceof KeptBytes) body.latin1(item.encoding.text);
    // In another turn, the run may have been dropped.
    else if (place !== undefined && !place.run.isDropped) body.bytes(place.run.items(place.index, place.index + 1));
    else {
      const bytes = encoder.item(list.itemOf(record));
      if (form.timeless && kept.isRequestedAgain) kept.keep(record, new KeptBytes(bytes));
      body.bytes(bytes);
    }
  }
  const { head, tail } = encoder.surround(body.length);
  return body.finish(head, tail);
}

/** Encodes a long list that is requested again. */
async function bytesInRuns(encoder: BytesListEncoder, list: ItemList): Promise<ResponseBody> {
  const { records, kept } = list;
  const { chunks, compressed } = await inRuns({
    records,
    form: kept,
    kind: 'items',
    itemsPerStep: 1,
    before: '',
    after: '',
    encode: (record) => {
      const encoding = kept.find(record)?.encoding;
      return encoding instanceof KeptBytes ? encoding.text : encoder.item(list.itemOf(record));
    },
  });
  const { head, tail } = encoder.surround(chunksLength({ chunks }));
  const body: ByteChunks = { chunks: [head, ...chunks, tail], compressed };
  return chunksLength(body) < CHUNK_BYTES ? concatBytes(body.chunks) : body;
}
