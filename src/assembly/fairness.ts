/**
 * Priority and fairness of one server: it follows the stored flow schemas and priority levels. The code is loaded when
 * the server starts.
 *
 * @module
 */
import type { FlowControl } from '../flowcontrol/flow-control.js';
import type { flowcontrolV1 } from '../kinds/index.js';
import { definedOnly } from '../meta/defined-only.js';
import { loading } from '../meta/loading.js';
import { StoreMirror } from '../registry/mirror.js';
import type { ResourceDefinition } from '../registry/definition.js';
import { FlowSchema, PriorityLevelConfiguration } from '../resources/flowcontrol/kinds.js';
import type { Fairness } from '../server/filters/fairness.js';
import { defaultInFlight } from '../server/in-flight.js';
import type { ServerParts } from './server-parts.js';

/** What {@link ServerFairness} needs. */
export type FairnessParts = Pick<ServerParts, 'catalogue' | 'clock' | 'limits' | 'logger' | 'metrics'>;

/** Priority and fairness of one server. */
export class ServerFairness {
  readonly #parts: FairnessParts;
  readonly #seats: number;
  readonly #schemas = new Map<string, flowcontrolV1.FlowSchema>();
  readonly #levels = new Map<string, flowcontrolV1.PriorityLevelConfiguration>();
  #mirrors: readonly StoreMirror[] = [];
  #fairness: Fairness | undefined;
  /** Whether the stored objects have changed since the flow control was configured. */
  #hasChanged = false;

  /** @throws TypeError for limits with which no request could be divided among the levels */
  constructor(parts: FairnessParts) {
    this.#parts = parts;
    const { maxReadOnly, maxMutating } = { ...defaultInFlight, ...definedOnly(parts.limits.inFlight) };
    this.#seats = maxReadOnly + maxMutating;
    if (maxReadOnly === 0 || maxMutating === 0)
      throw new TypeError(
        'ApiServer: fairness divides limits.inFlight.maxReadOnly and maxMutating among the priority levels: 0, for no limit, cannot be divided; set a number, or leave out the option fairness',
      );
  }

  /** Returns the running flow control; undefined before the start. */
  readonly running = (): Fairness | undefined => {
    if (this.#hasChanged) this.#configure();
    return this.#fairness;
  };

  /**
   * Loads the flow control and reads its configuration.
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
    const served = catalogue.serves(FlowSchema) && catalogue.serves(PriorityLevelConfiguration);
    this.#mirrors = served
      ? [this.#follow(FlowSchema, this.#schemas), this.#follow(PriorityLevelConfiguration, this.#levels)]
      : [];
    this.#fairness = {
      control,
      work: new RequestWork(catalogue, clock),
      counted: (kind, phase, change) => counts.counted(kind, phase, change),
    };
    await Promise.all(this.#mirrors.map((mirror) => mirror.start()));
    this.#configure();
  }

  /** Stops following, and the adjustments. */
  stop(): void {
    for (const mirror of this.#mirrors) mirror.stop();
    this.#fairness?.control.stop();
  }

  #follow<Stored>(definition: ResourceDefinition, objects: Map<string, Stored>): StoreMirror {
    const { catalogue, clock, logger } = this.#parts;
    const sink = {
      present: (key: string, object: unknown) => {
        // Decoding has given the object the shape of its kind.
        objects.set(key, object as Stored);
        this.#changed();
      },
      absent: (key: string) => {
        objects.delete(key);
        this.#changed();
      },
    };
    return new StoreMirror(catalogue.store(definition), sink, {
      clock,
      onError: (error) =>
        logger.error('flow schemas and priority levels cannot be read; the last known ones stay in force', { error }),
      onUnreadable: (key, error) => logger.error(`${key} cannot be read, and is not in force`, { error }),
    });
  }

  /** Several changes at once, such as those of the start, are one configuration. */
  #changed(): void {
    if (this.#hasChanged) return;
    this.#hasChanged = true;
    queueMicrotask(() => this.#configure());
  }

  #configure(): void {
    if (this.#fairness === undefined || !this.#hasChanged) return;
    this.#hasChanged = false;
    this.#fairness.control.configure([...this.#schemas.values()], [...this.#levels.values()]);
  }
}
