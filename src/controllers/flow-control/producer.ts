import type { Client } from '../../client/index.js';
import type { Clock, Dialect } from '../../foundation/index.js';
import { FlowSchema, PriorityLevelConfiguration } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import type { SharedInformers } from '../runtime/shared-informers.js';
import { WorkQueue } from '../runtime/work-queue.js';
import { maintainFlowControl } from './maintain.js';

/** Time between two maintenances, as in Kubernetes. */
const INTERVAL_MS = 60_000;
/** The only key of the queue: maintenance covers all objects. */
const ALL = 'all';

/** Options of the controllers of API Priority and Fairness. */
export interface FlowControlOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly informers: SharedInformers;
  readonly onError: (error: unknown) => void;
}

/** Maintains the mandatory and suggested objects of API Priority and Fairness: now, and then every minute. */
export function flowControlProducer({ client, clock, dialect, informers, onError }: FlowControlOptions): Controller {
  const schemas = informers.of(FlowSchema);
  const levels = informers.of(PriorityLevelConfiguration);
  const queue = new WorkQueue<string>({ clock, process: maintain, onError: (_key, error) => onError(error) });
  queue.add(ALL);

  async function maintain(): Promise<void> {
    queue.addAfter(ALL, INTERVAL_MS);
    await maintainFlowControl({ client, dialect, schemas: schemas.values(), levels: levels.values() });
  }

  return {
    name: 'priority-and-fairness-config-producer',
    informers: () => [schemas, levels],
    queues: [queue],
  };
}
