/**
 * Kubeconfig files, their credentials and credential plugins, and connections based on them. For Node.
 *
 * @module
 */
export * from '../client/kubeconfig/index.js';
export { connectionPost, type WebhookConnection } from '../foundation/outbound/webhook-post.js';
