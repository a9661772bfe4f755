import {
  list,
  optionalText,
  requiredText,
  structNode,
  text,
  type Presence,
  type StructuralSchema,
} from '../../../machinery/index.js';

const issuer = structNode(
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
  structNode('PrefixedClaimOrExpression', { claim: text, prefix: optionalText, expression: text }, presence);

const claimMappings = structNode(
  'ClaimMappings',
  {
    username: prefixedClaimOrExpression('always'),
    groups: prefixedClaimOrExpression('omit'),
    uid: structNode('ClaimOrExpression', { claim: text, expression: text }, 'omit'),
    extra: list(structNode('ExtraMapping', { key: requiredText, valueExpression: requiredText })),
  },
  'always',
);

const jwtAuthenticator = structNode('JWTAuthenticator', {
  issuer,
  claimValidationRules: list(
    structNode('ClaimValidationRule', { claim: text, requiredValue: text, expression: text, message: text }),
  ),
  claimMappings,
  userValidationRules: list(structNode('UserValidationRule', { expression: requiredText, message: text })),
});

const anonymous = structNode('AnonymousAuthConfig', {
  enabled: Object.freeze({ type: 'boolean', presence: 'always' }),
  conditions: list(structNode('AnonymousAuthCondition', { path: requiredText })),
});

/** The fields of an AuthenticationConfiguration, for both versions. */
export const authenticationConfigurationSchema: StructuralSchema = structNode('AuthenticationConfiguration', {
  apiVersion: text,
  kind: text,
  jwt: list(jwtAuthenticator, 'always'),
  anonymous,
});
