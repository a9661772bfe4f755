import { describe, expect, it } from 'vitest';
import { parseAuthenticationConfiguration } from '../../../../src/security/authn/configuration/parse.js';
import type { JsonObject, JsonValue } from '../../../../src/foundation/json/json.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';

const file = (fields: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiserver.config.orch.io/v1beta1',
  kind: 'AuthenticationConfiguration',
  ...fields,
});
const parse = (value: JsonValue) => parseAuthenticationConfiguration(value, orch);

describe('parseAuthenticationConfiguration', () => {
  it('reads every field, and omits empty ones', () => {
    const jwt = {
      issuer: {
        url: 'https://a',
        discoveryURL: 'https://b',
        certificateAuthority: 'pem',
        audiences: ['x', 'y'],
        audienceMatchPolicy: 'MatchAny',
      },
      claimValidationRules: [
        { claim: 'hd', requiredValue: 'example.com' },
        { expression: 'true', message: 'no' },
      ],
      claimMappings: {
        username: { claim: 'sub', prefix: '' },
        groups: { expression: 'claims.groups' },
        uid: { claim: 'uid' },
        extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
      },
      userValidationRules: [{ expression: 'true', message: 'no' }],
    };
    expect(parse(file({ jwt: [jwt], anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }))).toEqual({
      jwt: [jwt],
      anonymous: { enabled: true, conditions: [{ path: '/livez' }] },
    });
    expect(
      parse(
        file({
          jwt: [
            {
              issuer: { url: 'https://a', discoveryURL: '', audiences: null },
              claimMappings: { username: { expression: 'x', claim: '' } },
            },
          ],
        }),
      ),
    ).toEqual({
      jwt: [{ issuer: { url: 'https://a', audiences: [] }, claimMappings: { username: { expression: 'x' } } }],
    });
  });

  it('gives required fields their empty value', () => {
    expect(parse(file())).toEqual({ jwt: [] });
    expect(parse(file({ jwt: [{}] }))).toEqual({
      jwt: [{ issuer: { url: '', audiences: [] }, claimMappings: { username: {} } }],
    });
    expect(parse(file({ anonymous: {} }))).toEqual({ jwt: [], anonymous: { enabled: false } });
  });

  it("accepts both versions, in the dialect's own group", () => {
    expect(parse(file({ apiVersion: 'apiserver.config.orch.io/v1alpha1' }))).toEqual({ jwt: [] });
    expect(
      parseAuthenticationConfiguration(file({ apiVersion: 'apiserver.config.k8s.io/v1beta1' }), kubernetes),
    ).toEqual({ jwt: [] });
  });

  it.each<[string, JsonValue, string]>([
    ['an unknown field', file({ jwks: [] }), 'strict decoding error: unknown field "jwks"'],
    [
      'unknown nested fields',
      file({ jwt: [{ issuer: { uri: 'x', url: 'https://a' }, claimMappings: { username: { claims: 'sub' } } }] }),
      'strict decoding error: unknown field "jwt[0].issuer.uri", unknown field "jwt[0].claimMappings.username.claims"',
    ],
    ['metadata', file({ metadata: { name: 'x' } }), 'strict decoding error: unknown field "metadata"'],
    [
      'another kind',
      file({ kind: 'AuthorizationConfiguration' }),
      'no kind "AuthorizationConfiguration" is registered for version "apiserver.config.orch.io/v1beta1"',
    ],
    [
      'another version',
      file({ apiVersion: 'apiserver.config.orch.io/v1' }),
      'no kind "AuthenticationConfiguration" is registered for version "apiserver.config.orch.io/v1"',
    ],
    [
      'another group',
      file({ apiVersion: 'apiserver.config.k8s.io/v1beta1' }),
      'no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io/v1beta1"',
    ],
    ['no kind', { apiVersion: 'x' }, "Object 'Kind' is missing in the authentication configuration"],
    ['no version', { kind: 'x' }, "Object 'apiVersion' is missing in the authentication configuration"],
    ['a list', [], 'the authentication configuration must be an object'],
    [
      'a number for a string',
      file({ jwt: [{ issuer: { url: 1 } }] }),
      'json: cannot unmarshal number into Go struct field Issuer.jwt.issuer.url of type string',
    ],
    [
      'a string for a list',
      file({ jwt: [{ issuer: { audiences: 'x' } }] }),
      'json: cannot unmarshal string into Go struct field Issuer.jwt.issuer.audiences of type []string',
    ],
    [
      'a string for a boolean',
      file({ anonymous: { enabled: 'true' } }),
      'json: cannot unmarshal string into Go struct field AnonymousAuthConfig.anonymous.enabled of type bool',
    ],
  ])('rejects %s', (_name, value, message) => {
    expect(() => parse(value)).toThrow(new Error(message).message);
  });

  it('treats fields named like members of every object as plain data', () => {
    expect(() =>
      parse(
        JSON.parse(
          '{"apiVersion":"apiserver.config.orch.io/v1beta1","kind":"AuthenticationConfiguration","__proto__":{}}',
        ) as JsonValue,
      ),
    ).toThrow('unknown field "__proto__"');
  });
});
