import { describe, expect, test } from 'vitest';
import { formatGoDuration } from '../../../../src/foundation/go/go-duration.js';
import { parseAuthorizationConfiguration } from '../../../../src/security/authz/configuration/index.js';
import type { JsonValue } from '../../../../src/foundation/json/json.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';
import { configurationOf, NODE, RBAC, webhookEntry } from './support.js';

const parse = (value: JsonValue) =>
  parseAuthorizationConfiguration(JSON.parse(JSON.stringify(value)) as JsonValue, orch);
const parsedWebhook = {
  authorizedTTL: 300_000,
  unauthorizedTTL: 30_000,
  timeout: 3000,
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/webhook.kubeconfig' },
};

describe('an authorization configuration', () => {
  test.each(['v1', 'v1beta1', 'v1alpha1'])('of version %s is parsed, with its defaults', (version) => {
    expect(parse(configurationOf([NODE, webhookEntry(), RBAC], version))).toEqual({
      authorizers: [NODE, { type: 'Webhook', name: 'directory', webhook: parsedWebhook }, RBAC],
    });
  });

  test('has the group of the dialect', () => {
    const file = { ...configurationOf([]), apiVersion: 'apiserver.config.k8s.io/v1beta1' };
    expect(parseAuthorizationConfiguration(file, kubernetes)).toEqual({ authorizers: [] });
    expect(() => parse(file)).toThrow(
      'no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io/v1beta1"',
    );
  });

  test.each([
    [
      { authorizedTTL: '1m30s', unauthorizedTTL: '250ms' },
      { authorizedTTL: 90_000, unauthorizedTTL: 250 },
    ],
    [
      { authorizedTTL: '0s', unauthorizedTTL: '0' },
      { authorizedTTL: 0, unauthorizedTTL: 0 },
    ],
    [{ unauthorizedTTL: '0s' }, { authorizedTTL: 300_000, unauthorizedTTL: 0 }],
    [
      { authorizedTTL: '-1s', timeout: '1.5h' },
      { authorizedTTL: -1000, timeout: 5_400_000 },
    ],
    [{ timeout: undefined }, { timeout: 0 }],
    [
      { matchConditions: [{ expression: 'true' }, {}] },
      { matchConditions: [{ expression: 'true' }, { expression: '' }] },
    ],
  ])('reads the webhook fields %j', (fields, expected) => {
    expect(parse(configurationOf([webhookEntry(fields)])).authorizers[0]?.webhook).toMatchObject(expected);
  });

  test.each<[string, JsonValue, string]>([
    ['a list', [], 'the authorization configuration must be an object'],
    ['no kind', { apiVersion: 'v1' }, "Object 'Kind' is missing in the authorization configuration"],
    [
      'no version',
      { kind: 'AuthorizationConfiguration' },
      "Object 'apiVersion' is missing in the authorization configuration",
    ],
    [
      'another kind',
      { ...configurationOf([]), kind: 'AuthenticationConfiguration' },
      'no kind "AuthenticationConfiguration" is registered for version "apiserver.config.orch.io/v1beta1"',
    ],
    [
      'another version',
      configurationOf([], 'v2'),
      'no kind "AuthorizationConfiguration" is registered for version "apiserver.config.orch.io/v2"',
    ],
    [
      'unknown fields',
      { ...configurationOf([{ ...RBAC, foo: 1 }, webhookEntry({ ttl: '1s' })]), bar: true },
      'strict decoding error: unknown field "authorizers[0].foo", unknown field "authorizers[1].webhook.ttl", unknown field "bar"',
    ],
    ['a field of the wrong type', configurationOf([{ type: 1 }]), 'json: cannot unmarshal number into Go struct field'],
    ['no unit', configurationOf([webhookEntry({ timeout: '5' })]), 'time: missing unit in duration "5"'],
    [
      'an unknown unit',
      configurationOf([webhookEntry({ authorizedTTL: '1m5d' })]),
      'time: unknown unit "d" in duration "1m5d"',
    ],
    [
      'an invalid duration',
      configurationOf([webhookEntry({ unauthorizedTTL: 'soon' })]),
      'time: invalid duration "soon"',
    ],
    ['a duration without digits', configurationOf([webhookEntry({ timeout: '-' })]), 'time: invalid duration "-"'],
  ])('with %s is rejected', (_case, value, message) => {
    expect(() => parse(value)).toThrow(message);
  });
});

test.each([
  [0, '0s'],
  [30_000, '30s'],
  [300_000, '5m0s'],
  [3_600_000, '1h0m0s'],
  [5_445_500, '1h30m45.5s'],
  [-1000, '-1s'],
  [250, '250ms'],
  [1.5, '1.5ms'],
  [0.25, '250µs'],
  [0.000007, '7ns'],
  [90_061_001, '25h1m1.001s'],
])('%d ms are formatted as %s', (ms, text) => {
  expect(formatGoDuration(ms)).toBe(text);
});
