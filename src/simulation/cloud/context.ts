import type { RuleBook } from '../scheduling/rule-book.js';
import type { SimulationHost } from '../simulation.js';
import type { CloudOptions } from './cloud.js';
import type { CloudItem } from './match.js';
import type { CloudPlan } from './outcomes.js';

/** The context that the parts of a fake cloud share. */
export interface CloudContext extends SimulationHost {
  readonly options: CloudOptions;
  readonly rules: RuleBook<CloudItem, CloudPlan>;
}
