import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { controllersOfTests } from '../../../src/apiserver/controllers/controller-table.js';
import type { JsonObject } from '../../../src/foundation/json/json.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { ask, jsonOf, type Asked } from '../../server/ask.js';
import { labels, template } from './workloads.js';

let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({
    dialect: 'kubernetes',
    controllers: {
      // Nothing but the requests changes objects.
      disable: [...controllersOfTests],
    },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
});
afterAll(() => running.close());

interface Answer {
  readonly status: number;
  readonly object: Thing;
  readonly warnings: readonly string[];
}

/** The fields of answers that these tests read. */
interface Thing extends JsonObject {
  readonly metadata: JsonObject & {
    readonly resourceVersion: string;
    readonly managedFields?: readonly JsonObject[];
  };
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly message: string;
}

async function send(method: string, path: string, body?: object, headers: Asked['headers'] = {}): Promise<Answer> {
  const answer = await ask(running.server, method, path, {
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, object: jsonOf(answer) as Thing, warnings: [answer.headers['warning'] ?? []].flat() };
}

const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const apps = '/apis/apps/v1/namespaces/default';
const batch = '/apis/batch/v1/namespaces/default';

const deployment = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { selector: { matchLabels: labels }, template: template(), ...more },
});

describe('a Deployment', () => {
  test('counts only what it desires anew', async () => {
    const created = await send('POST', `${apps}/deployments`, deployment('web'));
    expect([created.status, created.object.metadata['generation'], created.object.status]).toEqual([201, 1, {}]);

    const same = await send('PUT', `${apps}/deployments/web`, created.object);
    expect(same.object.metadata).toMatchObject({
      generation: 1,
      resourceVersion: created.object.metadata.resourceVersion,
    });

    const sparse = await send('PUT', `${apps}/deployments/web`, deployment('web'));
    expect(sparse.object.metadata['generation']).toBe(1);

    const scaled = await send('PATCH', `${apps}/deployments/web`, { spec: { replicas: 3 } }, merge);
    expect([scaled.object.metadata['generation'], scaled.object.spec['replicas']]).toEqual([2, 3]);

    const withStatus = await send('PATCH', `${apps}/deployments/web`, { status: { replicas: 9 } }, merge);
    expect([withStatus.object.metadata['generation'], withStatus.object.status]).toEqual([2, {}]);

    const status = { spec: { replicas: 7 }, status: { observedGeneration: 2, replicas: 3 } };
    const observed = await send('PATCH', `${apps}/deployments/web/status`, status, merge);
    expect(observed.object).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 3 },
      status: { observedGeneration: 2, replicas: 3 },
    });
  });

  test('is refused with every error', async () => {
    const answer = await send('POST', `${apps}/deployments`, deployment('bad', { replicas: -1, template: {} }));
    expect([answer.status, answer.object.message]).toEqual([
      422,
      'Deployment.apps "bad" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`, spec.template.spec.containers: Required value]',
    ]);
  });

  test('is shown as a table', async () => {
    await send('POST', `${apps}/deployments`, deployment('table'));
    const { object } = await send('GET', `${apps}/deployments/table`, undefined, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    });
    expect(object['columnDefinitions']).toMatchObject([
      { name: 'Name', format: 'name' },
      { name: 'Ready', type: 'string' },
      { name: 'Up-to-date' },
      { name: 'Available' },
      { name: 'Age' },
      { name: 'Containers', priority: 1 },
      { name: 'Images', priority: 1 },
      { name: 'Selector', priority: 1 },
    ]);
    expect(object['rows']).toMatchObject([{ cells: ['table', '0/1', 0, 0, '0s', 'web', 'nginx:1', 'app=web'] }]);
  });

  test('warns on creation and on changes of the spec, not on changes of the status', async () => {
    const created = await send('POST', `${apps}/deployments`, deployment('web.v1'));
    expect(created.warnings).toEqual([expect.stringContaining('a DNS label is recommended')]);
    expect((await send('PATCH', `${apps}/deployments/web.v1`, { spec: { replicas: 2 } }, merge)).warnings).toEqual([]);
  });
});

