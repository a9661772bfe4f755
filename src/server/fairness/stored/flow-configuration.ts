/**
 * The flow schemas and priority levels of one server: it creates the default ones, and follows the stored ones.
 *
 * @module
 */
import { loading, report, toError, type Entropy, type Logger, type StoredObject } from '../../../foundation/index.js';
import { FlowSchema, PriorityLevelConfiguration, type flowcontrolV1 } from '../../../kinds/index.js';
import { StoreMirror, type Catalogue, type MirrorSink, type ResourceDefinition } from '../../../registry/index.js';
import type { HealthChecks } from '../../routes/health.js';

/** Receives the stored flow schemas and priority levels. */
export type ConfigureFlows = (
  schemas: readonly flowcontrolV1.FlowSchema[],
  levels: readonly flowcontrolV1.PriorityLevelConfiguration[],
) => void;

type FlowObject = flowcontrolV1.FlowSchema | flowcontrolV1.PriorityLevelConfiguration;

/** Dependencies of {@link FlowConfiguration}. */
export interface FlowConfigurationParts {
  readonly catalogue: Catalogue;
  readonly entropy: Entropy;
  readonly logger: Logger;
  /** Whether the store has the default objects: a fork is not a restart, which would create those that are missing. */
  readonly hasObjects: boolean;
  /** Starts the controllers that maintain the objects. */
  readonly maintain: () => void;
}

/** The flow schemas and priority levels of one server. */
export class FlowConfiguration {
  readonly #parts: FlowConfigurationParts;
  readonly #configure: ConfigureFlows;
  readonly #schemas = new Map<string, flowcontrolV1.FlowSchema>();
  readonly #levels = new Map<string, flowcontrolV1.PriorityLevelConfiguration>();
  #mirrors: readonly StoreMirror[] = [];
  #isFollowing = false;
  /** Why the default objects were not created. */
  #failure: Error | undefined;

  /**
   * @param configure called with the stored objects at the end of the start, and after each change. With a storage that
   *   delivers events before it acknowledges a write, a change is told before its writer knows
   */
  constructor(parts: FlowConfigurationParts, configure: ConfigureFlows) {
    this.#parts = parts;
    this.#configure = configure;
  }

  /**
   * Creates the missing default objects, reads the stored ones, and starts to follow them. A failure to create is only
   * logged: the mandatory objects are in force without being stored, and a controller creates the others later. On a
   * server that does not serve the kinds, only the mandatory objects are in force.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    const { catalogue, maintain } = this.#parts;
    if (catalogue.serves(FlowSchema) && catalogue.serves(PriorityLevelConfiguration)) {
      await this.#createObjects();
      maintain();
      await this.#follow();
    }
    this.#isFollowing = true;
    this.#tell();
  }

  /** Stops following. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
  }

  /** Adds the health checks, by the names of Kubernetes. */
  addTo(health: HealthChecks): void {
    const follows = (): void => {
      if (!this.#isFollowing) throw new Error('flow schemas and priority levels are not read yet');
    };
    const produced = async (): Promise<void> => {
      follows();
      if (this.#failure === undefined) return;
      if (!(await this.#hasObjects())) throw this.#failure;
      this.#failure = undefined;
    };
    health.add({ name: 'poststarthook/priority-and-fairness-config-consumer', check: follows });
    health.add({ name: 'poststarthook/priority-and-fairness-filter', check: follows });
    health.add({ name: 'poststarthook/priority-and-fairness-config-producer', check: produced });
  }

  async #createObjects(): Promise<void> {
    const { hasObjects, logger } = this.#parts;
    if (hasObjects) return;
    const { ensureFlowObjects } = await loading(import('./flow-objects.js'));
    try {
      await ensureFlowObjects(this.#parts);
    } catch (error) {
      this.#failure = toError(error);
      report(() => logger.error('the objects of API Priority and Fairness cannot be created', { error }));
    }
  }

  /** Returns whether all default objects are stored. */
  async #hasObjects(): Promise<boolean> {
    const { flowObjectNames } = await loading(import('./flow-objects.js'));
    const names = flowObjectNames(this.#parts.catalogue.environment.dialect);
    const areStored = (wanted: readonly string[], objects: ReadonlyMap<string, FlowObject>): boolean => {
      const stored = new Set([...objects.values()].map(({ metadata }) => metadata?.name));
      return wanted.every((name) => stored.has(name));
    };
    return areStored(names.schemas, this.#schemas) && areStored(names.levels, this.#levels);
  }

  async #follow(): Promise<void> {
    const { readFlowSchema } = await loading(import('../classification/classify.js'));
    // Those of a start that failed.
    this.stop();
    this.#mirrors = [
      this.#mirror(FlowSchema, this.#schemas, readFlowSchema),
      this.#mirror(
        PriorityLevelConfiguration,
        this.#levels,
        (level: flowcontrolV1.PriorityLevelConfiguration) => level,
      ),
    ];
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
  }

  #tell(): void {
    if (this.#isFollowing) this.#configure([...this.#schemas.values()], [...this.#levels.values()]);
  }

  /** @param read returns an object as one of its kind; throws a TypeError when it cannot be read */
  #mirror<Stored>(
    definition: ResourceDefinition,
    objects: Map<string, Stored>,
    read: (object: StoredObject) => Stored,
  ): StoreMirror {
    const { catalogue, logger } = this.#parts;
    const sink: MirrorSink = {
      present: (key, object) => {
        objects.set(key, read(object));
        this.#tell();
      },
      absent: (key) => {
        objects.delete(key);
        this.#tell();
      },
    };
    return new StoreMirror(catalogue.store(definition), sink, {
      clock: catalogue.environment.clock,
      onError: (error) =>
        logger.error('flow schemas and priority levels cannot be read; the last known ones stay in force', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and is not in force`, { error }),
    });
  }
}
