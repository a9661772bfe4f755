/**
 * The forms in which an in-process client reads objects: whole, or their metadata alone.
 *
 * @module
 */
import {
  cloneJson,
  inSlices,
  isJsonObject,
  jsonValueSteps,
  LONG_TEXT,
  parsedJson,
  SharedWork,
  type JsonObject,
  type ObjectMeta,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { cloneSteps } from '../../machinery/index.js';
import type { ResourceStore } from '../../registry/index.js';
import { metaApiVersion } from '../../server/index.js';
import { lengthOfText, type StorageRecord } from '../../storage/index.js';
import type { Call } from '../backend.js';
import type { PartialObjectMetadata } from '../client.js';

/** Names of the objects and lists of a form. */
export interface FormNames {
  readonly apiVersion: string;
  readonly kind: string;
  readonly listKind: string;
}

/** A form in which objects are read. */
export interface ObjectForm<Item> {
  /** Whether a part of an object is enough, so that a list need not look whether the rest is readable. */
  readonly isPartial: boolean;
  names(store: ResourceStore): FormNames;
  /** Returns the object of a record, which the caller must not change. @throws ApiError 500 when it is unreadable */
  view(store: ResourceStore, record: StorageRecord): JsonObject;
  /** Returns the object of a record, which the caller owns. @throws ApiError 500 when it is unreadable */
  copy(store: ResourceStore, record: StorageRecord): Item;
  /** Does the same in steps, for a record with a long text. */
  copySteps(store: ResourceStore, record: StorageRecord, work: Work): Steps<Item>;
}

/** The form of whole objects. */
export const wholeObjects: ObjectForm<JsonObject> = {
  isPartial: false,
  names: ({ info }) => info,
  view: (store, record) => store.read(record),
  copy: (store, record) => cloneJson(store.read(record)),
  *copySteps(store, record, work) {
    return (yield* cloneSteps(yield* store.readSteps(work, record), work)) as JsonObject;
  },
};

/**
 * The form of metadata alone. Most objects are not parsed for it: the rest of the text of a stored object is skipped,
 * and the server's cache of decoded objects stays as it is.
 */
export const metadataOnly: ObjectForm<PartialObjectMetadata> = {
  isPartial: true,
  names: ({ environment }) => ({
    apiVersion: metaApiVersion(environment.dialect, 'v1'),
    kind: 'PartialObjectMetadata',
    listKind: 'PartialObjectMetadataList',
  }),
  view: (store, record) => ({ ...metadataOnly.copy(store, record) }),
  copy: (store, record) => partial(store, metadataOf(store, record)),
  *copySteps(store, record, work) {
    return partial(store, yield* metadataSteps(store, record, work));
  },
};

/** Returns the form of the objects of a call. The schema of their kind, which decoded them, guarantees their type. */
export const formOf = <Item>(form: Call['form']): ObjectForm<Item> =>
  (form === 'whole' ? wholeObjects : metadataOnly) as ObjectForm<unknown> as ObjectForm<Item>;

function partial(store: ResourceStore, metadata: ObjectMeta): PartialObjectMetadata {
  const { apiVersion, kind } = metadataOnly.names(store);
  return { kind, apiVersion, metadata };
}

function metadataOf(store: ResourceStore, record: StorageRecord): ObjectMeta {
  const text = record.decoded === undefined ? store.metadataText(record) : undefined;
  const metadata = text === undefined ? undefined : parsedJson(text);
  return isJsonObject(metadata) ? metadata : cloneJson(store.read(record).metadata);
}

/** Does the same in steps. */
function* metadataSteps(store: ResourceStore, record: StorageRecord, work: Work): Steps<ObjectMeta> {
  const text = record.decoded === undefined ? store.metadataText(record) : undefined;
  const metadata = text === undefined ? undefined : yield* jsonValueSteps(work, text);
  if (isJsonObject(metadata)) return metadata;
  const object = yield* store.readSteps(work, record);
  return (yield* cloneSteps(object.metadata, work)) as ObjectMeta;
}

/** Returns the object of a record, which the caller owns; that of a long text in several turns. */
export function copyInTurns<Item>(
  form: ObjectForm<Item>,
  store: ResourceStore,
  record: StorageRecord,
): Item | Promise<Item> {
  if (lengthOfText(record) < LONG_TEXT) return form.copy(store, record);
  const work = new SharedWork();
  return inSlices(work, form.copySteps(store, record, work));
}
