/** The same cases for webhooks behind an https server and for functions of the process. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AdmissionRequest, WebhookResponse } from '../../../src/entries/index.js';
import { HookServer, HookWorld, RULE, type HookSpec, type Json, type Kind } from './support.js';

let hooks: HookServer;
beforeAll(async () => (hooks = await HookServer.start()));
afterAll(() => hooks.close());

const ALLOW: WebhookResponse = { allowed: true };
const kinds: readonly Kind[] = ['https', 'function'];

const adds = (path: string, value: unknown): WebhookResponse => ({
  allowed: true,
  patch: [{ op: 'add', path, value: value as never }],
});
const dataOf = (body: Json): unknown => body['data'];

describe.each(kinds)('%s', (kind) => {
  const start = (specs: readonly HookSpec[]): Promise<HookWorld> => HookWorld.start(kind, hooks, specs);
  let asked: AdmissionRequest[] = [];
  beforeEach(() => (asked = []));

  /** A handler that remembers its requests. */
  const remembering =
    (response: WebhookResponse | ((request: AdmissionRequest) => WebhookResponse)) => (request: AdmissionRequest) => {
      asked.push(request);
      return typeof response === 'function' ? response(request) : response;
    };

  test('get the whole request', async () => {
    await using world = await start([{ name: 'a.example.com', handler: remembering(ALLOW) }]);
    const query = '?fieldManager=me&fieldValidation=Strict';
    expect((await world.create('one', { data: { a: 'b' } }, query)).code).toBe(201);
    const [request] = asked;
    expect(request?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect({ ...request, uid: '' }).toEqual({
      uid: '',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'one',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: 'b' } }) as unknown,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', fieldValidation: 'Strict' },
    });
    expect(request?.object?.['metadata']).toMatchObject({ name: 'one', namespace: 'default' });
  });

  test('get the old object on update and delete', async () => {
    const rules = [{ ...RULE, operations: ['UPDATE', 'DELETE'] }];
    await using world = await start([{ name: 'a.example.com', rules, handler: remembering(ALLOW) }]);
    await world.create('one', { data: { a: '1' } });
    await world.send('PUT', '/api/v1/namespaces/default/configmaps/one', {
      metadata: { name: 'one' },
      data: { a: '2' },
    });
    await world.send('DELETE', '/api/v1/namespaces/default/configmaps/one?gracePeriodSeconds=0');
    expect(
      asked.map(({ operation, object, oldObject }) => [operation, object?.['data'] ?? null, oldObject?.['data']]),
    ).toEqual([
      ['UPDATE', { a: '2' }, { a: '1' }],
      ['DELETE', null, { a: '2' }],
    ]);
    expect(asked[1]?.options).toMatchObject({ kind: 'DeleteOptions', gracePeriodSeconds: 0 });
  });

  test('refuse with their own status, or a default one', async () => {
    const answers: WebhookResponse[] = [
      { allowed: false },
      { allowed: false, status: { message: 'no', code: 418, reason: 'Teapot' } },
      { allowed: false, status: { reason: 'Forbidden' } },
      { allowed: false, status: { code: 200, message: 'odd' } },
    ];
    let next = 0;
    await using world = await start([{ name: 'a.example.com', handler: () => answers[next++] ?? ALLOW }]);
    const refused = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      const { code, message, reason } = await world.create(name);
      refused.push([code, message, reason]);
    }
    const denied = 'admission webhook "a.example.com" denied the request';
    expect(refused).toEqual([
      [400, `${denied} without explanation`, undefined],
      [418, `${denied}: no`, 'Teapot'],
      [400, `${denied}: Forbidden`, 'Forbidden'],
      [400, `${denied}: odd`, undefined],
    ]);
  });

  test('add warnings, even when they refuse', async () => {
    const handler = (): WebhookResponse => ({ allowed: false, warnings: ['careful', 'really'] });
    await using world = await start([{ name: 'a.example.com', handler }]);
    expect((await world.create('one')).warnings).toEqual(['299 - "careful"', '299 - "really"']);
  });

  test('patch the object, one after the other', async () => {
    await using world = await start([
      { name: 'a.example.com', phase: 'Mutating', handler: () => adds('/data', { a: '1' }) },
      {
        name: 'b.example.com',
        phase: 'Mutating',
        handler: ({ object }) => adds('/data/b', JSON.stringify(object?.['data'])),
      },
      { name: 'c.example.com', handler: remembering(ALLOW) },
    ]);
    const { code, body } = await world.create('one');
    expect([code, dataOf(body)]).toEqual([201, { a: '1', b: '{"a":"1"}' }]);
    expect(asked[0]?.object?.['data']).toEqual({ a: '1', b: '{"a":"1"}' });
  });

  test('leave what they set to no field manager, until somebody sends it', async () => {
    await using world = await start([
      { name: 'a.example.com', phase: 'Mutating', handler: () => adds('/data/added', 'yes') },
    ]);
    const { body } = await world.create('one', { data: { sent: 'yes' } }, '?fieldManager=me');
    const { managedFields } = body['metadata'] as { managedFields: readonly { fieldsV1: object; manager: string }[] };
    expect(managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ['me', { 'f:data': { '.': {}, 'f:sent': {} } }],
    ]);
  });

  test('restore managed fields that they break', async () => {
    await using world = await start([
      {
        name: 'a.example.com',
        phase: 'Mutating',
        handler: () => ({
          allowed: true,
          patch: [{ op: 'replace', path: '/metadata/managedFields/0/operation', value: 'X' }],
        }),
      },
    ]);
    const { body, warnings } = await world.create('one', { data: { sent: 'yes' } }, '?fieldManager=me');
    expect(body['metadata']).toMatchObject({ managedFields: [{ manager: 'me', operation: 'Update' }] });
    expect(warnings).toEqual([
      '299 - ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`"',
    ]);
  });

  test('are called again when a later one changes the object, if they ask for it', async () => {
    const calls: string[] = [];
    const called =
      (name: string, response: (request: AdmissionRequest) => WebhookResponse) => (request: AdmissionRequest) => {
        calls.push(name);
        return response(request);
      };
    await using world = await start([
      { name: 'a.example.com', phase: 'Mutating', reinvocationPolicy: 'IfNeeded', handler: called('a', () => ALLOW) },
      { name: 'b.example.com', phase: 'Mutating', handler: called('b', () => adds('/data', { b: '1' })) },
      { name: 'c.example.com', phase: 'Mutating', reinvocationPolicy: 'IfNeeded', handler: called('c', () => ALLOW) },
    ]);
    expect(dataOf((await world.create('one')).body)).toEqual({ b: '1' });
    expect(calls).toEqual(['a', 'b', 'c', 'a']);
  });

  test('cannot patch without an object to patch, or to another kind', async () => {
    await using world = await start([
      {
        name: 'a.example.com',
        phase: 'Mutating',
        rules: [{ ...RULE, operations: ['CREATE', 'DELETE'] }],
        handler: ({ operation, name }) =>
          operation === 'DELETE'
            ? adds('/data', {})
            : name === 'kind'
              ? adds('/kind', 'Secret')
              : adds('/nothing/here', 1),
      },
    ]);
    const missing = await world.create('one');
    expect([missing.code, missing.message]).toEqual([
      500,
      'Internal error occurred: add operation does not apply: doc is missing path: "/nothing/here": missing value',
    ]);
    const other = await world.create('kind');
    expect([other.code, other.reason]).toEqual([500, 'InternalError']);
    await world.server
      .client()
      .resource((await import('../../../src/entries/index.js')).Namespace)
      .list();
    expect((await world.send('GET', '/api/v1/namespaces/default/configmaps')).body['items']).toEqual([]);
  });

  test('cannot patch a deletion', async () => {
    await using world = await start([
      {
        name: 'a.example.com',
        phase: 'Mutating',
        rules: [{ ...RULE, operations: ['DELETE'] }],
        handler: () => adds('/data', {}),
      },
    ]);
    await world.create('one');
    const { code, message } = await world.send('DELETE', '/api/v1/namespaces/default/configmaps/one');
    expect([code, message]).toEqual([
      500,
      'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    ]);
    expect((await world.send('GET', '/api/v1/namespaces/default/configmaps/one')).code).toBe(200);
  });

  test('cannot move an object to another namespace or name', async () => {
    await using world = await start([
      {
        name: 'a.example.com',
        phase: 'Mutating',
        handler: ({ name, operation }) =>
          operation === 'UPDATE'
            ? adds('/metadata/name', 'renamed')
            : name === 'one'
              ? adds('/metadata/namespace', 'kube-system')
              : ALLOW,
      },
    ]);
    const moved = await world.create('one');
    expect([moved.code, moved.message]).toEqual([
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    await world.create('two');
    const renamed = await world.send('PUT', '/api/v1/namespaces/default/configmaps/two', { metadata: { name: 'two' } });
    expect(renamed.code).toBeGreaterThanOrEqual(400);
    const { body } = await world.send('GET', '/api/v1/configmaps?fieldSelector=metadata.namespace%3Ddefault');
    expect((body['items'] as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
      'two',
    ]);
  });

  test('that patch an invalid value are refused by validation', async () => {
    await using world = await start([
      { name: 'a.example.com', phase: 'Mutating', handler: () => adds('/metadata/labels', { 'not valid!': 'x' }) },
    ]);
    const { code, reason } = await world.create('one');
    expect([code, reason]).toEqual([422, 'Invalid']);
  });

  test('are called by dry runs when these have no side effects', async () => {
    await using world = await start([
      { name: 'a.example.com', sideEffects: 'NoneOnDryRun', handler: remembering(ALLOW) },
    ]);
    expect((await world.create('one', {}, '?dryRun=All')).code).toBe(201);
    expect(asked.map(({ dryRun }) => dryRun)).toEqual([true]);
  });

  test('match by rules, selectors and conditions', async () => {
    await using world = await start([
      {
        name: 'rule.example.com',
        rules: [{ ...RULE, resources: ['secrets'] }],
        handler: remembering({ allowed: false }),
      },
      {
        name: 'object.example.com',
        objectSelector: { matchLabels: { a: 'b' } },
        handler: remembering({ allowed: false }),
      },
      {
        name: 'namespace.example.com',
        namespaceSelector: { matchLabels: { a: 'b' } },
        handler: remembering({ allowed: false }),
      },
      {
        name: 'condition.example.com',
        matchConditions: [{ name: 'c', expression: "object.metadata.name.startsWith('deny')" }],
        handler: remembering({ allowed: false }),
      },
    ]);
    expect((await world.create('one')).code).toBe(201);
    expect(asked).toEqual([]);
    expect((await world.create('deny-it')).message).toContain('condition.example.com');
    expect(
      (
        await world.send('POST', '/api/v1/namespaces/default/configmaps', {
          metadata: { name: 'two', labels: { a: 'b' } },
        })
      ).message,
    ).toContain('object.example.com');
    await world.send('POST', '/api/v1/namespaces', { metadata: { name: 'chosen', labels: { a: 'b' } } });
    expect(
      (await world.send('POST', '/api/v1/namespaces/chosen/configmaps', { metadata: { name: 'x' } })).message,
    ).toContain('namespace.example.com');
    expect(
      (await world.send('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'x' } })).message,
    ).toContain('rule.example.com');
  });

  test('whose condition fails refuse or pass by the failure policy', async () => {
    const matchConditions = [{ name: 'c', expression: 'object.data.missing == "x"' }];
    await using failing = await start([{ name: 'a.example.com', matchConditions, handler: remembering(ALLOW) }]);
    const { code, message } = await failing.create('one');
    expect([code, message]).toEqual([
      403,
      'configmaps "one" is forbidden: expression \'object.data.missing == "x"\' resulted in error: no such key: data',
    ]);
    await using ignoring = await start([
      { name: 'a.example.com', failurePolicy: 'Ignore', matchConditions, handler: remembering({ allowed: false }) },
    ]);
    expect((await ignoring.create('one')).code).toBe(201);
    expect(asked).toEqual([]);
  });

  test('see the version that their rule matches', async () => {
    const rules = [
      {
        apiGroups: ['autoscaling'],
        apiVersions: ['v1'],
        operations: ['CREATE'],
        resources: ['horizontalpodautoscalers'],
      },
    ];
    const target = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const scaled = (name: string) => ({
      metadata: { name },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
    });
    await using world = await start([
      {
        name: 'a.example.com',
        phase: 'Mutating',
        rules,
        handler: remembering(() => ({
          allowed: true,
          patch: [{ op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 42 }],
        })),
      },
      { name: 'b.example.com', rules, matchPolicy: 'Exact', handler: () => ({ allowed: false }) },
    ]);
    const { code, body } = await world.send('POST', target, scaled('one'));
    expect(code).toBe(201);
    expect(asked[0]).toMatchObject({
      kind: { version: 'v1' },
      requestKind: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1' },
    });
    expect(body['apiVersion']).toBe('autoscaling/v2');
    expect(body['spec']).toMatchObject({
      metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 42 } } }],
    });
  });

  test('may change the scale of an object', async () => {
    const rules = [
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] },
    ];
    await using world = await start([
      {
        name: 'a.example.com',
        phase: 'Mutating',
        rules,
        handler: remembering(() => ({ allowed: true, patch: [{ op: 'replace', path: '/spec/replicas', value: 2 }] })),
      },
    ]);
    const labels = { app: 'a' };
    await world.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    });
    const scale = { metadata: { name: 'd', namespace: 'default' }, spec: { replicas: 7 } };
    const { code, body } = await world.send('PUT', '/apis/apps/v1/namespaces/default/deployments/d/scale', scale);
    expect([code, body['kind'], body['spec']]).toEqual([200, 'Scale', { replicas: 2 }]);
    expect(asked[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      subResource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 7 } },
    });
  });
});
