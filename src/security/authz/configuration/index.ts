/**
 * The AuthorizationConfiguration: the list and order of authorizers.
 *
 * @module
 */
export { parseAuthorizationConfiguration } from './parse.js';
export {
  loadAuthorizationConfiguration,
  watchAuthorizationConfiguration,
  type AuthorizationConfigurationFileOptions,
  type AuthorizationConfigurationWatchOptions,
} from './reload.js';
export type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  AuthorizerType,
  UncheckedAuthorizationConfiguration,
  UncheckedWebhook,
  WebhookAuthorizerConfiguration,
  WebhookConnectionInfo,
} from './types.js';
export {
  checkAuthorizationConfiguration,
  validateAuthorizationConfiguration,
  type AuthorizationConfigurationRules,
  type FileChecks,
} from './validate.js';
