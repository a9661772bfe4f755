/**
 * Storage migration: rewrites the objects of custom kinds in their storage version, so that older versions can be
 * removed from their definitions.
 *
 * @module
 */
import { apiVersionOf, cloneJson, report, toError, type StoredObject } from '../../foundation/index.js';
import { CustomResourceDefinition, serviceResolver, type ConverterTools } from '../../kinds/index.js';
import { migrateObjects, type MigrationFailure, type ObjectOf, type RequestContext } from '../../registry/index.js';
import { StorageError, type Storage } from '../../storage/index.js';
import { answerDecoder } from '../admission/answer-decoder.js';
import type { ApiServerOptions } from '../options/api-server-options.js';
import { serverParts, type ServerParts } from '../instance/server-parts.js';
import { CustomResources } from './custom-resources.js';

type Definition = StoredObject & ObjectOf<typeof CustomResourceDefinition>;

/** Options of a storage migration. */
export interface MigrationOptions {
  /** Counts the objects that would be rewritten, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Ends the migration with the signal's reason. A later migration skips what is already rewritten. */
  readonly signal?: AbortSignal | undefined;
  /** Called while the objects of a definition are read, with the number of objects read and of all. */
  readonly onProgress?: ((definition: string, objects: number, all: number) => void) | undefined;
  /** Called with the result of each definition. */
  readonly onMigrated?: ((migration: DefinitionMigration) => void) | undefined;
}

/** The migration of the objects of one custom resource definition. */
export interface DefinitionMigration {
  /** Name of the definition. */
  readonly definition: string;
  readonly storageVersion: string;
  readonly objects: number;
  /** Objects whose stored form was not the current one. */
  readonly rewritten: number;
  /** Versions that were removed from `status.storedVersions`; with `dryRun`, those that would be. */
  readonly removedVersions: readonly string[];
  /** Objects that could not be migrated. */
  readonly failures: readonly MigrationFailure[];
  /** Why the definition as a whole could not be migrated. */
  readonly problem?: string | undefined;
}

/**
 * Migrates the objects of all custom resource definitions.
 *
 * @throws StorageError when the storage fails; the signal's reason
 */
export async function migrateDefinitions(
  parts: Pick<ServerParts, 'catalogue' | 'owner' | 'entropy' | 'featureGates'>,
  options: MigrationOptions = {},
): Promise<DefinitionMigration[]> {
  const { catalogue } = parts;
  if (!catalogue.serves(CustomResourceDefinition)) return [];
  const store = catalogue.store(CustomResourceDefinition);
  const { records } = await store.environment.storage.list(store.info.keyPrefix);
  const migrations: DefinitionMigration[] = [];
  for (const record of records) {
    const { name } = store.info.placeOf(record.key);
    const migration = await migrateDefinition(parts, name, () => store.read(record) as Definition, options);
    migrations.push(migration);
    report(() => options.onMigrated?.(migration));
  }
  return migrations;
}

/** Migrates a store that no server of this process uses; see {@link migrateDefinitions}. The store is not closed. */
export async function migrateStore(
  storage: Storage,
  server: Pick<ApiServerOptions, 'dialect' | 'clock' | 'entropy' | 'observability' | 'network'>,
  options: MigrationOptions = {},
): Promise<DefinitionMigration[]> {
  const parts = serverParts({ ...server, storage });
  const { catalogue, dialect, clock, entropy, limits } = parts;
  const conversion: ConverterTools = {
    ...{ dialect, clock, entropy, http: server.network?.httpClient },
    decode: answerDecoder(limits),
    findService: serviceResolver({ catalogue, entropy, toEndpoints: true, hasSimulatedPods: false }),
  };
  const custom = new CustomResources({ ...parts, conversion });
  try {
    await custom.start(() => undefined);
    return await migrateDefinitions(parts, options);
  } finally {
    custom.stop();
  }
}

async function migrateDefinition(
  parts: Pick<ServerParts, 'catalogue' | 'owner' | 'entropy' | 'featureGates'>,
  name: string,
  read: () => Definition,
  { dryRun, signal, onProgress }: MigrationOptions,
): Promise<DefinitionMigration> {
  const { catalogue } = parts;
  const unmigrated = { definition: name, objects: 0, rewritten: 0, removedVersions: [], failures: [] };
  let storageVersion = '';
  try {
    const definition = read();
    storageVersion = definition.spec.versions?.find(({ storage }) => storage)?.name ?? '';
    const { group, names } = definition.spec;
    const info = catalogue.resources.find(
      (kind) =>
        kind.definition.storedVersions?.storageVersion === apiVersionOf(group, storageVersion) &&
        kind.group === group &&
        kind.resource === names.plural,
    );
    const versions = info?.definition.storedVersions;
    if (info === undefined || versions === undefined)
      return { ...unmigrated, storageVersion, problem: 'the server does not serve any version of it' };
    const migrated = await migrateObjects(catalogue.store(info.definition), versions, {
      dryRun,
      signal,
      onProgress: (objects, all) => report(() => onProgress?.(name, objects, all)),
    });
    const complete = migrated.failures.length === 0;
    const old = (definition.status.storedVersions ?? []).filter((version) => version !== storageVersion);
    if (complete && old.length > 0 && dryRun !== true) await forgetVersions(parts, definition, storageVersion);
    return { ...unmigrated, ...migrated, storageVersion, removedVersions: complete ? old : [] };
  } catch (error) {
    if (error instanceof StorageError || signal?.aborted === true) throw error;
    return { ...unmigrated, storageVersion, problem: toError(error).message };
  }
}

/**
 * Leaves only the storage version in `status.storedVersions`.
 *
 * @throws Error when the definition has changed since it was read: its objects may then be stored in another version
 */
async function forgetVersions(
  { catalogue, owner, entropy, featureGates }: Pick<ServerParts, 'catalogue' | 'owner' | 'entropy' | 'featureGates'>,
  { metadata: { name = '', uid, generation } }: Definition,
  storageVersion: string,
): Promise<void> {
  const { dialect, clock } = catalogue.environment;
  const context: RequestContext = {
    user: owner.user,
    ...{ dialect, clock, entropy, featureGates },
    userAgent: dialect.apiServerName,
    warn: () => undefined,
  };
  await CustomResourceDefinition.prepare?.();
  const subresource = CustomResourceDefinition.subresources?.['status'];
  if (subresource === undefined || !('strategy' in subresource)) throw new Error('definitions have no status');
  const update = (old: StoredObject | undefined): StoredObject => {
    if (old === undefined || old.metadata.uid !== uid || old.metadata.generation !== generation)
      throw new Error('the definition was changed during the migration; migrate again');
    const changed = cloneJson(old) as Definition;
    changed.status.storedVersions = [storageVersion];
    return changed;
  };
  const options = { subresource: subresource.strategy, uid, failOnConflict: false };
  await catalogue.store(CustomResourceDefinition).update(context, '', name, update, options);
}
