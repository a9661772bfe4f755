import type { StructuralSchema } from '../../schema/structural.js';

/* The schema is built from nodes, like metadata: it must not load zod, because the file is read without any kind. */

const text: StructuralSchema = Object.freeze({ type: 'string', presence: 'omit' });
/** A string that is kept even when it is empty. */
const optionalText: StructuralSchema = Object.freeze({ type: 'string', presence: 'keep' });
const requiredText: StructuralSchema = Object.freeze({ type: 'string', presence: 'always' });

const struct = (
  name: string,
  properties: Readonly<Record<string, StructuralSchema>>,
  presence: StructuralSchema['presence'] = 'keep',
): StructuralSchema =>
  Object.freeze({ type: 'object', name, presence, properties: new Map(Object.entries(properties)) });

const list = (items: StructuralSchema, presence: StructuralSchema['presence'] = 'omit'): StructuralSchema =>
  Object.freeze({ type: 'array', presence, items });

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

const prefixedClaimOrExpression = (presence: StructuralSchema['presence']): StructuralSchema =>
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
