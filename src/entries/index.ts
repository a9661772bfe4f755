/**
 * An embeddable resource API server.
 *
 * @module
 */
export {
  ApiServer,
  type ApiServerOptions,
  type BusyController,
  type ForkOptions,
  type ServerSnapshot,
  type WebhookCallOptions,
} from '../apiserver/index.js';
export type { ExplainAccessOptions } from '../apiserver/index.js';
export type { AuthenticationOptions } from '../apiserver/index.js';
export type { CertificateOptions, GivenAuthority, SigningAuthority } from '../apiserver/index.js';
export type {
  AbacPolicySource,
  AuthorizationByConfiguration,
  AuthorizationByModes,
  AuthorizationMode,
  AuthorizationOptions,
} from '../apiserver/index.js';
export type { ServerResources } from '../apiserver/index.js';
export type { ServedResource } from '../registry/index.js';
export { ConnectionLostError } from '../server/index.js';
export type {
  ContinueRequest,
  InterceptedAnswer,
  InterceptedRequest,
  RequestChange,
  RequestInterceptor,
  RequestOrigin,
} from '../server/index.js';
export type {
  AttachSession,
  ConnectRequest,
  ExecSession,
  LogLine,
  LogSource,
  NodeHandlers,
  OutputStream,
  PodHandlers,
  PodLogOptions,
  PortConnection,
  ProxyAnswer,
  ProxyRequest,
  ServiceHandlers,
  TerminalSize,
} from '../server/index.js';
export type { DefinitionMigration, MigrationOptions } from '../apiserver/index.js';
export { copyStore, type CopyStoreOptions } from '../apiserver/index.js';
export type { AccessExplanation, AccessRecording, RecordingOptions } from '../security/index.js';
export {
  Client,
  isStatus,
  ResourceClient,
  type ClientOptions,
  type ObjectList,
  type PartialObjectMetadata,
  type ResourceReader,
  type WatchEvent,
} from './client.js';
export { createSigner, type Signer, type SignerOptions } from '../controllers/index.js';
export { issuedBy } from '../controllers/index.js';
export type { SignerPolicy } from '../controllers/index.js';
export { SigningRefusal } from '../controllers/index.js';
export type { ConversionFunction } from '../kinds/index.js';
export { ApiError, type Status, type StatusCause, type StatusDetails } from '../foundation/index.js';
export type { AuditOptions } from '../apiserver/index.js';
export type { TracingOptions } from '../apiserver/index.js';
export type {
  Tracer,
  TracerProvider,
  TracerSpan,
  TracerSpanContext,
  TracerSpanOptions,
  TracerTraceState,
} from '../server/index.js';
export type { MetricsOptions } from '../server/index.js';
export type { AuditEvent, AuditLevel, AuditStage } from '../security/index.js';
export type { AuditMode } from '../security/index.js';
export type {
  AuditBatchOptions,
  AuditDeliveryOptions,
  AuditThrottle,
  AuditTruncateOptions,
} from '../security/index.js';
export type { AuditLogFormat, AuditLogOptions, AuditOutput } from '../security/index.js';
export type { AuditSink, AuditSinkOptions } from '../security/index.js';
export type { AuditWebhookOptions } from '../security/index.js';
export type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from '../security/index.js';
export type { ObjectMeta, UserInfo } from '../foundation/index.js';
export type { Clock, Entropy } from '../foundation/index.js';
export { defineDialect, kubernetes, orch, type Dialect } from '../foundation/index.js';
export {
  defineAdmissionPlugin,
  defineResource,
  statusSubresource,
  type AdmissionAttributes,
  type AdmissionPlugin,
  type Column,
  type DeclaredResource,
  type InputOf,
  type JsonPathColumn,
  type KindAdmissionPlugin,
  type ObjectOf,
  type Perform,
  type ResourceDefinition,
  type Strategy,
} from './registry.js';
export {
  APIService,
  Binding,
  CertificateSigningRequest,
  ClusterRole,
  ClusterRoleBinding,
  ClusterTrustBundle,
  ComponentStatus,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  DeviceClass,
  Endpoints,
  EndpointSlice,
  Event,
  EventsEvent,
  Eviction,
  FlowSchema,
  FlowSchemaV1beta3,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV1,
  Ingress,
  IngressClass,
  IPAddress,
  Job,
  Lease,
  LeaseCandidate,
  LimitRange,
  LocalSubjectAccessReview,
  MutatingWebhookConfiguration,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodSchedulingContext,
  PodTemplate,
  PriorityClass,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationV1beta3,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  Role,
  RoleBinding,
  RuntimeClass,
  Secret,
  SelfSubjectAccessReview,
  SelfSubjectReview,
  SelfSubjectReviewV1alpha1,
  SelfSubjectReviewV1beta1,
  SelfSubjectRulesReview,
  Service,
  ServiceAccount,
  ServiceCIDR,
  StatefulSet,
  StorageClass,
  StorageVersion,
  StorageVersionMigration,
  SubjectAccessReview,
  TokenRequest,
  TokenReview,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingV1alpha1,
  ValidatingAdmissionPolicyBindingV1beta1,
  ValidatingAdmissionPolicyV1alpha1,
  ValidatingAdmissionPolicyV1beta1,
  ValidatingWebhookConfiguration,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeAttributesClassV1alpha1,
} from '../kinds/index.js';
export type { Logger } from '../foundation/index.js';
export type { FindCredentials, ResolveService, WebhookCredentials, WebhookService } from '../foundation/index.js';
export type { DefaultTolerationOptions } from '../admission/index.js';
export type { EventLimit, EventRateLimitOptions } from '../admission/index.js';
export type { ImagePolicyOptions } from '../admission/index.js';
export type { PluginOptions, WebhookPluginOptions } from '../admission/index.js';
export type { PodNodeSelectorOptions } from '../admission/index.js';
export type { PodSecurityLevel, PodSecurityOptions } from '../admission/index.js';
export type { LimitedResource, LimitedScope, ResourceQuotaOptions } from '../admission/index.js';
export type { AdmissionPluginName } from '../admission/index.js';
export type { TolerationRestrictionOptions } from '../admission/index.js';
export {
  webhook,
  type AdmissionRequest,
  type InProcessWebhook,
  type WebhookDefinition,
  type WebhookResponse,
} from '../admission/index.js';
