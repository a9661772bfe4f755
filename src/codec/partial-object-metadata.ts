import { ApiError } from '../meta/api-error.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';

/** Version of the metadata-only form. */
export type MetaVersion = 'v1' | 'v1beta1';

/** What the metadata-only and Table forms need to know of the dialect: the group `meta.<groupSuffix>`. */
export interface MetaGroup {
  readonly groupSuffix: string;
}

/** The apiVersion of the metadata-only and Table forms: `meta.<groupSuffix>/v1`. */
export function metaApiVersion(dialect: MetaGroup, version: MetaVersion): string {
  return `meta.${dialect.groupSuffix}/${version}`;
}

/** An object without anything but its metadata. */
export function partialObjectMetadata(object: JsonObject, dialect: MetaGroup, version: MetaVersion): JsonObject {
  return {
    kind: 'PartialObjectMetadata',
    apiVersion: metaApiVersion(dialect, version),
    metadata: object['metadata'] ?? {},
  };
}

/** A list without anything but the metadata of its items; its own metadata stays. */
export function partialObjectMetadataList(list: JsonObject, dialect: MetaGroup, version: MetaVersion): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: metaApiVersion(dialect, version),
    metadata: list['metadata'] ?? {},
    items: itemsOf(list).map((item) => partialObjectMetadata(item, dialect, version)),
  };
}

/** The items of a list; an object has none. */
export function itemsOf(list: JsonObject): readonly JsonObject[] {
  const items: JsonValue | undefined = list['items'];
  return isArray(items) ? items.filter(isJsonObject) : [];
}

/**
 * The metadata-only form of an answer, as it was asked for.
 *
 * @param isList whether `object` is a list
 * @throws ApiError 406 when the form of a list is asked for an object, or the other way round
 */
export function asPartialObjectMetadata(
  object: JsonObject,
  kind: 'PartialObjectMetadata' | 'PartialObjectMetadataList',
  isList: boolean,
  dialect: MetaGroup,
  version: MetaVersion,
): JsonObject {
  if (isList === (kind === 'PartialObjectMetadataList')) {
    return isList
      ? partialObjectMetadataList(object, dialect, version)
      : partialObjectMetadata(object, dialect, version);
  }
  const name = typeof object['kind'] === 'string' ? object['kind'] : '';
  throw new ApiError({
    message: `you requested ${kind}, but the requested object is ${isList ? 'a list' : 'not a list'} (${name})`,
    reason: 'NotAcceptable',
    code: 406,
  });
}
