/**
 * The body of a list in the form that the client negotiated. It is assembled item by item and shares the turns of the
 * event loop with other requests, so that a list of a large store delays none of them.
 *
 * @module
 */
import {
  inSlices,
  resultOf,
  workOf,
  type JsonObject,
  type MaybeSteps,
  type Steps,
  type StoredObject,
} from '../../foundation/index.js';
import { listMeta, mayBeEscaped, type ListOutcome, type ResourceStore } from '../../registry/index.js';
import { lengthOfText, unitsToRead, type StorageRecord } from '../../storage/index.js';
import type { TimedText } from '../codec/index.js';
import {
  encodeJson,
  rowText,
  partialObjectMetadata,
  partialObjectMetadataFrame,
  partialObjectMetadataText,
  shouldCompress,
  tableFrame,
  tableRowSteps,
  type ListFrame,
  type TableOptions,
} from '../codec/index.js';
import type { ResponseBody } from '../requests/http.js';
import { bytesList } from './bytes-list.js';
import { isLong, REFERENCE_BYTES, unitsOf, type ItemList } from './item-list.js';
import { MANY } from '../kept/index.js';
import { keptTexts } from './kept-texts.js';
import { longBody, type LongBodyParts } from './long-body.js';
import {
  acceptedEncoding,
  encodeOptions,
  isCompactJson,
  isJson,
  isStoredForm,
  longBodyParts,
  tableOptions,
  type ResponseContext,
} from './response-context.js';
import { itemText, storedList, type KeptLists } from './stored-list.js';
import { textList } from './text-list.js';

/**
 * Number of items from which runs of stored texts are worth their memory when they are not compressed. With fewer items, a
 * transport takes as long without them, and runs that writes change between two lists are copied for nothing.
 */
const MANY_AS_STORED = 4_096;

/** A list in a negotiated form. */
interface ListForm {
  readonly frame: ListFrame;
  /** Returns the item of an object, or steps to it. */
  item(object: StoredObject): MaybeSteps<JsonObject>;
  /**
   * Encodes the item of a record in compact JSON so that it can be used at any time; undefined when there is a reason to
   * encode {@link ListForm.item}. Absent for other media types.
   */
  readonly compact?: ((record: StorageRecord) => string | TimedText | undefined) | undefined;
  /** Whether the items depend on nothing but their records. */
  readonly timeless: boolean;
  /** Identifies everything else that the encoding depends on, besides the serializer, the records and the store. */
  readonly key: string;
}

/**
 * Returns the body of a collection. A long one is streamed; all of its objects are known to be readable then.
 *
 * @throws ApiError 406 when the collection has no such form; 429 when there is no memory for it; 500 when an object
 *   cannot be read
 */
export function listBody(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): ResponseBody | Promise<ResponseBody> {
  if (!isStoredForm(context)) return encodedList(context, store, outcome);
  return storedList(store, outcome, keptFor(context, store, outcome.records.length), longBodyParts(context));
}

/** Returns the body of a collection in another form than that in which its objects are stored. */
async function encodedList(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): Promise<ResponseBody> {
  const { responder, negotiated, scope } = context;
  const work = workOf(scope);
  const form = listForm(context, store, outcome);
  const options = encodeOptions(context);
  const encoder = negotiated.serializer.listEncoder(form.frame, options);
  const kept = responder.encodings.form(store, `${negotiated.serializer.mediaType} ${options.pretty} ${form.key}`);
  // The later pages of a list are not further requests for its objects.
  if (!scope.request.query.includes('continue=')) kept.countRequest();
  const { records } = outcome;
  function* longItem(record: StorageRecord): Steps<JsonObject> {
    return yield* resultOf(form.item(yield* store.peekSteps(work, record)));
  }
  const list: ItemList = {
    ...{ records, kept, work, timeless: form.timeless, nowMs: responder.clock.now() },
    // The decoded form of a long object is worth less than its memory.
    itemOf: (record) => (isLong(record) ? longItem(record) : form.item(store.read(record))),
  };
  const parts: LongBodyParts = {
    ...longBodyParts(context),
    heldBytes: records.length * REFERENCE_BYTES,
    beforeStream: () => inSlices(work, reading(store, list), 'list'),
  };
  if (encoder.output === 'text') {
    const { serializer } = negotiated;
    const short = await inSlices(work, keptTexts(encoder, list), 'encode');
    if (short !== undefined) return short;
    const source = textList(encoder, {
      ...{ ...list, options, compactOf: form.compact, keepsCompact: isCompactJson(context) },
      lengthOf: (item, most) => serializer.length?.(item, options, most) ?? 0,
    });
    return longBody(source, parts);
  }
  return bytesList(encoder, { ...list, inRuns: !scope.request.query.includes('Selector=') }, parts);
}

/**
 * Finds out whether all objects of a list can be read, without keeping them. Returns the length of their texts.
 *
 * @throws ApiError 500
 */
function* reading(store: ResourceStore, { records, kept, work }: ItemList): Steps<number> {
  let length = 0;
  for (const record of records) {
    // Kept items have been read.
    const isReadable = kept.find(record) !== undefined || store.looksReadable(record);
    if (!isReadable) yield* store.peekSteps(work, record);
    length += lengthOfText(record);
    if (work.spend(isReadable ? 1 + unitsToRead(record) : unitsOf(record))) yield;
  }
  return length;
}

/**
 * Number of items from which a short list is kept as a whole. With fewer, a transport takes as long to encode their texts.
 */
const MANY_ON_PAGE = 16;

/** Returns what is kept of the lists of a kind where it saves time: runs of items, or short lists as a whole. */
function keptFor(context: ResponseContext, store: ResourceStore, count: number): KeptLists {
  const { responder, scope } = context;
  const { query } = scope.request;
  const form = responder.encodings.form(store, '');
  const pages = count < MANY_ON_PAGE || count >= MANY_AS_STORED ? undefined : form.pages;
  // A list that leaves objects out is in no runs.
  if (query.includes('Selector=')) return { pages };
  if (!query.includes('continue=')) form.countRequest();
  const least = shouldCompress(acceptedEncoding(context), Infinity) ? MANY : MANY_AS_STORED;
  return form.isRequestedAgain && count >= least ? { runs: form } : { pages };
}

function listForm(context: ResponseContext, store: ResourceStore, outcome: ListOutcome): ListForm {
  const { info } = store;
  const list = { kind: info.listKind, apiVersion: info.apiVersion, metadata: { ...listMeta(outcome) } };
  const { transformation } = context.negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') {
    const isBuiltIn = info.definition.origin === 'builtin';
    const item = isBuiltIn ? withoutType : (object: StoredObject) => object;
    const compact = (record: StorageRecord): string => itemText(store, record);
    return {
      ...{ frame: { members: list, items: 'items' }, item, timeless: true, key: '' },
      compact: isJson(context) ? compact : undefined,
    };
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
  // A long object is decoded in steps, for its item.
  const compact = (record: StorageRecord): string | TimedText | undefined =>
    isLong(record) ? undefined : rowText(store.read(record), included(record), columns);
  return {
    frame,
    item: (object) => tableRowSteps(object, options, workOf(context.scope)),
    compact: isJson(context) ? compact : undefined,
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
    compact: isJson(context) ? metadataText(context, store, version) : undefined,
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
