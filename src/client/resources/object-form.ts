/**
 * The forms in which an in-process client reads objects: whole, or their metadata alone.
 *
 * @module
 */
import { cloneJson, isJsonObject, parsedJson, type JsonObject, type ObjectMeta } from '../../foundation/index.js';
import type { ResourceStore } from '../../registry/index.js';
import { metaApiVersion } from '../../server/index.js';
import type { StorageRecord } from '../../storage/index.js';

/** The metadata of an object of any kind, as its own object. */
export interface PartialObjectMetadata {
  readonly apiVersion: string;
  /** `PartialObjectMetadata`. */
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

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
}

/** Returns the form of whole objects. The definition's schema, which decoded them, guarantees their type. */
export const wholeObjects = <Item>(): ObjectForm<Item> => ({
  isPartial: false,
  names: ({ info }) => info,
  view: (store, record) => store.read(record),
  copy: (store, record) => cloneJson(store.read(record)) as Item,
});

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
  copy: (store, record) => {
    const { apiVersion, kind } = metadataOnly.names(store);
    return { kind, apiVersion, metadata: metadataOf(store, record) };
  },
};

function metadataOf(store: ResourceStore, record: StorageRecord): ObjectMeta {
  const text = record.decoded === undefined ? store.metadataText(record) : undefined;
  const metadata = text === undefined ? undefined : parsedJson(text);
  return isJsonObject(metadata) ? metadata : cloneJson(store.read(record).metadata);
}
