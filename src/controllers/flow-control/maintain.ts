import type { Client, ResourceClient } from '../../client/index.js';
import type { Dialect, ObjectMeta } from '../../foundation/index.js';
import {
  autoUpdateAnnotation,
  FlowSchema,
  isAbandoned,
  maintainedFlowSchemas,
  maintainedPriorityLevels,
  PriorityLevelConfiguration,
  PRODUCER,
  revised,
  type MaintainedObject,
  type MaintainedSpecs,
} from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { ignoring } from '../runtime/failures.js';

const WRITE = { fieldManager: PRODUCER };

/** The stored objects, and the client that changes them. */
export interface Maintenance {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly schemas: Iterable<ObjectOf<typeof FlowSchema>>;
  readonly levels: Iterable<ObjectOf<typeof PriorityLevelConfiguration>>;
}

/**
 * Creates the missing objects of API Priority and Fairness, updates those that the server maintains, and deletes those
 * that an earlier release maintained. An object that someone else writes meanwhile is left to the next call.
 *
 * @throws ApiError of a write that fails
 */
export async function maintainFlowControl({ client, dialect, schemas, levels }: Maintenance): Promise<void> {
  const schemaClient = client.resource(FlowSchema);
  const levelClient = client.resource(PriorityLevelConfiguration);
  const ofSchemas = maintainer({
    ...{ dialect, specs: maintainedFlowSchemas(dialect), stored: schemas, client: schemaClient },
    create: (object) => schemaClient.create(object, WRITE),
  });
  const ofLevels = maintainer({
    ...{ dialect, specs: maintainedPriorityLevels, stored: levels, client: levelClient },
    create: (object) => levelClient.create(object, WRITE),
  });
  for (const part of ['suggested', 'mandatory'] as const) {
    await ofLevels.ensure(part);
    await ofSchemas.ensure(part);
  }
  await ofSchemas.removeAbandoned();
  await ofLevels.removeAbandoned();
}

interface MaintainerParts<Spec, Item, Input> {
  readonly dialect: Dialect;
  readonly specs: MaintainedSpecs<Spec>;
  readonly stored: Iterable<Item>;
  readonly client: ResourceClient<Item, Input>;
  create(object: { metadata: ObjectMeta; spec: Spec }): Promise<unknown>;
}

/**
 * Returns the steps of the maintenance of one kind. A write that fails because others write too is left to the next
 * maintenance, which decides again.
 */
function maintainer<Spec, Item extends MaintainedObject<Spec>, Input>({
  dialect,
  specs,
  stored,
  client,
  create,
}: MaintainerParts<Spec, Item, Input>) {
  const known = new Map([...stored].map((object) => [object.metadata.name ?? '', object]));

  async function ensureOne(name: string, spec: Spec): Promise<void> {
    const present = known.get(name);
    if (present === undefined) {
      const metadata = { name, annotations: { [autoUpdateAnnotation(dialect)]: 'true' } };
      await ignoring(create({ metadata, spec }), 'AlreadyExists');
      return;
    }
    const next = revised(name, present, specs, dialect);
    if (next !== undefined) await ignoring(client.update(next, WRITE), 'NotFound', 'Conflict');
  }

  async function removeOne(name: string, { metadata: { uid, resourceVersion } }: Item): Promise<void> {
    const preconditions = { uid, resourceVersion };
    await ignoring(client.delete(name, { preconditions }), 'NotFound', 'Conflict');
  }

  return {
    /** Creates and updates the maintained objects. Concurrent writes share the wait for the disk. */
    async ensure(part: 'suggested' | 'mandatory'): Promise<void> {
      await Promise.all([...specs[part]].map(([name, spec]) => ensureOne(name, spec)));
    },
    async removeAbandoned(): Promise<void> {
      const abandoned = [...known].filter(([name, object]) => isAbandoned(name, object, specs, dialect));
      await Promise.all(abandoned.map(([name, object]) => removeOne(name, object)));
    },
  };
}
