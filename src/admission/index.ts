/**
 * The door of admission. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { certificateAdmission } from './certificates/index.js';
export type { SignerRights } from './certificates/signer-rights.js';
export { certificateSubjectRestriction } from './certificates/subject-restriction.js';
export { AdmissionChain, type StageDone, type StageMeter } from './chain.js';
export type { AdmissionFiles } from './configuration/index.js';
export { controllerTrigger, writeTrigger } from './controller-trigger.js';
export { garbageCollectionTrigger } from './garbage-collection-trigger.js';
export { ownersPlugin } from './owners-plugin.js';
export { namespaceLifecycle } from './namespace-lifecycle.js';
export { nodeRestriction, type NodeRestrictionOptions } from './node-restriction/plugin.js';
export { eventLimitTypes } from './plugins/events/event-limit-types.js';
export type { EventLimit, EventRateLimitOptions } from './plugins/events/event-rate-limit.js';
export type { ImagePolicyOptions } from './plugins/images/image-policy-options.js';
export { latePlugin } from './plugins/late-plugin.js';
export { MirroredKind, mirrorOf } from './plugins/mirrored-kind.js';
export { readNodeSelector } from './plugins/node-selector.js';
export type { AdmissionPluginOptions, WebhookPluginOptions } from './plugins/options.js';
export type { PodNodeSelectorOptions } from './plugins/pod-node-selector.js';
export type { PodSecurityMeter, PodSecurityRequest } from './plugins/pod-security/meter.js';
export {
  podSecurityLevels,
  readVersion,
  type LevelVersion,
  type PodSecurityLevel,
  type PodSecurityOptions,
} from './plugins/pod-security/policy.js';
export {
  scopeOperators,
  type LimitedResource,
  type LimitedScope,
  type ResourceQuotaOptions,
} from './plugins/quota/quota-options.js';
export { concernsQuotas } from './plugins/quota/resource-quota-scope.js';
export { alwaysAdmit, alwaysDeny } from './plugins/switch-plugins.js';
export {
  admissionPluginNames,
  defaultAdmissionPlugins,
  runningPlugins,
  type AdmissionPluginName,
} from './plugins/table.js';
export type { DefaultTolerationOptions } from './plugins/tolerations/default-tolerations.js';
export type { TolerationRestrictionOptions } from './plugins/tolerations/toleration-options.js';
export type { DecideAccess } from './policy/access-decisions.js';
export type { PolicyMeter } from './policy/dispatch.js';
export type { ConditionMeter } from './policy/match-conditions.js';
export { checkTypes } from './policy/type-checking.js';
export { ValidatingPolicies } from './policy/validating-admission-policy.js';
export { callFunction } from './webhook/call-function.js';
export type { Hook, WebhookMeter, WebhookPhase } from './webhook/hook.js';
export { AdmissionWebhooks } from './webhook/index.js';
export type { StoredWebhook } from './webhook/make-hook.js';
export {
  InProcessWebhook,
  webhook,
  type AdmissionRequest,
  type WebhookDefinition,
  type WebhookResponse,
} from './webhook/webhook-definition.js';
