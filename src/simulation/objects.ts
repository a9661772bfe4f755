import type { Node, Pod } from '../kinds/index.js';
import type { ObjectOf } from '../registry/index.js';

/** A pod as the simulation reads it. */
export type SimulatedPod = ObjectOf<typeof Pod>;
/** A node as the simulation reads it. */
export type SimulatedNode = ObjectOf<typeof Node>;
/** The desired state of a node. */
export type NodeSpecFields = NonNullable<SimulatedNode['spec']>;
/** The actual state of a node. */
export type NodeStatusFields = NonNullable<SimulatedNode['status']>;
/** A condition of a node. */
export type NodeCondition = NonNullable<NodeStatusFields['conditions']>[number];
