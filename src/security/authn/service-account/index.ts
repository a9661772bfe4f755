/**
 * Service account tokens: issuing and authentication.
 *
 * @module
 */
export {
  createServiceAccountAuthenticator,
  type ServiceAccountAuthenticatorOptions,
  type TokenUse,
  type VerificationKeys,
} from './authenticator.js';
export {
  createServiceAccountTokenIssuer,
  type IssuedToken,
  type IssueRequest,
  type ServiceAccountTokenIssuer,
  type ServiceAccountTokenIssuerOptions,
} from './issuer.js';
export type {
  BoundObject,
  LookedUp,
  PodObject,
  SecretObject,
  ServiceAccountLookup,
  ServiceAccountObject,
} from './lookup.js';
export type { BoundObjectReference, TokenRequestSpec, TokenRequestStatus } from './token-request.js';
