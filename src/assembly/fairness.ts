/**
 * Priority and fairness of one server: it follows the stored flow schemas and priority levels. The code is loaded when
 * the server starts.
 *
 * @module
 */
import type { FlowControl } from '../flowcontrol/flow-control.js';
import { definedOnly } from '../meta/defined-only.js';
import { loading } from '../meta/loading.js';
import type { Fairness } from '../server/filters/fairness.js';
import type { HealthChecks } from '../server/health.js';
import { defaultInFlight } from '../server/in-flight.js';
import { FlowConfiguration, type ConfigureFlows, type FlowConfigurationParts } from './flow-configuration.js';
import type { ServerParts } from './server-parts.js';

/** What {@link ServerFairness} needs. */
export type FairnessParts = FlowConfigurationParts & Pick<ServerParts, 'clock' | 'limits' | 'metrics'>;

/** Priority and fairness of one server. */
export class ServerFairness {
  readonly #parts: FairnessParts;
  readonly #seats: number;
  readonly #configuration: FlowConfiguration;
  #fairness: Fairness | undefined;
  /** The stored objects, when they have changed since the flow control was configured. */
  #changed: Parameters<ConfigureFlows> | undefined;

  /** @throws TypeError for limits with which no request could be divided among the levels */
  constructor(parts: FairnessParts) {
    this.#parts = parts;
    this.#configuration = new FlowConfiguration(parts, (...objects) => this.#change(...objects));
    const { maxReadOnly, maxMutating } = { ...defaultInFlight, ...definedOnly(parts.limits.inFlight) };
    this.#seats = maxReadOnly + maxMutating;
    if (maxReadOnly === 0 || maxMutating === 0)
      throw new TypeError(
        'ApiServer: fairness divides limits.inFlight.maxReadOnly and maxMutating among the priority levels: 0, for no limit, cannot be divided; set a number, or leave out the option fairness',
      );
  }

  /** Returns the running flow control; undefined before the start. */
  readonly running = (): Fairness | undefined => {
    if (this.#changed !== undefined) this.#configure();
    return this.#fairness;
  };

  /**
   * Loads the flow control, and creates and reads its configuration.
   *
   * @throws StorageError when the storage cannot be read
   */
  async start(): Promise<void> {
    const { catalogue, clock, metrics } = this.#parts;
    const [{ FlowControl }, { FlowMetrics }, { RequestWork }, { RequestCounts }] = await loading(
      Promise.all([
        import('../flowcontrol/flow-control.js'),
        import('../server/flow-metrics.js'),
        import('../server/request-work.js'),
        import('../server/request-counts.js'),
      ]),
    );
    const meter = new FlowMetrics(metrics, () => clock.now());
    const control: FlowControl = new FlowControl({ clock, seats: this.#seats, meter });
    const counts = new RequestCounts(metrics, meter);
    metrics.onCollect(() => {
      control.refresh();
      meter.refresh();
    });
    this.#fairness = {
      control,
      work: new RequestWork(catalogue, clock),
      counted: (kind, phase, change) => counts.counted(kind, phase, change),
    };
    await this.#configuration.start();
    this.#configure();
  }

  /** Stops following, and the adjustments. */
  stop(): void {
    this.#configuration.stop();
    this.#fairness?.control.stop();
  }

  /** Adds the health checks. */
  addTo(health: HealthChecks): void {
    this.#configuration.addTo(health);
  }

  /** Several changes at once, such as those of the start, are one configuration. */
  #change(...objects: Parameters<ConfigureFlows>): void {
    const isPlanned = this.#changed !== undefined;
    this.#changed = objects;
    if (!isPlanned) queueMicrotask(() => this.#configure());
  }

  #configure(): void {
    if (this.#fairness === undefined || this.#changed === undefined) return;
    const objects = this.#changed;
    this.#changed = undefined;
    this.#fairness.control.configure(...objects);
  }
}
