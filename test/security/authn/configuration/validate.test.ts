import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  validateAuthenticationConfiguration,
  type AuthenticationConfiguration,
  type AuthenticationConfigurationRules,
} from '../../../../src/security/index.js';
import {
  type ClaimMappings,
  type ClaimValidationRule,
  type JwtAuthenticatorConfiguration,
  type JwtIssuer,
} from '../../../../src/security/authn/configuration/types.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';

const issuer: JwtIssuer = { url: 'https://issuer-url', audiences: ['audience'] };
const username = { claim: 'sub', prefix: 'prefix' };
const authenticator = (parts: Partial<JwtAuthenticatorConfiguration> = {}): JwtAuthenticatorConfiguration => ({
  issuer,
  claimMappings: { username },
  ...parts,
});

async function problems(
  configuration: Partial<AuthenticationConfiguration>,
  rules: Partial<AuthenticationConfigurationRules> = {},
): Promise<string[]> {
  const errors = await validateAuthenticationConfiguration(
    { jwt: [], ...configuration },
    { dialect: kubernetes, ...rules },
  );
  return errors.map(String);
}
const issuerProblems = (
  parts: Partial<Omit<JwtIssuer, 'audienceMatchPolicy'>> & { audienceMatchPolicy?: string },
  rules?: Partial<AuthenticationConfigurationRules>,
): Promise<string[]> => problems({ jwt: [authenticator({ issuer: { ...issuer, ...parts } as JwtIssuer })] }, rules);
const mappingProblems = (
  claimMappings: ClaimMappings,
  rules?: ClaimValidationRule[],
  dialect = kubernetes,
): Promise<string[]> =>
  problems(
    { jwt: [authenticator({ claimMappings, ...(rules === undefined ? {} : { claimValidationRules: rules }) })] },
    { dialect },
  );

const undeclared = (name: string, expression: string): string =>
  `compilation failed: ERROR: <input>:1:1: undeclared reference to '${name}' (in container '')\n | ${expression}\n | ^`;
const unverified =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

describe('a valid configuration', () => {
  it('has no errors', async () => {
    expect(await problems({})).toEqual([]);
    expect(await problems({ jwt: [authenticator()] })).toEqual([]);
    const full = authenticator({
      issuer: {
        url: 'https://issuer/path',
        discoveryURL: 'https://discovery/.well-known/openid-configuration',
        certificateAuthority: rootCertificates.slice(0, 2).join('\n'),
        audiences: ['a', 'b'],
        audienceMatchPolicy: 'MatchAny',
      },
      claimValidationRules: [
        { claim: 'hd', requiredValue: 'example.com' },
        { expression: 'claims.exp - claims.nbf <= 86400', message: 'too long' },
      ],
      claimMappings: {
        username: { expression: "claims.username + ':external-user'" },
        groups: { expression: "claims.roles.split(',')" },
        uid: { expression: 'claims.sub' },
        extra: [{ key: 'example.com/tenant', valueExpression: 'claims.tenant' }],
      },
      userValidationRules: [
        { expression: "!user.username.startsWith('system:')" },
        { expression: "user.groups.all(group, !group.startsWith('system:'))" },
      ],
    });
    expect(
      await problems(
        { jwt: [full], anonymous: { enabled: true, conditions: [{ path: '/livez' }] } },
        { anonymousConfigurable: true },
      ),
    ).toEqual([]);
  });
});

describe('the list of authenticators', () => {
  it('has at most 64 entries', async () => {
    const jwt = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        authenticator({ issuer: { ...issuer, url: `https://issuer-${index}` } }),
      );
    expect(await problems({ jwt: jwt(65) })).toEqual(['jwt: Too many: 65: must have at most 64 items']);
    expect(await problems({ jwt: jwt(64) })).toEqual([]);
  });

  it('must have distinct issuers and discovery URLs', async () => {
    const discoveryURL = 'https://discovery-url/.well-known/openid-configuration';
    expect(await problems({ jwt: [authenticator(), authenticator()] })).toEqual([
      'jwt[1].issuer.url: Duplicate value: "https://issuer-url"',
    ]);
    expect(
      await problems({
        jwt: [
          authenticator({ issuer: { ...issuer, discoveryURL } }),
          authenticator({ issuer: { ...issuer, url: 'https://different-issuer-url', discoveryURL } }),
        ],
      }),
    ).toEqual([`jwt[1].issuer.discoveryURL: Duplicate value: "${discoveryURL}"`]);
  });
});

