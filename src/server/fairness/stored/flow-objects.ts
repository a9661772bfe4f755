import { formatTime, loading, type ApiObject, type Dialect, type Entropy } from '../../../foundation/index.js';
import {
  autoUpdateAnnotation,
  FlowSchema,
  maintainedFlowSchemas,
  maintainedPriorityLevels,
  PriorityLevelConfiguration,
  PRODUCER,
  type MaintainedSpecs,
} from '../../../kinds/index.js';
import type { Catalogue, ResourceDefinition } from '../../../registry/index.js';
import { StorageError } from '../../../storage/index.js';

/** The catalogue that stores the objects, and the source of uids. */
export interface FlowObjectParts {
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
}

/**
 * Creates the missing objects of API Priority and Fairness: levels first, so that no schema is without its level.
 *
 * Writes directly to the stores, as for the system namespaces: the start of a server waits for it, and must not wait for
 * webhooks. The controller `priority-and-fairness-config-producer` maintains the objects afterwards.
 *
 * @throws StorageError when reading or writing fails
 */
export async function ensureFlowObjects(parts: FlowObjectParts): Promise<void> {
  const { dialect } = parts.catalogue.environment;
  await ensureKind(parts, PriorityLevelConfiguration, maintainedPriorityLevels);
  await ensureKind(parts, FlowSchema, maintainedFlowSchemas(dialect));
}

/** Returns the names of the objects that a server creates. */
export function flowObjectNames(dialect: Dialect): { readonly schemas: string[]; readonly levels: string[] } {
  const names = ({ suggested, mandatory }: MaintainedSpecs<unknown>): string[] => [
    ...suggested.keys(),
    ...mandatory.keys(),
  ];
  return { schemas: names(maintainedFlowSchemas(dialect)), levels: names(maintainedPriorityLevels) };
}

async function ensureKind<Spec extends object>(
  parts: FlowObjectParts,
  definition: ResourceDefinition,
  { suggested, mandatory }: MaintainedSpecs<Spec>,
): Promise<void> {
  await loading(definition.prepare?.() ?? Promise.resolve());
  const store = parts.catalogue.store(definition);
  const { records } = await store.environment.storage.list(store.info.keyPrefix);
  const stored = new Set(records.map(({ key }) => key));
  // Concurrent writes share the wait for the disk.
  await Promise.all(
    [...suggested, ...mandatory].map(async ([name, spec]) => {
      const key = store.info.key('', name);
      if (stored.has(key)) return;
      try {
        await store.writes.insert(key, created(parts, store.info, name, spec));
      } catch (error) {
        // Another server on the same storage created it first.
        if (!(error instanceof StorageError) || error.code !== 'KeyExists') throw error;
      }
    }),
  );
}

/** Returns an object in the form that a create through the API would store. */
function created(
  { catalogue, entropy }: FlowObjectParts,
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  name: string,
  spec: object,
): ApiObject {
  const { clock, dialect } = catalogue.environment;
  const time = formatTime(clock.now());
  const annotation = autoUpdateAnnotation(dialect);
  const fieldsV1 = {
    'f:metadata': { 'f:annotations': { '.': {}, [`f:${annotation}`]: {} } },
    'f:spec': ownedFields(spec),
  };
  return {
    ...{ kind, apiVersion },
    metadata: {
      ...{ name, uid: entropy.uuid(), generation: 1, creationTimestamp: time },
      annotations: { [annotation]: 'true' },
      managedFields: [{ manager: PRODUCER, operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1 }],
    },
    spec,
    status: {},
  };
}

type OwnedFields = { readonly [field: string]: OwnedFields };

/** The struct that every schema has. Optional ones are owned as such, besides their fields. */
const REQUIRED = 'priorityLevelConfiguration';

/** Returns the fields that the creator of a spec owns. Its lists are owned as a whole. */
function ownedFields(value: object): OwnedFields {
  return Object.fromEntries(
    Object.entries(value)
      .sort(([first], [second]) => (first < second ? -1 : 1))
      .map(([field, child]: [string, unknown]) => {
        if (typeof child !== 'object' || child === null || Array.isArray(child)) return [`f:${field}`, {}];
        return [`f:${field}`, { ...(field === REQUIRED ? {} : { '.': {} }), ...ownedFields(child) }];
      }),
  );
}
