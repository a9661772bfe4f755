import {
  apiVersionOf,
  isJsonObject,
  stringOrEmpty,
  type DialectGroups,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import type { KindReference } from '../backend.js';

/** A resource in the aggregated discovery of a server (KEP-3352), without its subresources. */
export interface ServedResource extends KindReference {
  readonly group: string;
  /** The APIResourceDiscovery that describes it. */
  readonly description: JsonObject;
}

/**
 * Returns the resources that a server serves, from its aggregated discovery: also those that it has without a custom resource
 * definition, and those of other servers behind it. Of a kind with several versions, the preferred one comes first.
 *
 * @param read reads a document of discovery; returns nothing for one that the server does not have
 * @returns nothing when the server does not have the documents, or not in the names of the dialect
 */
export async function servedResources(
  read: (path: string, accept: string) => Promise<JsonValue | undefined>,
  { groupSuffix }: DialectGroups,
): Promise<readonly ServedResource[]> {
  const accept = `application/json;g=apidiscovery.${groupSuffix};v=v2;as=APIGroupDiscoveryList`;
  const documents = await Promise.all(['/api', '/apis'].map((path) => read(path, accept)));
  return documents.flatMap(resourcesIn);
}

/** Returns the resources of an APIGroupDiscoveryList. */
function resourcesIn(document: JsonValue | undefined): ServedResource[] {
  if (!isJsonObject(document)) return [];
  return objectsIn(document['items']).flatMap(({ metadata, versions }) => {
    const group = isJsonObject(metadata) ? stringOrEmpty(metadata['name']) : '';
    return objectsIn(versions).flatMap(({ version, resources }) =>
      objectsIn(resources).map((description) => {
        const { responseKind } = description;
        const kind = isJsonObject(responseKind) ? stringOrEmpty(responseKind['kind']) : '';
        return { group, apiVersion: apiVersionOf(group, stringOrEmpty(version)), kind, description };
      }),
    );
  });
}

/** Returns the objects in a list of a document, or nothing if it is not a list. */
export const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