describe('an issuer', () => {
  it.each<[string, Parameters<typeof issuerProblems>[0], string]>([
    ['without a URL', { url: '' }, 'url: Required value: URL is required'],
    [
      'with an invalid port',
      { url: 'https://issuer-url:invalid-port' },
      'url: Invalid value: "https://issuer-url:invalid-port": parse "https://issuer-url:invalid-port": invalid port ":invalid-port" after host',
    ],
    [
      'with an invalid host',
      { url: 'https://issuer url' },
      'url: Invalid value: "https://issuer url": parse "https://issuer url": invalid character " " in host name',
    ],
    [
      'with an invalid escape',
      { url: 'https://issuer/%zz' },
      'url: Invalid value: "https://issuer/%zz": parse "https://issuer/%zz": invalid URL escape "%zz"',
    ],
    [
      'without a scheme',
      { url: '://issuer' },
      'url: Invalid value: "://issuer": parse "://issuer": missing protocol scheme',
    ],
    [
      'with a control character',
      { url: 'https://a\u0001' },
      'url: Invalid value: "https://a\\x01": parse "https://a\\x01": net/url: invalid control character in URL',
    ],
    ['without URL syntax', { url: 'invalid-url' }, 'url: Invalid value: "invalid-url": URL scheme must be https'],
    ['over http', { url: 'http://issuer-url' }, 'url: Invalid value: "http://issuer-url": URL scheme must be https'],
    [
      'with a query',
      { url: 'https://issuer-url?query' },
      'url: Invalid value: "https://issuer-url?query": URL must not contain a query',
    ],
    [
      'with a fragment',
      { url: 'https://issuer-url#fragment' },
      'url: Invalid value: "https://issuer-url#fragment": URL must not contain a fragment',
    ],
    [
      'with a discovery URL over http',
      { discoveryURL: 'http://d' },
      'discoveryURL: Invalid value: "http://d": URL scheme must be https',
    ],
    [
      'with a discovery URL equal to its URL',
      { discoveryURL: 'https://issuer-url' },
      'discoveryURL: Invalid value: "https://issuer-url": discoveryURL must be different from URL',
    ],
    [
      'with a discovery URL that differs by slashes only',
      { discoveryURL: 'https://issuer-url///' },
      'discoveryURL: Invalid value: "https://issuer-url///": discoveryURL must be different from URL',
    ],
    [
      'without audiences',
      { audiences: [] },
      'audiences: Required value: at least one jwt[0].issuer.audiences is required',
    ],
    ['with an empty audience', { audiences: [''] }, "audiences[0]: Required value: audience can't be empty"],
    [
      'with a duplicate audience',
      { audiences: ['a', 'a'], audienceMatchPolicy: 'MatchAny' },
      'audiences[1]: Duplicate value: "a"',
    ],
    [
      'with several audiences and no policy',
      { audiences: ['a', 'b'] },
      'audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
    ],
    [
      'with an unknown policy',
      { audienceMatchPolicy: 'MatchExact' },
      'audienceMatchPolicy: Invalid value: "MatchExact": audienceMatchPolicy must be empty or MatchAny for single audience',
    ],
    [
      'with an invalid authority',
      { certificateAuthority: 'invalid' },
      'certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
    ],
  ])('%s is rejected', async (_name, parts, message) => {
    expect(await issuerProblems(parts)).toEqual([`jwt[0].issuer.${message}`]);
  });

  it('must not be an issuer of the server itself', async () => {
    expect(await issuerProblems({}, { disallowedIssuers: ['c', 'b', 'https://issuer-url', 'a'] })).toEqual([
      'jwt[0].issuer.url: Invalid value: "https://issuer-url": URL must not overlap with disallowed issuers: [a b c https://issuer-url]',
    ]);
  });

  it('with a password is rejected, and the password appears in no message', async () => {
    const secret = 'https://user:hunter2@issuer-url';
    const errors = await problems({
      jwt: [
        authenticator({ issuer: { ...issuer, url: secret } }),
        authenticator({ issuer: { ...issuer, url: secret, discoveryURL: `${secret}:x` } }),
      ],
    });
    expect(errors).toContain(
      'jwt[0].issuer.url: Invalid value: "<omitted>": URL must not contain a username or password',
    );
    expect(errors).toContain('jwt[1].issuer.url: Duplicate value: "<omitted>"');
    expect(errors.join()).not.toContain('hunter2');
  });
});

