import { describe, expect, test } from 'vitest';
import { PluginWorld, type Switches } from './support.js';

type Limited = NonNullable<NonNullable<Switches['resourceQuota']>['limitedResources']>;

const start = (...limitedResources: Limited): Promise<PluginWorld> =>
  PluginWorld.start({ resourceQuota: { limitedResources } });

async function quota(world: PluginWorld, name: string, spec: object): Promise<void> {
  await world.send('POST', '/api/v1/namespaces/default/resourcequotas', { metadata: { name }, spec });
  await world.test.settled();
}

const requesting = (requests: Record<string, string>) => ({
  containers: [{ name: 'c', image: 'i', resources: { requests } }],
});

describe('limited resources', () => {
  test('are refused without a quota that covers them, by parts of their names', async () => {
    await using world = await start({ resource: 'pods', matchContains: ['cpu', 'example.com/gpu'] });
    expect((await world.pod('a')).text).toBe('201');
    expect((await world.pod('b', requesting({ memory: '1Mi' }))).text).toBe('201');
    expect((await world.pod('c', requesting({ cpu: '1' }))).text).toBe(
      '403 pods "c" is forbidden: insufficient quota to consume: cpu,requests.cpu',
    );
    await quota(world, 'q', { hard: { 'requests.cpu': '2' } });
    expect((await world.pod('c', requesting({ cpu: '1' }))).text).toBe(
      '403 pods "c" is forbidden: insufficient quota to consume: cpu',
    );
    await quota(world, 'r', { hard: { cpu: '3' } });
    expect((await world.pod('c', requesting({ cpu: '1' }))).text).toBe('201');
    // The quotas themselves still hold.
    expect((await world.pod('d', requesting({ cpu: '2' }))).text).toContain('exceeded quota: q');
  });

  test('are covered only by quotas that count the object', async () => {
    await using world = await start({ resource: 'pods', matchContains: ['requests.cpu'] });
    await quota(world, 'q', { hard: { 'requests.cpu': '2' }, scopes: ['Terminating'] });
    const spec = requesting({ cpu: '1' });
    expect((await world.pod('a', spec)).text).toContain('insufficient quota to consume: requests.cpu');
    expect((await world.pod('b', { ...spec, activeDeadlineSeconds: 5 })).text).toBe('201');
  });

  test('of other kinds: a claim of a class, and the number of objects', async () => {
    await using world = await start(
      { resource: 'persistentvolumeclaims', matchContains: ['gold.storageclass.storage.k8s.io/requests.storage'] },
      { apiGroup: 'apps', resource: 'deployments', matchContains: ['count/'] },
    );
    const claim = (name: string, storageClassName: string) =>
      world.send('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } },
      });
    expect((await claim('a', 'silver')).text).toBe('201');
    expect((await claim('b', 'gold')).text).toBe(
      '403 persistentvolumeclaims "b" is forbidden: insufficient quota to consume: gold.storageclass.storage.k8s.io/requests.storage',
    );
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const deployed = await world.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template },
    });
    expect(deployed.text).toBe(
      '403 deployments.apps "d" is forbidden: insufficient quota to consume: count/deployments.apps',
    );
    expect((await world.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'm' } })).text).toBe(
      '201',
    );
  });

  test('by scope: a priority class needs a quota of its scope', async () => {
    await using world = await start({
      resource: 'pods',
      matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high', 'higher'] }],
    });
    for (const [name, value] of [
      ['high', 10],
      ['low', 1],
    ] as const)
      await world.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value });
    expect((await world.pod('a', { priorityClassName: 'low' })).text).toBe('201');
    expect((await world.pod('b', { priorityClassName: 'high' })).text).toBe(
      '500 insufficient quota to match these scopes: [{PriorityClass In [high higher]}]',
    );
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
    await quota(world, 'q', { hard: { pods: '1' }, scopeSelector: { matchExpressions } });
    expect((await world.pod('b', { priorityClassName: 'high' })).text).toBe('201');
    expect((await world.pod('c', { priorityClassName: 'high' })).text).toContain('exceeded quota: q');
  });

  test('do not stand in the way of updates that consume nothing more', async () => {
    await using world = await start({ resource: 'services', matchContains: ['services'] });
    const made = await world.send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }] },
    });
    expect(made.text).toBe('403 services "s" is forbidden: insufficient quota to consume: count/services,services');
    await quota(world, 'q', { hard: { services: '5', 'count/services': '5' } });
    const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
    expect((await world.send('POST', '/api/v1/namespaces/default/services', service)).text).toBe('201');
    await world.send('DELETE', '/api/v1/namespaces/default/resourcequotas/q');
    const patched = await world.send(
      'PATCH',
      '/api/v1/namespaces/default/services/s',
      { metadata: { labels: { a: 'b' } } },
      'admin',
      'application/merge-patch+json',
    );
    expect(patched.text).toBe('200');
  });
});
