import { describe, expect, test } from 'vitest';
import { PluginWorld } from './support.js';

const merge = 'application/merge-patch+json';

describe('storage', () => {
  const claim = (world: PluginWorld, name: string, spec: object = {}) =>
    world.send('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    });
  const storageClass = (world: PluginWorld, name: string, more: object = {}, mark = 'true') =>
    world.send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': mark } },
      ...{ provisioner: 'p', ...more },
    });

  test('claims get the newest default class', async () => {
    await using world = await PluginWorld.start();
    expect((await claim(world, 'none')).body['spec']).not.toHaveProperty('storageClassName');
    await storageClass(world, 'old');
    await world.test.advance(1000);
    await storageClass(world, 'new');
    await storageClass(world, 'other', {}, 'false');
    expect((await claim(world, 'a')).body).toMatchObject({ spec: { storageClassName: 'new' } });
    expect((await claim(world, 'b', { storageClassName: '' })).body).toMatchObject({ spec: { storageClassName: '' } });
    await world.send('DELETE', '/apis/storage.k8s.io/v1/storageclasses/new');
    expect((await claim(world, 'c')).body).toMatchObject({ spec: { storageClassName: 'old' } });
  });

  test('claims and volumes are kept while they are in use', async () => {
    await using world = await PluginWorld.start();
    const made = await claim(world, 'a');
    expect(made.body).toMatchObject({ metadata: { finalizers: ['kubernetes.io/pvc-protection'] } });
    const volume = await world.send('POST', '/api/v1/persistentvolumes', {
      metadata: { name: 'v' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
    });
    expect(volume.body).toMatchObject({ metadata: { finalizers: ['kubernetes.io/pv-protection'] } });
    await world.pod('p', { nodeName: 'n', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'a' } }] });
    const target = '/api/v1/namespaces/default/persistentvolumeclaims/a';
    await world.send('DELETE', target);
    await world.test.settled();
    expect((await world.send('GET', target)).code).toBe(200);
    await world.send('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0');
    await world.test.settled();
    expect((await world.send('GET', target)).code).toBe(404);
  });

  test('claims grow where their class allows it', async () => {
    await using world = await PluginWorld.start();
    await storageClass(world, 'fixed');
    await storageClass(world, 'elastic', { allowVolumeExpansion: true });
    for (const name of ['fixed', 'elastic']) await claim(world, name, { storageClassName: name, volumeName: 'v' });
    const target = (name: string): string => `/api/v1/namespaces/default/persistentvolumeclaims/${name}`;
    const grow = async (name: string) =>
      (
        await world.send(
          'PATCH',
          target(name),
          { spec: { resources: { requests: { storage: '2Gi' } } } },
          'admin',
          merge,
        )
      ).text;
    const end = 'and the storageclass that provisions the pvc must support resize';
    for (const name of ['fixed', 'elastic'])
      await world.send('PATCH', `${target(name)}/status`, { status: { phase: 'Bound' } }, 'admin', merge);
    expect(await grow('fixed')).toBe(
      `403 persistentvolumeclaims "fixed" is forbidden: only dynamically provisioned pvc can be resized ${end}`,
    );
    expect(await grow('elastic')).toBe('200');
  });
});

test('ingresses get the default class', async () => {
  await using world = await PluginWorld.start();
  const base = '/apis/networking.k8s.io/v1';
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
  await world.send('POST', `${base}/ingressclasses`, {
    metadata: { name: 'k', annotations },
    spec: { controller: 'a/b' },
  });
  const ingress = (name: string, more: object) =>
    world.send('POST', `${base}/namespaces/default/ingresses`, {
      metadata: { name, ...more },
      spec: { defaultBackend: { service: { name: 's', port: { number: 1 } } } },
    });
  expect((await ingress('a', {})).body).toMatchObject({ spec: { ingressClassName: 'k' } });
  const former = await ingress('b', { annotations: { 'kubernetes.io/ingress.class': 'x' } });
  expect(former.body['spec']).not.toHaveProperty('ingressClassName');
});

test('new nodes are tainted until they are ready', async () => {
  await using world = await PluginWorld.start({ enable: ['TaintNodesByCondition'] });
  const node = (name: string, spec: object) => world.send('POST', '/api/v1/nodes', { metadata: { name }, spec });
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  expect((await node('a', {})).body).toMatchObject({ spec: { taints: [taint] } });
  expect((await node('b', { taints: [taint] })).body).toMatchObject({ spec: { taints: [taint] } });
});

