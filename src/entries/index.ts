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
} from '../apiserver/api-server.js';
export type { ExplainAccessOptions } from '../apiserver/access/access.js';
export type { AuthenticationOptions } from '../apiserver/authentication/authentication.js';
export type { CertificateOptions, GivenAuthority, SigningAuthority } from '../apiserver/authentication/certificates.js';
export type {
  AbacPolicySource,
  AuthorizationByConfiguration,
  AuthorizationByModes,
  AuthorizationMode,
  AuthorizationOptions,
} from '../apiserver/access/authorization-options.js';
export type { ServerResources } from '../apiserver/instance/server-resources.js';
export type { ServedResource } from '../registry/definition/served-resource.js';
export { ConnectionLostError } from '../server/requests/connection-lost.js';
export type {
  ContinueRequest,
  InterceptedAnswer,
  InterceptedRequest,
  RequestChange,
  RequestInterceptor,
  RequestOrigin,
} from '../server/requests/interception.js';
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
} from '../server/connect/handlers.js';
export type { DefinitionMigration, MigrationOptions } from '../apiserver/custom-resources/migration.js';
export { copyStore, type CopyStoreOptions } from '../apiserver/storage/copy-store.js';
export type { AccessExplanation, AccessRecording, RecordingOptions } from '../security/authz/explain/index.js';
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
export { createSigner, type Signer, type SignerOptions } from '../controllers/certificates/create-signer.js';
export { issuedBy } from '../controllers/certificates/signer-issue.js';
export type { SignerPolicy } from '../controllers/certificates/signer-policy.js';
export { SigningRefusal } from '../controllers/certificates/signer-refusal.js';
export type { ConversionFunction } from '../kinds/custom/webhook-converter.js';
export { ApiError, type Status, type StatusCause, type StatusDetails } from '../foundation/errors/api-error.js';
export type { AuditOptions } from '../apiserver/observability/audit.js';
export type { TracingOptions } from '../apiserver/observability/tracing.js';
export type {
  Tracer,
  TracerProvider,
  TracerSpan,
  TracerSpanContext,
  TracerSpanOptions,
  TracerTraceState,
} from '../server/tracing/open-telemetry.js';
export type { MetricsOptions } from '../server/metrics/metric-rules.js';
export type { AuditEvent, AuditLevel, AuditStage } from '../security/audit/event.js';
export type { AuditMode } from '../security/audit/backends/backend.js';
export type {
  AuditBatchOptions,
  AuditDeliveryOptions,
  AuditThrottle,
  AuditTruncateOptions,
} from '../security/audit/backends/delivery.js';
export type { AuditLogFormat, AuditLogOptions, AuditOutput } from '../security/audit/backends/log.js';
export type { AuditSink, AuditSinkOptions } from '../security/audit/backends/sink.js';
export type { AuditWebhookOptions } from '../security/audit/backends/webhook.js';
export type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from '../security/audit/policy/types.js';
export type { ObjectMeta, UserInfo } from '../foundation/objects/object.js';
export type { Clock, Entropy } from '../foundation/time/clock.js';
export { defineDialect, kubernetes, orch, type Dialect } from '../foundation/dialect/index.js';
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
export * from '../kinds/builtin/kinds.js';
export type { Logger } from '../foundation/reporting/logger.js';
export type { FindCredentials, ResolveService, WebhookCredentials, WebhookService } from '../foundation/outbound/webhook-client.js';
export type { DefaultTolerationOptions } from '../admission/plugins/tolerations/default-tolerations.js';
export type { EventLimit, EventRateLimitOptions } from '../admission/plugins/events/event-rate-limit.js';
export type { ImagePolicyOptions } from '../admission/plugins/images/image-policy-options.js';
export type { PluginOptions, WebhookPluginOptions } from '../admission/plugins/options.js';
export type { PodNodeSelectorOptions } from '../admission/plugins/pod-node-selector.js';
export type { PodSecurityLevel, PodSecurityOptions } from '../admission/plugins/pod-security/policy.js';
export type { LimitedResource, LimitedScope, ResourceQuotaOptions } from '../admission/plugins/quota/quota-options.js';
export type { AdmissionPluginName } from '../admission/plugins/table.js';
export type { TolerationRestrictionOptions } from '../admission/plugins/tolerations/toleration-options.js';
export {
  webhook,
  type AdmissionRequest,
  type InProcessWebhook,
  type WebhookDefinition,
  type WebhookResponse,
} from '../admission/webhook/webhook-definition.js';
