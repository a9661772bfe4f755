import { afterEach, beforeEach, expect, test } from 'vitest';
import { startWorld, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.test.close());

const SUBSETS = [
  {
    addresses: [{ ip: '10.9.0.1', hostname: 'one' }, { ip: 'fd09::1' }],
    notReadyAddresses: [{ ip: '10.9.0.2' }],
    ports: [{ name: 'http', port: 80 }],
  },
];

const external = async (metadata: { labels?: Record<string, string>; annotations?: Record<string, string> } = {}) => {
  await world.services.create({ metadata: { name: 'db' }, spec: { ports: [{ name: 'http', port: 80 }] } });
  await world.endpoints.create({ metadata: { name: 'db', ...metadata }, subsets: SUBSETS });
};

test('endpoints of a service without a selector are copied to slices', async () => {
  await external({ labels: { a: 'b' }, annotations: { note: 'x' } });
  const slices = await world.slicesOf('db');
  expect(slices.map(({ addressType, endpoints, ports }) => ({ addressType, endpoints, ports }))).toEqual([
    {
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.9.0.1'], conditions: { ready: true }, hostname: 'one' },
        { addresses: ['10.9.0.2'], conditions: { ready: false } },
      ],
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
    {
      addressType: 'IPv6',
      endpoints: [{ addresses: ['fd09::1'], conditions: { ready: true } }],
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  ]);
  expect(slices[0]?.metadata).toMatchObject({
    labels: { a: 'b', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
    annotations: { note: 'x' },
    ownerReferences: [{ kind: 'Endpoints', name: 'db', controller: true }],
  });
});

test('slices follow the endpoints, and end when the service gets a selector', async () => {
  await external();
  expect(await world.slicesOf('db')).toHaveLength(2);
  await world.endpoints.patch('db', { subsets: [{ addresses: [{ ip: '10.9.0.3' }] }] }, { type: 'merge' });
  expect((await world.slicesOf('db')).map(({ endpoints }) => endpoints?.[0]?.addresses)).toEqual([['10.9.0.3']]);
  await world.services.patch('db', { spec: { selector: { app: 'db' } } }, { type: 'merge' });
  const managers = (await world.slicesOf('db')).map(
    ({ metadata }) => metadata.labels?.['endpointslice.kubernetes.io/managed-by'],
  );
  expect(managers).toEqual(['endpointslice-controller.k8s.io']);
});

test('endpoints that ask for it, and those of leader elections, are not copied', async () => {
  await external({ labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } });
  expect(await world.slicesOf('db')).toEqual([]);
  await world.endpoints.patch(
    'db',
    {
      metadata: {
        labels: { 'endpointslice.kubernetes.io/skip-mirror': null },
        annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' },
      },
    },
    { type: 'merge' },
  );
  expect(await world.slicesOf('db')).toEqual([]);
});

test('endpoints without a service are not copied', async () => {
  await world.endpoints.create({ metadata: { name: 'db' }, subsets: SUBSETS });
  expect(await world.slicesOf('db')).toEqual([]);
});
