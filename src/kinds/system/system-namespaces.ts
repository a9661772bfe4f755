import { formatTime, type ApiObject, type Clock, type Dialect, type Entropy } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import { StorageError } from '../../storage/index.js';
import { Namespace } from '../builtin/index.js';

/**
 * Returns a namespace in the form that the API would create. It is written out because building a schema would delay
 * the start of the server.
 */
function systemNamespace(dialect: Dialect, clock: Clock, entropy: Entropy, name: string): ApiObject {
  const time = formatTime(clock.now());
  return {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: {
      name,
      uid: entropy.uuid(),
      creationTimestamp: time,
      labels: { [dialect.namespaceNameLabel]: name },
      managedFields: [
        {
          manager: dialect.apiServerName,
          operation: 'Update',
          apiVersion: 'v1',
          time,
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, [`f:${dialect.namespaceNameLabel}`]: {} } } },
        },
      ],
    },
    spec: { finalizers: [dialect.product] },
    status: { phase: 'Active' },
  };
}

/** Creates the missing system namespaces. @throws StorageError when reading or creating fails */
export async function ensureSystemNamespaces(catalogue: Catalogue, entropy: Entropy): Promise<void> {
  const store = catalogue.store(Namespace);
  const { dialect, clock, storage } = catalogue.environment;
  for (const name of Object.values(dialect.namespaces) as string[]) {
    const key = store.info.key('', name);
    const { record } = await storage.get(key);
    if (record !== undefined) continue;
    try {
      await store.writes.insert(key, systemNamespace(dialect, clock, entropy, name));
    } catch (error) {
      // Another server on the same storage created it first.
      if (!(error instanceof StorageError) || error.code !== 'KeyExists') throw error;
    }
  }
}
