/**
 * Serves the kinds of custom resource definitions: follows the stored definitions, and adds, changes and removes their
 * kinds in the catalogue.
 *
 * @module
 */
import type { CustomKindHost, CustomObjects } from '../../controllers/index.js';
import {
  isJsonObject,
  messageOf,
  onAbort,
  type ArtefactGroup,
  type CompiledArtefacts,
  type Entropy,
  type Logger,
  type StoredObject,
  type UserInfo,
} from '../../foundation/index.js';
import { CustomResourceDefinition, hasCondition, type ConverterTools } from '../../kinds/index.js';
import { importCustom, type ImportOfCustom } from '../../kinds/late.js';
import type { CheckedRules } from '../../machinery/index.js';
import {
  ResourceInfo,
  ResourceStore,
  StoreMirror,
  type Catalogue,
  type FeatureSwitches,
  type ObjectOf,
  type RequestContext,
  type ResourceDefinition,
} from '../../registry/index.js';
import type { ServerLimits } from '../../server/index.js';

type Definition = ObjectOf<typeof CustomResourceDefinition>;
type CustomModule = ImportOfCustom;
type Converter = ReturnType<CustomModule['converterOf']>;

/** The parts that {@link CustomResources} needs. */
export interface CustomResourcesParts {
  readonly catalogue: Catalogue;
  readonly logger: Logger;
  readonly entropy: Entropy;
  readonly featureGates: FeatureSwitches;
  /** The server's owner, who deletes the objects of deleted definitions. */
  readonly owner: { readonly user: UserInfo };
  readonly conversion: ConverterTools;
  /** Where what is compiled from definitions is counted. */
  readonly compiled: CompiledArtefacts;
  /** The rules that the checks of definitions have compiled. */
  readonly checkedRules: CheckedRules;
  readonly limits: Pick<ServerLimits, 'definitions'>;
}

/** The kinds of a definition. */
export interface Served {
  /** Text of the facts that the kinds were made from. */
  readonly facts: string;
  /** Why the kinds are not served, for example a conflict with other kinds; undefined when they are served. */
  readonly problem: string | undefined;
}

/** The served kinds, by the name of the definition. */
export type ServedFacts = ReadonlyMap<string, Served>;

/** A call that waits for a version of a definition. */
interface Waiter {
  readonly name: string;
  readonly revision: number;
  readonly resolve: () => void;
}

/** The custom kinds of a server. Nothing is loaded before the first definition. */
export class CustomResources implements CustomKindHost {
  readonly #parts: CustomResourcesParts;
  /** Stored definitions by name. */
  readonly #definitions = new Map<string, Definition>();
  readonly #served: Map<string, Served>;
  /** The artefacts of the served kinds, by the name of the definition. */
  readonly #compiled = new Map<string, ArtefactGroup>();
  #mirror: StoreMirror | undefined;
  #module: CustomModule | undefined;
  #loading: Promise<void> | undefined;
  /** Newest resource version of any definition that the mirror has shown. */
  #seen = 0;
  readonly #waiters = new Set<Waiter>();
  #found: () => void = () => undefined;
  #stopListening: () => void = () => undefined;

  /** @param served what the catalogue serves already */
  constructor(parts: CustomResourcesParts, served?: ServedFacts) {
    this.#parts = parts;
    this.#served = new Map(served);
  }

