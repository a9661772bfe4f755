/**
 * Serves the kinds of custom resource definitions: follows the stored definitions, and adds, changes and removes their
 * kinds in the catalogue.
 *
 * @module
 */
import type { ConverterTools } from '../custom/webhook-converter.js';
import { isJsonObject } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';
import type { Logger } from '../meta/logger.js';
import type { Catalogue } from '../registry/catalogue.js';
import { StoreMirror } from '../registry/mirror.js';
import type { ObjectOf, ResourceDefinition } from '../registry/definition.js';
import { hasCondition } from '../resources/apiextensions/conditions.js';
import { CustomResourceDefinition } from '../resources/index.js';

type Definition = ObjectOf<typeof CustomResourceDefinition>;
type CustomModule = typeof import('../custom/index.js');

/** What {@link CustomResources} needs. */
export interface CustomResourcesParts {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
  readonly conversion: ConverterTools;
}

/** A definition whose kinds are served. */
interface Served {
  /** Text of the facts that the kinds were made from. */
  readonly facts: string;
}

/** The custom kinds of a server. Nothing is loaded before the first definition. */
export class CustomResources {
  readonly #parts: CustomResourcesParts;
  /** Stored definitions by name. */
  readonly #definitions = new Map<string, Definition>();
  readonly #served = new Map<string, Served>();
  #mirror: StoreMirror | undefined;
  #module: CustomModule | undefined;
  #loading: Promise<void> | undefined;

  constructor(parts: CustomResourcesParts) {
    this.#parts = parts;
  }

  /** True when there are definitions. */
  get any(): boolean {
    return this.#definitions.size > 0;
  }

  /**
   * Reads the stored definitions, serves their kinds, and starts to follow changes.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    const { catalogue, logger } = this.#parts;
    if (!catalogue.serves(CustomResourceDefinition)) return;
    const store = catalogue.store(CustomResourceDefinition);
    const prefix = store.info.keyPrefix.length;
    const sink = {
      present: (key: string, object: StoredObject) => this.#present(key.slice(prefix), definitionIn(key, object)),
      absent: (key: string) => this.#absent(key.slice(prefix)),
    };
    this.#mirror = new StoreMirror(store, sink, {
      clock: catalogue.environment.clock,
      onError: (error) =>
        logger.error('custom resource definitions cannot be read; the last known kinds stay served', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and its kind is not served`, { error }),
    });
    await this.#mirror.start();
    await this.loaded();
  }

  /** Resolves when the code for custom kinds is loaded; at once when there are no definitions. */
  async loaded(): Promise<void> {
    await this.#loading;
  }

  /** Stops following. */
  stop(): void {
    this.#mirror?.stop();
  }

  #present(name: string, definition: Definition): void {
    this.#definitions.set(name, definition);
    if (this.#module === undefined) this.#load();
    else this.#serve(this.#module, name, definition);
  }

  #absent(name: string): void {
    this.#definitions.delete(name);
    this.#withdraw(name);
  }

  #load(): void {
    this.#loading ??= import('../custom/index.js').then(
      (module) => {
        this.#module = module;
        for (const [name, definition] of this.#definitions) this.#serve(module, name, definition);
      },
      (error: unknown) => {
        this.#loading = undefined;
        this.#parts.logger.error('custom kinds cannot be served: their code does not load', { error });
      },
    );
  }

  #serve(module: CustomModule, name: string, definition: Definition): void {
    const { catalogue, logger } = this.#parts;
    if (!hasCondition(definition.status.conditions, 'Established', 'True')) {
      this.#withdraw(name);
      return;
    }
    const facts = module.factsOf(definition);
    if (this.#served.get(name)?.facts === facts) return;
    try {
      catalogue.replace(sourceOf(name), this.#kindsOf(module, definition));
      this.#served.set(name, { facts });
    } catch (error) {
      this.#withdraw(name);
      logger.error(`the kind of ${name} cannot be served`, { error });
    }
  }

  #kindsOf(module: CustomModule, definition: Definition): readonly ResourceDefinition[] {
    const { conversion } = this.#parts;
    const converter = module.converterOf(nameOf(definition), definition.spec.conversion, conversion);
    return module.kindsOfDefinition(definition, conversion.dialect, converter);
  }

  #withdraw(name: string): void {
    if (this.#served.delete(name)) this.#parts.catalogue.replace(sourceOf(name), []);
  }
}

/** Returns an object as a definition. @throws TypeError when it does not have the fields of one */
function definitionIn(key: string, object: StoredObject): Definition {
  if (isDefinition(object)) return object;
  throw new TypeError(`what is stored under ${key} does not have the fields of a CustomResourceDefinition`);
}

const isDefinition = (object: StoredObject): object is StoredObject & Definition =>
  isJsonObject(object['spec']) && isJsonObject(object['status']);

/** Name of a valid definition. */
const nameOf = ({ spec }: Definition): string => `${spec.names.plural}.${spec.group}`;

/** Name of a definition as a source of kinds. */
const sourceOf = (name: string): string => `definition ${name}`;
