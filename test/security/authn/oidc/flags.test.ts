import { describe, expect, test } from 'vitest';
import {
  jwtConfigurationOfFlags,
  parseRequiredClaims,
  type OpenIdConnectOptions,
} from '../../../../src/security/index.js';

const flags: OpenIdConnectOptions = { issuerUrl: 'https://issuer.example', clientId: 'me' };

describe('jwtConfigurationOfFlags', () => {
  test('the minimum', () => {
    expect(jwtConfigurationOfFlags(flags)).toEqual({
      issuer: { url: 'https://issuer.example', audiences: ['me'] },
      claimMappings: { username: { claim: 'sub', prefix: 'https://issuer.example#' } },
    });
  });

  test('all flags', () => {
    expect(
      jwtConfigurationOfFlags({
        ...flags,
        usernameClaim: 'name',
        usernamePrefix: 'u:',
        groupsClaim: 'roles',
        groupsPrefix: 'g:',
        requiredClaims: { a: '1', b: '' },
        certificateAuthority: 'PEM',
        signingAlgorithms: ['ES256'],
      }),
    ).toEqual({
      issuer: { url: 'https://issuer.example', audiences: ['me'], certificateAuthority: 'PEM' },
      claimValidationRules: [
        { claim: 'a', requiredValue: '1' },
        { claim: 'b', requiredValue: '' },
      ],
      claimMappings: { username: { claim: 'name', prefix: 'u:' }, groups: { claim: 'roles', prefix: 'g:' } },
    });
  });

  test.each<[string, string | undefined, string]>([
    ['sub', undefined, 'https://issuer.example#'],
    ['sub', '', 'https://issuer.example#'],
    ['sub', '-', ''],
    ['sub', 'x-', 'x-'],
    ['email', undefined, ''],
    ['email', '-', ''],
    ['email', 'x', 'x'],
    ['name', undefined, 'https://issuer.example#'],
  ])('user name claim %s with prefix %j', (usernameClaim, usernamePrefix, prefix) => {
    const { claimMappings } = jwtConfigurationOfFlags({
      ...flags,
      usernameClaim,
      ...(usernamePrefix === undefined ? {} : { usernamePrefix }),
    });
    expect(claimMappings.username).toEqual({ claim: usernameClaim, prefix });
  });

  const together = 'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set';
  const invalid = 'invalid authentication configuration: jwt[0].issuer.url: Invalid value: ';
  test.each<[OpenIdConnectOptions, string]>([
    [{ clientId: 'me' }, together],
    [{ issuerUrl: 'https://issuer.example' }, together],
    [{ usernameClaim: 'name' }, together],
    [{ ...flags, issuerUrl: 'http://issuer.example' }, `${invalid}"http://issuer.example": URL scheme must be https`],
    [{ ...flags, issuerUrl: 'issuer.example' }, `${invalid}"issuer.example": URL scheme must be https`],
    [
      { ...flags, issuerUrl: 'https://a:b@issuer.example' },
      `${invalid}"<omitted>": URL must not contain a username or password`,
    ],
    [
      { ...flags, issuerUrl: 'https://issuer.example?x=1' },
      `${invalid}"https://issuer.example?x=1": URL must not contain a query`,
    ],
    [
      { ...flags, issuerUrl: 'https://issuer.example#x' },
      `${invalid}"https://issuer.example#x": URL must not contain a fragment`,
    ],
    [
      { ...flags, usernameClaim: '' },
      'invalid authentication configuration: jwt[0].claimMappings.username: Required value: claim or expression is required',
    ],
    [{ ...flags, signingAlgorithms: ['RS256', 'HS256'] }, 'oidc: unsupported signing alg: "HS256"'],
    [{ ...flags, signingAlgorithms: ['none'] }, 'oidc: unsupported signing alg: "none"'],
  ])('%j is rejected', (given, message) => {
    expect(() => jwtConfigurationOfFlags(given)).toThrow(new Error(message));
  });
});

test('parseRequiredClaims', () => {
  expect(parseRequiredClaims([])).toEqual({});
  expect(parseRequiredClaims(['a=1', ' b = 2=3 ', 'a=4', 'c=', 'd=x,e=y'])).toEqual({
    a: '4',
    b: '2=3',
    c: '',
    d: 'x,e=y',
  });
  expect(() => parseRequiredClaims(['a'])).toThrow(new Error('malformed pair, expect string=string'));
});
