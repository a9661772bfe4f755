/**
 * Priority and fairness of one server. The code is loaded when the server starts.
 *
 * @module
 */
import { definedOnly, loading } from '../../foundation/index.js';
import {
  defaultInFlight,
  FlowConfiguration,
  type ConfigureFlows,
  type Fairness,
  type FlowConfigurationParts,
  type HealthChecks,
} from '../../server/index.js';
import { importCreateFairness } from '../../server/late.js';
import type { ServerParts } from './server-parts.js';

/** The parts that {@link ServerFairness} needs. */
export interface ServerFairnessParts
  extends FlowConfigurationParts, Pick<ServerParts, 'clock' | 'limits' | 'metrics'> {}

/** Priority and fairness of one server. */
export class ServerFairness {
  readonly #parts: ServerFairnessParts;
  readonly #configuration: FlowConfiguration;
  readonly #seats: number;
  #fairness: Fairness | undefined;
  /** The latest configuration, while it is not in force. */
  #latest: Parameters<ConfigureFlows> | undefined;

  /** @throws TypeError for limits that cannot be divided among the levels */
  constructor(parts: ServerFairnessParts) {
    this.#parts = parts;
    const { maxReadOnly, maxMutating } = { ...defaultInFlight, ...definedOnly(parts.limits.inFlight) };
    this.#seats = maxReadOnly + maxMutating;
    if (maxReadOnly === 0 || maxMutating === 0)
      throw new TypeError(
        'ApiServer: fairness divides limits.inFlight.maxReadOnly and maxMutating among the priority levels: 0, for no limit, cannot be divided; set a number, or leave out the option fairness',
      );
    this.#configuration = new FlowConfiguration(parts, (...configuration) => this.#changed(configuration));
  }

  /** Returns what admits requests; undefined before the start. */
  readonly running = (): Fairness | undefined => {
    if (this.#latest !== undefined) this.#configure();
    return this.#fairness;
  };

  /**
   * Loads the flow control, and reads its configuration.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    this.#fairness ??= await this.#load();
    await this.#configuration.start();
  }

  /** Stops following the configuration, and adjusting the levels. */
  stop(): void {
    this.#configuration.stop();
    this.#fairness?.control.stop();
  }

  /** Adds the health checks, by the names of Kubernetes. */
  addTo(health: HealthChecks): void {
    this.#configuration.addTo(health);
  }

  async #load(): Promise<Fairness> {
    const { catalogue, clock, metrics } = this.#parts;
    const { createFairness } = await loading(importCreateFairness());
    return createFairness({ catalogue, clock, metrics, seats: this.#seats });
  }

  /** Several changes made together, such as those of a list of objects, are one configuration. */
  #changed(configuration: Parameters<ConfigureFlows>): void {
    const isExpected = this.#latest !== undefined;
    this.#latest = configuration;
    if (!isExpected) queueMicrotask(() => this.#configure());
  }

  #configure(): void {
    const latest = this.#latest;
    this.#latest = undefined;
    if (latest !== undefined) this.#fairness?.control.configure(...latest);
  }
}
