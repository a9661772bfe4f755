import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { truncated } from '../../../src/controllers/endpoints/truncate.js';
import { Event, ResourceQuota } from '../../../src/kinds/builtin/index.js';
import { startWorld, type World } from './world.js';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.test.close());

const A = { ips: ['10.1.0.1'] };
const B = { ips: ['10.1.0.2'] };

test('endpoints have the ready and the other addresses of the selected pods', async () => {
  await world.service('web', {}, { tier: 'front' });
  await world.pod('a', A);
  await world.pod('b', { ...B, ready: false });
  await world.pod('other', { ips: ['10.1.0.3'], labels: { app: 'db' } });
  await world.pod('pending', { ready: false });
  expect(await world.subsets('web')).toEqual(['10.1.0.1 !10.1.0.2 : 8080']);
  const { metadata, subsets } = await world.endpoints.get('web');
  expect(metadata.labels).toEqual({ tier: 'front' });
  const pod = await world.pods.get('a');
  expect(subsets?.[0]?.addresses).toEqual([
    { ip: '10.1.0.1', targetRef: { kind: 'Pod', namespace: 'default', name: 'a', uid: pod.metadata.uid } },
  ]);
});

describe('endpoints follow', () => {
  beforeEach(async () => {
    await world.service('web');
    await world.pod('a', A);
    await world.pod('b', B);
    expect(await world.subsets('web')).toEqual(['10.1.0.1 10.1.0.2 : 8080']);
  });

  test('the readiness of a pod', async () => {
    await world.report('a', { ...A, ready: false });
    expect(await world.subsets('web')).toEqual(['10.1.0.2 !10.1.0.1 : 8080']);
  });

  test('the end of a pod', async () => {
    await world.report('a', { ...A, ready: false, phase: 'Succeeded' });
    expect(await world.subsets('web')).toEqual(['10.1.0.2 : 8080']);
    await world.pods.delete('b', { gracePeriodSeconds: 0 });
    expect(await world.subsets('web')).toEqual([]);
  });

  test('the labels of a pod', async () => {
    await world.pods.patch('a', { metadata: { labels: { app: 'db' } } }, { type: 'merge' });
    expect(await world.subsets('web')).toEqual(['10.1.0.2 : 8080']);
  });

  test('the selector, the ports and the labels of the service', async () => {
    await world.services.patch('web', { spec: { selector: { app: 'db' } } }, { type: 'merge' });
    expect(await world.subsets('web')).toEqual([]);
    await world.services.patch(
      'web',
      { metadata: { labels: { a: 'b' } }, spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 9090 }] } },
      { type: 'merge' },
    );
    expect(await world.subsets('web')).toEqual(['10.1.0.1 10.1.0.2 : 9090']);
    expect((await world.endpoints.get('web')).metadata.labels).toEqual({ a: 'b' });
  });

  test('the deletion of the service, and of the endpoints', async () => {
    await world.endpoints.delete('web');
    expect(await world.subsets('web')).toEqual(['10.1.0.1 10.1.0.2 : 8080']);
    await world.services.delete('web');
    await world.test.settled();
    await expect(world.endpoints.get('web')).rejects.toSatisfy(
      (error) => error instanceof ApiError && error.code === 404,
    );
  });
});

test('ports by name are those of each pod', async () => {
  const named = (containerPort: number) => ({
    containers: [{ name: 'main', image: 'nginx', ports: [{ name: 'http', containerPort }] }],
  });
  await world.service('web', { ports: [{ name: 'web', port: 80, targetPort: 'http' }] });
  await world.pod('a', { ...A, spec: named(8001) });
  await world.pod('b', { ...B, spec: named(8002) });
  await world.pod('c', { ips: ['10.1.0.3'] });
  expect(await world.subsets('web')).toEqual(['10.1.0.1 : web8001', '10.1.0.2 : web8002']);
});

test('pods that are not ready can be published', async () => {
  await world.service('web', { publishNotReadyAddresses: true });
  await world.pod('a', { ...A, ready: false });
  expect(await world.subsets('web')).toEqual(['10.1.0.1 : 8080']);
});

