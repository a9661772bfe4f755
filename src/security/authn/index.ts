export * from './anonymous.js';
export * from './audiences.js';
export * from './authenticator.js';
export * from './bearer-token.js';
export * from './bootstrap-token.js';
export * from './configuration/index.js';
export * from './oidc/index.js';
export {
  createRequestHeaderAuthenticator,
  type IdentityHeaderNames,
  type RequestHeaderAuthenticatorOptions,
} from './request-header/index.js';
export { headerText, percentDecoded } from './request-header/header-text.js';
export {
  parseServiceAccountUsername,
  SERVICE_ACCOUNTS_GROUP,
  serviceAccountGroups,
  serviceAccountUsername,
} from '../../foundation/index.js';
export * from './service-account/index.js';
export * from './static-token.js';
export * from './token-cache.js';
export * from './webhook/token-webhook.js';
export type { WrongTokenLimits } from './wrong-token-throttle.js';
export {
  commonNameUser,
  createX509Authenticator,
  type CertificateAuthorities,
  type UserConversion,
  type X509AuthenticatorOptions,
} from './x509/index.js';
