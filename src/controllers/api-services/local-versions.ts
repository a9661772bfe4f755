/**
 * The versions of API groups that the server itself serves, as APIServices without a service.
 *
 * @see release 1.31, the controllers autoregister and crdregistration
 *
 * @module
 */
import type { Client } from '../../client/index.js';
import { groupName, type Dialect } from '../../foundation/index.js';
import { APIService } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { CUSTOM_PRIORITY, versionPriorities } from '../../server/index.js';
import { ignoring } from '../runtime/failures.js';
import type { ServedKind } from '../runtime/served-kinds.js';

export type ApiServiceObject = ObjectOf<typeof APIService>;

/**
 * Value of the label of an APIService that the server keeps: `onstart` brings it to what the server serves when the
 * server starts, so that users may change or delete it afterwards; `true` always.
 */
export type Upkeep = 'onstart' | 'true';

/** A version that the server serves. */
export interface LocalVersion {
  /** Name of its APIService, `<version>.<group>`. */
  readonly name: string;
  readonly upkeep: Upkeep;
  readonly spec: Required<
    Pick<NonNullable<ApiServiceObject['spec']>, 'group' | 'version' | 'groupPriorityMinimum' | 'versionPriority'>
  >;
}

/** The facts of a served kind that tell its version. */
export type VersionedKind = Pick<ServedKind, 'definition' | 'group' | 'version'>;

/**
 * Returns the versions of served kinds, by the names of their APIServices. The group of APIServices itself has none.
 * Versions of the release are kept at the start only; the others come and go while the server runs.
 */
export function localVersions(kinds: readonly VersionedKind[], dialect: Dialect): ReadonlyMap<string, LocalVersion> {
  const priorityOf = versionPriorities(dialect);
  const registration = groupName(APIService.group, dialect);
  const versions = new Map<string, LocalVersion>();
  for (const { definition, group, version } of kinds) {
    const name = `${version}.${group}`;
    const isBuiltin = definition.origin === 'builtin';
    if (group === registration || (versions.has(name) && !isBuiltin)) continue;
    const priority = isBuiltin ? priorityOf(group, version) : CUSTOM_PRIORITY;
    versions.set(name, {
      name,
      upkeep: isBuiltin ? 'onstart' : 'true',
      spec: { group, version, groupPriorityMinimum: priority.group, versionPriority: priority.version },
    });
  }
  return versions;
}

/** Returns the label of the APIServices that the server keeps. */
const upkeepLabel = ({ aggregatorName, labelDomain }: Dialect): string =>
  `${aggregatorName}.${labelDomain}/automanaged`;

/** The APIServices of the versions that the server serves, as it writes them. */
export class LocalApiServices {
  readonly #client: Client;
  readonly #dialect: Dialect;

  constructor(client: Client, dialect: Dialect) {
    this.#client = client;
    this.#dialect = dialect;
  }

  /** Returns when the server keeps an APIService; undefined for one that belongs to somebody else. */
  upkeepOf({ metadata }: ApiServiceObject): Upkeep | undefined {
    const value = metadata.labels?.[upkeepLabel(this.#dialect)];
    return value === 'onstart' || value === 'true' ? value : undefined;
  }

  /** Creates the APIService of a version. Does nothing if there is one. */
  async create({ name, upkeep, spec }: LocalVersion): Promise<void> {
    const metadata = { name, labels: { [upkeepLabel(this.#dialect)]: upkeep } };
    await ignoring(this.#resource.create({ metadata, spec }, this.#writing), 'AlreadyExists');
  }

  /** Restores the content of an APIService. Whoever changes it meanwhile causes another attempt. */
  async restore(object: ApiServiceObject, { spec }: LocalVersion): Promise<void> {
    if (isLike(object, spec)) return;
    await ignoring(this.#resource.update({ ...object, spec }, this.#writing), 'Conflict', 'NotFound');
  }

  /** Deletes the APIService of a version that the server no longer serves. */
  async delete({ metadata: { name = '', uid } }: ApiServiceObject): Promise<void> {
    await ignoring(this.#resource.delete(name, { preconditions: { uid } }), 'Conflict', 'NotFound');
  }

  /**
   * Brings all APIServices to what the server serves when it starts: creates and restores them, and deletes those of
   * versions of an earlier release. Those without the label belong to somebody else, and stay as they are; so do those
   * of custom kinds that only another server of the store knows yet.
   *
   * @throws ApiError when a request fails
   */
  async ensure(kinds: readonly VersionedKind[]): Promise<void> {
    const missing = new Map(localVersions(kinds, this.#dialect));
    const { items } = await this.#resource.list();
    const writes: Promise<void>[] = [];
    for (const object of items) {
      const name = object.metadata.name ?? '';
      const version = missing.get(name);
      missing.delete(name);
      const upkeep = this.upkeepOf(object);
      if (version !== undefined && upkeep !== undefined) writes.push(this.restore(object, version));
      else if (version === undefined && upkeep === 'onstart') writes.push(this.delete(object));
    }
    for (const version of missing.values()) writes.push(this.create(version));
    await Promise.all(writes);
  }

  get #resource() {
    return this.#client.resource(APIService);
  }

  get #writing(): { readonly fieldManager: string } {
    return { fieldManager: this.#dialect.apiServerName };
  }
}

/** Whether an APIService has the content of a version of the server. */
const isLike = ({ spec }: ApiServiceObject, wanted: LocalVersion['spec']): boolean =>
  spec !== undefined &&
  spec.service === undefined &&
  spec.group === wanted.group &&
  spec.version === wanted.version &&
  spec.groupPriorityMinimum === wanted.groupPriorityMinimum &&
  spec.versionPriority === wanted.versionPriority;
