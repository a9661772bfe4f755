import type { Logger, StoredObject } from '../../foundation/index.js';
import { StoreMirror, type Catalogue, type ObjectOf, type ResourceDefinition } from '../../registry/index.js';

/** The parts of a mirror. */
export interface MirrorParts {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
}

/**
 * All objects of a kind that plugins consult for many requests, in memory by namespace. With an engine that delivers
 * before it acknowledges, such as the memory engine, a plugin sees an object as soon as its writer knows it is stored.
 */
export class MirroredKind<Item> {
  readonly #byNamespace = new Map<string, Map<string, Item>>();
  readonly #follow: (sink: MirroredKind<Item>) => StoreMirror | undefined;
  #mirror: StoreMirror | undefined;

  /** @param follow creates the mirror; returns undefined when the kind is not served */
  constructor(follow: (sink: MirroredKind<Item>) => StoreMirror | undefined) {
    this.#follow = follow;
  }

  /** Reads the objects, and starts to follow them. @throws StorageError when the storage cannot be read */
  async start(): Promise<void> {
    this.#mirror?.stop();
    this.#mirror = this.#follow(this);
    await this.#mirror?.start();
  }

  /** Stops following. */
  stop(): void {
    this.#mirror?.stop();
  }

  /** Returns whether a namespace has any of the objects. */
  has(namespace: string): boolean {
    return this.#byNamespace.has(namespace);
  }

  /** Returns the objects of a namespace, which must not be changed; of a cluster-scoped kind, those of the namespace ''. */
  in(namespace: string): readonly Item[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  /** Adds or replaces an object. */
  set(namespace: string, name: string, item: Item): void {
    const known = this.#byNamespace.get(namespace) ?? new Map<string, Item>();
    this.#byNamespace.set(namespace, known.set(name, item));
  }

  /** Removes an object. */
  delete(namespace: string, name: string): void {
    const known = this.#byNamespace.get(namespace);
    if (known?.delete(name) === true && known.size === 0) this.#byNamespace.delete(namespace);
  }
}

/** Creates the mirror of a kind. Stored objects have the type of their kind, which validation has ensured. */
export function mirrorOf<Definition extends ResourceDefinition>(
  definition: Definition,
  parts: MirrorParts,
): MirroredKind<ObjectOf<Definition>>;
export function mirrorOf(
  definition: ResourceDefinition,
  { catalogue, logger }: MirrorParts,
): MirroredKind<StoredObject> {
  return new MirroredKind((sink) => {
    if (!catalogue.serves(definition)) return undefined;
    const store = catalogue.store(definition);
    const { plural } = definition;
    return new StoreMirror(
      store,
      {
        present: (key, object) => {
          const { namespace, name } = store.info.placeOf(key);
          sink.set(namespace, name, object);
        },
        absent: (key) => {
          const { namespace, name } = store.info.placeOf(key);
          sink.delete(namespace, name);
        },
      },
      {
        clock: catalogue.environment.clock,
        onError: (error) =>
          logger.error(`admission cannot read ${plural}; the last known ones stay in force`, { error }),
        onUnreadable: (key, error) => logger.error(`${key} cannot be read, and is not in force`, { error }),
      },
    );
  });
}

/** Returns a stored object, which must not be changed; undefined when it does not exist. @throws ApiError 500 */
export function findStored<Definition extends ResourceDefinition>(
  catalogue: Catalogue,
  definition: Definition,
  namespace: string,
  name: string,
): Promise<ObjectOf<Definition> | undefined>;
export function findStored(
  catalogue: Catalogue,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): Promise<StoredObject | undefined> {
  return catalogue.serves(definition) ? catalogue.find(definition, namespace, name) : Promise.resolve(undefined);
}
