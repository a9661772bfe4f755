import { describe, expect, test } from 'vitest';
import type { NodeSpec } from '../../src/entries/controllers.js';
import { Namespace, Node, Pod } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createPod, eventsOf, podsOf, podWith, problemOf } from './support.js';

const start = (...nodes: NodeSpec[]): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', simulate: { nodes } });

const requests = (cpu: string) => ({ containers: [{ name: 'main', image: 'shop', resources: { requests: { cpu } } }] });

/** The node of a pod, or why it has none. */
async function place(test: TestServer, name: string, spec: Parameters<typeof createPod>[2] = {}): Promise<string> {
  const pod = await createPod(test, name, spec);
  return pod.spec?.nodeName ?? problemOf(pod) ?? 'no reason';
}

/** The reasons in a message of the scheduler, without those of preemption. */
const reasons = (text: string): string => text.replace(/^0\/\d+ nodes are available: (.*?)\. preemption: .*$/, '$1');

describe('the scheduler', () => {
  test('says why no node fits, and binds the pod when one does', async () => {
    await using server = await start({ capacity: { cpu: '2' } }, { name: 'small', capacity: { cpu: '1' } });
    await place(server, 'first', requests('1500m'));
    const pod = await createPod(server, 'second', requests('1500m'));
    const message =
      '0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.';
    expect(pod.status?.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
    ]);
    expect(await eventsOf(server, 'second')).toEqual([`Warning FailedScheduling: ${message}`]);
    await podsOf(server).delete('first');
    await server.settled();
    expect((await podsOf(server).get('second')).spec?.nodeName).toBe('node-1');
  });

  test('adds up requests exactly', async () => {
    await using server = await start({ capacity: { cpu: '1' } });
    for (let index = 0; index < 10; index += 1)
      expect(await place(server, `pod-${index}`, requests('100m'))).toBe('node-1');
    expect(reasons(await place(server, 'over', requests('1m')))).toBe('1 Insufficient cpu');
  });

  test('counts what init containers and sidecars request', async () => {
    await using server = await start({ capacity: { cpu: '4' } });
    const container = (name: string, cpu: string, restartPolicy?: string) => ({
      ...{ name, image: name, resources: { requests: { cpu } } },
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    });
    const initContainers = [container('proxy', '1', 'Always'), container('setup', '2')];
    await place(server, 'first', { initContainers, containers: [container('main', '1')] });
    expect(reasons(await place(server, 'second', requests('1001m')))).toBe('1 Insufficient cpu');
    expect(await place(server, 'third', requests('1'))).toBe('node-1');
  });

  test('fills no node with more pods than it has room for', async () => {
    await using server = await start({ capacity: { pods: '1' } });
    await place(server, 'first');
    expect(reasons(await place(server, 'second'))).toBe('1 Too many pods');
  });

  test('knows extended resources', async () => {
    await using server = await start({}, { name: 'gpu', capacity: { 'example.com/gpu': '1' } });
    const resources = { limits: { 'example.com/gpu': '1' } };
    const spec = { containers: [{ name: 'main', image: 'train', resources }] };
    expect(await place(server, 'first', spec)).toBe('gpu');
    expect(reasons(await place(server, 'second', spec))).toBe('2 Insufficient example.com/gpu');
  });

  test('spreads pods over the least used nodes', async () => {
    await using server = await start({}, {}, {});
    const nodes = [await place(server, 'one'), await place(server, 'two'), await place(server, 'three')];
    expect(nodes.sort()).toEqual(['node-1', 'node-2', 'node-3']);
  });

  test.each([
    ['a node selector', { nodeSelector: { disk: 'ssd' } }, 'fast'],
    [
      'a node selector that no node has',
      { nodeSelector: { disk: 'tape' } },
      "2 node(s) didn't match Pod's node affinity/selector",
    ],
    ['the name in a node selector', { nodeSelector: { 'kubernetes.io/hostname': 'slow' } }, 'slow'],
    ['an operator', required({ key: 'disk', operator: 'NotIn', values: ['ssd'] }), 'slow'],
    ['a number', required({ key: 'year', operator: 'Gt', values: ['2020'] }), 'fast'],
    [
      'two requirements',
      required({ key: 'year', operator: 'Lt', values: ['2020'] }, { key: 'disk', operator: 'Exists' }),
      "2 node(s) didn't match Pod's node affinity/selector",
    ],
    ['a field', requiredField('slow'), 'slow'],
    ['a preference', preferred('ssd'), 'fast'],
    ['a preference that no node has', preferred('tape'), 'slow'],
  ])('follows %s', async (_what, spec, result) => {
    await using server = await start(
      { name: 'slow', labels: { year: '2010' } },
      { name: 'fast', labels: { disk: 'ssd', year: '2024' } },
    );
    expect(reasons(await place(server, 'web', spec))).toBe(result);
  });

  test('respects taints and tolerations', async () => {
    await using server = await start({ taints: [{ key: 'team', value: 'data', effect: 'NoSchedule' }] });
    expect(await place(server, 'web')).toBe(
      '0/1 nodes are available: 1 node(s) had untolerated taint {team: data}. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    );
    const tolerations = [{ key: 'team', operator: 'Equal', value: 'data', effect: 'NoSchedule' }];
    expect(await place(server, 'tolerant', { tolerations })).toBe('node-1');
  });

  test('avoids nodes with the effect PreferNoSchedule', async () => {
    await using server = await start(
      { taints: [{ key: 'old', effect: 'PreferNoSchedule' }] },
      { capacity: { pods: '1' } },
    );
    expect(await place(server, 'one')).toBe('node-2');
    expect(await place(server, 'two')).toBe('node-1');
  });

  test('gives a port of a node to one pod', async () => {
    await using server = await start({});
    const spec = (ports: object[]) => ({ containers: [{ name: 'main', image: 'web', ports: ports as never }] });
    expect(await place(server, 'one', spec([{ containerPort: 80, hostPort: 80 }]))).toBe('node-1');
    expect(reasons(await place(server, 'two', spec([{ containerPort: 80, hostPort: 80, hostIP: '127.0.0.1' }])))).toBe(
      "1 node(s) didn't have free ports for the requested pod ports",
    );
    expect(await place(server, 'udp', spec([{ containerPort: 80, hostPort: 80, protocol: 'UDP' }]))).toBe('node-1');
  });

  test('keeps pods apart and together by labels', async () => {
    await using server = await start({ zone: 'a' }, { zone: 'b' });
    const term = (topologyKey: string) => [{ labelSelector: { matchLabels: { app: 'db' } }, topologyKey }];
    const zone = 'topology.kubernetes.io/zone';
    const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(zone) } } };
    const together = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(zone) } } };
    expect(reasons(await place(server, 'lonely', together))).toBe("2 node(s) didn't match pod affinity rules");
    const names: string[] = [];
    for (const name of ['db-0', 'db-1', 'db-2']) {
      await podsOf(server).create(podWith(name, apart, { labels: { app: 'db' } }));
      await server.settled();
      names.push((await podsOf(server).get(name)).spec?.nodeName ?? '-');
    }
    expect(names.toSorted()).toEqual(['-', 'node-1', 'node-2']);
    expect(reasons(problemOf(await podsOf(server).get('db-2')) ?? '')).toBe(
      "2 node(s) didn't match pod anti-affinity rules",
    );
    // A pod without rules of its own must not disturb those that have them.
    await podsOf(server).create(podWith('plain', {}, { labels: { app: 'db' } }));
    await server.settled();
    expect(reasons(problemOf(await podsOf(server).get('plain')) ?? '')).toBe(
      "2 node(s) didn't satisfy existing pods anti-affinity rules",
    );
    expect((await podsOf(server).get('lonely')).spec?.nodeName).toBeDefined();
  });

  test('selects namespaces of other pods by their labels', async () => {
    await using server = await start({}, {});
    await server.client.resource(Namespace).create({ metadata: { name: 'other', labels: { team: 'data' } } });
    const other = server.client.resource(Pod).namespace('other');
    await other.create(podWith('db', {}, { labels: { app: 'db' } }));
    await server.settled();
    const { nodeName = '' } = (await other.get('db')).spec ?? {};
    const term = (namespaceSelector?: object) => ({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              labelSelector: { matchLabels: { app: 'db' } },
              topologyKey: 'kubernetes.io/hostname',
              ...(namespaceSelector === undefined ? {} : { namespaceSelector }),
            },
          ],
        },
      },
    });
    expect(reasons(await place(server, 'blind', term()))).toBe("2 node(s) didn't match pod affinity rules");
    expect(await place(server, 'near', term({ matchLabels: { team: 'data' } }))).toBe(nodeName);
  });

  test('spreads pods as their constraints say', async () => {
    await using server = await start({ zone: 'a' }, { zone: 'a' }, { zone: 'b', capacity: { pods: '1' } }, {});
    const topologySpreadConstraints = [
      {
        ...{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ];
    const zones: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      await podsOf(server).create(podWith(`web-${index}`, { topologySpreadConstraints }, { labels: { app: 'web' } }));
      await server.settled();
      const pod = await podsOf(server).get(`web-${index}`);
      const node = pod.spec?.nodeName;
      const zone =
        node === undefined
          ? undefined
          : (await server.client.resource(Node).get(node)).metadata.labels?.['topology.kubernetes.io/zone'];
      zones.push(zone ?? reasons(problemOf(pod) ?? ''));
    }
    expect(zones.slice(0, 2).sort()).toEqual(['a', 'b']);
    expect(zones.slice(2)).toEqual([
      'a',
      "1 Too many pods, 1 node(s) didn't match pod topology spread constraints (missing required label), 2 node(s) didn't match pod topology spread constraints",
    ]);
  });

  test('tells when there are no nodes, and uses those that the program creates', async () => {
    await using server = await startTestServer({ dialect: 'kubernetes', simulate: { nodes: 0 } });
    expect(await place(server, 'web')).toBe('no nodes available to schedule pods');
    await server.client.resource(Node).create({ metadata: { name: 'mine' }, spec: {} });
    await server.settled();
    expect((await podsOf(server).get('web')).spec?.nodeName).toBe('mine');
    expect((await podsOf(server).get('web')).status?.phase).toBe('Running');
  });
});

function required(...matchExpressions: { key: string; operator: string; values?: string[] }[]) {
  return affinity({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } });
}

function requiredField(name: string) {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [name] }];
  return affinity({ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } });
}

function preferred(disk: string) {
  const preference = { matchExpressions: [{ key: 'disk', operator: 'In', values: [disk] }] };
  return affinity({ preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] });
}

function affinity(nodeAffinity: object) {
  return { affinity: { nodeAffinity: nodeAffinity as never } };
}
