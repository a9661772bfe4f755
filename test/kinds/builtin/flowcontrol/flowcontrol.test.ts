import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import {
  FlowSchema,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationV1beta3,
} from '../../../../src/kinds/builtin/index.js';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf } from '../../../server/ask.js';
import { cells, changed, context, create, freeze, problems, subresourceStrategy, texts } from '../support.js';

beforeAll(async () => {
  await FlowSchema.prepare?.();
  await PriorityLevelConfiguration.prepare?.();
  await PriorityLevelConfigurationV1beta3.prepare?.();
});

const ALL = ['*'];
const USER = { kind: 'User', user: { name: 'jane' } };
const EVERYTHING = { verbs: ALL, apiGroups: ALL, resources: ALL, clusterScope: true, namespaces: ALL };

describe('a flow schema', () => {
  const schema = (spec: JsonObject, name = 'a'): JsonObject => ({
    metadata: { name },
    spec: { priorityLevelConfiguration: { name: 'workload-low' }, ...spec },
  });
  const of = (spec: JsonObject, name?: string): string[] => problems(FlowSchema, schema(spec, name));
  const withRule = (rule: JsonObject): string[] => of({ rules: [{ subjects: [USER], ...rule }] });
  const resource = (change: JsonObject): string[] => withRule({ resourceRules: [{ ...EVERYTHING, ...change }] });

  test('has precedence 1000 by default, also for zero', () => {
    expect(create(FlowSchema, schema({}))).toMatchObject({ spec: { matchingPrecedence: 1000 } });
    expect(create(FlowSchema, schema({ matchingPrecedence: 0 }))).toMatchObject({ spec: { matchingPrecedence: 1000 } });
  });

  test.each<[string, JsonObject, string[]]>([
    [
      'with a negative precedence',
      { matchingPrecedence: -1 },
      ['spec.matchingPrecedence: Invalid value: -1: must be a positive value'],
    ],
    [
      'with a high precedence',
      { matchingPrecedence: 10_001 },
      ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
    ],
    [
      'with the precedence of the exempt schema',
      { matchingPrecedence: 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      'with an unknown distinguisher',
      { distinguisherMethod: { type: 'ByHost' } },
      [
        'spec.distinguisherMethod.type: Unsupported value: flowcontrol.FlowDistinguisherMethod{Type:"ByHost"}: supported values: "ByNamespace", "ByUser"',
      ],
    ],
    [
      'without a priority level',
      { priorityLevelConfiguration: { name: '' } },
      ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
    ],
    [
      'with an empty rule',
      { rules: [{ subjects: [] }] },
      [
        'spec.rules[0].subjects: Required value: subjects must contain at least one value',
        'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
      ],
    ],
    [
      'with subjects of other kinds',
      {
        rules: [
          {
            nonResourceRules: [{ verbs: ALL, nonResourceURLs: ALL }],
            subjects: [
              { kind: 'Robot' },
              { kind: 'User', group: { name: 'a' }, serviceAccount: { name: 'a', namespace: 'b' } },
              { kind: 'Group', group: { name: '' }, user: { name: 'a' } },
              { kind: 'ServiceAccount', serviceAccount: { name: '', namespace: '' } },
              { kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'b' } },
            ],
          },
        ],
      },
      [
        'spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"',
        "spec.rules[0].subjects[1].user: Required value: user is required when subject kind is 'User'",
        "spec.rules[0].subjects[1].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'",
        "spec.rules[0].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'",
        'spec.rules[0].subjects[2].group.name: Required value',
        "spec.rules[0].subjects[2].user: Forbidden: user is forbidden when subject kind is not 'User'",
        'spec.rules[0].subjects[3].serviceAccount.name: Required value',
        'spec.rules[0].subjects[3].serviceAccount.namespace: Required value: must specify namespace for service account',
      ],
    ],
  ])('%s is refused', (_, spec, expected) => expect(of(spec)).toEqual(expected));

  test.each<[string, JsonObject, string[]]>([
    [
      'nothing',
      { verbs: [], apiGroups: [], resources: [], namespaces: [], clusterScope: false },
      [
        'verbs: Required value: verbs must contain at least one value',
        'apiGroups: Required value: resource rules must supply at least one api group',
        'resources: Required value: resource rules must supply at least one resource',
        'namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
      ],
    ],
    [
      'wildcards beside other values',
      { verbs: ['*', 'get'], apiGroups: ['*', 'apps'], resources: ['pods', '*'], namespaces: ['*', 'a'] },
      [
        'verbs: Invalid value: []string{"*", "get"}: if \'*\' is present, must not specify other verbs',
        'apiGroups: Invalid value: []string{"*", "apps"}: if \'*\' is present, must not specify other api groups',
        'resources: Invalid value: []string{"pods", "*"}: if \'*\' is present, must not specify other resources',
        'namespaces: Invalid value: []string{"*", "a"}: if \'*\' is present, must not specify other namespaces',
      ],
    ],
    [
      'an unknown verb',
      { verbs: ['get', 'bind'] },
      [
        'verbs: Unsupported value: []string{"get", "bind"}: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      ],
    ],
    [
      'an invalid namespace',
      { namespaces: ['A'] },
      [
        `namespaces[0]: Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    ['cluster scope only', { namespaces: null }, []],
  ])('a rule for resources with %s is checked', (_, change, expected) =>
    expect(resource(change)).toEqual(expected.map((text) => `spec.rules[0].resourceRules[0].${text}`)),
  );

  test.each([
    ['', 'must not be empty'],
    ['healthz', 'must start with slash'],
    ['/a b', 'must not contain white-space'],
    ['/a//b', 'must not contain double slash'],
    ['/a*', 'wildcard can only do suffix matching'],
    ['/*/*', 'wildcard can only do suffix matching'],
    ['/', undefined],
    ['/healthz/*', undefined],
  ])('a rule for the path "%s" is checked', (url, problem) => {
    const path = 'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]';
    expect(withRule({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: [url] }] })).toEqual(
      problem === undefined ? [] : [`${path}: Invalid value: "${url}": ${problem}`],
    );
  });

  test('that is mandatory has a fixed spec', () => {
    const rules = [
      {
        subjects: [{ kind: 'Group', group: { name: 'system:masters' } }],
        resourceRules: [EVERYTHING],
        nonResourceRules: [{ verbs: ALL, nonResourceURLs: ALL }],
      },
    ];
    const fixed = { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules };
    expect(of(fixed, 'exempt')).toEqual([]);
    expect(of({ ...fixed, matchingPrecedence: 2 }, 'exempt').join()).toMatch(
      /^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/,
    );
    expect(of({}, 'catch-all').join()).toMatch(/spec of 'catch-all' must equal the fixed value$/);
  });

  test('is shown in tables', () => {
    const plain = create(FlowSchema, schema({}));
    expect(cells(FlowSchema, plain)).toMatchObject({
      PriorityLevel: 'workload-low',
      MatchingPrecedence: 1000,
      DistinguisherMethod: '<none>',
      MissingPL: '?',
    });
    const dangling = freeze(
      changed(create(FlowSchema, schema({ distinguisherMethod: { type: 'ByUser' } })), {
        status: { conditions: [{ type: 'Dangling', status: 'True' }] },
      }),
    );
    expect(cells(FlowSchema, dangling as typeof plain)).toMatchObject({
      DistinguisherMethod: 'ByUser',
      MissingPL: 'True',
    });
  });

  test('has conditions of different types', () => {
    const old = create(FlowSchema, schema({}));
    const status = { conditions: [{ type: 'A' }, { type: 'A' }, {}] };
    const { validateUpdate } = subresourceStrategy(FlowSchema, 'status');
    expect(texts(validateUpdate?.(freeze(changed(old, { status })) as typeof old, old, context))).toEqual([
      'status.conditions[1].type: Duplicate value: "A"',
      'status.conditions[2].type: Required value: must not be empty',
    ]);
  });
});

describe('a priority level', () => {
  const level = (spec: JsonObject, name = 'a', annotations: JsonObject = {}): JsonObject => ({
    metadata: { name, annotations },
    spec,
  });
  const of = (spec: JsonObject, name?: string): string[] => problems(PriorityLevelConfiguration, level(spec, name));
  const limited = (change: JsonObject): string[] =>
    of({ type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...change } });
  const queuing = (change: JsonObject): string[] =>
    limited({ limitResponse: { type: 'Queue', queuing: change } }).map((text) =>
      text.replace('spec.limited.limitResponse.queuing.', ''),
    );

  test('gets defaults, also for zeros', () => {
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 0 } } } };
    expect(create(PriorityLevelConfiguration, level(spec))['spec']).toEqual({
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        limitResponse: { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
      },
    });
    expect(create(PriorityLevelConfiguration, level({ type: 'Exempt', exempt: {} }))['spec']).toEqual({
      type: 'Exempt',
      exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 },
    });
  });

  test.each<[string, JsonObject, string | undefined, string[]]>([
    [
      'of an unknown type',
      { type: 'Free' },
      undefined,
      ['spec.type: Unsupported value: "Free": supported values: "Exempt", "Limited"'],
    ],
    [
      'that is exempt under another name',
      { type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } },
      undefined,
      [
        "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
        'spec.limited: Forbidden: must be nil if the type is not Limited',
      ],
    ],
    [
      'that is limited and exempt',
      { type: 'Limited', exempt: {} },
      undefined,
      [
        'spec.exempt: Forbidden: must be nil if the type is Limited',
        'spec.limited: Required value: must not be empty when type is Limited',
      ],
    ],
    [
      'that is exempt with negative shares',
      { type: 'Exempt', exempt: { nominalConcurrencyShares: -1, lendablePercent: 101 } },
      'exempt',
      [
        'spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
        'spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      ],
    ],
  ])('%s is refused', (_, spec, name, expected) => expect(of(spec, name)).toEqual(expected));

  test.each<[string, JsonObject, string[]]>([
    ['zero shares', { nominalConcurrencyShares: 0 }, []],
    [
      'negative numbers',
      { nominalConcurrencyShares: -1, lendablePercent: -1, borrowingLimitPercent: -1 },
      [
        'nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
        'lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive',
        'borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
      ],
    ],
    [
      'an unknown response',
      { limitResponse: { type: 'Wait' } },
      ['limitResponse.type: Unsupported value: "Wait": supported values: "Queue", "Reject"'],
    ],
    [
      'queues that are not used',
      { limitResponse: { type: 'Reject', queuing: {} } },
      ['limitResponse.queuing: Forbidden: must be nil if limited.limitResponse.type is not Limited'],
    ],
    [
      'missing queues',
      { limitResponse: { type: 'Queue' } },
      ['limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited'],
    ],
  ])('with a limit of %s is checked', (_, change, expected) =>
    expect(limited(change)).toEqual(expected.map((text) => `spec.limited.${text}`)),
  );

  test.each<[JsonObject, string[]]>([
    [
      { queues: -1, handSize: -1, queueLengthLimit: -1 },
      [
        'queueLengthLimit: Invalid value: -1: must be positive',
        'queues: Invalid value: -1: must be positive',
        'handSize: Invalid value: -1: must be positive',
      ],
    ],
    [{ queues: 7 }, ['handSize: Invalid value: 8: should not be greater than queues (7)']],
    [
      { queues: 512 },
      [
        'handSize: Invalid value: 8: required entropy bits of deckSize 512 and handSize 8 should not be greater than 60',
      ],
    ],
    [{ queues: 10_000_000, handSize: 2 }, []],
    [
      { queues: 2_147_483_647, handSize: 3 },
      [
        'queues: Invalid value: 2147483647: must not be greater than 10000000',
        'handSize: Invalid value: 3: required entropy bits of deckSize 2147483647 and handSize 3 should not be greater than 60',
      ],
    ],
  ])('with the queues %j is checked', (change, expected) => expect(queuing(change)).toEqual(expected));

  test('that is mandatory has a fixed spec', () => {
    const catchAll = { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } };
    expect(of(catchAll, 'catch-all')).toEqual([]);
    expect(of({ ...catchAll, limited: { limitResponse: { type: 'Reject' } } }, 'catch-all').join()).toMatch(
      /spec of 'catch-all' must equal the fixed value$/,
    );
    expect(of({ type: 'Exempt', exempt: { nominalConcurrencyShares: 10 } }, 'exempt')).toEqual([]);
    expect(of(catchAll, 'exempt').join()).toMatch(
      /spec of 'exempt' except the 'spec.exempt' field must equal the fixed value$/,
    );
  });

  test('is shown in tables', () => {
    const cellsOf = (spec: JsonObject, name: string) =>
      cells(PriorityLevelConfiguration, create(PriorityLevelConfiguration, level(spec, name)));
    expect(cellsOf({ type: 'Exempt' }, 'exempt')).toMatchObject({
      Type: 'Exempt',
      NominalConcurrencyShares: '<none>',
      Queues: '<none>',
      HandSize: '<none>',
      QueueLengthLimit: '<none>',
    });
    const queues = { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } };
    expect(cellsOf(queues, 'a')).toMatchObject({
      NominalConcurrencyShares: 30,
      Queues: 64,
      HandSize: 8,
      QueueLengthLimit: 50,
    });
  });

  test('does not have the annotation of the older version', () => {
    const annotations = { 'flowcontrol.orch.io/v1beta3-preserve-zero-concurrency-shares': '' };
    const spec = { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } };
    expect(problems(PriorityLevelConfiguration, level(spec, 'a', annotations))).toEqual([
      "metadata.annotations: Forbidden: annotation 'flowcontrol.orch.io/v1beta3-preserve-zero-concurrency-shares' is forbidden",
    ]);
  });

  test('has zero shares in the older version only with an annotation', async () => {
    const token = 'owner-of-the-flow-control-test';
    await using running = await startTestServer({
      dialect: 'kubernetes',
      authentication: { ownerToken: token },
      runtimeConfig: 'flowcontrol.apiserver.k8s.io/v1beta3=true',
    });
    const request = async (method: string, path: string, body?: object) =>
      jsonOf(
        await ask(running.server, method, `/apis/flowcontrol.apiserver.k8s.io/${path}`, {
          token,
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ) as {
        metadata: { annotations?: object; generation: number };
        spec: { limited: { nominalConcurrencyShares: number } };
      };
    const key = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
    const spec = { type: 'Limited', limited: { nominalConcurrencyShares: 0, limitResponse: { type: 'Reject' } } };
    const list = 'v1beta3/prioritylevelconfigurations';
    const usual = await request('POST', list, { metadata: { name: 'usual' }, spec });
    expect(usual).toMatchObject({ spec: { limited: { nominalConcurrencyShares: 30 } }, metadata: { generation: 1 } });
    expect(usual.metadata.annotations).toBeUndefined();
    const zero = await request('POST', list, { metadata: { name: 'zero', annotations: { [key]: '' } }, spec });
    expect(zero).toMatchObject({
      metadata: { annotations: { [key]: '' } },
      spec: { limited: { nominalConcurrencyShares: 0 } },
    });
    const stored = await request('GET', 'v1/prioritylevelconfigurations/zero');
    expect(stored.spec.limited.nominalConcurrencyShares).toBe(0);
    expect(stored.metadata.annotations).toBeUndefined();
    expect(await request('PUT', `${list}/zero`, zero)).toEqual(zero);
  });
});
