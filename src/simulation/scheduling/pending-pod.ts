import { NodeRules } from '../../controllers/index.js';
import type { coreV1 } from '../../kinds/index.js';
import { placedPod, type PlacedPod } from '../nodes/pods-on-node.js';
import type { SimulatedPod } from '../objects.js';

/** A pod that is to be placed, with what is made once for all nodes. */
export interface PendingPod extends PlacedPod {
  readonly spec: coreV1.PodSpec;
  readonly rules: NodeRules;
}

/** Returns a pod with what is made once for all nodes. */
export function pendingPod(pod: SimulatedPod): PendingPod {
  const { spec = { containers: [] } } = pod;
  return { ...placedPod(pod), spec, rules: new NodeRules(spec) };
}
