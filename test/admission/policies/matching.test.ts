import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConfigMap, CustomResourceDefinition, Namespace, type ConversionFunction } from '../../../src/entries/index.js';
import { isJsonObject } from '../../../src/foundation/json/json.js';
import { ruleMatches, type RuleTarget } from '../../../src/admission/matching/rules.js';
import { Evaluation } from '../../../src/admission/policy/evaluation.js';
import { PolicyWorld, rule, type PolicySpec } from './support.js';

const NEVER = [{ expression: 'false', message: 'never' }];
const TARGET: RuleTarget = {
  ...{ operation: 'CREATE', group: 'apps', version: 'v1', resource: 'deployments', subresource: '' },
  namespaced: true,
};

describe('a rule matches', () => {
  const base = { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
  test.each([
    ['what it names', {}, {}, true],
    ['one of several operations', { operations: ['UPDATE', 'CREATE'] }, {}, true],
    ['every operation', { operations: ['*'] }, { operation: 'CONNECT' as const }, true],
    ['no other operation', {}, { operation: 'UPDATE' as const }, false],
    ['every group', { apiGroups: ['*'] }, { group: '' }, true],
    ['no other group', {}, { group: '' }, false],
    ['no other version', {}, { version: 'v2' }, false],
    ['every version', { apiVersions: ['*'] }, { version: 'v2' }, true],
    ['every resource', { resources: ['*'] }, { resource: 'x' }, true],
    ['but no subresource', { resources: ['*'] }, { subresource: 'scale' }, false],
    ['every subresource with its resource', { resources: ['deployments/*'] }, {}, true],
    ['every subresource of its resource', { resources: ['deployments/*'] }, { subresource: 'scale' }, true],
    ['a subresource of every resource', { resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['no main resource for a subresource', { resources: ['*/scale'] }, {}, false],
    ['everything', { resources: ['*/*'] }, { resource: 'x', subresource: 'y' }, true],
    ['namespaced resources only', { scope: 'Namespaced' }, { namespaced: false }, false],
    ['cluster-scoped resources only', { scope: 'Cluster' }, {}, false],
    ['both scopes', { scope: '*' }, { namespaced: false }, true],
  ])('%s', (_name, change, target, expected) => {
    expect(ruleMatches({ ...base, ...change }, { ...TARGET, ...target })).toBe(expected);
  });
});

describe('a policy matches', () => {
  /** Whether the creation of a ConfigMap is refused. */
  const refuses = async (match: PolicySpec['matchConstraints'], metadata: object = {}): Promise<boolean> => {
    await using world = new PolicyWorld();
    await world.policy('p', { validations: NEVER, matchConstraints: match });
    return (await world.configMap({}, metadata)).code === 422;
  };
  const resourceRules = [rule('configmaps')];

  test.each([
    ['the names that it lists', { resourceRules: [rule('configmaps', { resourceNames: ['made'] })] }, true],
    ['no other name', { resourceRules: [rule('configmaps', { resourceNames: ['other'] })] }, false],
    ['nothing that it excludes', { resourceRules, excludeResourceRules: [rule('configmaps')] }, false],
    [
      'what it does not exclude by name',
      { resourceRules, excludeResourceRules: [rule('configmaps', { resourceNames: ['other'] })] },
      true,
    ],
    [
      'nothing that it excludes by name',
      { resourceRules, excludeResourceRules: [rule('configmaps', { resourceNames: ['made'] })] },
      false,
    ],
    [
      'the objects that a selector finds',
      { resourceRules, objectSelector: { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] } },
      true,
    ],
    ['no other objects', { resourceRules, objectSelector: { matchLabels: { a: 'b' } } }, false],
    [
      'the namespaces that a selector finds',
      { resourceRules, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } } },
      true,
    ],
    ['no other namespaces', { resourceRules, namespaceSelector: { matchLabels: { a: 'b' } } }, false],
  ])('%s', async (_name, match, expected) => expect(await refuses(match)).toBe(expected));

  test('an update by the labels of the object before it, too', async () => {
    await using world = new PolicyWorld();
    const labels = { a: 'b' };
    await world.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'x', labels } });
    await world.policy('p', {
      validations: NEVER,
      matchConstraints: { resourceRules, objectSelector: { matchLabels: labels } },
    });
    const merge = { headers: { 'content-type': 'application/merge-patch+json' } };
    const unlabelled = { metadata: { labels: { a: null } } };
    expect((await world.send('PATCH', '/api/v1/namespaces/default/configmaps/x', unlabelled, merge)).code).toBe(422);
  });

  test('cluster-scoped objects whatever its namespace selector', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      validations: NEVER,
      matchConstraints: { resourceRules: [rule('nodes')], namespaceSelector: { matchLabels: { a: 'b' } } },
    });
    expect((await world.send('POST', '/api/v1/nodes?dryRun=All', { metadata: { name: 'n' } })).code).toBe(422);
  });

  test('by each of its bindings on its own', async () => {
    await using world = new PolicyWorld();
    await world.client.resource(Namespace).create({ metadata: { name: 'other', labels: { strict: 'yes' } } });
    await world.policy('p', { validations: NEVER }, { validationActions: ['Warn'] });
    await world.bind('strict', 'p', { matchResources: { namespaceSelector: { matchLabels: { strict: 'yes' } } } });
    const made = await world.configMap();
    expect([made.code, made.warnings.length]).toEqual([201, 1]);
    const path = '/api/v1/namespaces/other/configmaps?dryRun=All';
    expect((await world.send('POST', path, { metadata: { name: 'made' } })).message).toContain(
      "ValidatingAdmissionPolicy 'p' with binding 'strict' denied request: never",
    );
  });

  test('by bindings without parameters, of which the first evaluates it for all', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', { validations: NEVER }, { validationActions: ['Warn'] });
    for (const name of ['q', 'r']) await world.bind(name, 'p', { validationActions: ['Warn'] });
    const run = vi.spyOn(Evaluation.prototype, 'run');
    onTestFinished(() => run.mockRestore());
    const { code, warnings } = await world.configMap();
    expect([code, warnings.length]).toEqual([201, 3]);
    expect(run).toHaveBeenCalledTimes(1);
    // The next request is another one.
    expect((await world.configMap()).warnings).toEqual(warnings);
    expect(run).toHaveBeenCalledTimes(2);
  });

  test('nothing without a binding', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', { validations: NEVER });
    await world.send('DELETE', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/p');
    expect((await world.configMap()).code).toBe(201);
  });
});

