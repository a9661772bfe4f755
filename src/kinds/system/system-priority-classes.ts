import { formatTime, loading, type ApiObject, type Entropy } from '../../foundation/index.js';
import type { Catalogue } from '../../registry/index.js';
import { StorageError } from '../../storage/index.js';
import { PriorityClass } from '../builtin/index.js';
import { SYSTEM_CLASSES } from '../builtin/scheduling/system-classes.js';

/** Creates the missing priority classes of the system. @throws StorageError when reading or creating fails */
export async function ensureSystemPriorityClasses(catalogue: Catalogue, entropy: Entropy): Promise<void> {
  if (!catalogue.serves(PriorityClass)) return;
  await loading(PriorityClass.prepare?.() ?? Promise.resolve());
  const { info } = catalogue.store(PriorityClass);
  const { clock, storage, dialect } = catalogue.environment;
  const time = formatTime(clock.now());
  for (const { name, value, description } of SYSTEM_CLASSES) {
    const key = info.key('', name);
    const { record } = await storage.get(key);
    if (record !== undefined) continue;
    const spec = { value, description, preemptionPolicy: 'PreemptLowerPriority' };
    const fieldsV1 = { 'f:description': {}, 'f:preemptionPolicy': {}, 'f:value': {} };
    const object: ApiObject = {
      ...{ kind: info.kind, apiVersion: info.apiVersion },
      metadata: {
        ...{ name, uid: entropy.uuid(), generation: 1, creationTimestamp: time },
        managedFields: [
          {
            ...{ manager: dialect.apiServerName, operation: 'Update', apiVersion: info.apiVersion, time },
            ...{ fieldsType: 'FieldsV1', fieldsV1 },
          },
        ],
      },
      ...spec,
    };
    try {
      await catalogue.store(PriorityClass).writes.insert(key, object);
    } catch (error) {
      // Another server on the same storage created it first.
      if (!(error instanceof StorageError) || error.code !== 'KeyExists') throw error;
    }
  }
}
