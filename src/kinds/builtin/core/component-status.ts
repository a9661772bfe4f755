import type { coreV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';

const healthOf = ({ conditions }: StoredKind<coreV1.ComponentStatus>): coreV1.ComponentCondition | undefined =>
  conditions?.find(({ type }) => type === 'Healthy');

/** The behaviour of ComponentStatuses: the server computes them when they are read. */
export const componentStatusBehaviour: Behaviour<coreV1.ComponentStatus> = {
  strategy: {},
  cells: {
    Status(status) {
      const health = healthOf(status);
      if (health === undefined) return 'Unknown';
      return health.status === 'True' ? 'Healthy' : 'Unhealthy';
    },
    Message: (status) => healthOf(status)?.message ?? '',
    Error: (status) => healthOf(status)?.error ?? '',
  },
};
