/**
 * JSON Web Tokens of service accounts, their keys, and bootstrap tokens. Usable without a server.
 *
 * @module
 */
export * from './bootstrap-token.js';
export * from './cluster-info.js';
export { equalInConstantTime } from './constant-time.js';
export { tokenDigest } from './digest.js';
export {
  InvalidTokenError,
  MAX_TOKEN_LENGTH,
  parseJsonWebToken,
  signJsonWebToken,
  verifyJsonWebToken,
  type JsonWebToken,
} from './json-web-token.js';
export {
  JSON_WEB_KEY_SET_MEDIA_TYPE,
  JSON_WEB_KEY_SET_PATH,
  OPENID_CONFIGURATION_PATH,
  OPENID_MAX_AGE_SECONDS,
  jsonWebKeySet,
  openIdConfiguration,
  type OpenIdConfigurationOptions,
} from './openid-discovery.js';
export * from './service-account-claims.js';
export type { SigningAlgorithm } from './signing-algorithms.js';
export { exportSigningKey, generateSigningKey, parseSigningKey, type GenerateKeyOptions } from './signing-key.js';
export type { KeyOptions, TokenSigner, TokenVerifier } from './token-key.js';
export { parseVerificationKeys } from './verification-keys.js';