test('services take no external addresses, except those that they have', async () => {
  await using before = await PluginWorld.start({ enable: ['DenyServiceExternalIPs'] });
  const body = { metadata: { name: 's' }, spec: { ports: [{ port: 1 }], externalIPs: ['1.2.3.4'] } };
  expect((await before.send('POST', '/api/v1/namespaces/default/services', body)).text).toBe(
    '403 services "s" is forbidden: Use of external IPs is denied by admission control',
  );
});

describe('namespaces', () => {
  test('are created with their first object, but not by a dry run', async () => {
    await using world = await PluginWorld.start({ enable: ['NamespaceAutoProvision'] });
    const create = (namespace: string, query = '') =>
      world.send('POST', `/api/v1/namespaces/${namespace}/configmaps${query}`, { metadata: { name: 'a' } });
    expect((await create('dry', '?dryRun=All')).text).toBe('404 namespaces "dry" not found');
    const answers = await Promise.all([create('new'), create('new', '?x')]);
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409]);
    expect((await world.send('GET', '/api/v1/namespaces/new')).code).toBe(200);
  });

  test('must exist for every write', async () => {
    await using world = await PluginWorld.start({ enable: ['NamespaceExists'], disable: ['NamespaceLifecycle'] });
    const created = await world.send('POST', '/api/v1/namespaces/none/configmaps', { metadata: { name: 'a' } });
    expect(created.text).toBe('404 namespaces "none" not found');
  });
});

test('owners are set only by those who may delete the object, and blocked by those who may set finalizers', async () => {
  await using world = await PluginWorld.start({ enable: ['OwnerReferencesPermissionEnforcement'] });
  await world.grant([{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get', 'patch', 'update'] }]);
  const maps = '/api/v1/namespaces/default/configmaps';
  const owner = (await world.send('POST', maps, { metadata: { name: 'owner' } })).body['metadata'] as { uid: string };
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid };
  const own = (name: string, more: object) => ({ metadata: { name, ownerReferences: [{ ...reference, ...more }] } });
  expect((await world.send('POST', maps, own('a', {}), 'alice')).text).toBe('201');
  expect((await world.send('POST', maps, own('b', { blockOwnerDeletion: true }), 'alice')).text).toBe(
    `403 configmaps "b" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`,
  );
  await world.send('POST', maps, { metadata: { name: 'c' } }, 'alice');
  expect((await world.send('PATCH', `${maps}/c`, own('c', {}), 'alice', merge)).text).toBe(
    `403 configmaps "c" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`,
  );
  expect((await world.send('PATCH', `${maps}/a`, { metadata: { labels: { a: 'b' } } }, 'alice', merge)).text).toBe(
    '200',
  );
  expect((await world.send('POST', maps, own('d', { blockOwnerDeletion: true, kind: 'None' }))).text).toBe(
    '403 configmaps "d" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind None: no matches for kind "None" in version "v1"',
  );
  expect((await world.send('POST', maps, own('e', { blockOwnerDeletion: true }))).text).toBe('201');
});

test('events are limited by namespace, user and source, in both of their groups', async () => {
  await using world = await PluginWorld.start({
    enable: ['EventRateLimit'],
    eventRateLimit: { limits: [{ type: 'Namespace', qps: 1, burst: 2 }] },
  });
  let count = 0;
  const event = (namespace: string, query = '') =>
    world.send('POST', `/api/v1/namespaces/${namespace}/events${query}`, {
      metadata: { name: `e${(count += 1)}` },
      involvedObject: { kind: 'Pod', name: 'p', namespace },
    });
  expect((await event('default')).text).toBe('201');
  expect((await event('default', '?dryRun=All')).text).toBe('201');
  expect((await event('default')).text).toBe('201');
  expect((await event('default')).text).toBe('429 Too many requests: limit reached on type Namespace for key default');
  const other = await world.send('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
    metadata: { name: 'n' },
    ...{ eventTime: '2024-01-01T00:00:00.000000Z', reportingController: 'a/b', reportingInstance: 'i' },
    ...{ action: 'a', reason: 'r', type: 'Normal', regarding: { kind: 'Pod', name: 'p', namespace: 'default' } },
  });
  expect(other.code).toBe(429);
  expect((await event('kube-system')).text).toBe('201');
  await world.test.advance(1000);
  expect((await event('default')).text).toBe('201');
});
