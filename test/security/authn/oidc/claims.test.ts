import { describe, expect, test } from 'vitest';
import { checkRequiredClaims, mapGroups, mapUid, mapUsername } from '../../../../src/security/authn/oidc/claims.js';
import { createFlagClaimsMapper } from '../../../../src/security/index.js';
import type { JwtAuthenticatorConfiguration } from '../../../../src/security/authn/configuration/types.js';

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('mapUsername', () => {
  test.each<[string, string, string | undefined, string]>([
    ['{"sub":"jane"}', 'sub', undefined, 'jane'],
    ['{"sub":"jane"}', 'sub', 'oidc:', 'oidc:jane'],
    ['{"email":"a@b"}', 'email', '', 'a@b'],
    ['{"email":"a@b","email_verified":true}', 'email', '', 'a@b'],
    // Only the claim named email requires verification.
    ['{"sub":"jane","email_verified":false}', 'sub', '', 'jane'],
    ['{"__proto__":"jane"}', '__proto__', '', 'jane'],
  ])('%s, claim %s, prefix %j', (claims, claim, prefix, username) => {
    expect(mapUsername(json(claims), { claim, prefix })).toBe(username);
  });

  test.each([
    ['{}', 'sub', 'oidc: parse username claims "sub": claim not present'],
    ['{}', 'constructor', 'oidc: parse username claims "constructor": claim not present'],
    [
      '{"sub":7}',
      'sub',
      'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
    ],
    [
      '{"sub":true}',
      'sub',
      'oidc: parse username claims "sub": json: cannot unmarshal bool into Go value of type string',
    ],
    [
      '{"sub":["jane"]}',
      'sub',
      'oidc: parse username claims "sub": json: cannot unmarshal array into Go value of type string',
    ],
    [
      '{"sub":{}}',
      'sub',
      'oidc: parse username claims "sub": json: cannot unmarshal object into Go value of type string',
    ],
    ['{"sub":""}', 'sub', 'oidc: parse username claims "sub": claim is empty'],
    ['{"sub":null}', 'sub', 'oidc: parse username claims "sub": claim is empty'],
    ['{"email":"a@b","email_verified":false}', 'email', 'oidc: email not verified'],
    ['{"email":"a@b","email_verified":null}', 'email', 'oidc: email not verified'],
    [
      '{"email":"a@b","email_verified":"true"}',
      'email',
      "oidc: parse 'email_verified' claim: json: cannot unmarshal string into Go value of type bool",
    ],
  ])('%s, claim %s is rejected', (claims, claim, message) => {
    expect(() => mapUsername(json(claims), { claim, prefix: 'oidc:' })).toThrow(new Error(message));
  });
});

describe('mapGroups', () => {
  test.each<[string, string[]]>([
    ['{"groups":["a","b"]}', ['g:a', 'g:b']],
    ['{"groups":"a"}', ['g:a']],
    ['{"groups":[]}', []],
    ['{"groups":null}', []],
    ['{}', []],
  ])('%s', (claims, groups) => {
    expect(mapGroups(json(claims), { claim: 'groups', prefix: 'g:' })).toEqual(groups);
  });

  test.each([
    ['{"groups":7}', 'number'],
    ['{"groups":{"a":true}}', 'object'],
    ['{"groups":["a",7]}', 'array'],
    ['{"groups":[["a"]]}', 'array'],
  ])('%s is rejected', (claims, kind) => {
    expect(() => mapGroups(json(claims), { claim: 'groups' })).toThrow(
      new Error(`oidc: parse groups claim "groups": json: cannot unmarshal ${kind} into Go value of type string`),
    );
  });
});

test('mapUid', () => {
  expect(mapUid({ id: 'x' }, 'id')).toBe('x');
  expect(() => mapUid({}, 'id')).toThrow(new Error('oidc: parse uid claim "id": claim not present'));
});

test('checkRequiredClaims', () => {
  const rules = [{ claim: 'hd', requiredValue: 'example.org' }, { expression: 'false' }, { claim: 'empty' }];
  const check = (claims: Record<string, unknown>) => (): void => checkRequiredClaims(claims, rules);
  expect(check({ hd: 'example.org', empty: '' })).not.toThrow();
  expect(check({ empty: '' })).toThrow(new Error('oidc: required claim hd not present in ID token'));
  expect(check({ hd: true, empty: '' })).toThrow(
    new Error('oidc: parse claim hd: json: cannot unmarshal bool into Go value of type string'),
  );
  expect(check({ hd: 'other', empty: '' })).toThrow(
    new Error('oidc: required claim hd value does not match. Got = other, want = example.org'),
  );
  expect(check({ hd: 'example.org', empty: 'x' })).toThrow(
    new Error('oidc: required claim empty value does not match. Got = x, want = '),
  );
});

describe('createFlagClaimsMapper', () => {
  const issuer = { url: 'https://issuer.example', audiences: ['a'] };
  const configuration = (
    claimMappings: JwtAuthenticatorConfiguration['claimMappings'],
    more: Partial<JwtAuthenticatorConfiguration> = {},
  ): JwtAuthenticatorConfiguration => ({ issuer, claimMappings, ...more });

  test('maps the whole user', async () => {
    const map = createFlagClaimsMapper(
      configuration(
        { username: { claim: 'name', prefix: 'u:' }, groups: { claim: 'roles', prefix: '' }, uid: { claim: 'sub' } },
        { claimValidationRules: [{ claim: 'hd', requiredValue: 'x' }] },
      ),
    );
    expect(await map({ name: 'jane', roles: 'admin', sub: '7', hd: 'x' })).toEqual({
      username: 'u:jane',
      groups: ['admin'],
      uid: '7',
    });
    expect(() => map({ name: 'jane', sub: '7' })).toThrow('oidc: required claim hd not present in ID token');
  });

  test.each<[string, JwtAuthenticatorConfiguration]>([
    ['a user name', configuration({ username: { expression: 'claims.sub' } })],
    ['groups', configuration({ username: { claim: 'sub' }, groups: { expression: 'claims.groups' } })],
    ['a uid', configuration({ username: { claim: 'sub' }, uid: { expression: 'claims.id' } })],
    [
      'extra',
      configuration({ username: { claim: 'sub' }, extra: [{ key: 'example.org/x', valueExpression: 'claims.x' }] }),
    ],
    [
      'a claim validation rule',
      configuration({ username: { claim: 'sub' } }, { claimValidationRules: [{ expression: 'true' }] }),
    ],
    [
      'a user validation rule',
      configuration({ username: { claim: 'sub' } }, { userValidationRules: [{ expression: 'true' }] }),
    ],
  ])('rejects an expression for %s', (_, given) => {
    expect(() => createFlagClaimsMapper(given)).toThrow(
      'oidc: a configuration with expressions needs a mapper that evaluates them',
    );
  });

  test('requires a claim for the user name', () => {
    expect(() => createFlagClaimsMapper(configuration({ username: {} }))).toThrow('oidc: no username claim provided');
  });
});
