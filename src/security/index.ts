/**
 * The door of security: certificates, tokens, authentication, authorization and audit. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export { beginningOfText, lengthOfText, type AuditText } from './audit/audit-text.js';
export { Auditor, type AuditMetrics } from './audit/auditor.js';
export { failedAuthenticationText } from './audit/authentication-methods.js';
export { auditModes, type AuditBackend, type AuditMode, type DeliverEvents } from './audit/backends/backend.js';
export type {
  AuditBatchOptions,
  AuditDelivery,
  AuditDeliveryOptions,
  AuditThrottle,
  AuditTruncateOptions,
} from './audit/backends/delivery.js';
export { auditLogFormats, type AuditLogFormat, type AuditLogOptions, type AuditOutput } from './audit/backends/log.js';
export type { AuditSink, AuditSinkOptions } from './audit/backends/sink.js';
export type { AuditWebhookOptions } from './audit/backends/webhook.js';
export type {
  AuditEvent,
  AuditLevel,
  AuditObjectReference,
  AuditResponseStatus,
  AuditStage,
  AuditUser,
} from './audit/event.js';
export type { AuditPolicyEvaluator } from './audit/policy/evaluate.js';
export type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from './audit/policy/types.js';
export { RequestAudit } from './audit/request-audit.js';
export { requestUri, sourceIPs } from './audit/request-origin.js';
export { anonymousAuthenticator } from './authn/anonymous.js';
export { audienceAgnostic, intersectAudiences } from './authn/audiences.js';
export {
  ANONYMOUS_USER,
  type AuthCertificate,
  AUTHENTICATED_GROUP,
  type Authenticator,
  type AuthRequest,
  type AuthResult,
  composeAuthentication,
  requireUser,
  type TokenAuthenticator,
  type TokenContext,
  UNAUTHENTICATED_GROUP,
  unionTokenAuthenticators,
  withAuthenticatedTokenGroup,
  withinTokenLimit,
} from './authn/authenticator.js';
export { bearerTokenAuthenticator, webSocketBearerAuthenticator } from './authn/bearer-token.js';
export { createBootstrapTokenAuthenticator } from './authn/bootstrap-token.js';
export { compileClaimsMapper } from './authn/configuration/claims-mapper.js';
export { loadAuthenticationConfiguration, watchAuthenticationConfiguration } from './authn/configuration/reload.js';
export type {
  AnonymousConfiguration,
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimValidationRule,
  JwtAuthenticatorConfiguration,
  JwtIssuer,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from './authn/configuration/types.js';
export {
  validateAuthenticationConfiguration,
  type AuthenticationConfigurationRules,
} from './authn/configuration/validate.js';
export { parseCsv } from './authn/csv.js';
export { ALL_SIGNING_ALGORITHMS } from './authn/oidc/algorithms.js';
export { createFlagClaimsMapper } from './authn/oidc/claims.js';
export { DEFAULT_OIDC_LIMITS } from './authn/oidc/limits.js';
export { discoverSignIn, type SignInEndpoints } from './authn/oidc/discovery.js';
export { documentReader } from './authn/oidc/document.js';
export { jwtConfigurationOfFlags, parseRequiredClaims, type OpenIdConnectOptions } from './authn/oidc/flags.js';
export { createJwtAuthenticator, type JwtAuthenticator } from './authn/oidc/jwt-authenticator.js';
export { askForTokens, providerTls, TOKEN_ERROR_CODE, type ProviderClient } from './authn/oidc/token-endpoint.js';
export { headerText, percentDecoded } from './authn/request-header/header-text.js';
export { defaultIdentityHeaders, identityReader } from './authn/request-header/identity-headers.js';
export type { RequestHeaderAuthenticatorOptions, RequestHeaderOptions } from './authn/request-header/index.js';
export { createServiceAccountAuthenticator } from './authn/service-account/authenticator.js';
export { defaultIssuer } from './authn/service-account/default-issuer.js';
export { createServiceAccountTokenIssuer, type ServiceAccountTokenIssuer } from './authn/service-account/issuer.js';
export type { ServiceAccountLookup } from './authn/service-account/lookup.js';
export { longestExpirationSeconds } from './authn/service-account/token-request.js';
export { createStaticTokenAuthenticator, parseTokenFile, type StaticToken } from './authn/static-token.js';
export { cachedTokenAuthenticator, type TokenCacheMeter } from './authn/token-cache.js';
export { aUser, aUserOrName, userOf } from './authn/user-of.js';
export { currentAuthorities } from './authn/x509/certificate-authorities.js';
export { type TokenWebhookOptions, type WebhookTokenAuthenticatorOptions } from './authn/webhook/token-webhook.js';
export { defaultWrongTokens, type WrongTokenLimits } from './authn/wrong-token-throttle.js';
export type {
  CertificateAuthorities,
  ClientCertificateOptions,
  UserConversion,
  X509AuthenticatorOptions,
} from './authn/x509/index.js';
export type { FrontProxyCertificate, ProxyCertificate } from './authorities/front-proxy-certificate.js';
export { GeneratedAuthority } from './authorities/generated-authority.js';
export { SIGNING_KEY } from './authorities/stored-key-record.js';
export { StoredSigningKeys, type SigningKeySet, type StoredKeyRotation } from './authorities/stored-signing-keys.js';
export type { AbacPolicy } from './authz/abac/policy.js';
export { attributesOf, type Attributes, type RequestFacts, type SelectorRequirement } from './authz/attributes.js';
export {
  alwaysAllow,
  alwaysDeny,
  MASTERS_GROUP,
  RBAC_AUTHORIZER,
  mastersAuthorizer,
  NO_OPINION,
  rulesOf,
  unionAuthorizers,
  withRules,
  type Authorizer,
  type Decision,
} from './authz/authorizer.js';
export { boundedRules } from './authz/bounded-rules.js';
export type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  AuthorizerType,
  WebhookAuthorizerConfiguration,
  WebhookConnectionInfo,
} from './authz/configuration/types.js';
export type { FileChecks } from './authz/configuration/validate.js';
export { distancesFrom } from './authz/explain/closeness.js';
export { explain, explainInSteps } from './authz/explain/explain.js';
export type { AccessExplanation, Opinion } from './authz/explain/explanation.js';
export { leastRules } from './authz/explain/least-privilege.js';
export { AccessRecording, type RecordingOptions } from './authz/explain/recording.js';
export { resourceOfWords, type NamedResource } from './authz/explain/resource-words.js';
export { forbiddenError } from './authz/forbidden.js';
export { createNodeAuthorizer } from './authz/node/authorizer.js';
export { NODE_GRAPH_SOURCES, type NodeGraphSource } from './authz/node/graph-sources.js';
export { NodeGraph } from './authz/node/graph.js';
export {
  AGGREGATION_MANAGER,
  aggregateRules,
  aggregateRulesInSteps,
  sameRules,
  sameRulesInSteps,
} from './authz/rbac/aggregate.js';
export { createRbacAuthorizer, type SynchronousAuthorizer } from './authz/rbac/authorizer.js';
export { breakDown, coveringRules } from './authz/rbac/covering.js';
export {
  defaultRbacPolicy,
  pageRbacPolicy,
  type DefaultObject,
  type DefaultPolicy,
} from './authz/rbac/default-policy/default-policy.js';
export { checkBinding, checkRoleEscalation, escalationPorts } from './authz/rbac/escalation.js';
export type { PolicyPart } from './authz/rbac/policy/policy-part.js';
export { RbacPolicy } from './authz/rbac/policy/policy.js';
export { ruleAllows, rulesAllow, type RuleAttributes } from './authz/rbac/policy/rule-match.js';
export { reconcileBinding, reconcileRole, type Reconciliation } from './authz/rbac/reconcile.js';
export { rulesFor } from './authz/rbac/rules-for.js';
export { isBindingObject, isRoleObject } from './authz/rbac/shapes.js';
export type { BindingObject, ClusterRoleObject, PolicyRule, RoleObject } from './authz/rbac/types.js';
export type { ResourceRule, RuleResolver, UserRules } from './authz/rules.js';
export { DecisionCache } from './authz/webhook/decision-cache.js';
export type {
  AccessWebhookOptions,
  WebhookAuthorizerOptions,
  WebhookFailurePolicy,
} from './authz/webhook/webhook-authorizer.js';
export type { WebhookMatchCondition } from './authz/webhook/match-conditions.js';
export { derReader } from './pki/asn1/der.js';
export {
  ExtendedKeyUsage,
  ExtensionType,
  readExtensions,
  type BasicConstraints,
  type CertificateExtension,
} from './pki/asn1/extensions.js';
export { CertificateAuthority } from './pki/certificate-authority.js';
export { parseCertificateBundle, readableCertificates, type BundledCertificate } from './pki/certificate-bundle.js';
export { readCertificateRequestPem, type CertificateRequest } from './pki/certificate-request.js';
export { parseCertificate, type Certificate } from './pki/certificate.js';
export { loadX509, type X509Library } from './pki/issuing/x509-library.js';
export { encodePrivateKey, encodePublicKey, generateKeyPair } from './pki/keys/key-pair.js';
export { checkRequestSignature } from './pki/keys/signature.js';
export type { AlternativeNamesInput } from './pki/names/alternative-names-input.js';
export type { AlternativeNames } from './pki/names/alternative-names.js';
export type { DistinguishedName } from './pki/names/distinguished-name.js';
export type { SubjectNames } from './pki/names/subject-names.js';
export { checkTrustBundle, mergeTrustBundles } from './pki/trust-bundle.js';
export { requestUsages, usageNamesOf, usagesOf } from './pki/usages.js';
export type { Validity } from './pki/validity.js';
export { X509Error } from './pki/x509-error.js';
export { bootstrapTokenExpiry, requireBootstrapToken, signingTokenOf } from './tokens/bootstrap-token.js';
export { checkClusterInfoSignature, CLUSTER_INFO, signClusterInfo } from './tokens/cluster-info.js';
export { equalInConstantTime } from './tokens/constant-time.js';
export { digestOf, tokenDigest } from './tokens/digest.js';
export { signJsonWebToken } from './tokens/json-web-token.js';
export {
  JSON_WEB_KEY_SET_MEDIA_TYPE,
  JSON_WEB_KEY_SET_PATH,
  jsonWebKeySet,
  OPENID_CONFIGURATION_PATH,
  OPENID_MAX_AGE_SECONDS,
  openIdConfiguration,
} from './tokens/openid-discovery.js';
export { makeLegacyServiceAccountClaims, type LegacyTokenBinding } from './tokens/service-account-claims.js';
export { parseSigningKey } from './tokens/signing-key.js';
export type { TokenSigner, TokenVerifier } from './tokens/token-key.js';
export { parseVerificationKeys } from './tokens/verification-keys.js';
