import { describe, expect, test } from 'vitest';
import { Lease, Node } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createPod, podsOf, problemOf, shown, stateOf } from './support.js';

const start = (nodes = 1): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', simulate: { nodes } });
const nodesOf = ({ client }: TestServer) => client.resource(Node);

/** Status of the condition Ready and the taints of a node. */
async function nodeState(test: TestServer, name = 'node-1'): Promise<string> {
  const { spec, status } = await nodesOf(test).get(name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const taints = (spec?.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
  return [`ready=${ready}`, ...(spec?.unschedulable === true ? ['cordoned'] : []), ...taints].join(' ');
}

describe('a simulated node', () => {
  test('reports what an agent reports', async () => {
    await using server = await startTestServer({
      dialect: 'kubernetes',
      simulate: {
        nodes: [{ name: 'big', labels: { pool: 'x' }, zone: 'z1', capacity: { cpu: '96', pods: '500' } }, {}],
      },
    });
    const node = await nodesOf(server).get('big');
    expect(node.metadata.labels).toEqual({
      'kubernetes.io/hostname': 'big',
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'topology.kubernetes.io/zone': 'z1',
      pool: 'x',
    });
    expect(node.spec).toEqual({ podCIDR: '10.244.0.0/23', podCIDRs: ['10.244.0.0/23'] });
    expect(node.status?.capacity).toEqual({ cpu: '96', memory: '64Gi', 'ephemeral-storage': '256Gi', pods: '500' });
    expect(node.status?.allocatable).toEqual(node.status?.capacity);
    expect(node.status?.addresses).toEqual([
      { type: 'InternalIP', address: '172.18.0.2' },
      { type: 'Hostname', address: 'big' },
    ]);
    expect(node.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'MemoryPressure=False',
      'DiskPressure=False',
      'PIDPressure=False',
      'Ready=True',
    ]);
    expect((await nodesOf(server).get('node-2')).spec?.podCIDR).toBe('10.244.2.0/24');
  });

  test('is adopted when the program creates it', async () => {
    await using server = await start(0);
    await nodesOf(server).create({ metadata: { name: 'mine' }, spec: {}, status: { capacity: { cpu: '1' } } });
    await server.settled();
    expect(await nodeState(server, 'mine')).toBe('ready=True');
    expect((await nodesOf(server).get('mine')).status?.allocatable).toMatchObject({ cpu: '1', pods: '110' });
  });

  test('is left alone when an agent of its own reports on it', async () => {
    await using server = await start(0);
    const nodeInfo = {
      ...{ machineID: 'm', systemUUID: 's', bootID: 'b', kernelVersion: '6', osImage: 'os', architecture: 'arm64' },
      ...{
        containerRuntimeVersion: 'x://1',
        kubeletVersion: 'v1.31.0',
        kubeProxyVersion: '',
        operatingSystem: 'linux',
      },
    };
    const capacity = { cpu: '1', pods: '10' };
    await nodesOf(server).create({ metadata: { name: 'real' }, spec: {}, status: { nodeInfo, capacity } });
    const pod = await createPod(server, 'web');
    expect(pod.spec?.nodeName).toBe('real');
    expect(pod.status?.phase).toBe('Pending');
    expect((await nodesOf(server).get('real')).status?.conditions).toBeUndefined();
  });

  test('renews its lease if it is to', async () => {
    await using server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 1, heartbeats: true } });
    const leases = server.client.resource(Lease).namespace('kube-node-lease');
    const renewed = async () => (await leases.get('node-1')).spec?.renewTime;
    expect(await renewed()).toBe('2024-01-01T00:00:00.000000Z');
    await server.advance(25_000);
    expect(await renewed()).toBe('2024-01-01T00:00:20.000000Z');
    server.nodes.matching('node-1').become('Unreachable');
    await server.advance(60_000);
    expect(await renewed()).toBe('2024-01-01T00:00:20.000000Z');
  });

  test('has no timers by default', async () => {
    await using server = await start();
    await createPod(server, 'web');
    const before = server.clock.pending;
    await server.advance(3_600_000);
    expect(server.clock.pending).toBeLessThanOrEqual(before);
    expect((await server.client.resource(Lease).namespace('kube-node-lease').list()).items).toEqual([]);
  });
});

