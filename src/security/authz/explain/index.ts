/**
 * Explains decisions: why a request is allowed or refused, the nearest misses, and the least-privilege role that would
 * allow it. Also derives least-privilege roles from recorded requests.
 *
 * @module
 */
export { explain, RBAC_AUTHORIZER, type ExplainOptions, type RbacObjects } from './explain.js';
export type {
  AccessExplanation,
  Aggregation,
  BindingTrial,
  ExplainedBinding,
  NearMiss,
  Opinion,
  Remedy,
} from './explanation.js';
export { leastRoles, leastRules, type LeastRole, type LeastRolesOptions } from './least-privilege.js';
export type { BindingManifest, RoleManifest, RuleManifest, SubjectManifest } from './manifests.js';
export type { Miss, MissDimension } from './misses.js';
export { leastRule } from './permissions.js';
export { AccessRecording, type RecordingContext, type RecordingOptions } from './recording.js';
export { resourceOfWords, type AskedResource, type NamedResource } from './resource-words.js';
export type { RuleTrial } from './rule-misses.js';
export { explanationText, missText } from './text.js';
export type { TrialLimits } from './trials.js';
