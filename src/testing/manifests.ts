import type { ApiServer } from '../api-server.js';
import { readDocuments, type DefinitionSource } from '../custom/sources/documents.js';
import { DEFINITION_KIND } from '../custom/sources/definition-dialect.js';
import { messageOf } from '../meta/error-message.js';
import { isJsonObject, type JsonObject } from '../meta/json.js';
import type { UntypedInput } from '../client/client.js';

const DEFAULT_NAMESPACE = 'default';

/**
 * Creates objects in order. The kinds of definitions among them are served before the next object is created.
 *
 * @param settled waits until the controllers have no work left
 * @throws TypeError for a source that cannot be read; Error for the first object that the server refuses, with its place
 */
export async function createManifests(
  server: ApiServer,
  sources: readonly DefinitionSource[],
  settled: () => Promise<void>,
): Promise<void> {
  const client = server.client();
  const documents = (await Promise.all(sources.map(readDocuments))).flat();
  for (const { place, value } of documents) {
    const { apiVersion, kind } = value;
    const title = titleOf(value, place);
    if (typeof apiVersion !== 'string' || typeof kind !== 'string')
      throw new TypeError(`startTestServer: manifests: ${title}: an object needs apiVersion and kind`);
    const reference = { apiVersion, kind };
    try {
      const isNamespaced = server.resources.scopeOf(reference) === 'Namespaced';
      await client.resource(reference).create(isNamespaced ? withNamespace(value) : inputOf(value));
    } catch (error) {
      throw new Error(`startTestServer: manifests: ${title}: ${messageOf(error)}`, { cause: error });
    }
    if (kind === DEFINITION_KIND) await settled();
  }
}

/** Returns an object as the client takes it. Its metadata are JSON, or are refused by the validation. */
const inputOf = ({ metadata, ...rest }: JsonObject): UntypedInput => ({
  ...rest,
  metadata: isJsonObject(metadata) ? metadata : {},
});

function withNamespace(value: JsonObject): UntypedInput {
  const input = inputOf(value);
  return { ...input, metadata: { namespace: DEFAULT_NAMESPACE, ...input.metadata } };
}

function titleOf(value: JsonObject, place: string): string {
  const metadata = isJsonObject(value['metadata']) ? value['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? ` ${metadata['name']}` : '';
  const title = `${typeof value['kind'] === 'string' ? value['kind'] : 'object'}${name}`;
  return place === '' ? title : `${place} (${title})`;
}
