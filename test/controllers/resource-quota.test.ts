import { describe, expect, test } from 'vitest';
import { orch } from '../../src/foundation/index.js';
import {
  ConfigMap,
  Deployment,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
} from '../../src/kinds/builtin/index.js';
import { createDefinitions } from '../../src/testing/definitions.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';

const QUIET = ['deployment', 'replicaset'] as const;
const start = (): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', controllers: { disable: [...QUIET] } });

const kit = ({ client }: TestServer, namespace = 'default') => ({
  quotas: client.resource(ResourceQuota).namespace(namespace),
  pods: client.resource(Pod).namespace(namespace),
  maps: client.resource(ConfigMap).namespace(namespace),
});

const resourcesOf = (cpu: string, limit: string | undefined) => ({
  requests: { cpu },
  ...(limit === undefined ? {} : { limits: { cpu: limit } }),
});

const pod = (name: string, cpu = '1', limit?: string, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'a', resources: resourcesOf(cpu, limit) }], ...spec },
});

async function statusOf(test: TestServer, name = 'q'): Promise<unknown> {
  await test.settled();
  return (await kit(test).quotas.get(name)).status;
}

describe('the status of a quota', () => {
  test('has what pods use, as they come, end and go', async () => {
    await using test = await start();
    const { quotas, pods } = kit(test);
    await pods.create(pod('before'));
    await quotas.create({
      metadata: { name: 'q' },
      spec: { hard: { pods: '5', 'requests.cpu': '10', 'limits.cpu': '4' } },
    });
    const hard = { pods: '5', 'requests.cpu': '10', 'limits.cpu': '4' };
    expect(await statusOf(test)).toEqual({ hard, used: { pods: '1', 'requests.cpu': '1', 'limits.cpu': '0' } });
    await pods.create(pod('after', '500m', '1'));
    expect(await statusOf(test)).toMatchObject({ used: { pods: '2', 'requests.cpu': '1500m', 'limits.cpu': '1' } });
    const ended = await pods.get('before');
    await pods.updateStatus({ ...ended, status: { ...ended.status, phase: 'Succeeded' } });
    expect(await statusOf(test)).toMatchObject({ used: { pods: '1', 'requests.cpu': '500m' } });
    await pods.delete('after', { gracePeriodSeconds: 0 });
    expect(await statusOf(test)).toMatchObject({ used: { pods: '0', 'requests.cpu': '0' } });
  });

  test('follows a change of the hard limits', async () => {
    await using test = await start();
    const { quotas, maps } = kit(test);
    await maps.create({ metadata: { name: 'a' } });
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '5' } } });
    await statusOf(test);
    const quota = await quotas.get('q');
    await quotas.update({ ...quota, spec: { hard: { pods: '7', configmaps: '3' } } });
    expect(await statusOf(test)).toEqual({
      hard: { pods: '7', configmaps: '3' },
      used: { pods: '0', configmaps: '1' },
    });
  });

  test('counts objects of any kind, services and storage, in its namespace alone', async () => {
    await using test = await start();
    const { client } = test;
    await kit(test).quotas.create({
      metadata: { name: 'q' },
      spec: {
        hard: {
          'count/deployments.apps': '9',
          'count/resourcequotas': '9',
          'services.nodeports': '9',
          'requests.storage': '9Gi',
          'gold.storageclass.storage.k8s.io/requests.storage': '9Gi',
        },
      },
    });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'main', image: 'a' }] } };
    const deployment = { metadata: { name: 'd' }, spec: { selector: { matchLabels: { a: 'b' } }, template } };
    await client.resource(Deployment).namespace('default').create(deployment);
    await client.resource(Deployment).namespace('kube-public').create(deployment);
    await client
      .resource(Service)
      .namespace('default')
      .create({
        metadata: { name: 's' },
        spec: {
          type: 'NodePort',
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
      });
    await client
      .resource(PersistentVolumeClaim)
      .namespace('default')
      .create({
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage: '2Gi' } } },
      });
    expect(await statusOf(test)).toMatchObject({
      used: {
        'count/deployments.apps': '1',
        'count/resourcequotas': '1',
        'services.nodeports': '2',
        'requests.storage': '2Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '2Gi',
      },
    });
  });

  test('counts the pods of its scopes alone', async () => {
    await using test = await start();
    const { quotas, pods } = kit(test);
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '5' }, scopes: ['Terminating'] } });
    await pods.create(pod('a'));
    await pods.create(pod('b', '1', undefined, { activeDeadlineSeconds: 60 }));
    expect(await statusOf(test)).toMatchObject({ used: { pods: '1' } });
  });

  test('leaves a resource that nothing measures without usage, until its kind is served', async () => {
    await using test = await start();
    await kit(test).quotas.create({ metadata: { name: 'q' }, spec: { hard: { 'count/widgets.example.com': '5' } } });
    expect(await statusOf(test)).toEqual({ hard: { 'count/widgets.example.com': '5' } });
    const schema = { openAPIV3Schema: { type: 'object' } };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    await createDefinitions(test.server, [definition], () => test.settled());
    const widgets = test.client.resource({ apiVersion: 'example.com/v1', kind: 'Widget' }).namespace('default');
    await widgets.create({ metadata: { name: 'w' } });
    await test.settled();
    expect(await statusOf(test)).toMatchObject({ used: { 'count/widgets.example.com': '1' } });
    await widgets.delete('w');
    expect(await statusOf(test)).toMatchObject({ used: { 'count/widgets.example.com': '0' } });
  });

  test('is repaired by the calculation of every five minutes', async () => {
    await using test = await start();
    const { quotas, pods } = kit(test);
    const created = await pods.create(
      pod('stuck', '1', undefined, { nodeName: 'n1', terminationGracePeriodSeconds: 60 }),
    );
    await quotas.create({ metadata: { name: 'q' }, spec: { hard: { pods: '5' } } });
    expect(created.spec?.nodeName).toBe('n1');
    await pods.delete('stuck');
    expect(await statusOf(test)).toMatchObject({ used: { pods: '1' } });
    await test.advance(5 * 60_000);
    expect(await statusOf(test)).toMatchObject({ used: { pods: '0' } });
  });

  test('works in the dialect of the contract', async () => {
    await using test = await startTestServer({ dialect: 'orch' });
    const { quotas } = kit(test);
    await quotas.create({
      metadata: { name: 'q' },
      spec: { hard: { [`gold.storageclass.storage.${orch.groupSuffix}/persistentvolumeclaims`]: '1' } },
    });
    expect(await statusOf(test)).toMatchObject({
      used: { 'gold.storageclass.storage.orch.io/persistentvolumeclaims': '0' },
    });
  });
});