  /**
   * The served kinds, for another server whose catalogue begins with the same kinds. Kinds that a webhook converts are
   * absent: their conversion belongs to this server.
   */
  get served(): ServedFacts {
    return new Map([...this.#served].filter(([name]) => !this.#isConverted(name)));
  }

  #isConverted(name: string): boolean {
    const strategy = this.#definitions.get(name)?.spec.conversion?.strategy;
    return strategy !== undefined && strategy !== 'None';
  }

  /**
   * Reads the stored definitions, serves their kinds, and starts to follow changes.
   *
   * @param found called with each definition that is found, whoever wrote it
   * @throws StorageError when the storage cannot be read
   */
  async start(found: () => void): Promise<void> {
    const { catalogue, logger } = this.#parts;
    this.#found = found;
    this.#stopListening = catalogue.onChange(({ removed }) => {
      if (removed.length > 0) this.#retryRefused();
    });
    if (!catalogue.serves(CustomResourceDefinition)) return;
    const store = catalogue.store(CustomResourceDefinition);
    const sink = {
      present: (key: string, object: StoredObject) =>
        this.#present(store.info.placeOf(key).name, definitionIn(key, object)),
      absent: (key: string) => this.#absent(store.info.placeOf(key).name),
    };
    this.#mirror = new StoreMirror(store, sink, {
      clock: catalogue.environment.clock,
      onError: (error) =>
        logger.error('custom resource definitions cannot be read; the last known kinds stay served', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and its kind is not served`, { error }),
    });
    await this.#mirror.start();
    await this.#loading;
  }

  /** Stops following. */
  stop(): void {
    this.#mirror?.stop();
    this.#mirror = undefined;
    this.#stopListening();
    for (const waiter of this.#waiters) waiter.resolve();
  }

  async follows(name: string, resourceVersion: string, signal: AbortSignal): Promise<void> {
    const revision = Number(resourceVersion);
    if (this.#mirror !== undefined && this.#seen < revision && !signal.aborted)
      await new Promise<void>((done) => {
        const resolve = (): void => {
          stopListening();
          this.#waiters.delete(waiter);
          done();
        };
        const waiter: Waiter = { name, revision, resolve };
        const stopListening = onAbort(signal, resolve);
        this.#waiters.add(waiter);
      });
    await this.#loading;
  }

  objectsOf(definition: Definition): CustomObjects | undefined {
    const { catalogue, entropy, featureGates, owner } = this.#parts;
    const { environment } = catalogue;
    if (this.#module === undefined) return undefined;
    const kind = this.#module.storedKindOf(
      definition,
      environment.dialect,
      this.#converterOf(this.#module, definition),
    );
    const info = new ResourceInfo(kind, environment.dialect);
    const source = sourceOf(definition.metadata.name ?? '');
    const overlaps = catalogue.resources.some(
      (other) => other.keyPrefix === info.keyPrefix && catalogue.sourceOf(other.definition) !== source,
    );
    if (overlaps) return undefined;
    const store = new ResourceStore(info, environment);
    const { dialect, clock } = environment;
    const context: RequestContext = {
      user: owner.user,
      userAgent: dialect.apiServerName,
      warn: () => undefined,
      dialect,
      clock,
      entropy,
      featureGates,
    };
    return {
      deleteAll: async (signal) => {
        await store.deleteCollection({ ...context, signal }, '', {}, {});
      },
      remain: async () => (await store.list('', { limit: 1 })).records.length > 0,
    };
  }

  #present(name: string, definition: Definition): void {
    this.#definitions.set(name, definition);
    if (this.#module === undefined) this.#load();
    else this.#serve(this.#module, name, definition);
    this.#seen = Math.max(this.#seen, Number(definition.metadata.resourceVersion));
    for (const waiter of this.#waiters) if (waiter.revision <= this.#seen) waiter.resolve();
    this.#found();
  }

  #absent(name: string): void {
    this.#definitions.delete(name);
    this.#withdraw(name);
    this.#parts.checkedRules.forget(name);
    for (const waiter of this.#waiters) if (waiter.name === name) waiter.resolve();
  }

  #load(): void {
    this.#loading ??= importCustom().then(
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
    const before = this.#served.get(name);
    let facts = '';
    try {
      if (!isServed(definition)) {
        this.#withdraw(name);
        return;
      }
      facts = module.factsOf(definition);
      if (before?.facts === facts) return;
      const compiled = this.#parts.compiled.group();
      catalogue.replace(sourceOf(name), this.#kindsOf(module, definition, compiled), `the kind of ${name}`);
      this.#compiled.get(name)?.end();
      this.#compiled.set(name, compiled);
      this.#served.set(name, { facts, problem: undefined });
    } catch (error) {
      const problem = messageOf(error);
      this.#withdraw(name);
      this.#served.set(name, { facts, problem });
      if (before?.problem !== problem) logger.error(`the kind of ${name} cannot be served`, { error });
    }
  }

  /** Serves kinds that conflicted with a kind that has been removed. */
  #retryRefused(): void {
    const module = this.#module;
    const refused = [...this.#served].filter(([, { problem }]) => problem !== undefined).map(([name]) => name);
    if (module === undefined || refused.length === 0) return;
    // The catalogue is still announcing the change.
    queueMicrotask(() => {
      for (const name of refused) {
        const definition = this.#definitions.get(name);
        const known = this.#served.get(name);
        if (this.#mirror === undefined || definition === undefined || known?.problem === undefined) continue;
        this.#served.set(name, { ...known, facts: '' });
        this.#serve(module, name, definition);
      }
    });
  }

  #kindsOf(module: CustomModule, definition: Definition, compiled: ArtefactGroup): readonly ResourceDefinition[] {
    const converter = this.#converterOf(module, definition);
    return module.kindsOfDefinition(definition, this.#parts.conversion.dialect, converter, {
      compiled,
      checkedRules: this.#parts.checkedRules,
      limits: this.#parts.limits.definitions,
    });
  }

  #converterOf(module: CustomModule, definition: Definition): Converter {
    return module.converterOf(nameOf(definition), definition.spec.conversion, this.#parts.conversion);
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    this.#served.delete(name);
    if (served !== undefined && served.problem === undefined) this.#parts.catalogue.replace(sourceOf(name), []);
    this.#compiled.get(name)?.end();
    this.#compiled.delete(name);
  }
}

/** A kind is served from the acceptance of its names on, so that it can be used as soon as it is established. */
const isServed = ({ status: { conditions } }: Definition): boolean =>
  hasCondition(conditions, 'NamesAccepted', 'True') || hasCondition(conditions, 'Established', 'True');

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