describe('the scale of a Deployment', () => {
  const path = `${apps}/deployments/scaled/scale`;

  test('is read, written, patched and applied', async () => {
    const { object: parent } = await send('POST', `${apps}/deployments`, deployment('scaled', { replicas: 2 }));
    const { object: scale } = await send('GET', path);
    const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
    expect(scale).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    });

    const written = await send('PUT', path, { ...scale, spec: { replicas: 4 } });
    expect([written.status, written.object.spec]).toEqual([200, { replicas: 4 }]);
    const stale = await send('PUT', path, { ...scale, spec: { replicas: 5 } });
    expect([stale.status, stale.object['reason']]).toEqual([409, 'Conflict']);

    expect((await send('PATCH', path, { spec: { replicas: 6 } }, merge)).object.spec).toEqual({ replicas: 6 });

    const intent = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'scaled' } };
    const applied = await send(
      'PATCH',
      `${path}?fieldManager=hpa&force=true`,
      { ...intent, spec: { replicas: 7 } },
      apply,
    );
    expect([applied.status, applied.object.spec]).toEqual([200, { replicas: 7 }]);
    const without = await send('PATCH', `${path}?fieldManager=other`, intent, apply);
    expect([without.status, without.object.spec]).toEqual([200, { replicas: 7 }]);

    const { object: after } = await send('GET', `${apps}/deployments/scaled`);
    expect([after.metadata['generation'], after.spec['replicas']]).toEqual([4, 7]);
    expect(after.metadata.managedFields?.filter(({ subresource }) => subresource === 'scale')).toMatchObject([
      { manager: 'hpa', operation: 'Apply', apiVersion: 'apps/v1', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
  });

  test('is zero when a write names no replicas', async () => {
    await send('POST', `${apps}/deployments`, deployment('zero', { replicas: 2 }));
    const answer = await send('PUT', `${apps}/deployments/zero/scale`, { metadata: { name: 'zero' }, spec: {} });
    expect(answer.object.spec).toEqual({});
    expect((await send('GET', `${apps}/deployments/zero`)).object.spec['replicas']).toBe(0);
  });

  test('is refused with another uid, with negative replicas, and of no object', async () => {
    await send('POST', `${apps}/deployments`, deployment('strict'));
    const scaleOf = `${apps}/deployments/strict/scale`;
    const other = await send('PUT', scaleOf, { metadata: { name: 'strict', uid: 'other' }, spec: { replicas: 1 } });
    expect([other.status, other.object.message]).toEqual([
      409,
      expect.stringContaining('Precondition failed: UID in precondition: other, UID in object meta:'),
    ]);
    const negative = await send('PATCH', scaleOf, { spec: { replicas: -1 } }, merge);
    expect([negative.status, negative.object.message]).toEqual([
      422,
      'Scale.autoscaling "strict" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    ]);
    const intent = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'none' }, spec: { replicas: 1 } };
    const missing = await send('PATCH', `${apps}/deployments/none/scale?fieldManager=a`, intent, apply);
    expect(missing.status).toBe(404);
  });
});

test.each([
  ['replicasets', `${apps}/replicasets`, 'ReplicaSet', { selector: { matchLabels: labels } }],
  ['statefulsets', `${apps}/statefulsets`, 'StatefulSet', { selector: { matchLabels: labels } }],
  ['replicationcontrollers', '/api/v1/namespaces/default/replicationcontrollers', 'ReplicationController', {}],
])('%s have a scale, whose changes are counted', async (_plural, path, kind, spec) => {
  await send('POST', path, { kind, metadata: { name: 'many' }, spec: { ...spec, template: template() } });
  const scaled = await send('PATCH', `${path}/many/scale`, { spec: { replicas: 3 } }, merge);
  expect(scaled.object).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 0, selector: 'app=web' } });
  expect((await send('GET', `${path}/many`)).object).toMatchObject({
    metadata: { generation: 2 },
    spec: { replicas: 3 },
  });
});

describe('server-side apply', () => {
  test('of the status owns neither spec nor labels', async () => {
    await send('POST', `${apps}/deployments`, deployment('applied'));
    const intent = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'applied', labels: { a: 'b' }, annotations: { c: 'd' } },
      status: { replicas: 1 },
    };
    const path = `${apps}/deployments/applied/status?fieldManager=kubelet`;
    const { object } = await send('PATCH', path, intent, apply);
    expect(object.metadata).toMatchObject({ annotations: { c: 'd' } });
    expect(object.metadata['labels']).toBeUndefined();
    expect(object.metadata.managedFields?.find(({ manager }) => manager === 'kubelet')?.['fieldsV1']).toEqual({
      'f:metadata': { 'f:annotations': { 'f:c': {} } },
      'f:status': { 'f:replicas': {} },
    });
  });
});

