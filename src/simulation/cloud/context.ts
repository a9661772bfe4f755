import type { RecordingHost } from '../../controllers/index.js';
import type { RuleBook } from '../scheduling/rule-book.js';
import type { CloudOptions } from './cloud.js';
import type { CloudItem } from './match.js';
import type { CloudPlan } from './outcomes.js';

/** The context that the parts of a fake cloud share. */
export interface CloudContext extends RecordingHost {
  readonly options: CloudOptions;
  readonly rules: RuleBook<CloudItem, CloudPlan>;
}
