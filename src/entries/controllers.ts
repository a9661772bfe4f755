/**
 * The controllers of a server, and the informers and work queues that they are built from.
 *
 * @module
 */
export { createSigner, type Signer, type SignerOptions } from '../controllers/certificates/create-signer.js';
export type { CertificateSigningRequestObject, SigningRequest } from '../controllers/certificates/request-controller.js';
export type { Demands } from '../controllers/certificates/signer-demands.js';
export { issuedBy, type IssueCertificate } from '../controllers/certificates/signer-issue.js';
export type { LifetimePolicy } from '../controllers/certificates/signer-lifetime.js';
export type { CertificateGrant, SignerPolicy } from '../controllers/certificates/signer-policy.js';
export { SigningRefusal } from '../controllers/certificates/signer-refusal.js';
export type { SigningAuthorities } from '../controllers/certificates/signing.js';
export { parseControllerList, type ControllerSelection } from '../apiserver/controllers/controller-list.js';
export {
  controllerNames,
  controllersOffByDefault,
  type ControllerName,
  type ControllerOptions,
} from '../apiserver/controllers/controller-table.js';
export { createControllers, type Controllers } from '../apiserver/controllers/controllers.js';
export { Informer, type InformerHandler, type InformerOptions, type InformerSource } from '../controllers/runtime/informer.js';
export { byNamespace, byOwner, byUid, objectKey, type IndexFunction, type InformedObject } from '../controllers/runtime/informer-cache.js';
export type { KindSource } from '../controllers/runtime/served-kinds.js';
export {
  createSimulation,
  type MatchingNodes,
  type MatchingPods,
  type SimulatedNodeRules,
  type SimulatedPods,
  type Simulation,
} from '../simulation/simulation.js';
export type {
  CloudOptions,
  CloudStorageClass,
  MatchingLoadBalancers,
  MatchingVolumes,
  SimulatedCloud,
} from '../simulation/cloud/cloud.js';
export type { LoadBalancerMatch, VolumeMatch } from '../simulation/cloud/match.js';
export type {
  CloudFailureOptions,
  CloudTimes,
  LoadBalancerOutcomes,
  ReadyOptions,
  VolumeOutcomes,
} from '../simulation/cloud/outcomes.js';
export type { Duration } from '../foundation/time/duration.js';
export type { UsageOptions } from '../simulation/metrics.js';
export type { LogText } from '../simulation/pods/pod-logs.js';
export type { NodeMatch, PodMatch } from '../simulation/scheduling/match.js';
export type { NodeOutcome } from '../simulation/nodes/node-outcomes.js';
export type { NodeSpec, NodeTaint, SimulationOptions } from '../simulation/nodes/node-spec.js';
export type { PodOutcome, PodOutcomes } from '../simulation/pods/outcomes.js';
export type { SimulationRule } from '../simulation/scheduling/rule-book.js';
export { WorkQueue, type WorkQueueOptions, type WorkResult } from '../controllers/runtime/work-queue.js';
