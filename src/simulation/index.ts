/**
 * The door of the simulated nodes and cloud. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type {
  CloudOptions,
  CloudStorageClass,
  MatchingLoadBalancers,
  MatchingVolumes,
  SimulatedCloud,
} from './cloud/cloud.js';
export type { LoadBalancerMatch, VolumeMatch } from './cloud/match.js';
export type {
  CloudFailureOptions,
  CloudTimes,
  LoadBalancerOutcomes,
  ReadyOptions,
  VolumeOutcomes,
} from './cloud/outcomes.js';
export type { UsageOptions } from './metrics.js';
export type { NodeOutcome } from './nodes/node-outcomes.js';
export type { NodeSpec, NodeTaint, SimulationOptions } from './nodes/node-spec.js';
export type {
  PodContainerOptions,
  PodEndOptions,
  PodEvictedOptions,
  PodFailureOptions,
  PodOutcome,
  PodOutcomes,
  PodPendingOptions,
  PodRunOptions,
  PodStartOptions,
  PodWaitingOptions,
} from './pods/outcomes.js';
export type { AttachAnswer, CommandResult, ExecAnswer, PortForwardAnswer } from './pods/pod-answers.js';
export type { LogText } from './pods/pod-logs.js';
export type { NodeMatch, PodMatch } from './scheduling/match.js';
export type { SimulationRule } from './scheduling/rule-book.js';
export {
  createSimulation,
  type MatchingNodes,
  type MatchingPods,
  type SimulatedNodeRules,
  type SimulatedPods,
  type Simulation,
} from './simulation.js';
