/**
 * The controllers of a server, and the informers and work queues that they are built from.
 *
 * @module
 */
export { createSigner, type Signer, type SignerOptions } from './certificates/create-signer.js';
export type { CertificateSigningRequestObject, SigningRequest } from './certificates/request-controller.js';
export type { Demands } from './certificates/signer-demands.js';
export { issuedBy, type IssueCertificate } from './certificates/signer-issue.js';
export type { LifetimePolicy } from './certificates/signer-lifetime.js';
export type { CertificateGrant, SignerPolicy } from './certificates/signer-policy.js';
export { SigningRefusal } from './certificates/signer-refusal.js';
export type { SigningAuthorities } from './certificates/signing.js';
export { parseControllerList, type ControllerSelection } from './controller-list.js';
export {
  controllerNames,
  controllersOffByDefault,
  type ControllerName,
  type ControllerOptions,
} from './controller-table.js';
export { createControllers, type Controllers } from './controllers.js';
export { Informer, type InformerHandler, type InformerOptions, type InformerSource } from './informer.js';
export { byNamespace, byOwner, byUid, objectKey, type IndexFunction, type InformedObject } from './informer-cache.js';
export type { KindSource } from './served-kinds.js';
export {
  createSimulation,
  type MatchingNodes,
  type MatchingPods,
  type SimulatedNodeRules,
  type SimulatedPods,
  type Simulation,
} from './simulation/simulation.js';
export type {
  CloudOptions,
  CloudStorageClass,
  MatchingLoadBalancers,
  MatchingVolumes,
  SimulatedCloud,
} from './simulation/cloud/cloud.js';
export type { LoadBalancerMatch, VolumeMatch } from './simulation/cloud/match.js';
export type {
  CloudFailureOptions,
  CloudTimes,
  LoadBalancerOutcomes,
  ReadyOptions,
  VolumeOutcomes,
} from './simulation/cloud/outcomes.js';
export type { Duration } from '../meta/duration.js';
export type { UsageOptions } from './simulation/metrics.js';
export type { LogText } from './simulation/pod-logs.js';
export type { NodeMatch, PodMatch } from './simulation/match.js';
export type { NodeOutcome } from './simulation/node-outcomes.js';
export type { NodeSpec, NodeTaint, SimulationOptions } from './simulation/node-spec.js';
export type { PodOutcome, PodOutcomes } from './simulation/outcomes.js';
export type { SimulationRule } from './simulation/rule-book.js';
export { WorkQueue, type WorkQueueOptions, type WorkResult } from './work-queue.js';
