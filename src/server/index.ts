/**
 * The door of the server: requests, verbs, answers. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { CheckedVersion, RemoteApis, RemoteGroups, RouteRemote, UpgradeRemote } from './aggregation/index.js';
export { CUSTOM_PRIORITY, versionPriorities } from './discovery/priorities.js';
export type { RemoteVersion } from './discovery/remote-version.js';
export type { RemoteDocument } from './openapi/merge/remote-document.js';
export { parseConfigurationText } from './codec/configuration-text.js';
export { DecodeProblem, TooManyParts, unhandledBody } from './codec/decode-problem.js';
export { readJson } from './codec/json/json-decode.js';
export { metaApiVersion } from './codec/partial-object-metadata.js';
export { unservedKind } from './routes/unserved-kind.js';
export { strictDecoding } from './codec/strict.js';
export { encodeYaml } from './codec/yaml/write/yaml-emit.js';
export { parseYaml } from './codec/yaml/yaml.js';
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
  ConnectHandlers,
  ServiceHandlers,
  TerminalSize,
} from './connect/handlers.js';
export { readBody } from './endpoints/body.js';
export { isUsableLevel } from './fairness/levels.js';
export {
  FlowConfiguration,
  type ConfigureFlows,
  type FlowConfigurationParts,
} from './fairness/stored/flow-configuration.js';
export type { Fairness } from './filters/fairness.js';
export { GenericServer } from './generic-server.js';
export type { RequestFollowers } from './requests/request-followers.js';
export { isLentMemory, returnChunkMemory, takeChunkMemory } from './limits/chunk-memory.js';
export { bodyDecodeLimits } from './limits/decode-limits.js';
export { endingWith } from './filters/in-flight.js';
export { defaultInFlight, defaultWatches, type InFlightOptions, type WatchLimits } from './limits/in-flight.js';
export { BODY_COPIES, RequestMemory, Reservation } from './limits/reservation.js';
export { defaultLimits, type ServerLimits } from './limits/server-limits.js';
export { certificateLifetimeMeter } from './metrics/access-metrics.js';
export { podSecurityMeter, policyMeter, webhookMeter } from './metrics/admission-metrics.js';
export { countingCertificateFaults } from './metrics/certificate-fault-metrics.js';
export { certificateDurations } from './metrics/certificate-metrics.js';
export { measureEncryption } from './metrics/encryption-metrics.js';
export { countMemoryRefusals } from './metrics/memory-metrics.js';
export { MetricRules, problemOfLabels, problemOfNames, type MetricsOptions } from './metrics/metric-rules.js';
export { HistogramSeries, Metrics, METRICS_MEDIA_TYPE, NumberSeries } from './metrics/metrics.js';
export { handshakeErrors } from './metrics/server-metrics.js';
export { storeMeters } from './metrics/storage-metrics.js';
export { auditMetrics, reloadMetrics, type ReloadedSubsystem } from './metrics/table/access-metrics.js';
export { controllerMetrics } from './metrics/table/controller-metrics.js';
export { queueMetrics } from './metrics/table/queue-metrics.js';
export { deleteStatus } from './operations/delete-status.js';
export { changeByApply, changeByPatch, reportStrict, type ChangeTarget } from './operations/patching.js';
export { ResourceOperations, type OperationSubresource, type ReadAnObject } from './operations/resource-operations.js';
export { requirementsOf } from './operations/selector-attributes.js';
export {
  localSubjectAccessReviewPerformer,
  selfSubjectAccessReviewPerformer,
  selfSubjectRulesReviewPerformer,
  subjectAccessReviewPerformer,
} from './performers/access-review.js';
export { performSelfSubjectReview } from './performers/self-subject-review.js';
export { tokenRequestPerformer } from './performers/token-request.js';
export { tokenReviewPerformer } from './performers/token-review.js';
export { NodeAccess } from './policy/node-access.js';
export { Rbac } from './policy/rbac.js';
export { ChangedRequest } from './requests/changed-request.js';
export { ConnectionLostError } from './requests/connection-lost.js';
export { isOriginPattern, type CorsOptions } from './requests/cors.js';
export {
  openLog,
  openPodStreams,
  openProxied,
  type LogRequest,
  type ProxyRequestCall,
  type StreamRequest,
} from './requests/connections.js';
export { Deadlines } from './requests/deadline.js';
export {
  BodyTooLargeError,
  CHUNK_BYTES,
  chunksLength,
  isStream,
  joinedText,
  textLength,
  type ApiRequest,
  type ApiResponse,
  type ByteChunks,
  type ClientBlocked,
  type Handler,
  type Peer,
  type PeerCertificate,
  type RequestHeaders,
  type ResponseBody,
  type StreamBody,
  type TakeChunk,
  type TextParts,
  type WebSocketAnswer,
  type WebSocketHandler,
} from './requests/http.js';
export {
  Interception,
  type ContinueRequest,
  type InterceptedAnswer,
  type InterceptedRequest,
  type InterceptedServer,
  type RequestChange,
  type RequestInterceptor,
  type RequestOrigin,
} from './requests/interception.js';
export { loggedQuery, loggedUri } from './requests/logged-uri.js';
export { isPageEndpoint } from './requests/page-endpoints.js';
export { parseRequestInfo } from './requests/request-info.js';
export type { RequestScope } from './requests/request-scope.js';
export type { AddedRoutes } from './routes/added-routes.js';
export { HealthChecks, type HealthCheck, type HealthEndpoint } from './routes/health.js';
export type { DocumentSource, ServedDocument } from './routes/non-resource-routes.js';
export { FeatureGates, featureGates, type FeatureGateName } from './settings/feature-gates.js';
export { parseBool } from './settings/flag-values.js';
export { defaultRelease, isServedIn, releases, type Release } from './settings/release.js';
export { RuntimeConfig } from './settings/runtime-config.js';
export type { VersionOptions } from './settings/version.js';
export type {
  Tracer,
  TracerAttributes,
  TracerProvider,
  TracerSpan,
  TracerSpanContext,
  TracerSpanOptions,
  TracerTraceState,
} from './tracing/open-telemetry.js';
export { RequestTracer, type RequestTracing } from './tracing/request-tracer.js';
