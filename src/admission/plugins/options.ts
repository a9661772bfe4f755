import type { FindCredentials } from '../../foundation/index.js';
import type { EventRateLimitOptions } from './events/event-rate-limit.js';
import type { ImagePolicyOptions } from './images/image-policy-options.js';
import type { PodNodeSelectorOptions } from './pod-node-selector.js';
import type { PodSecurityOptions } from './pod-security/policy.js';
import type { ResourceQuotaOptions } from './quota/quota-options.js';
import type { AdmissionPluginName } from './table.js';
import type { DefaultTolerationOptions } from './tolerations/default-tolerations.js';
import type { TolerationRestrictionOptions } from './tolerations/toleration-options.js';

/** Options of the plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook. */
export interface WebhookPluginOptions {
  /** Returns the credentials that the server presents to the webhooks of the plugin. Default those of `admission.webhooks`. */
  readonly credentials?: FindCredentials | undefined;
}

/** The built-in admission plugins of a server: which ones run, and how. */
export interface AdmissionPluginOptions {
  /** Plugins to run that are off by default. */
  readonly enable?: readonly AdmissionPluginName[] | undefined;
  /** Plugins not to run. */
  readonly disable?: readonly AdmissionPluginName[] | undefined;
  /** Levels of namespaces without labels, and what is exempt. */
  readonly podSecurity?: PodSecurityOptions | undefined;
  /** Limits of the plugin EventRateLimit, which needs them. */
  readonly eventRateLimit?: EventRateLimitOptions | undefined;
  /** Selectors of the plugin PodNodeSelector. */
  readonly podNodeSelector?: PodNodeSelectorOptions | undefined;
  /** Times of the plugin DefaultTolerationSeconds. */
  readonly defaultTolerations?: DefaultTolerationOptions | undefined;
  /** Tolerations of the plugin PodTolerationRestriction. */
  readonly podTolerationRestriction?: TolerationRestrictionOptions | undefined;
  /** The service of the plugin ImagePolicyWebhook, which needs it. */
  readonly imagePolicyWebhook?: ImagePolicyOptions | undefined;
  /** The resources that the plugin ResourceQuota refuses without a quota that covers them. */
  readonly resourceQuota?: ResourceQuotaOptions | undefined;
  /** Credentials for mutating webhooks. */
  readonly mutatingWebhooks?: WebhookPluginOptions | undefined;
  /** Credentials for validating webhooks. */
  readonly validatingWebhooks?: WebhookPluginOptions | undefined;
}
