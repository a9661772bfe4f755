import { describe, expect, test } from 'vitest';
import { ResourceQuota } from '../../../src/entries/kinds.js';
import { PluginWorld } from './support.js';

async function quota(world: PluginWorld, name: string, spec: object, namespace = 'default'): Promise<void> {
  await world.send('POST', `/api/v1/namespaces/${namespace}/resourcequotas`, { metadata: { name }, spec });
  await world.test.settled();
}

const usedOf = async (world: PluginWorld, name: string, namespace = 'default') =>
  (await world.client.resource(ResourceQuota).namespace(namespace).get(name)).status?.used;

const configMap = (world: PluginWorld, metadata: object, query = '', namespace = 'default') =>
  world.send('POST', `/api/v1/namespaces/${namespace}/configmaps${query}`, { metadata });

const resources = (cpu: string) => [{ name: 'c', image: 'i', resources: { requests: { cpu } } }];

describe('quotas', () => {
  test('refuse what exceeds them, with the amounts', async () => {
    await using world = await PluginWorld.start();
    await quota(world, 'q', { hard: { pods: '2', 'requests.cpu': '1' } });
    expect((await world.pod('a', { containers: resources('600m') })).text).toBe('201');
    expect((await world.pod('b', { containers: resources('500m') })).text).toBe(
      '403 pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
    expect((await world.pod('c', { containers: resources('400m') })).text).toBe('201');
    expect((await world.pod('d', { containers: resources('1m') })).text).toBe(
      '403 pods "d" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=1m, used: pods=2,requests.cpu=1, limited: pods=2,requests.cpu=1',
    );
    expect((await world.pod('e')).text).toBe(
      '403 pods "e" is forbidden: failed quota: q: must specify requests.cpu for: c',
    );
    expect(await usedOf(world, 'q')).toEqual({ pods: '2', 'requests.cpu': '1' });
    await world.send('DELETE', '/api/v1/namespaces/default/pods/a?gracePeriodSeconds=0');
    await world.test.settled();
    expect(await usedOf(world, 'q')).toEqual({ pods: '1', 'requests.cpu': '400m' });
    expect((await world.pod('f', { containers: resources('500m') })).text).toBe('201');
  });

  test('are never overrun by parallel creates of several users, while others are deleted', async () => {
    await using world = await PluginWorld.start();
    await world.grant([{ apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['*'] }]);
    await quota(world, 'q', { hard: { 'count/configmaps': '7', pods: '5' } });
    // The controller counts the root certificate of the namespace, if there is one.
    const start = Number((await usedOf(world, 'q'))?.['count/configmaps']);
    const create = async (index: number): Promise<number> => {
      const token = index % 2 === 0 ? 'admin' : 'alice';
      const answer = await world.send(
        'POST',
        '/api/v1/namespaces/default/configmaps',
        { metadata: { name: `m${index}` } },
        token,
      );
      if (answer.code !== 201) expect(answer.text).toContain('exceeded quota: q, requested: count/configmaps=1');
      return answer.code;
    };
    let most = 0;
    const count = async (): Promise<number> => {
      const list = await world.send('GET', '/api/v1/namespaces/default/configmaps');
      const { items } = list.body as { readonly items?: readonly object[] };
      return items?.length ?? 0;
    };
    for (let round = 0; round < 6; round += 1) {
      const codes = await Promise.all([
        ...Array.from({ length: 20 }, (_, index) => create(round * 20 + index)),
        ...(round === 0
          ? []
          : [
              world
                .send('DELETE', '/api/v1/namespaces/default/configmaps?labelSelector=!keep')
                .then(({ code }) => code),
            ]),
      ]);
      expect(codes.some((code) => code === 201 || code === 200)).toBe(true);
      most = Math.max(most, await count());
      await world.test.settled();
      most = Math.max(most, await count());
    }
    expect(most).toBeLessThanOrEqual(7);
    expect(most).toBeGreaterThan(start);
    await world.test.settled();
    expect(await usedOf(world, 'q')).toEqual({ 'count/configmaps': String(await count()), pods: '0' });
  });

  test('give back what a create has taken that fails afterwards', async () => {
    await using world = await PluginWorld.start();
    await configMap(world, { name: 'taken' });
    await quota(world, 'q', { hard: { 'count/configmaps': '5' } });
    const before = await usedOf(world, 'q');
    for (let index = 0; index < 8; index += 1)
      expect((await configMap(world, { name: 'taken' })).text).toBe('409 configmaps "taken" already exists');
    expect(await usedOf(world, 'q')).toEqual(before);
    await world.test.settled();
    expect(await usedOf(world, 'q')).toEqual(before);
  });

  test('take nothing for a dry run, which they refuse like any other create', async () => {
    await using world = await PluginWorld.start();
    await quota(world, 'q', { hard: { pods: '1' } });
    expect((await world.pod('a', {}, 'default', '?dryRun=All')).text).toBe('201');
    expect(await usedOf(world, 'q')).toEqual({ pods: '0' });
    expect((await world.pod('a')).text).toBe('201');
    expect((await world.pod('b', {}, 'default', '?dryRun=All')).text).toContain('exceeded quota: q');
  });

  test('count creates by apply, and not updates and subresources', async () => {
    await using world = await PluginWorld.start();
    await quota(world, 'q', { hard: { 'count/secrets': '1' } });
    const apply = (name: string, data: object) =>
      world.send(
        'PATCH',
        `/api/v1/namespaces/default/secrets/${name}?fieldManager=me`,
        { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: data },
        'admin',
        'application/apply-patch+yaml',
      );
    expect((await apply('a', { x: '1' })).text).toBe('201');
    expect((await apply('a', { x: '2' })).text).toBe('200');
    expect((await apply('b', {})).text).toBe(
      '403 secrets "b" is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=1, limited: count/secrets=1',
    );
    expect(await usedOf(world, 'q')).toEqual({ 'count/secrets': '1' });
  });

  test('with scopes count only their pods; with several quotas, all or none is taken', async () => {
    await using world = await PluginWorld.start();
    await quota(world, 'best-effort', { hard: { pods: '1' }, scopes: ['BestEffort'] });
    await quota(world, 'high', {
      hard: { pods: '1' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    });
    await quota(world, 'all', { hard: { pods: '3' } });
    await world.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 10 });
    expect((await world.pod('a')).text).toBe('201');
    expect((await world.pod('b')).text).toContain('exceeded quota: best-effort');
    expect(await usedOf(world, 'all')).toEqual({ pods: '1' });
    const containers = resources('1m');
    expect((await world.pod('c', { containers, priorityClassName: 'high' })).text).toBe('201');
    expect((await world.pod('d', { containers, priorityClassName: 'high' })).text).toContain('exceeded quota: high');
    expect((await world.pod('e', { containers })).text).toBe('201');
    expect((await world.pod('f', { containers })).text).toContain('exceeded quota: all');
    expect(await usedOf(world, 'high')).toEqual({ pods: '1' });
  });

  test('refuse an object while their usage is unknown', async () => {
    await using world = await PluginWorld.start({}, { controllers: { disable: ['resourcequota'] } });
    await quota(world, 'q', { hard: { pods: '1' } });
    // Without a controller, the quota is not in force.
    expect((await world.pod('a')).text).toBe('201');
    await world.send('PUT', '/api/v1/namespaces/default/resourcequotas/q/status', {
      ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard: { pods: '1' } } },
      status: { hard: { pods: '1' } },
    });
    expect((await world.pod('b')).text).toBe('403 pods "b" is forbidden: status unknown for quota: q, resources: pods');
  });

  test('charge the growth of services', async () => {
    await using world = await PluginWorld.start();
    await quota(world, 'q', { hard: { 'services.nodeports': '1' } });
    const service = (ports: number[]) => ({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' } },
      spec: { type: 'NodePort', ports: ports.map((port) => ({ name: `p${port}`, port })) },
    });
    expect((await world.send('POST', '/api/v1/namespaces/default/services', service([80]))).text).toBe('201');
    expect((await world.send('PUT', '/api/v1/namespaces/default/services/s', service([80, 81]))).text).toBe(
      '403 services "s" is forbidden: exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    );
    await world.test.settled();
    expect(await usedOf(world, 'q')).toEqual({ 'services.nodeports': '1' });
  });
});
