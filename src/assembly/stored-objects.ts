import type { StoredObject } from '../meta/object.js';
import type { ResourceDefinition } from '../registry/definition.js';
import type { GenericServer } from '../server/generic-server.js';

/** Looks one object up as it is now; undefined when it is not there. Nobody may change it. */
export async function storedObject(
  server: GenericServer,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): Promise<StoredObject | undefined> {
  const { store } = server.operationsOf(definition);
  const record = await store.find(namespace, name);
  return record === undefined ? undefined : store.read(record);
}
