import { describe, expect, test } from 'vitest';
import type { CloudOptions } from '../../../src/entries/controllers.js';
import { Service } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { eventsOf } from '../support.js';

const start = (cloud: boolean | CloudOptions = true): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', simulate: { nodes: 0, cloud } });
const servicesOf = ({ client }: TestServer) => client.resource(Service).namespace('default');
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

async function create(test: TestServer, name: string, spec: object = {}, labels: Record<string, string> = {}) {
  await servicesOf(test).create({
    metadata: { name, labels },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
  });
  await test.settled();
}
const addresses = async (test: TestServer, name: string) =>
  (await servicesOf(test).get(name)).status?.loadBalancer?.ingress?.map(({ ip, hostname }) => ip ?? hostname) ?? [];

describe('the load balancers of a fake cloud', () => {
  test('give each Service of their type an address, and hold it by a finalizer', async () => {
    await using server = await start();
    await create(server, 'a');
    await create(server, 'b');
    await create(server, 'inner', { type: 'ClusterIP' });
    expect((await servicesOf(server).get('a')).status).toEqual({
      loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] },
    });
    expect(await addresses(server, 'b')).toEqual(['203.0.113.2']);
    expect((await servicesOf(server).get('a')).metadata.finalizers).toEqual([FINALIZER]);
    expect((await servicesOf(server).get('inner')).metadata.finalizers).toBeUndefined();
    await servicesOf(server).delete('a');
    await server.settled();
    await expect(servicesOf(server).get('a')).rejects.toMatchObject({ code: 404 });
    await create(server, 'c');
    expect(await addresses(server, 'c')).toEqual(['203.0.113.1']);
  });

  test('give a requested address, leave a class to the program unless the cloud serves it', async () => {
    await using server = await start({
      addresses: ['10.0.0.5', '10.0.1.0/30'],
      loadBalancerClasses: ['example.com/mine'],
    });
    await create(server, 'wanted', { loadBalancerIP: '10.0.0.9' });
    await create(server, 'mine', { loadBalancerClass: 'example.com/mine' });
    await create(server, 'other', { loadBalancerClass: 'example.com/other' });
    expect(await addresses(server, 'wanted')).toEqual(['10.0.0.9']);
    expect(await addresses(server, 'mine')).toEqual(['10.0.0.5']);
    expect(await addresses(server, 'other')).toEqual([]);
  });

  test('give an address of each family', async () => {
    await using server = await startTestServer({
      dialect: 'kubernetes',
      network: { clusterIPRange: '10.96.0.0/16,fd00::/108' },
      simulate: { nodes: 0, cloud: true },
    });
    await create(server, 'dual', { ipFamilyPolicy: 'RequireDualStack' });
    expect(await addresses(server, 'dual')).toEqual(['203.0.113.1', '2001:db8::1']);
  });

  test('wait for a free address', async () => {
    await using server = await start({ addresses: ['10.0.0.0/30'] });
    for (const name of ['a', 'b', 'c']) await create(server, name);
    expect(await addresses(server, 'c')).toEqual([]);
    expect(await eventsOf(server, 'c')).toEqual([
      'Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: no addresses left',
    ]);
    await servicesOf(server).delete('b');
    await server.settled();
    expect(await addresses(server, 'c')).toEqual(['10.0.0.2']);
  });

  test('are deleted when the Service gets another type', async () => {
    await using server = await start();
    await create(server, 'a');
    await servicesOf(server).patch('a', { spec: { type: 'NodePort' } });
    await server.settled();
    const { metadata, status } = await servicesOf(server).get('a');
    expect([metadata.finalizers, status]).toEqual([undefined, { loadBalancer: {} }]);
    await create(server, 'b');
    expect(await addresses(server, 'b')).toEqual(['203.0.113.1']);
  });
});

