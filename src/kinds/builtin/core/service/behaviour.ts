import type { coreV1 } from '../../../types/index.js';
import type { Behaviour } from '../../behaviour.js';
import { serviceCells } from './columns.js';
import { serviceStatusStrategy, serviceStrategy } from './strategy.js';

/** The behaviour of services. */
export const serviceBehaviour: Behaviour<coreV1.Service> = {
  strategy: serviceStrategy,
  subresources: { status: serviceStatusStrategy },
  cells: serviceCells,
};
