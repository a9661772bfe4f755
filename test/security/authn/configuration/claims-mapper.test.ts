import { describe, expect, it } from 'vitest';
import { compileClaimsMapper } from '../../../../src/security/index.js';
import {
  type ClaimMappings,
  type Claims,
  type JwtAuthenticatorConfiguration,
} from '../../../../src/security/authn/configuration/types.js';
import { orch } from '../../../../src/foundation/index.js';
import { turnsDuring } from '../../../support/turns.js';

const claims: Claims = {
  sub: 'jane',
  empty: '',
  number: 7,
  exp: 1_700_003_600,
  nbf: 1_700_000_000,
  email: 'jane@example.com',
  email_verified: true,
  groups: ['dev', '', 'ops'],
  mixed: ['dev', 7],
  roles: 'admin,viewer',
  nothing: null,
  hd: 'example.com',
  tenant: 'acme',
};

type Parts = Partial<Omit<JwtAuthenticatorConfiguration, 'issuer' | 'claimMappings'>> & {
  readonly claimMappings?: Partial<ClaimMappings>;
};

async function map({ claimMappings = {}, ...rules }: Parts, given: Claims = claims): Promise<unknown> {
  const mapper = await compileClaimsMapper(
    {
      issuer: { url: 'https://issuer', audiences: ['api'] },
      claimMappings: { username: { claim: 'sub', prefix: '' }, ...claimMappings },
      ...rules,
    },
    orch,
  );
  return mapper(given);
}

describe('the user mapped from claims', () => {
  it.each<[string, Partial<ClaimMappings>, object]>([
    ['has a name from a claim', { username: { claim: 'sub', prefix: 'oidc:' } }, { username: 'oidc:jane', groups: [] }],
    [
      'has a name from an expression',
      { username: { expression: '"oidc:" + claims.sub.upperAscii()' } },
      { username: 'oidc:JANE', groups: [] },
    ],
    [
      'has groups from a claim',
      { groups: { claim: 'roles', prefix: 'r:' } },
      { username: 'jane', groups: ['r:admin,viewer'] },
    ],
    [
      'has groups from an expression: a list, without empty entries',
      { groups: { expression: 'claims.groups' } },
      { username: 'jane', groups: ['dev', 'ops'] },
    ],
    [
      'has groups from an expression: a string',
      { groups: { expression: 'claims.sub' } },
      { username: 'jane', groups: ['jane'] },
    ],
    [
      'has groups from an expression: a computed list',
      { groups: { expression: 'claims.roles.split(",").map(r, "role:" + r)' } },
      { username: 'jane', groups: ['role:admin', 'role:viewer'] },
    ],
    ['has no groups from null', { groups: { expression: 'claims.nothing' } }, { username: 'jane', groups: [] }],
    [
      'has no groups from an empty string',
      { groups: { expression: 'claims.empty' } },
      { username: 'jane', groups: [] },
    ],
    [
      'has no groups from a missing claim',
      { groups: { claim: 'missing', prefix: '' } },
      { username: 'jane', groups: [] },
    ],
    ['has a uid from a claim', { uid: { claim: 'tenant' } }, { username: 'jane', groups: [], uid: 'acme' }],
    [
      'has a uid from an expression',
      { uid: { expression: 'string(claims.exp)' } },
      { username: 'jane', groups: [], uid: '1700003600' },
    ],
    ['has no uid from an empty string', { uid: { expression: 'claims.empty' } }, { username: 'jane', groups: [] }],
    [
      'has extra values; empty ones are dropped',
      {
        extra: [
          { key: 'example.com/tenant', valueExpression: 'claims.tenant' },
          { key: 'example.com/groups', valueExpression: 'claims.groups' },
          { key: 'example.com/none', valueExpression: 'claims.nothing' },
          { key: 'example.com/empty', valueExpression: '[""]' },
        ],
      },
      { username: 'jane', groups: [], extra: { 'example.com/tenant': ['acme'], 'example.com/groups': ['dev', 'ops'] } },
    ],
  ])('%s', async (_name, claimMappings, user) => {
    expect(await map({ claimMappings })).toEqual(user);
  });

  it('can be mapped without an expression', async () => {
    expect(await map({ claimValidationRules: [{ claim: 'hd', requiredValue: 'example.com' }] })).toEqual({
      username: 'jane',
      groups: [],
    });
  });
});

