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
} from './api-server.js';
export type { ExplainAccessOptions } from './assembly/access.js';
export type { AuthenticationOptions } from './assembly/authentication.js';
export type { CertificateOptions, GivenAuthority, SigningAuthority } from './assembly/certificates.js';
export type {
  AbacPolicySource,
  AuthorizationByConfiguration,
  AuthorizationByModes,
  AuthorizationMode,
  AuthorizationOptions,
} from './assembly/authorization-options.js';
export type { ServerResources } from './assembly/server-resources.js';
export type { ServedResource } from './registry/served-resource.js';
export { ConnectionLostError } from './server/connection-lost.js';
export type {
  ContinueRequest,
  InterceptedAnswer,
  InterceptedRequest,
  RequestChange,
  RequestInterceptor,
  RequestOrigin,
} from './server/interception.js';
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
} from './server/connect/handlers.js';
export type { DefinitionMigration, MigrationOptions } from './assembly/migration.js';
export { copyStore, type CopyStoreOptions } from './assembly/copy-store.js';
export type { AccessExplanation, AccessRecording, RecordingOptions } from './authz/explain/index.js';
export {
  Client,
  isStatus,
  ResourceClient,
  type ClientOptions,
  type ObjectList,
  type PartialObjectMetadata,
  type ResourceReader,
  type WatchEvent,
} from './client/index.js';
export { createSigner, type Signer, type SignerOptions } from './controllers/certificates/create-signer.js';
export { issuedBy } from './controllers/certificates/signer-issue.js';
export type { SignerPolicy } from './controllers/certificates/signer-policy.js';
export { SigningRefusal } from './controllers/certificates/signer-refusal.js';
export type { ConversionFunction } from './custom/webhook-converter.js';
export { ApiError, type Status, type StatusCause, type StatusDetails } from './meta/api-error.js';
export type { AuditOptions } from './assembly/audit.js';
export type { TracingOptions } from './assembly/tracing.js';
export type {
  Tracer,
  TracerProvider,
  TracerSpan,
  TracerSpanContext,
  TracerSpanOptions,
  TracerTraceState,
} from './server/tracing/open-telemetry.js';
export type { MetricsOptions } from './server/metric-rules.js';
export type { AuditEvent, AuditLevel, AuditStage } from './audit/event.js';
export type { AuditMode } from './audit/backends/backend.js';
export type {
  AuditBatchOptions,
  AuditDeliveryOptions,
  AuditThrottle,
  AuditTruncateOptions,
} from './audit/backends/delivery.js';
export type { AuditLogFormat, AuditLogOptions, AuditOutput } from './audit/backends/log.js';
export type { AuditSink, AuditSinkOptions } from './audit/backends/sink.js';
export type { AuditWebhookOptions } from './audit/backends/webhook.js';
export type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from './audit/policy/types.js';
export type { ObjectMeta, UserInfo } from './meta/object.js';
export type { Clock, Entropy } from './meta/clock.js';
export { defineDialect, kubernetes, orch, type Dialect } from './names/index.js';
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
} from './registry/index.js';
export * from './resources/kinds.js';
export type { Logger } from './meta/logger.js';
export type { FindCredentials, ResolveService, WebhookCredentials, WebhookService } from './outbound/webhook-client.js';
export type { DefaultTolerationOptions } from './admission/plugins/default-tolerations.js';
export type { EventLimit, EventRateLimitOptions } from './admission/plugins/event-rate-limit.js';
export type { ImagePolicyOptions } from './admission/plugins/image-policy-options.js';
export type { PluginOptions, WebhookPluginOptions } from './admission/plugins/options.js';
export type { PodNodeSelectorOptions } from './admission/plugins/pod-node-selector.js';
export type { PodSecurityLevel, PodSecurityOptions } from './admission/plugins/pod-security/policy.js';
export type { LimitedResource, LimitedScope, ResourceQuotaOptions } from './admission/plugins/quota-options.js';
export type { AdmissionPluginName } from './admission/plugins/table.js';
export type { TolerationRestrictionOptions } from './admission/plugins/toleration-options.js';
export {
  webhook,
  type AdmissionRequest,
  type InProcessWebhook,
  type WebhookDefinition,
  type WebhookResponse,
} from './admission/webhook/webhook-definition.js';