describe('a claim validation rule', () => {
  it.each<[string, ClaimValidationRule[], string]>([
    ['that is empty', [{}], '[0]: Required value: claim or expression is required'],
    [
      'with both claim and expression',
      [{ claim: 'claim', expression: 'expression' }],
      '[0]: Invalid value: "claim": claim and expression can\'t both be set',
    ],
    [
      'with a claim and a message',
      [{ claim: 'claim', message: 'message' }],
      '[0].message: Invalid value: "message": message can\'t be set when claim is set',
    ],
    [
      'with an expression and a value',
      [{ expression: "claims.foo == 'bar'", requiredValue: 'value' }],
      '[0].requiredValue: Invalid value: "value": requiredValue can\'t be set when expression is set',
    ],
    ['with a duplicate claim', [{ claim: 'claim' }, { claim: 'claim' }], '[1].claim: Duplicate value: "claim"'],
    [
      'with a duplicate expression',
      [{ expression: "claims.foo == 'bar'" }, { expression: "claims.foo == 'bar'" }],
      '[1].expression: Duplicate value: "claims.foo == \'bar\'"',
    ],
    [
      'that does not compile',
      [{ expression: 'foo.bar' }],
      `[0].expression: Invalid value: "foo.bar": ${undeclared('foo', 'foo.bar')}`,
    ],
    [
      'that refers to the user',
      [{ expression: 'user.username' }],
      `[0].expression: Invalid value: "user.username": ${undeclared('user', 'user.username')}`,
    ],
    [
      'that is not boolean',
      [{ expression: 'claims.foo' }],
      '[0].expression: Invalid value: "claims.foo": must evaluate to bool',
    ],
  ])('%s is rejected', async (_name, claimValidationRules, message) => {
    expect(await problems({ jwt: [authenticator({ claimValidationRules })] })).toEqual([
      `jwt[0].claimValidationRules${message}`,
    ]);
  });
});

describe('a user validation rule', () => {
  it.each<[string, string[], string]>([
    ['that is empty', [''], '[0].expression: Required value: expression is required'],
    [
      'with a duplicate expression',
      ["user.username == 'foo'", "user.username == 'foo'"],
      '[1].expression: Duplicate value: "user.username == \'foo\'"',
    ],
    ['that is not boolean', ['user.username'], '[0].expression: Invalid value: "user.username": must evaluate to bool'],
    [
      'that refers to claims',
      ['claims.foo == 1'],
      `[0].expression: Invalid value: "claims.foo == 1": ${undeclared('claims', 'claims.foo == 1')}`,
    ],
    [
      'on an unknown field of the user',
      ["user.unknown == 'foo'"],
      "[0].expression: Invalid value: \"user.unknown == 'foo'\": compilation failed: ERROR: <input>:1:5: undefined field 'unknown'\n | user.unknown == 'foo'\n | ....^",
    ],
    [
      'that compares whole users',
      ['user == 1'],
      "[0].expression: Invalid value: \"user == 1\": compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(kubernetes.UserInfo, int)'\n | user == 1\n | .....^",
    ],
  ])('%s is rejected', async (_name, expressions, message) => {
    expect(
      await problems({
        jwt: [authenticator({ userValidationRules: expressions.map((expression) => ({ expression })) })],
      }),
    ).toEqual([`jwt[0].userValidationRules${message}`]);
  });
});

