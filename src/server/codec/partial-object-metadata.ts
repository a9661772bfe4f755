import { ApiError, isArray, isJsonObject, type JsonObject, type JsonValue } from '../../foundation/index.js';
import type { ListFrame } from './codec.js';

/** Versions of the metadata-only form. */
export type MetaVersion = 'v1' | 'v1beta1';

/**
 * The part of the dialect that the metadata-only and Table forms need: the suffix of the group `meta.<groupSuffix>`.
 */
export interface MetaGroup {
  readonly groupSuffix: string;
}

/** Returns the apiVersion of the metadata-only and Table forms: `meta.<groupSuffix>/v1`. */
export function metaApiVersion(dialect: MetaGroup, version: MetaVersion): string {
  return `meta.${dialect.groupSuffix}/${version}`;
}

/** Reduces an object to its metadata. */
export function partialObjectMetadata(object: JsonObject, dialect: MetaGroup, version: MetaVersion): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: metaApiVersion(dialect, version),
    metadata: object['metadata'] ?? {},
  };
}

/** Reduces the items of a list to their metadata; keeps the metadata of the list. */
export function partialObjectMetadataList(list: JsonObject, dialect: MetaGroup, version: MetaVersion): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: metaApiVersion(dialect, version),
    metadata: list['metadata'] ?? {},
    items: itemsOf(list).map((item) => partialObjectMetadata(item, dialect, version)),
  };
}

/** Returns the items of a list; empty for an object. */
export function itemsOf(list: JsonObject): readonly JsonObject[] {
  const items: JsonValue | undefined = list['items'];
  return isArray(items) ? items.filter(isJsonObject) : [];
}

/**
 * Returns the requested metadata-only form of a response.
 *
 * @param isList whether `object` is a list
 * @throws ApiError 406 when the list form is requested for an object, or vice versa
 */
export function asPartialObjectMetadata(
  object: JsonObject,
  kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
  isList: boolean,
  dialect: MetaGroup,
  version: MetaVersion,
): JsonObject {
  assertForm(object, kind, isList);
  return isList ? partialObjectMetadataList(object, dialect, version) : partialObjectMetadata(object, dialect, version);
}

/**
 * Returns the metadata-only form of a list without its items, which {@link partialObjectMetadata} makes.
 *
 * @param list the list; only its kind and metadata are used
 * @throws ApiError 406 when the form of an object is requested for the list
 */
export function partialObjectMetadataFrame(
  list: JsonObject,
  kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
  dialect: MetaGroup,
  version: MetaVersion,
): ListFrame {
  assertForm(list, kind, true);
  return {
    members: {
      kind: 'PartialObjectMetadataList',
      apiVersion: metaApiVersion(dialect, version),
      metadata: list['metadata'] ?? {},
    },
    items: 'items',
  };
}

/** Checks that the form of a list is requested for a list, and that of an object for an object. @throws ApiError 406 */
function assertForm(
  object: JsonObject,
  kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
  isList: boolean,
): void {
  if (isList === (kind === 'PartialObjectMetadataList')) return;
  const name = typeof object['kind'] === 'string' ? object['kind'] : '';
  throw new ApiError({
    message: `you requested ${kind}, but the requested object is ${isList ? 'a list' : 'not a list'} (${name})`,
    reason: 'NotAcceptable',
    code: 406,
  });
}