describe('claims without a valid user', () => {
  it.each<[string, Parts, string]>([
    [
      'a name that is no string',
      { claimMappings: { username: { expression: 'claims.number' } } },
      'oidc: error evaluating username claim expression: username claim expression must return a string',
    ],
    [
      'a name that is empty',
      { claimMappings: { username: { expression: 'claims.empty' } } },
      'oidc: empty username via CEL expression is not allowed',
    ],
    [
      'a name whose claim is missing',
      { claimMappings: { username: { expression: 'claims.missing' } } },
      "oidc: error evaluating username claim expression: expression 'claims.missing' resulted in error: no such key: missing",
    ],
    [
      'groups that are no strings',
      { claimMappings: { groups: { expression: 'claims.mixed' } } },
      'oidc: error evaluating group claim expression: expression must return a string or a list of strings',
    ],
    [
      'groups that are a number',
      { claimMappings: { groups: { expression: 'claims.number' } } },
      'oidc: error evaluating group claim expression: expression must return a string or a list of strings',
    ],
    [
      'groups whose expression fails',
      { claimMappings: { groups: { expression: 'claims.groups[5]' } } },
      "oidc: error evaluating group claim expression: expression 'claims.groups[5]' resulted in error: index out of bounds: 5",
    ],
    [
      'a uid that is no string',
      { claimMappings: { uid: { expression: 'claims.number' } } },
      'oidc: error evaluating uid claim expression: uid claim expression must return a string',
    ],
    [
      'an extra value that is no string',
      { claimMappings: { extra: [{ key: 'example.com/a', valueExpression: 'claims.number' }] } },
      'oidc: error evaluating extra claim expression: claims.number: expression must return a string or a list of strings',
    ],
    [
      'an extra value whose expression fails',
      { claimMappings: { extra: [{ key: 'example.com/a', valueExpression: 'claims.missing' }] } },
      "expression 'claims.missing' resulted in error: no such key: missing",
    ],
    [
      'a required claim that is missing',
      { claimValidationRules: [{ claim: 'missing', requiredValue: 'x' }] },
      'oidc: required claim missing not present in ID token',
    ],
    [
      'a required claim with another value',
      { claimValidationRules: [{ claim: 'hd', requiredValue: 'other.com' }] },
      'oidc: required claim hd value does not match. Got = example.com, want = other.com',
    ],
    [
      'a false claim validation rule',
      {
        claimValidationRules: [
          { expression: 'claims.exp - claims.nbf <= 60', message: 'lifetime must not exceed 60 seconds' },
        ],
      },
      "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.nbf <= 60' failed: lifetime must not exceed 60 seconds",
    ],
    [
      'a claim validation rule without a message',
      { claimValidationRules: [{ expression: 'claims.email_verified == false' }] },
      "oidc: error evaluating claim validation expression: validation expression 'claims.email_verified == false' failed: ",
    ],
    [
      'a claim validation rule that fails',
      { claimValidationRules: [{ expression: 'claims.missing == 1' }] },
      "oidc: error evaluating claim validation expression: expression 'claims.missing == 1' resulted in error: no such key: missing",
    ],
    [
      'a false user validation rule',
      {
        claimMappings: { username: { claim: 'sub', prefix: 'system:' } },
        userValidationRules: [
          {
            expression: "!user.username.startsWith('system:')",
            message: 'username cannot use reserved system: prefix',
          },
        ],
      },
      "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('system:')' failed: username cannot use reserved system: prefix",
    ],
    [
      'an expression that costs too much',
      { claimMappings: { username: { expression: `claims.sub${'.replace("", claims.roles)'.repeat(10)}` } } },
      'operation cancelled: actual cost limit exceeded',
    ],
  ])('%s', async (_name, parts, message) => {
    await expect(map(parts)).rejects.toThrow(message);
  });
});

describe('user validation rules', () => {
  it('see every field, including ones that the user lacks', async () => {
    const rules = [
      'user.username == "jane"',
      'user.uid == ""',
      'user.groups == []',
      'user.extra.size() == 0',
      'has(user.extra)',
    ];
    expect(await map({ userValidationRules: rules.map((expression) => ({ expression })) })).toEqual({
      username: 'jane',
      groups: [],
    });
    const extra = [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }];
    await expect(
      map({
        claimMappings: { groups: { expression: 'claims.groups' }, extra },
        userValidationRules: [{ expression: 'user.extra["example.com/tenant"] == ["acme"] && "dev" in user.groups' }],
      }),
    ).resolves.toMatchObject({ groups: ['dev', 'ops'] });
  });
});

describe('the order of evaluation', () => {
  it('is that of Kubernetes: the user is mapped first, then the claim rules are checked, then the user rules', async () => {
    const failing = {
      claimValidationRules: [
        { claim: 'missing', requiredValue: 'x' },
        { expression: 'false', message: 'claims' },
      ],
      userValidationRules: [{ expression: 'false', message: 'user' }],
    };
    await expect(map({ ...failing, claimMappings: { username: { expression: 'claims.missing' } } })).rejects.toThrow(
      'username claim expression',
    );
    await expect(map(failing)).rejects.toThrow('required claim missing');
    await expect(map({ ...failing, claimValidationRules: failing.claimValidationRules.slice(1) })).rejects.toThrow(
      'failed: claims',
    );
    await expect(map({ userValidationRules: failing.userValidationRules })).rejects.toThrow('failed: user');
  });
});

describe('an expression that does not compile', () => {
  it('is rejected when the mapper is created', async () => {
    await expect(map({ claimMappings: { username: { expression: 'foo' } } })).rejects.toThrow(
      "undeclared reference to 'foo'",
    );
  });
});

describe('long expressions', () => {
  const many: Claims = { ...claims, groups: Array.from({ length: 300 }, (_, index) => `group-${index}`) };
  const long = 'claims.groups.all(a, claims.groups.exists(b, b == a))';

  it('leave the event loop to others', async () => {
    let user: unknown;
    const turns = await turnsDuring(async () => {
      user = await map({ claimMappings: { groups: { expression: `${long} ? claims.groups : []` } } }, many);
    });
    expect(user).toEqual({ username: 'jane', groups: many['groups'] });
    expect(turns).toBeGreaterThan(20);
  });

  it('share a budget for each token', async () => {
    const rules = Array.from({ length: 50 }, (_, index) => ({ expression: `${long} || claims.sub == "u${index}"` }));
    await expect(map({ claimValidationRules: rules.slice(0, 20) }, many)).resolves.toMatchObject({ username: 'jane' });
    await expect(map({ claimValidationRules: rules })).resolves.toMatchObject({ username: 'jane' });
    await expect(map({ claimValidationRules: rules }, many)).rejects.toThrow(
      /^oidc: error evaluating claim validation expression: .* resulted in error: operation cancelled: actual cost limit/,
    );
  });
});
