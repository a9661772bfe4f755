import {
  apiVersionOf,
  isJsonObject,
  stringOrEmpty,
  type Dialect,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import type { ReadDocument } from './access.js';
import type { NamedKind } from './known-resources.js';

/**
 * Returns the kinds that a server serves, from its aggregated discovery: also those that it has without a custom resource
 * definition, and those of other servers behind it. Of a kind with several versions, the preferred one comes first.
 *
 * @returns nothing when the server does not have the documents, or not in the names of the dialect
 */
export async function servedKinds(read: ReadDocument, { groupSuffix }: Dialect): Promise<readonly NamedKind[]> {
  const accept = `application/json;g=apidiscovery.${groupSuffix};v=v2;as=APIGroupDiscoveryList`;
  const documents = await Promise.all(['/api', '/apis'].map((path) => read(path, accept)));
  return documents.flatMap(kindsIn);
}

/** Returns the kinds of an APIGroupDiscoveryList. */
function kindsIn(document: JsonValue | undefined): NamedKind[] {
  if (!isJsonObject(document)) return [];
  return objectsIn(document['items']).flatMap(({ metadata, versions }) => {
    const group = isJsonObject(metadata) ? stringOrEmpty(metadata['name']) : '';
    return objectsIn(versions).flatMap(({ version, resources }) =>
      objectsIn(resources).map((resource) => kindOf(group, apiVersionOf(group, stringOrEmpty(version)), resource)),
    );
  });
}

function kindOf(group: string, apiVersion: string, resource: JsonObject): NamedKind {
  const { responseKind, shortNames } = resource;
  return {
    ...{ group, apiVersion, kind: isJsonObject(responseKind) ? stringOrEmpty(responseKind['kind']) : '' },
    resource: stringOrEmpty(resource['resource']),
    singular: stringOrEmpty(resource['singularResource']),
    shortNames: Array.isArray(shortNames) ? shortNames.map(stringOrEmpty) : [],
    namespaced: resource['scope'] === 'Namespaced',
  };
}

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
