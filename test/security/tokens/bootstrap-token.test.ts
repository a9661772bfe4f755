import { describe, expect, test } from 'vitest';
import {
  bootstrapTokenExpiry,
  bootstrapTokenGroups,
  bootstrapTokenSecretName,
  bootstrapTokenText,
  generateBootstrapToken,
  parseBootstrapToken,
  requireBootstrapToken,
  signingTokenOf,
  type BootstrapTokenSecret,
} from '../../../src/security/tokens/bootstrap-token.js';
import { equalInConstantTime } from '../../../src/security/tokens/constant-time.js';
import { seededEntropy } from '../../../src/entries/testing.js';

const secretOf = (data: Readonly<Record<string, string>>, name = 'bootstrap-token-abcdef'): BootstrapTokenSecret => ({
  metadata: { name },
  type: 'bootstrap.example/token',
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

describe('the form of a token', () => {
  test('is six characters, a dot, and sixteen', () => {
    expect(parseBootstrapToken('07401b.f395accd246ae52d')).toEqual({ id: '07401b', secret: 'f395accd246ae52d' });
    expect(bootstrapTokenSecretName('07401b')).toBe('bootstrap-token-07401b');
  });

  test.each([
    '',
    '07401b',
    '07401b.f395accd246ae52',
    '07401b.f395accd246ae52dd',
    '07401.bf395accd246ae52d',
    '07401B.f395accd246ae52d',
    ' 07401b.f395accd246ae52d',
    '07401b.f395accd246ae52d\n',
    'é7401b.f395accd246ae52d',
  ])('is not that of %j, which the error does not repeat', (text) => {
    expect(parseBootstrapToken(text)).toBeUndefined();
    expect(() => requireBootstrapToken(text)).toThrow(
      new TypeError('not a bootstrap token: it must have the form [a-z0-9]{6}.[a-z0-9]{16}'),
    );
  });

  test('is that of a generated token, whose characters are uniform', () => {
    const counts = new Map<string, number>();
    const entropy = seededEntropy('tokens');
    for (let round = 0; round < 3600; round += 1) {
      const token = generateBootstrapToken(entropy);
      expect(parseBootstrapToken(token)).toBeDefined();
      for (const character of token.replace('.', '')) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    const expected = (3600 * 22) / 36;
    expect(counts.size).toBe(36);
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.12);
  });
});

describe('the Secret of a token', () => {
  test.each([
    [{}, Infinity],
    [{ expiration: '' }, Infinity],
    [{ expiration: '2024-01-01T00:00:00Z' }, 1_704_067_200_000],
    [{ expiration: '2024-01-01T01:00:00.5+01:00' }, 1_704_067_200_500],
    [{ expiration: 'tomorrow' }, -Infinity],
    [{ expiration: '2024-01-01' }, -Infinity],
  ])('with %j expires at %d', (data, expected) => {
    expect(bootstrapTokenExpiry(secretOf(data))).toBe(expected);
  });

  test.each([
    ['', ['system:bootstrappers']],
    [
      'system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b',
      ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
    ],
    ['system:bootstrappers:a:b-1', ['system:bootstrappers', 'system:bootstrappers:a:b-1']],
    ['system:masters', undefined],
    ['system:bootstrappers:a,system:masters', undefined],
    ['system:bootstrappers', undefined],
    ['system:bootstrappers:', undefined],
    ['system:bootstrappers:a-', undefined],
    ['system:bootstrappers:A', undefined],
    ['system:bootstrappers:a, system:bootstrappers:b', undefined],
    ['system:bootstrappers:a,', undefined],
    ['system:bootstrappers:a\nsystem:masters', undefined],
    [`system:bootstrappers:${'x'.repeat(256)}`, ['system:bootstrappers', `system:bootstrappers:${'x'.repeat(256)}`]],
    [`system:bootstrappers:${'x'.repeat(257)}`, undefined],
  ])('has the groups %j', (text, expected) => {
    expect(bootstrapTokenGroups(secretOf({ 'auth-extra-groups': text }))).toEqual(expected);
  });

  test('ignores a value that is not base64', () => {
    expect(bootstrapTokenText({ metadata: {}, data: { 'token-id': '*' } }, 'token-id')).toBe('');
    expect(bootstrapTokenText({ metadata: {} }, 'token-id')).toBe('');
  });

  const good = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-signing': 'true',
    expiration: '2024-01-01T00:00:00Z',
  };
  const before = 1_704_067_199_999;

  test('signs until it expires', () => {
    expect(signingTokenOf(secretOf(good), before)).toEqual({ id: 'abcdef', secret: '0123456789abcdef' });
    expect(signingTokenOf(secretOf(good), before + 1)).toBeUndefined();
  });

  test.each([
    ['without the usage', { ...good, 'usage-bootstrap-signing': 'True' }, 'bootstrap-token-abcdef'],
    ['under the name of another id', good, 'bootstrap-token-fedcba'],
    ['without a secret', { ...good, 'token-secret': '' }, 'bootstrap-token-abcdef'],
    ['without an id', { ...good, 'token-id': '' }, 'bootstrap-token-'],
    ['with an invalid expiry', { ...good, expiration: 'soon' }, 'bootstrap-token-abcdef'],
  ])('does not sign %s', (_case, data, name) => {
    expect(signingTokenOf(secretOf(data, name), before)).toBeUndefined();
  });
});

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'xbc', false],
  ['abc', 'ab', false],
  ['ab', 'abc', false],
  ['', '', true],
  ['', 'a', false],
  ['a', '', false],
  ['aa', 'a', false],
])('equality of %j and %j', (a, b, equal) => {
  expect(equalInConstantTime(a, b)).toBe(equal);
});