describe('a Job', () => {
  const job = (name: string): JsonObject => ({
    kind: 'Job',
    metadata: { name },
    spec: { template: template({ restartPolicy: 'Never' }) },
  });

  test('gets a selector with its uid', async () => {
    const { object } = await send('POST', `${batch}/jobs`, job('once'));
    expect(object.spec).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': object.metadata['uid'] } },
      template: {
        metadata: { labels: { 'job-name': 'once', 'controller-uid': object.metadata['uid'], app: 'web' } },
      },
    });
    const again = await send('PUT', `${batch}/jobs/once`, object);
    expect([again.status, again.object.metadata['generation']]).toEqual([200, 1]);
  });

  test('leaves its pods behind unless the client decides', async () => {
    const orphan = { kind: 'ConfigMap', metadata: { name: 'left' } };
    for (const [name, query, left] of [
      ['keeps', '', 200],
      ['takes', '?propagationPolicy=Background', 404],
    ] as const) {
      const { object } = await send('POST', `${batch}/jobs`, job(name));
      const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid: object.metadata['uid'] };
      const configMaps = '/api/v1/namespaces/default/configmaps';
      await send('POST', configMaps, { ...orphan, metadata: { name, ownerReferences: [owner] } });
      await send('DELETE', `${batch}/jobs/${name}${query}`);
      await running.settled();
      expect((await send('GET', `${batch}/jobs/${name}`)).status).toBe(404);
      expect((await send('GET', `${configMaps}/${name}`)).status).toBe(left);
    }
  });

  test('disappears when nothing depends on it', async () => {
    await send('POST', `${batch}/jobs`, job('alone'));
    await send('DELETE', `${batch}/jobs/alone`);
    await running.settled();
    expect((await send('GET', `${batch}/jobs/alone`)).status).toBe(404);
  });
});

describe('an autoscaler', () => {
  const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

  test('is one object in both versions', async () => {
    const spec = { scaleTargetRef, maxReplicas: 3, behavior: { scaleUp: { selectPolicy: 'Disabled' } } };
    await send('POST', path('v2'), { metadata: { name: 'both' }, spec });
    const { object: v1 } = await send('GET', `${path('v1')}/both`);
    expect(v1).toMatchObject({
      apiVersion: 'autoscaling/v1',
      metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/behavior': expect.stringContaining('Disabled') } },
      spec: { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
    });
    const changed = await send('PUT', `${path('v1')}/both`, {
      ...v1,
      spec: { ...v1.spec, targetCPUUtilizationPercentage: 50 },
    });
    expect(changed.status).toBe(200);
    const { object: v2 } = await send('GET', `${path('v2')}/both`);
    expect(v2.metadata['annotations']).toBeUndefined();
    expect(v2.spec).toMatchObject({
      metrics: [{ type: 'Resource', resource: { target: { averageUtilization: 50 } } }],
      behavior: { scaleUp: { selectPolicy: 'Disabled' } },
    });
  });

  test('of version v1 keeps its conditions through writes of the spec', async () => {
    await send('POST', path('v1'), { metadata: { name: 'old' }, spec: { scaleTargetRef, maxReplicas: 2 } });
    const conditions = [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' }];
    await send('PATCH', `${path('v2')}/old/status`, { status: { conditions, desiredReplicas: 1 } }, merge);
    const { object } = await send('PATCH', `${path('v1')}/old`, { spec: { maxReplicas: 4 } }, merge);
    expect(object.metadata['annotations']).toEqual({
      'autoscaling.alpha.kubernetes.io/conditions': JSON.stringify(conditions),
    });
    expect((await send('GET', `${path('v2')}/old`)).object).toMatchObject({
      spec: { maxReplicas: 4 },
      status: { conditions, desiredReplicas: 1 },
    });
  });
});

test('a disruption budget is replaced only by its resourceVersion', async () => {
  const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const budget = { metadata: { name: 'web' }, spec: { minAvailable: 1, selector: { matchLabels: labels } } };
  const { object } = await send('POST', path, budget);
  const blind = await send('PUT', `${path}/web`, budget);
  expect([blind.status, blind.object.message]).toEqual([
    422,
    'poddisruptionbudgets.policy "web" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
  ]);
  const sighted = await send('PUT', `${path}/web`, { ...object, spec: { maxUnavailable: 1 } });
  expect([sighted.status, sighted.object.metadata['generation']]).toEqual([200, 2]);
});

test('the claims of a StatefulSet may name their type', async () => {
  const claim = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'data' }, spec: {} };
  const spec = { selector: { matchLabels: labels }, serviceName: 'db', template: template() };
  const body = { metadata: { name: 'db' }, spec: { ...spec, volumeClaimTemplates: [claim] } };
  const { status, object, warnings } = await send('POST', `${apps}/statefulsets?fieldValidation=Strict`, body);
  expect([status, warnings]).toEqual([201, []]);
  expect(object.spec['volumeClaimTemplates']).toMatchObject([
    { kind: 'PersistentVolumeClaim', apiVersion: 'v1', status: { phase: 'Pending' } },
  ]);
});
