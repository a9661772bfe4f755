import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../../../src/kinds/builtin/index.js';
import { cells, changed, context, create, decode, freeze, problems, texts, unlessWaiting } from '../support.js';

beforeAll(async () => {
  await MutatingWebhookConfiguration.prepare?.();
  await ValidatingWebhookConfiguration.prepare?.();
  await MutatingWebhookConfiguration.strategy?.load?.(
    withWebhook({ matchConditions: [{ name: 'a', expression: '1' }] }),
  );
});

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const WEBHOOK: JsonObject = {
  name: 'pods.example.com',
  clientConfig: { url: 'https://example.com/check' },
  rules: [RULE],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const manifest = (...webhooks: JsonObject[]): JsonObject => ({ metadata: { name: 'a' }, webhooks });
const withWebhook = (change: JsonObject) => decode(MutatingWebhookConfiguration, manifest({ ...WEBHOOK, ...change }));
const of = (change: JsonObject): string[] =>
  problems(MutatingWebhookConfiguration, manifest({ ...WEBHOOK, ...change }));

test('a webhook gets the defaults of its release', () => {
  expect(create(MutatingWebhookConfiguration, manifest(WEBHOOK))['webhooks']).toEqual([
    {
      ...WEBHOOK,
      rules: [{ ...RULE, scope: '*' }],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      reinvocationPolicy: 'Never',
    },
  ]);
  const service = { namespace: 'default', name: 'hooks' };
  const [webhook] = create(ValidatingWebhookConfiguration, manifest({ ...WEBHOOK, clientConfig: { service } }))[
    'webhooks'
  ] as JsonObject[];
  expect(webhook).toMatchObject({ clientConfig: { service: { ...service, port: 443 } } });
  expect(webhook).not.toHaveProperty('reinvocationPolicy');
});

describe('a webhook is refused', () => {
  const SUBDOMAIN =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  const FORM = 'desired format: https://host[/path]';
  test.each<[string, JsonObject, string[]]>([
    ['without a name', { name: '' }, ['webhooks[0].name: Required value']],
    ['with an invalid name', { name: 'A.b.c' }, [`webhooks[0].name: Invalid value: "A.b.c": ${SUBDOMAIN}`]],
    [
      'with a short name',
      { name: 'example.com' },
      [
        'webhooks[0].name: Invalid value: "example.com": should be a domain with at least three segments separated by dots',
      ],
    ],
    [
      'with an unknown failure policy',
      { failurePolicy: 'Retry' },
      ['webhooks[0].failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"'],
    ],
    [
      'with an unknown match policy',
      { matchPolicy: 'Same' },
      ['webhooks[0].matchPolicy: Unsupported value: "Same": supported values: "Equivalent", "Exact"'],
    ],
    [
      'with side effects',
      { sideEffects: 'Some' },
      ['webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'with an unknown reinvocation policy',
      { reinvocationPolicy: 'Always' },
      ['webhooks[0].reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"'],
    ],
    [
      'with a timeout of more than 30 seconds',
      { timeoutSeconds: 31 },
      ['webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds'],
    ],
    [
      'with an address and a service',
      { clientConfig: { url: 'https://a', service: { name: 'a', namespace: 'b' } } },
      ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'with an address without TLS',
      { clientConfig: { url: 'http://a' } },
      [`webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; ${FORM}`],
    ],
    [
      'with a service without a name',
      { clientConfig: { service: { name: '', namespace: 'b', port: 0, path: 'x' } } },
      [
        'webhooks[0].clientConfig.service.namespace: Required value: service namespace is required',
        'webhooks[0].clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
        'webhooks[0].clientConfig.service.path: Invalid value: "x": must start with a \'/\'',
        'webhooks[0].clientConfig.service.path: Invalid value: "x": segment[0] may not be empty',
      ],
    ],
    [
      'without versions of the review',
      { admissionReviewVersions: [] },
      ['webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ],
    [
      'with unknown versions of the review',
      { admissionReviewVersions: ['v2', 'v2'] },
      [
        'webhooks[0].admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
        'webhooks[0].admissionReviewVersions: Invalid value: []string{"v2", "v2"}: must include at least one of v1, v1beta1',
      ],
    ],
    [
      'with an invalid selector',
      { objectSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      [
        "webhooks[0].objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      ],
    ],
    [
      'with an empty rule',
      { rules: [{}] },
      [
        'webhooks[0].rules[0].operations: Required value',
        'webhooks[0].rules[0].apiGroups: Required value',
        'webhooks[0].rules[0].apiVersions: Required value',
        'webhooks[0].rules[0].resources: Required value',
      ],
    ],
    [
      'with wildcards beside other values',
      {
        rules: [
          {
            operations: ['*', 'PATCH'],
            apiGroups: ['*', 'apps'],
            apiVersions: ['*', ''],
            resources: ['*', 'pods/*', 'pods/status', '*/scale', 'a/scale', '*/*', '', 'nodes'],
            scope: 'World',
          },
        ],
      },
      [
        'webhooks[0].rules[0].operations: Invalid value: []admissionregistration.OperationType{"*", "PATCH"}: if \'*\' is present, must not specify other operations',
        'webhooks[0].rules[0].operations[1]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
        'webhooks[0].rules[0].apiGroups: Invalid value: []string{"*", "apps"}: if \'*\' is present, must not specify other API groups',
        'webhooks[0].rules[0].apiVersions: Invalid value: []string{"*", ""}: if \'*\' is present, must not specify other API versions',
        'webhooks[0].rules[0].apiVersions[1]: Required value',
        'webhooks[0].rules[0].resources[2]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
        'webhooks[0].rules[0].resources[4]: Invalid value: "a/scale": if \'*/scale\' is present, must not specify a/scale',
        'webhooks[0].rules[0].resources[6]: Required value',
        'webhooks[0].rules[0].resources: Invalid value: []string{"*", "pods/*", "pods/status", "*/scale", "a/scale", "*/*", "", "nodes"}: if \'*/*\' is present, must not specify other resources',
        'webhooks[0].rules[0].resources: Invalid value: []string{"*", "pods/*", "pods/status", "*/scale", "a/scale", "*/*", "", "nodes"}: if \'*\' is present, must not specify other resources without subresources',
        'webhooks[0].rules[0].scope: Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"',
      ],
    ],
    [
      'with invalid match conditions',
      {
        matchConditions: [
          { name: 'a', expression: ' ' },
          { name: 'a', expression: 'object.x' },
          { name: '', expression: 'params.x == 1' },
        ],
      },
      [
        'webhooks[0].matchConditions[0].expression: Required value',
        'webhooks[0].matchConditions[1].expression: Invalid value: "object.x": must evaluate to bool',
        'webhooks[0].matchConditions[1].name: Duplicate value: "a"',
        `webhooks[0].matchConditions[2].expression: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
        'webhooks[0].matchConditions[2].name: Required value',
      ],
    ],
  ])('%s', (_, change, expected) => expect(of(change)).toEqual(expected));
});

test('a webhook without side effects named is refused', () => {
  const { sideEffects: _, ...rest } = WEBHOOK;
  expect(problems(MutatingWebhookConfiguration, manifest(rest))).toEqual([
    'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
  ]);
});

test('two webhooks with one name are refused', () => {
  expect(problems(ValidatingWebhookConfiguration, manifest(WEBHOOK, WEBHOOK))).toEqual([
    'webhooks[1].name: Duplicate value: "pods.example.com"',
  ]);
});

test('too many match conditions are refused', () => {
  const matchConditions = Array.from({ length: 65 }, (_, index) => ({ name: `a${index}`, expression: 'true' }));
  expect(of({ matchConditions })).toEqual(['webhooks[0].matchConditions: Too many: 65: must have at most 64 items']);
});

test('an update may keep what newer rules refuse', () => {
  const broken = {
    ...WEBHOOK,
    sideEffects: 'Unknown',
    admissionReviewVersions: ['v2'],
    matchConditions: [{ name: 'a', expression: 'object.x' }],
    objectSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] },
  };
  const old = create(ValidatingWebhookConfiguration, manifest(broken, broken));
  const { strategy } = ValidatingWebhookConfiguration;
  const update = freeze(changed(old, { 'metadata.labels': { a: 'b' } }));
  expect(texts(unlessWaiting(strategy?.validateChange?.(update as typeof old, old, context)))).toEqual([]);
  const without = freeze(
    changed(old, { webhooks: [WEBHOOK, { ...WEBHOOK, name: 'b.example.com', sideEffects: 'All' }] }),
  );
  expect(texts(unlessWaiting(strategy?.validateChange?.(without as typeof old, old, context)))).toEqual([
    'webhooks[1].sideEffects: Unsupported value: "All": supported values: "None", "NoneOnDryRun", "Some", "Unknown"',
  ]);
});

test('the table shows the number of webhooks', () => {
  const object = create(MutatingWebhookConfiguration, manifest(WEBHOOK));
  expect(cells(MutatingWebhookConfiguration, object)).toMatchObject({ Name: 'a', Webhooks: 1 });
});
