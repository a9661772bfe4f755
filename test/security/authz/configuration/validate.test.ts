import { describe, expect, test } from 'vitest';
import {
  checkAuthorizationConfiguration,
  parseAuthorizationConfiguration,
  validateAuthorizationConfiguration,
  type AuthorizationConfigurationRules,
  type FileChecks,
} from '../../../../src/security/authz/configuration/index.js';
import type { JsonObject, JsonValue } from '../../../../src/foundation/json/json.js';
import { orch } from '../../../../src/foundation/index.js';
import { configurationOf, NODE, RBAC, webhookEntry } from './support.js';

const parse = (authorizers: readonly JsonObject[]) =>
  parseAuthorizationConfiguration(JSON.parse(JSON.stringify(configurationOf(authorizers))) as JsonValue, orch);

async function problems(
  authorizers: readonly JsonObject[],
  rules: Partial<AuthorizationConfigurationRules> = {},
): Promise<string[]> {
  return (await validateAuthorizationConfiguration(parse(authorizers), { dialect: orch, ...rules })).map(String);
}
const webhookProblems = (fields: JsonObject, rules?: Partial<AuthorizationConfigurationRules>): Promise<string[]> =>
  problems([webhookEntry(fields)], rules);

describe('a valid configuration', () => {
  test('has no errors', async () => {
    const all = [
      { type: 'AlwaysDeny', name: 'alwaysdeny' },
      { type: 'ABAC', name: 'abac' },
      NODE,
      webhookEntry(),
      webhookEntry({ connectionInfo: { type: 'KubeConfig', kubeConfigFile: '/x' } }, 'two.example.com'),
      RBAC,
      { type: 'AlwaysAllow', name: 'alwaysallow' },
    ];
    expect(await problems(all)).toEqual([]);
    expect((await checkAuthorizationConfiguration(parse(all), { dialect: orch })).authorizers).toHaveLength(7);
  });
});

