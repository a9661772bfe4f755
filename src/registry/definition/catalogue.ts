import { report, type StoredObject } from '../../foundation/index.js';
import type { StoreEnvironment } from '../store/store-environment.js';
import { ResourceStore } from '../store/store.js';
import { checkSchema } from './check-definition.js';
import { checkKinds } from './check-kinds.js';
import type { ResourceDefinition } from './definition.js';
import { KindTable } from './kind-table.js';
import { ResourceInfo } from './resource-info.js';

/** A change of the set of kinds. */
export interface CatalogueChange {
  readonly added: readonly ResourceInfo[];
  readonly removed: readonly ResourceInfo[];
}

/** The kinds of a catalogue at one moment. */
export interface CatalogueState {
  readonly resources: readonly ResourceInfo[];
  readonly sources: ReadonlyMap<string, readonly ResourceInfo[]>;
  readonly table: KindTable;
}

/**
 * The kinds that a server serves, each with its store. The verbs of requests, discovery, OpenAPI, authorization and the
 * controllers all derive from the catalogue.
 *
 * The catalogue is live: sources add, change and remove kinds while the server runs. A source is whatever declares
 * kinds: the server's options, one custom resource definition, or a call in code.
 */
export class Catalogue {
  /** Environment that all stores share. */
  readonly environment: StoreEnvironment;
  readonly #isServed: (info: ResourceInfo) => boolean;
  readonly #served: KindTable;
  /** Stores of the kinds that have been used. */
  readonly #stores = new Map<ResourceDefinition, ResourceStore>();
  /** Served kinds by source, in the order of their declaration. */
  readonly #sources: Map<string, readonly ResourceInfo[]>;
  readonly #listeners = new Set<(change: CatalogueChange) => void>();
  #resources: readonly ResourceInfo[] = [];

  /**
   * @param definitions the kinds of the server's options, whether or not they are served
   * @param isServed returns whether the version and the feature gate of a kind are enabled
   * @param from the kinds that another catalogue serves, in place of the definitions
   * @throws TypeError when kinds conflict with each other or a schema cannot be compiled
   */
  constructor(
    definitions: readonly ResourceDefinition[],
    environment: StoreEnvironment,
    isServed: (info: ResourceInfo) => boolean = () => true,
    from?: CatalogueState,
  ) {
    this.environment = environment;
    this.#isServed = isServed;
    this.#served = from?.table.fork() ?? new KindTable();
    this.#sources = new Map(from?.sources);
    if (from === undefined) this.replace('', definitions);
    else this.#resources = from.resources;
  }

  /** Returns the current kinds, from which another catalogue can begin. */
  state(): CatalogueState {
    return { resources: this.#resources, sources: new Map(this.#sources), table: this.#served.fork() };
  }

  /** The served kinds, in the order of their declaration. A new list after each change. */
  get resources(): readonly ResourceInfo[] {
    return this.#resources;
  }

  /**
   * Replaces the kinds of a source; an empty list removes them. Requests in flight finish with the previous kinds.
   * Watches of replaced kinds end after the events so far, so that their clients resume with the new kinds. A definition
   * that the source already declares stays as it is.
   *
   * @param subject start of the errors. Default the server's option
   * @throws TypeError when kinds conflict with each other or a schema cannot be compiled; nothing changes then
   */
  replace(source: string, definitions: readonly ResourceDefinition[], subject?: string): void {
    const before = this.#sources.get(source) ?? [];
    const kept = new Map(before.map((info) => [info.definition, info]));
    const others = before.length === 0 ? this.#resources : this.#resources.filter((info) => !before.includes(info));
    const declared = definitions.map(
      (definition) => kept.get(definition) ?? new ResourceInfo(definition, this.environment.dialect),
    );
    checkKinds(others, declared, subject);
    for (const { definition } of declared)
      if (definition.origin !== 'builtin' && definition.structural === undefined) checkSchema(definition);
    const served = declared.filter((info) => kept.get(info.definition) === info || this.#isServed(info));
    const removed = before.filter((info) => !served.includes(info));
    const added = served.filter((info) => !before.includes(info));
    for (const { definition } of removed) {
      this.#stores.get(definition)?.retire();
      this.#stores.delete(definition);
    }
    this.#served.change(removed, added);
    if (served.length === 0) this.#sources.delete(source);
    else this.#sources.set(source, served);
    this.#resources = [...this.#sources.values()].flat();
    for (const keyPrefix of new Set(removed.map((info) => info.keyPrefix))) this.#endWatches(keyPrefix);
    for (const listener of this.#listeners) report(() => listener({ added, removed }));
  }

  /** Returns whether the version and the feature gate of a kind are enabled. */
  enables(definition: ResourceDefinition): boolean {
    return this.#isServed(new ResourceInfo(definition, this.environment.dialect));
  }

  /** Returns the source that declares a kind; undefined when the kind is not served. */
  sourceOf(definition: ResourceDefinition): string | undefined {
    for (const [source, infos] of this.#sources)
      if (infos.some((info) => info.definition === definition)) return source;
    return undefined;
  }

  /** Returns the served kinds of a source. */
  kindsOf(source: string): readonly ResourceDefinition[] {
    return (this.#sources.get(source) ?? []).map(({ definition }) => definition);
  }

  /**
   * Calls a function after each change. It must not throw.
   *
   * @returns a function that ends the calls
   */
  onChange(listener: (change: CatalogueChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns whether a kind is served. */
  serves(definition: ResourceDefinition): boolean {
    return this.#served.of(definition) !== undefined;
  }

  /** Returns a served kind in the dialect of the server; undefined when it is not served. */
  infoOf(definition: ResourceDefinition): ResourceInfo | undefined {
    return this.#served.of(definition);
  }

  /** Returns the kind of a resource, such as `apps/v1` and `deployments`; undefined when it is not served. */
  ofResource(apiVersion: string, resource: string): ResourceInfo | undefined {
    return this.#served.ofResource(apiVersion, resource);
  }

  /** Returns the kind of a name, such as `apps/v1` and `Deployment`; undefined when it is not served. */
  ofKind(apiVersion: string, kind: string): ResourceInfo | undefined {
    return this.#served.ofKind(apiVersion, kind);
  }

  /**
   * Returns the store of a kind.
   *
   * @throws TypeError when the kind is not served
   */
  store(definition: ResourceDefinition): ResourceStore {
    const known = this.#stores.get(definition);
    if (known !== undefined) return known;
    const info = this.#served.of(definition);
    if (info === undefined) throw notServed(definition);
    const store = new ResourceStore(info, this.environment);
    this.#stores.set(definition, store);
    return store;
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
    const loading = store.readable();
    if (loading !== undefined) await loading;
    const record = await store.find(namespace, name);
    return record === undefined ? undefined : store.read(record);
  }

  #endWatches(keyPrefix: string): void {
    const { watchLogs } = this.environment;
    const log = watchLogs.get(keyPrefix);
    watchLogs.delete(keyPrefix);
    // A log that failed to open has no watchers.
    void log?.then(
      (opened) => opened.retire(),
      () => undefined,
    );
  }
}

/** Returns the error for a kind that the server does not serve; the message says how to enable it. */
export function notServed(definition: ResourceDefinition): TypeError {
  const { kind, plural, version, featureGate } = definition;
  const needed = featureGate === undefined ? 'its version' : `its version and the feature gate ${featureGate}`;
  return new TypeError(
    `${kind} (${plural}, ${version}) is not served: pass it to the server's resources, and enable ${needed}`,
  );
}
