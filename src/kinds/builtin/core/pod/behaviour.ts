import type { coreV1 } from '../../../types/index.js';
import type { Behaviour } from '../../behaviour.js';
import { podCells } from './columns.js';
import { podEphemeralContainersStrategy, podStatusStrategy, podStrategy } from './strategy.js';

/** The behaviour of pods. */
export const podBehaviour: Behaviour<coreV1.Pod> = {
  strategy: podStrategy,
  subresources: { ephemeralcontainers: podEphemeralContainersStrategy, status: podStatusStrategy },
  cells: podCells,
};