describe('rules about load balancers', () => {
  test('delay the address and the deletion', async () => {
    await using server = await start();
    const rule = server.cloud.loadBalancers.matching('slow').become('Ready', { after: '30s', deleteAfter: '5s' });
    await create(server, 'slow');
    await create(server, 'other');
    expect(await addresses(server, 'other')).toHaveLength(1);
    await server.advance(29_999);
    expect(await addresses(server, 'slow')).toEqual([]);
    await server.advance(1);
    expect(await addresses(server, 'slow')).toHaveLength(1);
    await servicesOf(server).delete('slow');
    await server.advance(4_999);
    expect((await servicesOf(server).get('slow')).metadata.deletionTimestamp).toBeDefined();
    await server.advance(1);
    await expect(servicesOf(server).get('slow')).rejects.toMatchObject({ code: 404 });
    expect(rule.hits).toBe(1);
  });

  test('choose host names and addresses by label and namespace', async () => {
    await using server = await start();
    server.cloud.loadBalancers.matching({ labels: 'tier=in' }).become('Ready', { addresses: ['10.1.0.0/24'] });
    server.cloud.loadBalancers.matching({ name: /^dns-/ }).become('Ready', { hostname: 'lb.example.com' });
    await create(server, 'a', {}, { tier: 'in' });
    await create(server, 'dns-a');
    expect(await addresses(server, 'a')).toEqual(['10.1.0.1']);
    expect(await addresses(server, 'dns-a')).toEqual(['lb.example.com']);
  });

  test('fail a number of times, then succeed', async () => {
    await using server = await start();
    server.cloud.loadBalancers.matching({}).become('Failed', { times: 2, message: 'quota exceeded' });
    await create(server, 'a');
    expect(await eventsOf(server, 'a')).toEqual([
      'Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: quota exceeded',
    ]);
    await server.advance(14_999);
    expect(await addresses(server, 'a')).toEqual([]);
    await server.advance(1);
    expect(await addresses(server, 'a')).toEqual(['203.0.113.1']);
  });

  test('keep a Service pending until they are stopped, but not one that has its address', async () => {
    await using server = await start();
    await create(server, 'old');
    const rule = server.cloud.loadBalancers.matching({}).become('Pending');
    await create(server, 'new');
    await server.advance(3_600_000);
    expect(await addresses(server, 'new')).toEqual([]);
    expect(await addresses(server, 'old')).toEqual(['203.0.113.1']);
    rule.stop();
    await server.settled();
    expect(await addresses(server, 'new')).toEqual(['203.0.113.2']);
  });

  test('refuse the deletion: the Service stays', async () => {
    await using server = await start();
    const rule = server.cloud.loadBalancers.matching({}).become('DeletionFailed', { message: 'in use' });
    await create(server, 'a');
    await servicesOf(server).delete('a');
    await server.advance(60_000);
    expect((await servicesOf(server).get('a')).metadata.finalizers).toEqual([FINALIZER]);
    expect(await eventsOf(server, 'a')).toEqual([
      'Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to delete load balancer: in use',
    ]);
    rule.stop();
    await server.settled();
    await expect(servicesOf(server).get('a')).rejects.toMatchObject({ code: 404 });
  });

  test('concern the first Services only', async () => {
    await using server = await start();
    server.cloud.loadBalancers.matching({ first: 1 }).become('Pending');
    await create(server, 'a');
    await create(server, 'b');
    expect([await addresses(server, 'a'), await addresses(server, 'b')]).toEqual([[], ['203.0.113.1']]);
    expect(() => server.cloud.loadBalancers.matching({ first: 0 })).toThrow('first must be');
  });

  test('refuse mistakes', async () => {
    await using server = await start();
    const { loadBalancers } = server.cloud;
    expect(() => loadBalancers.matching({}).become('Redy' as 'Ready')).toThrow('did you mean "Ready"');
    expect(() => loadBalancers.matching({}).become('Ready', { after: 'soon' })).toThrow('after must be milliseconds');
    expect(() => loadBalancers.matching({}).become('Ready', { addresses: ['nowhere'] })).toThrow('addresses must be');
    expect(() => loadBalancers.matching({ storageClass: 'x' } as object)).toThrow('unknown option "storageClass"');
    expect(() => loadBalancers.matching({}).become('Pending', { after: 1 } as never)).toThrow('unknown option "after"');
    await expect(start({ addresses: [] })).rejects.toThrow('cloud.addresses must be a list of addresses');
    await expect(start({ storageClass: { reclaimPolicy: 'Recycle' as 'Delete' } })).rejects.toThrow('reclaimPolicy');
    await using without = await startTestServer({ simulate: true });
    expect(() => without.cloud.volumes.matching({})).toThrow('simulate: { cloud: true }');
  });
});
