/**
 * The door of the controllers. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { ApiServiceChecks } from './api-services/availability.js';
export type { ExtensionTrust, FrontProxyTrust } from './api-services/extension-authentication.js';
export type { AdvertisedListener, ListenerSource } from './api-server/listeners.js';
export { createSigner, type Signer, type SignerOptions } from './certificates/create-signer.js';
export type { CertificateSigningRequestObject, SigningRequest } from './certificates/request-controller.js';
export type { Demands } from './certificates/signer-demands.js';
export { issuedBy, type IssueCertificate } from './certificates/signer-issue.js';
export type { LifetimePolicy } from './certificates/signer-lifetime.js';
export type { CertificateGrant, SignerPolicy } from './certificates/signer-policy.js';
export { SigningRefusal } from './certificates/signer-refusal.js';
export type { SigningAuthorities } from './certificates/signing.js';
export type { CustomKindHost, CustomObjects } from './custom-resource-definitions/custom-kind-host.js';
export { namespaceController } from './namespace/controller.js';
export { NodeRules } from './placement/node-selection.js';
export { Tolerations } from './placement/tolerations.js';
export { markPod } from './pod-gc/mark-pod.js';
export { clusterRoleAggregation } from './rbac/cluster-role-aggregation.js';
export {
  joined,
  measureQueues,
  releaseController,
  runController,
  stopController,
  type Controller,
  type RunningQueue,
} from './runtime/controller.js';
export { contradictionInTimes, leaderElectionChecks, type LeaderElectionTimes } from './runtime/election/times.js';
export type { LeaderElection, LeaderTerm } from './runtime/election/leader-election.js';
export { EventRecorder, type EventSink, type EventType } from './runtime/event-recorder.js';
export { FinalError, hasReason, ignoring } from './runtime/failures.js';
export {
  byNamespace,
  byOwner,
  byUid,
  objectKey,
  type IndexFunction,
  type InformedObject,
} from './runtime/informer-cache.js';
export { Informer, type InformerHandler, type InformerOptions, type InformerSource } from './runtime/informer.js';
export { keyedReconciler, type Reconciler } from './runtime/keyed-reconciler.js';
export type { EndedRun } from './runtime/reconciler.js';
export { queueMeters } from './runtime/queue-meters.js';
export { routine } from './runtime/routine.js';
export { ServedKinds, type KindSource } from './runtime/served-kinds.js';
export { allListed, settle } from './runtime/settle.js';
export { SharedInformers } from './runtime/shared-informers.js';
export type { Urgency } from './runtime/ready-keys.js';
export type { RetryLimit } from './runtime/retry-rate.js';
export {
  WorkQueue,
  type MeasuredQueue,
  type QueueMeter,
  type WorkQueueOptions,
  type WorkResult,
} from './runtime/work-queue.js';
export { serviceAccountController } from './service-accounts/service-account.js';
export { hasEnded } from './workloads/shared/pod-state.js';
export type { ControllerHost, RecordingHost } from './runtime/controller-host.js';
export { changes, type Change } from './operators/changes.js';
export { LeadLostError, type ElectionOptions } from './operators/elected.js';
export { condition, type Condition } from './operators/conditions.js';
export { createController } from './operators/create-controller.js';
export { intent, type Intent } from './operators/intent.js';
export type { ErrorOrigin } from './operators/managed-controller.js';
export {
  createManager,
  type ControllerRunOptions,
  type Manager,
  type ManagerOptions,
  type RunnableController,
  type RunOptions,
} from './operators/manager.js';
export { ReconcileTimeoutError } from './runtime/bounded-runs.js';
export type { ControllerSpec, ReconcileContext, StatusOf } from './operators/spec.js';
export type { Cached, CacheOf } from './runtime/caches.js';
export {
  view,
  type InformerSelection,
  type ItemOf,
  type KindLike,
  type Source,
  type SourceInput,
  type View,
  type ViewOptions,
} from './runtime/sources.js';
export { watched, type Watched, type WatchedOptions } from './runtime/watch.js';
export type { PatchedConfigurations } from './webhooks/authority-bundles.js';
export {
  serveWebhooks,
  type LoadedCertificate,
  type MadeCertificate,
  type WebhookServer,
  type WebhookServerOptions,
} from './webhooks/serve-webhooks.js';
export type { SecretName } from './webhooks/shared-certificate.js';
export type { WebhookReach } from './webhooks/written-configurations.js';
