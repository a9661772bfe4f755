import { FlowSchema, PriorityLevelConfiguration } from '../../kinds/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { routine } from '../runtime/routine.js';
import { watched } from '../runtime/watch.js';
import { maintainFlowControl } from './maintain.js';

/** Time between two maintenances, as in Kubernetes. */
const INTERVAL_MS = 60_000;

/** Maintains the mandatory and suggested objects of API Priority and Fairness: now, and then every minute. */
export function flowControlProducer(host: ControllerHost): Controller {
  const { client, dialect, informers } = host;
  const schemas = informers.of(FlowSchema);
  const levels = informers.of(PriorityLevelConfiguration);
  return routine(host, {
    name: 'priority-and-fairness-config-producer',
    watches: [watched(FlowSchema), watched(PriorityLevelConfiguration)],
    async run({ requeueAfter }) {
      requeueAfter(INTERVAL_MS);
      await maintainFlowControl({ client, dialect, schemas: schemas.values(), levels: levels.values() });
    },
  });
}
