export { compileClaimsMapper } from './claims-mapper.js';
export { parseAuthenticationConfiguration } from './parse.js';
export {
  loadAuthenticationConfiguration,
  watchAuthenticationConfiguration,
  type AuthenticationConfigurationFileOptions,
  type AuthenticationConfigurationWatchOptions,
} from './reload.js';
export type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  ClaimMappings,
  Claims,
  ClaimsMapper,
  ClaimValidationRule,
  JwtAuthenticatorConfiguration,
  JwtIssuer,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './types.js';
export { validateAuthenticationConfiguration, type AuthenticationConfigurationRules } from './validate.js';
