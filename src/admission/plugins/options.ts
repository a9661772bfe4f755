import type { DefaultTolerationOptions } from './default-tolerations.js';
import type { EventRateLimitOptions } from './event-rate-limit.js';
import type { PodNodeSelectorOptions } from './pod-node-selector.js';
import type { PodSecurityOptions } from './pod-security/policy.js';
import type { PluginSwitches } from './table.js';

/** The built-in admission plugins of a server: which ones run, and how. */
export interface PluginOptions extends PluginSwitches {
  /** Levels of namespaces without labels, and what is exempt. */
  readonly podSecurity?: PodSecurityOptions | undefined;
  /** Limits of the plugin EventRateLimit, which needs them. */
  readonly eventRateLimit?: EventRateLimitOptions | undefined;
  /** Selectors of the plugin PodNodeSelector. */
  readonly podNodeSelector?: PodNodeSelectorOptions | undefined;
  /** Times of the plugin DefaultTolerationSeconds. */
  readonly defaultTolerations?: DefaultTolerationOptions | undefined;
}
