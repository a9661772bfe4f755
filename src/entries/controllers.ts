/**
 * The controllers of a server, and the informers and work queues that they are built from.
 *
 * @module
 */
export { createSigner, type Signer, type SignerOptions } from '../controllers/index.js';
export type { CertificateSigningRequestObject, SigningRequest } from '../controllers/index.js';
export type { Demands } from '../controllers/index.js';
export { issuedBy, type IssueCertificate } from '../controllers/index.js';
export type { LifetimePolicy } from '../controllers/index.js';
export type { CertificateGrant, SignerPolicy } from '../controllers/index.js';
export { SigningRefusal } from '../controllers/index.js';
export { controllerNames, controllersOffByDefault, type ControllerName } from '../apiserver/index.js';
export { Informer, type InformerHandler, type InformerOptions, type InformerSource } from '../controllers/index.js';
export {
  byNamespace,
  byOwner,
  byUid,
  objectKey,
  type IndexFunction,
  type InformedObject,
} from '../controllers/index.js';
export type { KindSource } from '../controllers/index.js';
export {
  createSimulation,
  type MatchingNodes,
  type MatchingPods,
  type SimulatedNodeRules,
  type SimulatedPods,
  type Simulation,
} from '../simulation/index.js';
export type {
  CloudOptions,
  CloudStorageClass,
  MatchingLoadBalancers,
  MatchingVolumes,
  SimulatedCloud,
} from '../simulation/index.js';
export type { LoadBalancerMatch, VolumeMatch } from '../simulation/index.js';
export type {
  CloudFailureOptions,
  CloudTimes,
  LoadBalancerOutcomes,
  ReadyOptions,
  VolumeOutcomes,
} from '../simulation/index.js';
export type { Duration } from '../foundation/index.js';
export type { UsageOptions } from '../simulation/index.js';
export type { AttachAnswer, CommandResult, ExecAnswer, LogText, PortForwardAnswer } from '../simulation/index.js';
export type { NodeMatch, PodMatch } from '../simulation/index.js';
export type { NodeOutcome } from '../simulation/index.js';
export type { NodeSpec, NodeTaint, SimulationOptions } from '../simulation/index.js';
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
} from '../simulation/index.js';
export type { SimulationRule } from '../simulation/index.js';
export {
  WorkQueue,
  type RetryLimit,
  type Urgency,
  type WorkQueueOptions,
  type WorkResult,
} from '../controllers/index.js';
export {
  changes,
  condition,
  createController,
  createManager,
  FinalError,
  intent,
  LeadLostError,
  ReconcileTimeoutError,
  view,
  watched,
  type Cached,
  type CacheOf,
  type Change,
  type Condition,
  type ControllerRunOptions,
  type ControllerSpec,
  type ElectionOptions,
  type EndedRun,
  type ErrorOrigin,
  type EventType,
  type InformerSelection,
  type Intent,
  type ItemOf,
  type KindLike,
  type Manager,
  type ManagerOptions,
  type ReconcileContext,
  type RunnableController,
  type RunOptions,
  type Source,
  type SourceInput,
  type StatusOf,
  type View,
  type ViewOptions,
  type Watched,
  type WatchedOptions,
} from '../controllers/index.js';
export {
  serveWebhooks,
  type LoadedCertificate,
  type MadeCertificate,
  type PatchedConfigurations,
  type SecretName,
  type WebhookReach,
  type WebhookServer,
  type WebhookServerOptions,
} from '../controllers/index.js';
