/**
 * The audit log: policies, events, and the backends that write them. Works without a server.
 *
 * @module
 */
export { AuditRecord } from './audit-record.js';
export { Auditor, type AuditMetrics, type AuditorParts } from './auditor.js';
export {
  auditLevels,
  auditStages,
  type AuditEvent,
  type AuditEventFields,
  type AuditLevel,
  type AuditObjectReference,
  type AuditResponseStatus,
  type AuditStage,
  type AuditUser,
} from './event.js';
export { auditModes, type AuditBackend, type AuditMode, type DeliverEvents } from './backends/backend.js';
export {
  deliveryOf,
  type AuditBackendParts,
  type AuditBatchOptions,
  type AuditDelivery,
  type AuditDeliveryOptions,
  type AuditThrottle,
  type AuditTruncateOptions,
} from './backends/delivery.js';
export {
  auditLogFormats,
  legacyLine,
  logDefaults,
  logDelivery,
  type AuditLogFormat,
  type AuditLogOptions,
  type AuditOutput,
} from './backends/log.js';
export { makeBackend } from './backends/make-backend.js';
export { sinkDefaults, sinkDelivery, type AuditSink, type AuditSinkOptions } from './backends/sink.js';
export {
  webhookDefaults,
  webhookDelivery,
  type AuditWebhookOptions,
  type WebhookDeliveryParts,
} from './backends/webhook.js';
export {
  compileAuditPolicy,
  type AuditAttributes,
  type AuditDecision,
  type AuditPolicyEvaluator,
} from './policy/evaluate.js';
export { auditApiVersion, parseAuditPolicy, type ReadAuditPolicy } from './policy/parse.js';
export type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from './policy/types.js';
export { checkAuditPolicy, validateAuditPolicy } from './policy/validate.js';
export { RequestAudit, type AuditedRequest } from './request-audit.js';
