import { list, optionalText, requiredText, struct, text } from '../../schema/configuration-nodes.js';
import type { Presence, StructuralSchema } from '../../schema/structural.js';

const issuer = struct(
  'Issuer',
  {
    url: requiredText,
    discoveryURL: text,
    certificateAuthority: text,
    audiences: list(requiredText, 'always'),
    audienceMatchPolicy: text,
  },
  'always',
);

const prefixedClaimOrExpression = (presence: Presence): StructuralSchema =>
  struct('PrefixedClaimOrExpression', { claim: text, prefix: optionalText, expression: text }, presence);

const claimMappings = struct(
  'ClaimMappings',
  {
    username: prefixedClaimOrExpression('always'),
    groups: prefixedClaimOrExpression('omit'),
    uid: struct('ClaimOrExpression', { claim: text, expression: text }, 'omit'),
    extra: list(struct('ExtraMapping', { key: requiredText, valueExpression: requiredText })),
  },
  'always',
);

const jwtAuthenticator = struct('JWTAuthenticator', {
  issuer,
  claimValidationRules: list(
    struct('ClaimValidationRule', { claim: text, requiredValue: text, expression: text, message: text }),
  ),
  claimMappings,
  userValidationRules: list(struct('UserValidationRule', { expression: requiredText, message: text })),
});

const anonymous = struct('AnonymousAuthConfig', {
  enabled: Object.freeze({ type: 'boolean', presence: 'always' }),
  conditions: list(struct('AnonymousAuthCondition', { path: requiredText })),
});

/** The fields of an AuthenticationConfiguration, for both versions. */
export const authenticationConfigurationSchema: StructuralSchema = struct('AuthenticationConfiguration', {
  apiVersion: text,
  kind: text,
  jwt: list(jwtAuthenticator, 'always'),
  anonymous,
});
