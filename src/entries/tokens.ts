/**
 * JSON Web Tokens of service accounts with their keys, and bootstrap tokens. Works without a server.
 *
 * @module
 */
export {
  createServiceAccountAuthenticator,
  createServiceAccountTokenIssuer,
  type BoundObject,
  type BoundObjectReference,
  type IssuedToken,
  type IssueRequest,
  type LookedUp,
  type PodObject,
  type SecretObject,
  type ServiceAccountAuthenticatorOptions,
  type ServiceAccountLookup,
  type ServiceAccountObject,
  type ServiceAccountTokenIssuer,
  type ServiceAccountTokenIssuerOptions,
  type TokenRequestSpec,
  type TokenRequestStatus,
  type TokenUse,
  type VerificationKeys,
} from '../security/authn/service-account/index.js';
export {
  bootstrapTokenSecretName,
  generateBootstrapToken,
  parseBootstrapToken,
  requireBootstrapToken,
  type BootstrapToken,
} from '../security/tokens/bootstrap-token.js';
export { signClusterInfo } from '../security/tokens/cluster-info.js';
export {
  InvalidTokenError,
  parseJsonWebToken,
  signJsonWebToken,
  verifyJsonWebToken,
  type JsonWebToken,
} from '../security/tokens/json-web-token.js';
export {
  jsonWebKeySet,
  openIdConfiguration,
  type OpenIdConfigurationOptions,
} from '../security/tokens/openid-discovery.js';
export type { SigningAlgorithm } from '../security/tokens/signing-algorithms.js';
export {
  exportSigningKey,
  generateSigningKey,
  parseSigningKey,
  type GenerateKeyOptions,
} from '../security/tokens/signing-key.js';
export type { KeyOptions, TokenSigner, TokenVerifier } from '../security/tokens/token-key.js';
export { parseVerificationKeys } from '../security/tokens/verification-keys.js';