describe('a policy for one version of a kind', () => {
  const version = (name: string, storage: boolean, field: string) => ({
    ...{ name, storage, served: true },
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { [field]: { type: 'string' } } } },
      },
    },
  });
  const widgets = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets' },
      scope: 'Cluster',
      versions: [version('v1', true, 'color'), version('v2', false, 'colour')],
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://unused.example' } },
      },
    },
  };
  /** Renames the field that the versions spell differently. */
  const convert: ConversionFunction = (objects, apiVersion) =>
    objects.map((object) => {
      const spec = isJsonObject(object['spec']) ? object['spec'] : {};
      const value = spec['color'] ?? spec['colour'] ?? '';
      return { ...object, apiVersion, spec: apiVersion.endsWith('v1') ? { color: value } : { colour: value } };
    });
  const world = async (matchPolicy: string): Promise<PolicyWorld> => {
    const made = new PolicyWorld({
      conversionWebhooks: { 'widgets.example.com': convert },
    });
    await made.client.resource(CustomResourceDefinition).create(widgets);
    await made.server.settled();
    await made.policy('p', {
      matchConstraints: {
        matchPolicy,
        resourceRules: [rule('widgets', { apiGroups: ['example.com'], apiVersions: ['v1'] })],
      },
      validations: [
        {
          expression: "object.spec.color != 'red'",
          messageExpression: "object.apiVersion + ' ' + request.kind.version + ' for ' + request.requestKind.version",
        },
      ],
    });
    return made;
  };
  const create = (made: PolicyWorld, apiVersion: string, spec: object) =>
    made.send('POST', `/apis/example.com/${apiVersion}/widgets?dryRun=All`, {
      apiVersion: `example.com/${apiVersion}`,
      kind: 'Widget',
      metadata: { name: 'w' },
      spec,
    });

  test('sees the objects of the other versions in its own, by default', async () => {
    await using made = await world('Equivalent');
    expect((await create(made, 'v1', { color: 'red' })).message).toContain('denied request: example.com/v1 v1 for v1');
    expect((await create(made, 'v2', { colour: 'red' })).message).toContain('denied request: example.com/v1 v1 for v2');
    expect((await create(made, 'v2', { colour: 'blue' })).code).toBe(201);
  });

  test('does not match the other versions when it must match exactly', async () => {
    await using made = await world('Exact');
    expect((await create(made, 'v1', { color: 'red' })).code).toBe(422);
    expect((await create(made, 'v2', { colour: 'red' })).code).toBe(201);
  });
});
