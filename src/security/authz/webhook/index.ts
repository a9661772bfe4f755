/**
 * Webhook authorization: a remote service decides.
 *
 * @module
 */
export { DecisionCache, type DecisionCacheOptions } from './decision-cache.js';
export {
  compileMatchConditions,
  type CompiledMatchConditions,
  type Matcher,
  type MatchConditionOptions,
  type WebhookMatchCondition,
} from './match-conditions.js';
export {
  createWebhookAuthorizer,
  type WebhookAuthorizerOptions,
  type WebhookFailurePolicy,
} from './webhook-authorizer.js';
