import type { coreV1 } from '../../kinds/index.js';
import type { NamedObject } from '../../registry/object-types.js';

/** A pod as the simulation reads it. */
export type SimulatedPod = NamedObject & Pick<coreV1.Pod, 'spec' | 'status'>;
/** A node as the simulation reads it. */
export type SimulatedNode = NamedObject & Pick<coreV1.Node, 'spec' | 'status'>;
