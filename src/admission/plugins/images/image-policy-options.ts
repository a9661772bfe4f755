import type { Duration, WebhookPost } from '../../../foundation/index.js';

/** Options of the plugin ImagePolicyWebhook. */
export interface ImagePolicyOptions {
  /** Posts a review to the service that decides: `webhookPost(client, { url })`. */
  readonly post: WebhookPost;
  /** Lifetime of a cached permission. Default `5m`; 0 disables the cache. */
  readonly allowTtl?: Duration | undefined;
  /** Lifetime of a cached refusal. Default `30s`; 0 disables the cache. */
  readonly denyTtl?: Duration | undefined;
  /** Pause before the second attempt after a failed call. Default `500ms`. */
  readonly retryBackoff?: Duration | undefined;
  /** Whether pods are admitted when the service cannot be reached. Default false. */
  readonly defaultAllow?: boolean | undefined;
}
