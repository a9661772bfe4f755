import { afterEach, beforeEach, expect, test } from 'vitest';
import { Node } from '../../../src/kinds/builtin/index.js';
import { startWorld, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await startWorld({ network: { clusterIPRange: '10.0.0.0/24,fd00::/112' } });
});
afterEach(() => world.test.close());

const A = { ips: ['10.1.0.1', 'fd01::1'] };

test('a service without pods has an empty slice', async () => {
  await world.service('web', {}, { tier: 'front' });
  const [slice, ...others] = await world.slicesOf('web');
  expect(others).toEqual([]);
  const service = await world.services.get('web');
  expect(slice).toMatchObject({
    metadata: {
      generateName: 'web-',
      labels: {
        tier: 'front',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: 'web',
          uid: service.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType: 'IPv4',
  });
  expect(slice?.endpoints ?? []).toEqual([]);
});

test('endpoints have the state of their pod, its node and the zone of that', async () => {
  await world.test.client
    .resource(Node)
    .create({ metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } } });
  await world.service('web');
  await world.pod('a', { ...A, spec: { nodeName: 'n1', hostname: 'first', subdomain: 'web' } });
  await world.pod('b', { ips: ['10.1.0.2'], ready: false });
  const [slice] = await world.slicesOf('web');
  expect(slice?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }]);
  expect(slice?.endpoints).toEqual([
    {
      addresses: ['10.1.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      hostname: 'first',
      targetRef: expect.objectContaining({ kind: 'Pod', namespace: 'default', name: 'a' }),
      nodeName: 'n1',
      zone: 'z1',
    },
    {
      addresses: ['10.1.0.2'],
      conditions: { ready: false, serving: false, terminating: false },
      targetRef: expect.objectContaining({ name: 'b' }),
    },
  ]);
});

test('a terminating pod stays, but is not ready', async () => {
  await world.service('web');
  await world.pod('a', { ...A, spec: { nodeName: 'n1' } });
  await world.pods.delete('a', { gracePeriodSeconds: 30 });
  const [slice] = await world.slicesOf('web');
  expect(slice?.endpoints?.[0]?.conditions).toEqual({ ready: false, serving: true, terminating: true });
});

test('a dual-stack service has slices of both families, until it is single-stack', async () => {
  await world.service('web', { ipFamilyPolicy: 'RequireDualStack' });
  await world.pod('a', A);
  const both = await world.slicesOf('web');
  expect(both.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses])).toEqual([
    ['IPv4', ['10.1.0.1']],
    ['IPv6', ['fd01::1']],
  ]);
  await world.services.patch('web', { spec: { ipFamilyPolicy: 'SingleStack' } }, { type: 'merge' });
  expect((await world.slicesOf('web')).map(({ addressType }) => addressType)).toEqual(['IPv4']);
});

test('a slice holds at most 100 endpoints, and is filled again', async () => {
  for (let index = 0; index < 120; index += 1) await world.pod(`p-${index}`, { ips: [`10.1.1.${index}`] });
  // Pods that the controller sees afterwards would be added in parts, each to the slice that has room for it.
  await world.test.settled();
  await world.service('web');
  const sizes = async (): Promise<number[]> =>
    (await world.slicesOf('web')).map(({ endpoints }) => endpoints?.length ?? 0).sort((a, b) => a - b);
  expect(await sizes()).toEqual([20, 100]);
  const before = await world.slicesOf('web');
  await world.pods.delete('p-0', { gracePeriodSeconds: 0 });
  await world.test.settled();
  const changed = (await world.slicesOf('web')).filter(
    ({ metadata }) => !before.some((one) => one.metadata.resourceVersion === metadata.resourceVersion),
  );
  expect(changed).toHaveLength(1);
});

test('slices of other ports take the place of those that nobody needs', async () => {
  await world.service('web');
  await world.pod('a', A);
  const [before] = await world.slicesOf('web');
  await world.services.patch('web', { spec: { ports: [{ port: 80, targetPort: 9090 }] } }, { type: 'merge' });
  const [after, ...others] = await world.slicesOf('web');
  expect(others).toEqual([]);
  expect(after?.metadata.name).toBe(before?.metadata.name);
  expect(after?.ports).toEqual([{ name: '', port: 9090, protocol: 'TCP' }]);
});

test('a slice that another client changes or removes is restored', async () => {
  await world.service('web');
  await world.pod('a', A);
  const [slice] = await world.slicesOf('web');
  if (slice === undefined) throw new Error('no slice');
  await world.slices.update({ ...slice, endpoints: [] });
  const [restored] = await world.slicesOf('web');
  expect(restored?.endpoints).toEqual(slice.endpoints);
  await world.slices.delete(slice.metadata.name ?? '');
  expect((await world.slicesOf('web')).map(({ endpoints }) => endpoints?.length)).toEqual([1]);
});

test('slices follow the labels of the service, and say that it is headless', async () => {
  await world.service('web', { clusterIP: 'None' });
  await world.services.patch('web', { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
  const [slice] = await world.slicesOf('web');
  expect(slice?.metadata.labels).toMatchObject({ a: 'b', 'service.kubernetes.io/headless': '' });
});

test('slices go with their service', async () => {
  await world.service('web');
  await world.pod('a', A);
  await world.slicesOf('web');
  await world.services.delete('web');
  expect(await world.slicesOf('web')).toEqual([]);
});

test('one change of a pod causes one write of one slice', async () => {
  await world.service('web');
  await world.pod('a', A);
  const [before] = await world.slicesOf('web');
  await world.report('a', { ...A, ready: false });
  const [after] = await world.slicesOf('web');
  expect(after?.metadata.generation).toBe((before?.metadata.generation ?? 0) + 1);
});
