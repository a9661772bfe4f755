import { messageOf, type ApiObject, type Dialect } from '../../foundation/index.js';
import { ComponentStatus, type coreV1 } from '../../kinds/index.js';
import { ComputedStorage, ResourceInfo } from '../../registry/index.js';
import type { Storage } from '../../storage/index.js';
import { controllerNames, type ControllerName } from '../controllers/controller-names.js';

/** The parts of a server that have a ComponentStatus. */
export interface Components {
  readonly storage: Storage;
  /** The controllers that do not run. */
  readonly disabled: readonly ControllerName[];
  /** Whether simulated nodes, with their scheduler, run the pods. */
  readonly hasScheduler: boolean;
}

type Health = Pick<coreV1.ComponentCondition, 'status' | 'message' | 'error'>;

const OK: Health = { status: 'True', message: 'ok' };

/** Returns the storage of the kind ComponentStatus: the state of the parts of this server, at each read. */
export function componentStatuses(components: Components, dialect: Dialect): Storage {
  return new ComputedStorage(components.storage, async () => {
    const { keyPrefix } = new ResourceInfo(ComponentStatus, dialect);
    const healths: Record<string, Health> = {
      'controller-manager': controllersHealth(components),
      'etcd-0': await storageHealth(components),
      scheduler: schedulerHealth(components),
    };
    return new Map(Object.entries(healths).map(([name, health]) => [`${keyPrefix}${name}`, statusOf(name, health)]));
  });
}

const statusOf = (name: string, health: Health): ApiObject => ({
  kind: 'ComponentStatus',
  apiVersion: 'v1',
  metadata: { name },
  ...{ conditions: [{ type: 'Healthy', ...health }] },
});

async function storageHealth({ storage }: Components): Promise<Health> {
  try {
    await storage.ping();
    return OK;
  } catch (error) {
    return { status: 'False', error: messageOf(error) };
  }
}

function controllersHealth({ disabled }: Components): Health {
  const hasNone = controllerNames.every((name) => disabled.includes(name));
  return hasNone ? { status: 'False', error: 'all controllers of this server are disabled' } : OK;
}

/** A server cannot know whether another program schedules its pods. */
function schedulerHealth({ hasScheduler }: Components): Health {
  if (hasScheduler) return OK;
  return {
    status: 'Unknown',
    message: 'this server has no scheduler (option simulation); another program may bind its pods',
  };
}
