import type { StoredObject } from '../meta/object.js';
import { checkSchema } from './check-definition.js';
import { checkKinds } from './check-kinds.js';
import type { ResourceDefinition } from './definition.js';
import { ResourceInfo } from './resource-info.js';
import { ResourceStore, type StoreEnvironment } from './store.js';

/**
 * The kinds that a server serves, each with its store. The verbs of requests, discovery, OpenAPI, authorization and the
 * controllers all derive from the catalogue.
 */
export class Catalogue {
  /** Environment that all stores share. */
  readonly environment: StoreEnvironment;
  /** The served kinds, in the order of their declaration. */
  readonly resources: readonly ResourceInfo[];
  readonly #stores = new Map<ResourceDefinition, ResourceStore>();

  /**
   * @param definitions all kinds of the server, whether or not they are served
   * @param isServed returns whether the version and the feature gate of a kind are enabled
   * @throws TypeError when kinds conflict with each other or a schema cannot be compiled
   */
  constructor(
    definitions: readonly ResourceDefinition[],
    environment: StoreEnvironment,
    isServed: (info: ResourceInfo) => boolean = () => true,
  ) {
    this.environment = environment;
    const all = definitions.map((definition) => new ResourceInfo(definition, environment.dialect));
    checkKinds(all);
    for (const { definition } of all) if (definition.origin !== 'builtin') checkSchema(definition);
    this.resources = all.filter(isServed);
    for (const info of this.resources) this.#stores.set(info.definition, new ResourceStore(info, environment));
  }

  /** Returns whether a kind is served. */
  serves(definition: ResourceDefinition): boolean {
    return this.#stores.has(definition);
  }

  /**
   * Returns the store of a kind.
   *
   * @throws TypeError when the kind is not served
   */
  store(definition: ResourceDefinition): ResourceStore {
    const found = this.#stores.get(definition);
    if (found === undefined) throw notServed(definition);
    return found;
  }

  /**
   * Returns the current state of an object, without admission or authorization. The object must not be changed.
   *
   * @param namespace empty for cluster-scoped kinds
   * @returns undefined when the object does not exist
   * @throws ApiError 500 when the storage is unavailable or the object cannot be read
   */
  async find(definition: ResourceDefinition, namespace: string, name: string): Promise<StoredObject | undefined> {
    const store = this.store(definition);
    const record = await store.find(namespace, name);
    return record === undefined ? undefined : store.read(record);
  }
}

/** Returns the error for a kind that the server does not serve; the message says how to enable it. */
export function notServed({ kind, plural, version, featureGate }: ResourceDefinition): TypeError {
  const needed = featureGate === undefined ? 'its version' : `its version and the feature gate ${featureGate}`;
  return new TypeError(
    `${kind} (${plural}, ${version}) is not served: pass it to the server's resources, and enable ${needed}`,
  );
}
