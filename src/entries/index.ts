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
} from '../apiserver/index.js';
export type { SigningKeyRotation, SigningKeyRotationOptions } from '../apiserver/index.js';
export { delegateTo, type Delegation, type DelegationOptions } from '../apiserver/index.js';
export type { ExplainAccessOptions } from '../apiserver/index.js';
export type { AdmissionOptions } from '../apiserver/index.js';
export type { AuthenticationOptions, ServiceAccountOptions } from '../apiserver/index.js';
export type { ConfigurationFile, ConfigurationSource } from '../apiserver/index.js';
export type { ControllersOptions, ControllerSettings } from '../apiserver/index.js';
export type { LeaderElectionTimes } from '../controllers/index.js';
export type { LimitOptions } from '../apiserver/index.js';
export type { NetworkOptions } from '../apiserver/index.js';
export type { CorsOptions } from '../server/index.js';
export type { ObservabilityOptions } from '../apiserver/index.js';
export type { ConnectHandlers, FeatureGateName, Release, VersionOptions } from '../server/index.js';
export type { HealthCheck, HealthChecks, HealthEndpoint } from '../server/index.js';
export type { InFlightOptions, WatchLimits } from '../server/index.js';
export type { DefinitionLimitOptions, Duration } from '../foundation/index.js';
export type { ReviewVersion, WebhookBackoff, WebhookCallOptions } from '../foundation/index.js';
export type {
  AbacPolicy,
  AccessWebhookOptions,
  AnonymousConfiguration,
  AuthenticationConfiguration,
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  AuthorizerType,
  CertificateAuthorities,
  ClaimMappings,
  ClaimValidationRule,
  ClientCertificateOptions,
  FileChecks,
  JwtAuthenticatorConfiguration,
  JwtIssuer,
  OpenIdConnectOptions,
  PrefixedClaimOrExpression,
  RequestHeaderOptions,
  StaticToken,
  TokenWebhookOptions,
  UserConversion,
  UserValidationRule,
  WebhookAuthorizerConfiguration,
  WebhookConnectionInfo,
  WebhookFailurePolicy,
  WebhookMatchCondition,
  WrongTokenLimits,
} from '../security/index.js';
export type { CertificateOptions, GivenAuthority, SigningAuthority } from '../apiserver/index.js';
export type {
  AbacPolicySource,
  AuthorizationByConfiguration,
  AuthorizationByFunction,
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
  InterceptedServer,
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
export type { MigrationFailure, ObjectNotice, WatchEventType, WatchNotice } from '../registry/index.js';
export type { RequestFacts } from '../security/index.js';
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
export {
  ApiError,
  errors,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from '../foundation/index.js';
export {
  dnsLabel,
  dnsLabel1035,
  dnsSubdomain,
  labelValue,
  pathSegment,
  qualifiedName,
  type NameRule,
} from '../foundation/index.js';
export {
  FieldSelector,
  LabelSelector,
  type FieldRequirement,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelectorExpression,
  type LabelSelectorObject,
  type Labels,
  type SelectorLimits,
} from '../machinery/index.js';
export type { AuditOptions } from '../apiserver/index.js';
export type { TracingOptions } from '../apiserver/index.js';
export type {
  Tracer,
  TracerAttributes,
  TracerProvider,
  TracerSpan,
  TracerSpanContext,
  TracerSpanOptions,
  TracerTraceState,
} from '../server/index.js';
export type { MetricsOptions } from '../server/index.js';
export type {
  AuditEvent,
  AuditLevel,
  AuditObjectReference,
  AuditResponseStatus,
  AuditStage,
  AuditUser,
} from '../security/index.js';
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
export type { JsonObject, JsonValue, ObjectMeta, OwnerReference, UserInfo } from '../foundation/index.js';
export type { ApiObject, ListMeta, MaybeSteps, Steps, StoredObject, Work } from '../foundation/index.js';
export type { GroupKind, GroupResource, GroupVersionKind, GroupVersionResource } from '../foundation/index.js';
export { systemClock, systemEntropy, type Clock, type Entropy, type Timer } from '../foundation/index.js';
export {
  defineDialect,
  groupName,
  kubernetes,
  orch,
  systemGroup,
  type AutoscalerAnnotations,
  type Dialect,
  type DialectNamespaces,
  type DialectOpenApi,
  type DialectOptions,
  type DialectPod,
  type DialectSecretTypes,
  type DialectSigners,
  type SystemGroup,
} from '../foundation/index.js';
export {
  defineAdmissionPlugin,
  defineResource,
  statusSubresource,
  type AdmissionAttributes,
  type AdmissionOperation,
  type AdmissionPlugin,
  type Cell,
  type Column,
  type Conversion,
  type Converted,
  type DeclaredResource,
  type Deprecation,
  type FeatureSwitches,
  type FieldReader,
  type FinishWrite,
  type Incomplete,
  type InputOf,
  type InputOfSchema,
  type JsonPathColumn,
  type KindAdmissionPlugin,
  type MutateAttributes,
  type NamedObject,
  type ObjectOf,
  type ObjectOfSchema,
  type OperationClient,
  type OperationReadParameters,
  type OperationResourceClient,
  type OperationSubresource,
  type OperationWriteParameters,
  type PartSubresource,
  type Perform,
  type PerformRequest,
  type PropagationPolicy,
  type RequestContext,
  type ResetFields,
  type ResourceDefinition,
  type ResourceInfo,
  type ResourceNames,
  type ResourceVerb,
  type Strategy,
  type SubresourceDefinition,
  type SubresourceStrategy,
  type TimedCell,
  type Unvalidated,
  type ValidateAttributes,
  type ViewSubresource,
  type WriteOperation,
  type WriteOutcome,
} from '../registry/index.js';
export { scaleSubresource, type CustomScale } from '../kinds/index.js';
export {
  bearerTokenAuthenticator,
  type AuthCertificate,
  type Authenticator,
  type AuthRequest,
  type AuthResult,
  type TokenAuthenticator,
  type TokenContext,
} from '../security/index.js';
export type {
  Attributes,
  Authorizer,
  Decision,
  ResourceRule,
  SelectorRequirement,
  UserRules,
} from '../security/index.js';
// The kinds that the manifests of most programs consist of: workloads, their configuration, service and storage, access,
// namespaces, and the definitions of custom kinds; leases for those that elect a leader. All others are in `./kinds`, and
// so is each whose name is that of a global (`Event`, `Node`).
export {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Ingress,
  Job,
  Lease,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from '../kinds/index.js';
export type { LogFields, Logger } from '../foundation/index.js';
export {
  webhookPost,
  type HttpClient,
  type OutboundRequest,
  type OutboundStream,
  type StreamedRequest,
  type StreamingHttpClient,
  type OutboundResponse,
  type OutboundTls,
  type WebhookEndpoint,
  type WebhookPost,
} from '../foundation/index.js';
export type { FindCredentials, ResolveService, WebhookCredentials, WebhookService } from '../foundation/index.js';
export type { DefaultTolerationOptions } from '../admission/index.js';
export type { EventLimit, EventRateLimitOptions } from '../admission/index.js';
export type { ImagePolicyOptions } from '../admission/index.js';
export type { WebhookPluginOptions } from '../admission/index.js';
export type { PodNodeSelectorOptions } from '../admission/index.js';
export type { PodSecurityLevel, PodSecurityOptions } from '../admission/index.js';
export type { LimitedResource, LimitedScope, ResourceQuotaOptions } from '../admission/index.js';
export type { AdmissionPluginName, AdmissionPluginOptions } from '../admission/index.js';
export type { TolerationRestrictionOptions } from '../admission/index.js';
export {
  webhook,
  type AdmissionRequest,
  type InProcessWebhook,
  type WebhookDefinition,
  type WebhookResponse,
} from '../admission/index.js';
