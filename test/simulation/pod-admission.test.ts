import { describe, expect, test } from 'vitest';
import { Node } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createPod, eventsOf, podsOf, podWith, stateOf, type PodObject } from './support.js';

const start = (): Promise<TestServer> =>
  startTestServer({
    dialect: 'kubernetes',
    simulate: { nodes: [{ capacity: { cpu: '1', memory: '1Gi', pods: '4' } }] },
  });

const asking = (resources: Record<string, string>) => ({
  nodeName: 'node-1',
  containers: [{ name: 'main', image: 'shop', resources: { requests: resources } }],
});
const endOf = ({ status }: PodObject): string => `${status?.phase} ${status?.reason}: ${status?.message}`;

describe('a pod that a client gives a node', () => {
  test('fails when the node has too little for it', async () => {
    await using test = await start();
    await createPod(test, 'first', asking({ cpu: '700m' }));
    const pod = await createPod(test, 'second', asking({ cpu: '400m' }));
    const message = "Node didn't have enough resource: cpu, requested: 400, used: 700, capacity: 1000";
    expect(endOf(pod)).toBe(`Failed OutOfcpu: Pod was rejected: ${message}`);
    expect(pod.status?.containerStatuses).toBeUndefined();
    expect(pod.status?.startTime).toBe('2024-01-01T00:00:00Z');
    expect(await eventsOf(test, 'second')).toEqual([`Warning OutOfcpu: ${message}`]);
    expect(await stateOf(test, 'first')).toBe('Running ready=True up restarts=0');
    await test.advance(60_000);
    expect(endOf(await podsOf(test).get('second'))).toContain('OutOfcpu');
    await podsOf(test).delete('second');
    await podsOf(test).delete('first');
    await test.settled();
    expect((await podsOf(test).list()).items).toEqual([]);
    expect((await createPod(test, 'third', asking({ cpu: '1' }))).status?.phase).toBe('Running');
  });

  test('has the room of those that have ended, although they still exist', async () => {
    await using test = await start();
    test.pods.matching({ name: 'done' }).become('Succeeded');
    const done = await createPod(test, 'done', { ...asking({ cpu: '1' }), restartPolicy: 'Never' });
    expect(done.status?.phase).toBe('Succeeded');
    await podsOf(test).create(podWith('held', asking({ cpu: '1' }), { finalizers: ['example.com/hold'] }));
    await test.settled();
    expect(await stateOf(test, 'held')).toContain('Running');
    await podsOf(test).delete('held');
    await test.advance(60_000);
    expect((await podsOf(test).get('held')).status?.phase).toBe('Failed');
    expect((await createPod(test, 'next', asking({ cpu: '1' }))).status?.phase).toBe('Running');
    expect(endOf(await createPod(test, 'late', asking({ cpu: '100m' })))).toContain('OutOfcpu');
  });

  test.each<[string, object, string]>([
    [
      'memory',
      asking({ memory: '2Gi' }),
      "OutOfmemory: Pod was rejected: Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    ],
    [
      'labels of another node',
      { nodeName: 'node-1', nodeSelector: { disk: 'ssd' } },
      "NodeAffinity: Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ],
    [
      'another operating system',
      { nodeName: 'node-1', nodeSelector: { 'kubernetes.io/os': 'windows' } },
      "PodOSSelectorNodeLabelDoesNotMatch: Pod was rejected: Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    ],
  ])('fails when it asks for %s', async (_what, spec, expected) => {
    await using test = await start();
    expect(endOf(await createPod(test, 'web', spec))).toBe(`Failed ${expected}`);
  });

  test('fails for a host port in use, a taint, or too many pods', async () => {
    await using test = await start();
    const port = {
      nodeName: 'node-1',
      containers: [{ name: 'main', image: 'a', ports: [{ containerPort: 80, hostPort: 80 }] }],
    };
    await createPod(test, 'first', port);
    expect(endOf(await createPod(test, 'second', port))).toContain('Failed NodePorts: ');
    const node = await test.client.resource(Node).get('node-1');
    await test.client
      .resource(Node)
      .update({ ...node, spec: { ...node.spec, taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await test.settled();
    const { metadata, spec } = podWith('tainted', asking({}));
    // The taint also evicts the pod: the finalizer keeps it for a look.
    await podsOf(test).create({ metadata: { ...metadata, finalizers: ['example.com/look'] }, spec });
    await test.settled();
    expect(endOf(await podsOf(test).get('tainted'))).toContain('Failed TaintToleration: ');
    const tolerations = [{ operator: 'Exists' }];
    for (const name of ['b', 'c', 'd', 'e']) await createPod(test, name, { ...asking({}), tolerations });
    expect(endOf(await createPod(test, 'last', { ...asking({}), tolerations }))).toContain('Failed OutOfpods: ');
  });

  test('runs although the node does not know an extended resource', async () => {
    await using test = await start();
    const limits = { 'example.com/gpu': '1' };
    const containers = [{ name: 'main', image: 'a', resources: { limits, requests: limits } }];
    expect((await createPod(test, 'web', { nodeName: 'node-1', containers })).status?.phase).toBe('Running');
  });
});

test('a deadline that is set on a running pod counts from its start', async () => {
  await using test = await start();
  await createPod(test, 'web');
  await test.advance(20_000);
  await podsOf(test).patch('web', { spec: { activeDeadlineSeconds: 30 } });
  await test.advance(9_999);
  expect((await podsOf(test).get('web')).status?.phase).toBe('Running');
  await test.advance(1);
  expect((await podsOf(test).get('web')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
});

test('a deadline that is shortened beyond what has passed ends the pod', async () => {
  await using test = await start();
  await createPod(test, 'web', { activeDeadlineSeconds: 3600 });
  await test.advance(60_000);
  await podsOf(test).patch('web', { spec: { activeDeadlineSeconds: 10 } });
  await test.settled();
  expect((await podsOf(test).get('web')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
});
