import type { WebhookPost } from '../../../foundation/index.js';

/** Options of the plugin ImagePolicyWebhook. */
export interface ImagePolicyOptions {
  /** Posts a review to the service that decides: `webhookPost(client, { url })`. */
  readonly post: WebhookPost;
  /** Lifetime of a cached permission, in milliseconds. Default 300,000; 0 disables the cache. */
  readonly allowTtlMs?: number | undefined;
  /** Lifetime of a cached refusal, in milliseconds. Default 30,000; 0 disables the cache. */
  readonly denyTtlMs?: number | undefined;
  /** Pause before the second attempt after a failed call, in milliseconds. Default 500. */
  readonly retryBackoffMs?: number | undefined;
  /** Whether pods are admitted when the service cannot be reached. Default false. */
  readonly defaultAllow?: boolean | undefined;
}