test('headless services need no ports, and give their pods names', async () => {
  await world.service('web', { clusterIP: 'None', ports: [] });
  await world.pod('a', { ...A, spec: { hostname: 'first', subdomain: 'web', nodeName: 'n1' } });
  expect(await world.subsets('web')).toEqual(['10.1.0.1 : ']);
  const { metadata, subsets } = await world.endpoints.get('web');
  expect(metadata.labels).toEqual({ 'service.kubernetes.io/headless': '' });
  expect(subsets?.[0]?.addresses?.[0]).toMatchObject({ hostname: 'first', nodeName: 'n1' });
});

test('services without a selector keep the endpoints that others write', async () => {
  await world.endpoints.create({ metadata: { name: 'manual' }, subsets: [{ addresses: [{ ip: '10.9.9.9' }] }] });
  // The controller starts with the first service, and sees the endpoints before theirs.
  await world.service('other');
  await world.test.settled();
  await world.services.create({ metadata: { name: 'manual' }, spec: { ports: [{ port: 80 }] } });
  expect(await world.subsets('manual')).toEqual(['10.9.9.9 : ']);
});

test('endpoints of an earlier run that have lost their service are removed', async () => {
  await world.endpoints.create({ metadata: { name: 'lost' }, subsets: [{ addresses: [{ ip: '10.9.9.9' }] }] });
  await world.test.advance(1000);
  await world.test.restart();
  await world.service('other');
  await world.test.settled();
  await expect(world.endpoints.get('lost')).rejects.toMatchObject({ code: 404 });
});

test('endpoints may be written before their service', async () => {
  await world.service('web');
  await world.test.settled();
  await world.endpoints.create({ metadata: { name: 'early' }, subsets: [{ addresses: [{ ip: '10.9.9.9' }] }] });
  expect(await world.subsets('early')).toEqual(['10.9.9.9 : ']);
});

test('the time of the change is noted', async () => {
  await world.service('web');
  await world.test.settled();
  const trigger = async (): Promise<string | undefined> =>
    (await world.endpoints.get('web')).metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'];
  expect(await trigger()).toBe('2024-01-01T00:00:00Z');
  await world.pod('a', { ...A, since: '2024-01-01T00:00:07Z' });
  await world.test.settled();
  expect(await trigger()).toBe('2024-01-01T00:00:07Z');
});

test('a change of one pod looks at its own services only', async () => {
  for (let index = 0; index < 20; index += 1) await world.service(`other-${index}`);
  await world.service('web');
  await world.pod('a', A);
  await world.test.settled();
  const before = (await world.endpoints.list()).metadata.resourceVersion;
  await world.report('a', { ...A, ready: false });
  await world.test.settled();
  const changed = (await world.endpoints.list()).items.filter(
    ({ metadata }) => Number(metadata.resourceVersion) > Number(before),
  );
  expect(changed.map(({ metadata }) => metadata.name)).toEqual(['web']);
});

describe('more than 1,000 addresses', () => {
  const addresses = (count: number, offset = 0) =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.${offset}.${index >> 8}.${index & 255}` }));

  test('lose those that are not ready', () => {
    const [only] = truncated([{ addresses: addresses(900), notReadyAddresses: addresses(200, 1) }]) ?? [];
    expect(only?.addresses).toHaveLength(900);
    expect(only?.notReadyAddresses).toHaveLength(100);
  });

  test('keep the share of each subset', () => {
    const subsets = [{ addresses: addresses(1500), ports: [{ port: 1 }] }, { addresses: addresses(500, 1) }];
    const [one, two] = truncated(subsets) ?? [];
    expect(one?.addresses).toHaveLength(750);
    expect(one?.ports).toEqual([{ port: 1 }]);
    expect(two?.addresses).toHaveLength(250);
  });

  test('are not there in small services', () => {
    expect(truncated([{ addresses: addresses(1000) }])).toBeUndefined();
  });
});

test('endpoints that are refused are reported by an event with their name', async () => {
  const { client } = world.test;
  const quotas = client.resource(ResourceQuota).namespace('default');
  await quotas.create({ metadata: { name: 'none' }, spec: { hard: { 'count/endpoints': '0' } } });
  await world.service('web');
  await expect
    .poll(async () => (await client.resource(Event).namespace('default').list()).items.map(({ message }) => message))
    .toContainEqual(expect.stringMatching(/^Failed to create endpoint for service default\/web: .*exceeded quota/));
});