describe('a claim mapping', () => {
  const withExtra = (...extra: { key: string; valueExpression: string }[]): ClaimMappings => ({ username, extra });
  it.each<[string, ClaimMappings, string[]]>([
    [
      'of the user name with both claim and expression',
      { username: { claim: 'claim', expression: 'claims.username' } },
      ['username: Invalid value: "": claim and expression can\'t both be set'],
    ],
    [
      'of the user name with neither',
      { username: { prefix: 'x' } },
      ['username: Required value: claim or expression is required'],
    ],
    [
      'of the user name with expression and prefix',
      { username: { expression: 'claims.username', prefix: 'prefix' } },
      ['username.prefix: Invalid value: "prefix": prefix can\'t be set when expression is set'],
    ],
    [
      'of the user name with a claim and no prefix',
      { username: { claim: 'claim' } },
      [
        'username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      ],
    ],
    [
      'of the user name that does not compile',
      { username: { expression: 'foo.bar' } },
      [`username.expression: Invalid value: "foo.bar": ${undeclared('foo', 'foo.bar')}`],
    ],
    [
      'of groups with both claim and expression',
      { username, groups: { claim: 'claim', expression: 'claims.groups' } },
      ['groups: Invalid value: "": claim and expression can\'t both be set'],
    ],
    [
      'of groups with expression and prefix',
      { username, groups: { expression: 'claims.groups', prefix: 'p' } },
      ['groups.prefix: Invalid value: "p": prefix can\'t be set when expression is set'],
    ],
    [
      'of groups with a claim and no prefix',
      { username, groups: { claim: 'groups' } },
      [
        'groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      ],
    ],
    [
      'of groups that does not compile',
      { username, groups: { expression: 'foo.bar' } },
      [`groups.expression: Invalid value: "foo.bar": ${undeclared('foo', 'foo.bar')}`],
    ],
    [
      'of the uid with both claim and expression',
      { username, uid: { claim: 'claim', expression: 'claims.uid' } },
      ['uid: Invalid value: "": claim and expression can\'t both be set'],
    ],
    [
      'of the uid that does not compile',
      { username, uid: { expression: 'foo.bar' } },
      [`uid.expression: Invalid value: "foo.bar": ${undeclared('foo', 'foo.bar')}`],
    ],
    [
      'of an extra value without a key',
      withExtra({ key: '', valueExpression: 'claims.extra' }),
      ['extra[0].key: Required value'],
    ],
    [
      'of an extra value without an expression',
      withExtra({ key: 'example.org/foo', valueExpression: '' }),
      ['extra[0].valueExpression: Required value: valueExpression is required'],
    ],
    [
      'of an extra value that does not compile',
      withExtra({ key: 'example.org/foo', valueExpression: 'foo.bar' }),
      [`extra[0].valueExpression: Invalid value: "foo.bar": ${undeclared('foo', 'foo.bar')}`],
    ],
    [
      'of a duplicate extra value',
      withExtra(
        { key: 'example.org/foo', valueExpression: 'claims.a' },
        { key: 'example.org/foo', valueExpression: 'claims.b' },
      ),
      ['extra[1].key: Duplicate value: "example.org/foo"'],
    ],
    [
      'of an extra value without a domain',
      withExtra({ key: 'foo', valueExpression: 'claims.a' }),
      ['extra[0].key: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      'of an extra value with capitals',
      withExtra({ key: 'example.org/Foo', valueExpression: 'claims.a' }),
      ['extra[0].key: Invalid value: "example.org/Foo": key must be lowercase'],
    ],
    [
      'of an extra value with an invalid path',
      withExtra({ key: 'example.org/fo o', valueExpression: 'claims.a' }),
      [
        "extra[0].key: Invalid value: \"fo o\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
      ],
    ],
    [
      'of an extra value in a reserved domain',
      withExtra(
        { key: 'sub.kubernetes.io/foo', valueExpression: 'claims.a' },
        { key: 'k8s.io/foo', valueExpression: 'claims.a' },
        { key: 'notk8s.io/foo', valueExpression: 'claims.a' },
      ),
      [
        'extra[0].key: Invalid value: "sub.kubernetes.io/foo": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
        'extra[1].key: Invalid value: "k8s.io/foo": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
      ],
    ],
  ])('%s is rejected', async (_name, mappings, messages) => {
    expect(await mappingProblems(mappings)).toEqual(messages.map((message) => `jwt[0].claimMappings.${message}`));
  });

  it('names the reserved domain of the dialect', async () => {
    expect(
      await mappingProblems(withExtra({ key: 'a.orch.io/b', valueExpression: 'claims.a' }), undefined, orch),
    ).toEqual([
      'jwt[0].claimMappings.extra[0].key: Invalid value: "a.orch.io/b": orch.io and its subdomains are reserved for Orch use',
    ]);
  });
});

describe('a user name from an e-mail address', () => {
  it.each([
    'claims.email',
    'claims.?email',
    'has(claims.email) ? claims.email : claims.sub',
    'claims.email.trim()',
    "['yay', string(claims.email), 'panda'].join(' ')",
    '{claims.?email: "panda"}',
    '["a"].map(i, i + claims.email)',
  ])('%s requires a check of email_verified', async (expression) => {
    expect(await mappingProblems({ username: { expression } })).toEqual([
      `jwt[0].claimMappings.username.expression: Invalid value: ${JSON.stringify(expression)}: ${unverified}`,
    ]);
  });

  it('may check it in the name itself, in an extra value, or in a claim rule', async () => {
    const email = { username: { expression: 'claims.email' } };
    expect(
      await mappingProblems({
        username: { expression: 'claims.?email_verified.orValue(true) ? claims.email : claims.sub' },
      }),
    ).toEqual([]);
    expect(
      await mappingProblems({
        ...email,
        extra: [{ key: 'example.org/verified', valueExpression: 'string(claims.email_verified)' }],
      }),
    ).toEqual([]);
    expect(await mappingProblems(email, [{ expression: 'claims.email_verified == true' }])).toEqual([]);
    expect(await mappingProblems({ username: { expression: 'claims.email_' } })).toEqual([]);
  });

  it.each<[string, ClaimMappings, ClaimValidationRule[]]>([
    [
      'in the groups',
      { username: { expression: 'claims.email' }, groups: { expression: '[string(claims.email_verified)]' } },
      [],
    ],
    [
      'as the value of a rule',
      { username: { expression: 'claims.email' } },
      [{ claim: 'x', requiredValue: 'claims.email_verified' }],
    ],
    [
      'at a claim with a longer name',
      { username: { expression: 'claims.email' } },
      [{ expression: 'has(claims.email_verified_)' }],
    ],
  ])('a check %s does not count', async (_name, mappings, rules) => {
    expect((await mappingProblems(mappings, rules)).join()).toContain(unverified);
  });
});

describe('anonymous access', () => {
  const path = 'anonymous';
  it('requires its feature gate', async () => {
    expect(await problems({ anonymous: { enabled: true } })).toEqual([
      `${path}: Forbidden: anonymous is not supported when AnonymousAuthConfigurableEndpoints feature gate is disabled`,
    ]);
  });

  it('that is disabled has no conditions', async () => {
    expect(
      await problems(
        { anonymous: { enabled: false, conditions: [{ path: '/livez' }] } },
        { anonymousConfigurable: true },
      ),
    ).toEqual([
      `${path}.conditions: Invalid value: []apiserver.AnonymousAuthCondition{apiserver.AnonymousAuthCondition{Path:"/livez"}}: enabled should be set to true when conditions are defined`,
    ]);
  });
});

describe('a configuration with many errors', () => {
  it('reports all of them, in the order of Kubernetes', async () => {
    const bad = authenticator({
      issuer: { url: 'http://a', audiences: [] },
      claimValidationRules: [{}],
      claimMappings: { username: {}, groups: { claim: 'g' } },
      userValidationRules: [{ expression: '' }],
    });
    expect((await problems({ jwt: [bad, bad] })).map((text) => text.slice(0, text.indexOf(': ')))).toEqual([
      'jwt[0].issuer.url',
      'jwt[0].issuer.audiences',
      'jwt[0].claimValidationRules[0]',
      'jwt[0].claimMappings.username',
      'jwt[0].claimMappings.groups.prefix',
      'jwt[0].userValidationRules[0].expression',
      'jwt[1].issuer.url',
      'jwt[1].issuer.audiences',
      'jwt[1].claimValidationRules[0]',
      'jwt[1].claimMappings.username',
      'jwt[1].claimMappings.groups.prefix',
      'jwt[1].userValidationRules[0].expression',
      'jwt[1].issuer.url',
    ]);
  });
});
