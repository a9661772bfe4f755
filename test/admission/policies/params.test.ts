import { describe, expect, test } from 'vitest';
import { ConfigMap, CustomResourceDefinition, Namespace } from '../../../src/entries/index.js';
import { definition, specOf, version } from '../../kinds/custom/world.js';
import { turnsDuring } from '../../support/turns.js';
import { PolicyWorld, rule, type BindingSpec } from './support.js';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const REFUSED = `configmaps "made" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: `;

const LIMIT = {
  paramKind: CONFIG_MAP,
  matchConstraints: { resourceRules: [rule('configmaps', { operations: ['CREATE'] })] },
  matchConditions: [
    { name: 'no-parameter', expression: "!has(object.metadata.labels) || !('limit' in object.metadata.labels)" },
  ],
  validations: [
    {
      expression: 'params == null || object.data.size() <= int(params.data.max)',
      messageExpression: "'at most ' + params.data.max + ' by ' + params.metadata.name",
    },
  ],
};

/** A server with limits: `one` and `two` in the namespace `default`, `one` in `other`. */
async function world(paramRef: BindingSpec['paramRef']): Promise<PolicyWorld> {
  const made = new PolicyWorld();
  await made.client.resource(Namespace).create({ metadata: { name: 'other' } });
  const limit = (namespace: string, name: string, max: number) =>
    made.client
      .resource(ConfigMap)
      .namespace(namespace)
      .create({ metadata: { name, labels: { limit: name } }, data: { max: String(max) } });
  await limit('default', 'one', 1);
  await limit('default', 'two', 2);
  await limit('other', 'one', 3);
  await made.policy('p', LIMIT, { paramRef });
  return made;
}

const data = (size: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, '']));

describe('the parameters of a binding', () => {
  test('are found by name, in the namespace of the request', async () => {
    await using running = await world({ name: 'one', parameterNotFoundAction: 'Deny' });
    expect((await running.configMap(data(1))).code).toBe(201);
    expect((await running.configMap(data(2))).message).toBe(`${REFUSED}at most 1 by one`);
    const other = '/api/v1/namespaces/other/configmaps?dryRun=All';
    expect((await running.send('POST', other, { metadata: { name: 'made' }, data: data(3) })).code).toBe(201);
    expect((await running.send('POST', other, { metadata: { name: 'made' }, data: data(4) })).message).toBe(
      `${REFUSED}at most 3 by one`,
    );
  });

  test('are found by name in one namespace', async () => {
    await using running = await world({ name: 'one', namespace: 'other', parameterNotFoundAction: 'Deny' });
    expect((await running.configMap(data(4))).message).toBe(`${REFUSED}at most 3 by one`);
  });

  test('are all those that a selector finds', async () => {
    await using running = await world({ selector: {}, parameterNotFoundAction: 'Deny' });
    expect((await running.configMap(data(2))).message).toBe(`${REFUSED}at most 1 by one`);
    await using narrower = await world({
      selector: { matchLabels: { limit: 'two' } },
      parameterNotFoundAction: 'Deny',
    });
    expect((await narrower.configMap(data(2))).code).toBe(201);
    expect((await narrower.configMap(data(3))).message).toBe(`${REFUSED}at most 2 by two`);
  });

  test('are found in slices by a long selector, and not read together', async () => {
    const matchExpressions = Array.from({ length: 2_000 }, (_, index) => ({
      key: `k${index}`,
      operator: 'DoesNotExist',
    }));
    const turns = async (count: number): Promise<number> => {
      await using running = await world({
        selector: { matchExpressions: matchExpressions.slice(0, count) },
        parameterNotFoundAction: 'Deny',
      });
      return turnsDuring(async () => {
        expect((await running.configMap(data(2))).message).toBe(`${REFUSED}at most 1 by one`);
      });
    };
    expect(await turns(2_000)).toBeGreaterThan((await turns(1)) + 20);
  });

  test('follow a change at once', async () => {
    await using running = await world({ name: 'one', parameterNotFoundAction: 'Deny' });
    await running.client
      .resource(ConfigMap)
      .namespace('default')
      .patch('one', { data: { max: '5' } });
    expect((await running.configMap(data(5))).code).toBe(201);
  });

  test('deny when they are missing, or skip the binding', async () => {
    const missing = 'no params found for policy binding with `Deny` parameterNotFoundAction';
    await using denying = await world({ name: 'none', parameterNotFoundAction: 'Deny' });
    expect((await denying.configMap()).message).toBe(`${REFUSED}failed to configure binding: ${missing}`);
    await using selecting = await world({ selector: { matchLabels: { a: 'b' } }, parameterNotFoundAction: 'Deny' });
    expect((await selecting.configMap()).message).toBe(`${REFUSED}failed to configure binding: ${missing}`);
    await using allowing = await world({ name: 'none', parameterNotFoundAction: 'Allow' });
    expect((await allowing.configMap(data(9))).code).toBe(201);
  });

  test('are null when the binding has none', async () => {
    await using running = await world(undefined);
    expect((await running.configMap(data(9))).code).toBe(201);
  });

  test('need a namespace for cluster-scoped requests', async () => {
    await using running = new PolicyWorld();
    const matchConstraints = { resourceRules: [rule('nodes')] };
    const paramRef = { name: 'one', parameterNotFoundAction: 'Allow' };
    await running.policy('p', { ...LIMIT, matchConditions: [], matchConstraints }, { paramRef });
    expect((await running.send('POST', '/api/v1/nodes?dryRun=All', { metadata: { name: 'made' } })).message).toContain(
      'denied request: failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  });

  test('must not name a namespace when their kind has none', async () => {
    await using running = new PolicyWorld();
    const paramRef = { name: 'default', namespace: 'default', parameterNotFoundAction: 'Deny' };
    await running.policy('p', { ...LIMIT, paramKind: { apiVersion: 'v1', kind: 'Namespace' } }, { paramRef });
    expect((await running.configMap()).message).toBe(
      `${REFUSED}failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped \`paramKind\``,
    );
  });

  test('may be custom resources, from the moment their kind is served', async () => {
    await using running = new PolicyWorld();
    const paramKind = { apiVersion: 'rules.example.com/v1', kind: 'Limit' };
    await running.policy(
      'p',
      {
        ...LIMIT,
        paramKind,
        validations: [{ expression: 'object.data.size() <= params.spec.max', message: 'too many' }],
      },
      { paramRef: { name: 'one', parameterNotFoundAction: 'Deny' } },
    );
    const unknown =
      "configmaps \"made\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Limit'";
    expect((await running.configMap()).message).toBe(unknown);

    await running.client.resource(CustomResourceDefinition).create(limitDefinition);
    await running.server.settled();
    const limit = { apiVersion: 'rules.example.com/v1', kind: 'Limit', metadata: { name: 'one' }, spec: { max: 1 } };
    const limits = '/apis/rules.example.com/v1/limits';
    expect((await running.send('POST', limits, limit)).code).toBe(201);
    expect((await running.configMap(data(1))).code).toBe(201);
    expect((await running.configMap(data(2))).message).toBe(`${REFUSED}too many`);
  });
});

const limitDefinition = definition({
  kind: 'Limit',
  group: 'rules.example.com',
  scope: 'Cluster',
  versions: [version('v1', specOf({ max: { type: 'integer' } }))],
});
