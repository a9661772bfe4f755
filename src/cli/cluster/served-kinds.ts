import { servedResources } from '../../client/index.js';
import { stringOrEmpty, type Dialect } from '../../foundation/index.js';
import type { ReadDocument } from './access.js';
import type { NamedKind } from './known-resources.js';

/** Returns the kinds that a server serves, with the names that users may give them. The preferred version comes first. */
export async function servedKinds(read: ReadDocument, dialect: Dialect): Promise<readonly NamedKind[]> {
  const served = await servedResources(read, dialect);
  return served.map(({ group, apiVersion, kind, description }) => ({
    ...{ group, apiVersion, kind },
    resource: stringOrEmpty(description['resource']),
    singular: stringOrEmpty(description['singularResource']),
    shortNames: Array.isArray(description['shortNames']) ? description['shortNames'].map(stringOrEmpty) : [],
    namespaced: description['scope'] === 'Namespaced',
  }));
}
