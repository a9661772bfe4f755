/**
 * The requirements on authenticators, authorizers and admission plugins, as lists of cases for any test framework. They
 * test those of this package and any other.
 *
 * @module
 */
export {
  admissionAttributes,
  admissionPluginCases,
  type AdmissionExample,
  type AdmissionPluginCasesOptions,
} from './admission-cases.js';
export {
  authenticatorCases,
  authRequest,
  type AuthenticatorCasesOptions,
  type CredentialRequest,
  type InvalidCredential,
  type ValidCredential,
} from './authenticator-cases.js';
export {
  accessAttributes,
  authorizerCases,
  type AccessRequest,
  type AllowedRequest,
  type AttributeName,
  type AuthorizerCasesOptions,
} from './authorizer-cases.js';