describe('invalid authorizers', () => {
  test.each<[string, readonly JsonObject[], readonly string[]]>([
    ['none', [], ['authorizers: Required value: at least one authorization mode must be defined']],
    ['without a type', [{ name: 'x' }], ['authorizers[0].type: Required value']],
    [
      'of an unknown type',
      [{ type: 'Foo', name: 'x' }],
      [
        'authorizers[0].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"',
      ],
    ],
    [
      'with a duplicate type',
      [RBAC, NODE, { type: 'RBAC', name: 'again' }, NODE],
      ['authorizers[2].type: Duplicate value: "RBAC"', 'authorizers[3].type: Duplicate value: "Node"'],
    ],
    ['without a name', [{ type: 'RBAC' }], ['authorizers[0].name: Required value']],
    [
      'with a duplicate name',
      [webhookEntry({}, 'a'), webhookEntry({}, 'a'), { type: 'RBAC', name: 'a' }],
      ['authorizers[1].name: Duplicate value: "a"', 'authorizers[2].name: Duplicate value: "a"'],
    ],
    [
      'with an invalid name',
      [webhookEntry({}, 'My_Hook')],
      [
        "authorizers[0].name: Invalid value: \"My_Hook\": authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
          "(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    [
      'a webhook without its fields',
      [{ type: 'Webhook', name: 'x' }],
      ['authorizers[0].webhook: Required value: required when type=Webhook'],
    ],
    [
      "a webhook's fields in another type",
      [{ ...webhookEntry(), type: 'RBAC' }],
      ['authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook'],
    ],
  ])('%s', async (_case, authorizers, expected) => {
    expect(await problems(authorizers)).toEqual(expected);
  });
});

describe('a webhook configuration', () => {
  const at = 'authorizers[0]';
  test.each<[JsonObject, readonly string[]]>([
    [{ timeout: undefined }, [`${at}.timeout: Required value`]],
    [{ timeout: '0s' }, [`${at}.timeout: Required value`]],
    [{ timeout: '30s' }, []],
    [{ timeout: '30.001s' }, [`${at}.timeout: Invalid value: "30.001s": must be > 0s and <= 30s`]],
    [{ timeout: '-1s' }, [`${at}.timeout: Invalid value: "-1s": must be > 0s and <= 30s`]],
    [{ authorizedTTL: '0s', unauthorizedTTL: '0' }, []],
    [{ authorizedTTL: '-5m' }, [`${at}.authorizedTTL: Invalid value: "-5m0s": must be > 0s`]],
    [{ unauthorizedTTL: '-1ms' }, [`${at}.unauthorizedTTL: Invalid value: "-1ms": must be > 0s`]],
    [{ subjectAccessReviewVersion: undefined }, [`${at}.subjectAccessReviewVersion: Required value`]],
    [{ subjectAccessReviewVersion: 'v1beta1' }, []],
    [
      { subjectAccessReviewVersion: 'v2' },
      [`${at}.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`],
    ],
    [
      { matchConditionSubjectAccessReviewVersion: undefined },
      [`${at}.matchConditionSubjectAccessReviewVersion: Required value`],
    ],
    [
      { matchConditionSubjectAccessReviewVersion: '', matchConditions: [{ expression: 'true' }] },
      [`${at}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`],
    ],
    [
      { matchConditionSubjectAccessReviewVersion: 'v1beta1' },
      [`${at}.matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"`],
    ],
    [{ failurePolicy: undefined }, [`${at}.failurePolicy: Required value`]],
    [{ failurePolicy: 'Deny' }, []],
    [
      { failurePolicy: 'Allow' },
      [`${at}.failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"`],
    ],
    [{ connectionInfo: undefined }, [`${at}.connectionInfo.type: Required value`]],
    [
      { connectionInfo: { type: 'Telepathy' } },
      [
        `${at}.connectionInfo.type: Unsupported value: "Telepathy": supported values: "InClusterConfig", "KubeConfig", "KubeConfigFile"`,
      ],
    ],
    [
      { connectionInfo: { type: 'InClusterConfig' } },
      [
        `${at}.connectionInfo.type: Invalid value: "InClusterConfig": not allowed for a server that hosts the review API itself`,
      ],
    ],
    [
      { connectionInfo: { type: 'InClusterConfig', kubeConfigFile: '/x' } },
      [
        `${at}.connectionInfo.kubeConfigFile: Invalid value: "/x": can only be set when type=KubeConfigFile`,
        `${at}.connectionInfo.type: Invalid value: "InClusterConfig": not allowed for a server that hosts the review API itself`,
      ],
    ],
    [{ connectionInfo: { type: 'KubeConfigFile' } }, [`${at}.connectionInfo.kubeConfigFile: Required value`]],
    [
      { connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '' } },
      [`${at}.connectionInfo.kubeConfigFile: Required value`],
    ],
    [
      { connectionInfo: { type: 'KubeConfig', kubeConfigFile: '../x' } },
      [`${at}.connectionInfo.kubeConfigFile: Invalid value: "../x": must be an absolute path`],
    ],
    [{ matchConditions: [{ expression: ' ' }] }, [`${at}.matchConditions[0].expression: Required value`]],
    [
      { matchConditions: [{ expression: 'true' }, { expression: 'true' }] },
      [`${at}.matchConditions[1].expression: Duplicate value: "true"`],
    ],
    [
      { matchConditions: [{ expression: 'request.uid' }] },
      [`${at}.matchConditions[0].expression: Invalid value: "request.uid": must evaluate to bool`],
    ],
  ])('with %j', async (fields, expected) => {
    expect(await webhookProblems(fields)).toEqual(expected);
  });

  test('gets all its errors reported, in the order of Kubernetes', async () => {
    expect(
      await problems([
        { type: 'Webhook', name: '', webhook: { authorizedTTL: '-1s', matchConditions: [{ expression: '' }] } },
      ]),
    ).toEqual(
      [
        'name',
        'timeout',
        'authorizedTTL',
        'subjectAccessReviewVersion',
        'matchConditionSubjectAccessReviewVersion',
        'failurePolicy',
        'connectionInfo.type',
        'matchConditions[0].expression',
      ].map((field) => expect.stringContaining(`${at}.${field}: `) as string),
    );
  });

  test('accepts a connection file that exists', async () => {
    const looked: string[] = [];
    const files: FileChecks = {
      isAbsolute: (path) => path.startsWith('C:\\'),
      problemOf: (path) => {
        looked.push(path);
        return path === 'C:\\good' ? undefined : `error loading file: stat ${path}: no such file or directory`;
      },
    };
    const connection = (kubeConfigFile: string) =>
      webhookProblems({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile } }, { files });
    expect(await connection('C:\\good')).toEqual([]);
    expect(await connection('C:\\bad')).toEqual([
      `${at}.connectionInfo.kubeConfigFile: Invalid value: "C:\\\\bad": error loading file: stat C:\\bad: no such file or directory`,
    ]);
    expect(await connection('/x')).toEqual([
      `${at}.connectionInfo.kubeConfigFile: Invalid value: "/x": must be an absolute path`,
    ]);
    expect(looked).toEqual(['C:\\good', 'C:\\bad']);
  });

  test('may use selectors if the server does', async () => {
    const fields = { matchConditions: [{ expression: 'has(request.resourceAttributes.labelSelector)' }] };
    expect(await webhookProblems(fields, { withSelectors: true })).toEqual([]);
    expect(await webhookProblems(fields)).toEqual([expect.stringContaining("undefined field 'labelSelector'")]);
  });
});

describe('a validated configuration', () => {
  test.each([
    ['one error', [{ type: 'RBAC' }], 'authorizers[0].name: Required value'],
    [
      'several errors',
      [{ type: 'RBAC' }, { type: 'Foo' }],
      '[authorizers[0].name: Required value, authorizers[1].type: Unsupported value: "Foo": supported values: "ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"]',
    ],
    [
      'one unexpected name',
      [{ type: 'RBAC', name: 'roles' }],
      'expected name rbac for authorizer RBAC instead of roles',
    ],
    [
      'two unexpected names',
      [
        { type: 'RBAC', name: 'r' },
        { type: 'Node', name: 'n' },
      ],
      '[expected name rbac for authorizer RBAC instead of r, expected name node for authorizer Node instead of n]',
    ],
  ])('is rejected for %s', async (_case, authorizers, message) => {
    await expect(checkAuthorizationConfiguration(parse(authorizers), { dialect: orch })).rejects.toThrow(
      new Error(message),
    );
  });
});
