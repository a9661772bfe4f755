export { ALL_SIGNING_ALGORITHMS, DEFAULT_SIGNING_ALGORITHMS, checkSigningAlgorithms } from './algorithms.js';
export {
  checkRequiredClaims,
  createFlagClaimsMapper,
  mapGroups,
  mapUid,
  mapUsername,
  type ClaimMapping,
} from './claims.js';
export { jwtConfigurationOfFlags, parseRequiredClaims, type OidcFlags } from './flags.js';
export { createJwtAuthenticator, type JwtAuthenticator, type JwtAuthenticatorOptions } from './jwt-authenticator.js';
export { DEFAULT_OIDC_LIMITS, type OidcLimits } from './limits.js';