describe('a node that a rule makes', () => {
  test('not ready has unready pods, which are evicted after five minutes', async () => {
    await using server = await start(2);
    const { spec } = await createPod(server, 'web');
    const name = spec?.nodeName ?? '';
    const rule = server.nodes.matching(name).become('NotReady');
    await server.settled();
    expect(rule.hits).toBe(1);
    expect(await nodeState(server, name)).toBe('ready=False not-ready:NoSchedule not-ready:NoExecute');
    expect(await stateOf(server, 'web')).toBe('Running ready=False up restarts=0');
    await server.advance(299_000);
    expect(await stateOf(server, 'web')).toBe('Running ready=False up restarts=0');
    await server.advance(1000);
    await expect(podsOf(server).get('web')).rejects.toMatchObject({ code: 404 });
    expect((await createPod(server, 'next')).spec?.nodeName).not.toBe(name);
  });

  test('not ready is ready again when the rule stops', async () => {
    await using server = await start();
    await createPod(server, 'web');
    {
      using _rule = server.nodes.matching({ labels: { 'kubernetes.io/os': 'linux' } }).become('NotReady');
      await server.advance(60_000);
    }
    await server.settled();
    expect(await nodeState(server)).toBe('ready=True');
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
    await server.advance(600_000);
    expect(await stateOf(server, 'web')).toBe('Running ready=True up restarts=0');
  });

  test('unreachable keeps deleted pods until it is back', async () => {
    await using server = await start();
    await createPod(server, 'web');
    const rule = server.nodes.matching('node-1').become('Unreachable');
    await server.settled();
    expect(await nodeState(server)).toBe('ready=Unknown unreachable:NoSchedule unreachable:NoExecute');
    await podsOf(server).delete('web');
    await server.advance(3_600_000);
    expect((await podsOf(server).get('web')).metadata.deletionTimestamp).toBeDefined();
    rule.stop();
    await server.settled();
    await expect(podsOf(server).get('web')).rejects.toMatchObject({ code: 404 });
  });

  test('cordoned gets no new pods', async () => {
    await using server = await start();
    await createPod(server, 'old');
    const rule = server.nodes.matching('node-1').become('Cordoned');
    const pod = await createPod(server, 'new');
    expect(await nodeState(server)).toBe('ready=True cordoned unschedulable:NoSchedule');
    expect(problemOf(pod)).toMatch('1 node(s) were unschedulable');
    expect(await stateOf(server, 'old')).toBe('Running ready=True up restarts=0');
    rule.stop();
    await server.settled();
    expect(await nodeState(server)).toBe('ready=True');
    expect(await stateOf(server, 'new')).toBe('Running ready=True up restarts=0');
  });
});

describe('a change of a node by a client', () => {
  test('as cordon makes it keeps new pods away', async () => {
    await using server = await start();
    await nodesOf(server).patch('node-1', { spec: { unschedulable: true } });
    await server.settled();
    expect(await nodeState(server)).toBe('ready=True cordoned unschedulable:NoSchedule');
    await nodesOf(server).patch('node-1', { spec: { unschedulable: null } } as never);
    await server.settled();
    expect(await nodeState(server)).toBe('ready=True');
  });

  test('to a taint with NoExecute evicts pods that do not tolerate it, or not for so long', async () => {
    await using server = await start();
    const toleration = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute' };
    await createPod(server, 'plain');
    await createPod(server, 'patient', { tolerations: [{ ...toleration, tolerationSeconds: 60 }] });
    await createPod(server, 'tolerant', { tolerations: [toleration] });
    const node = await nodesOf(server).get('node-1');
    await nodesOf(server).update({
      ...node,
      spec: { ...node.spec, taints: [{ key: 'maintenance', effect: 'NoExecute' }] },
    });
    const names = async () => (await podsOf(server).list()).items.map(({ metadata }) => metadata.name);
    await server.settled();
    expect(await names()).toEqual(['patient', 'tolerant']);
    await server.advance(60_000);
    expect(await names()).toEqual(['tolerant']);
  });

  test('to its removal removes its pods after forty seconds', async () => {
    await using server = await start(2);
    const pod = await createPod(server, 'web');
    await nodesOf(server).delete(pod.spec?.nodeName ?? '');
    await server.advance(39_999);
    expect(shown(await podsOf(server).get('web'))).toBe('Running ready=True up restarts=0');
    await server.advance(1);
    await expect(podsOf(server).get('web')).rejects.toMatchObject({ code: 404 });
  });
});
