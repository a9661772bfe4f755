import { describe, expect, test } from 'vitest';
import type { ObjectOf } from '../../../src/registry/definition/definition.js';
import { ControllerRevision, DaemonSet, Node, Pod } from '../../../src/kinds/builtin/index.js';
import { bench, imageOf, ready, selector, template, type Bench, type PodObject } from './support.js';

type DaemonSetObject = ObjectOf<typeof DaemonSet>;
type Spec = Partial<NonNullable<DaemonSetObject['spec']>>;

const setsIn = ({ client }: Bench) => client.resource(DaemonSet).namespace('default');
const nodesIn = ({ client }: Bench) => client.resource(Node);
const podsIn = ({ client }: Bench) => client.resource(Pod).namespace('default');

const daemonSet = (spec: Spec = {}) => ({
  metadata: { name: 'agent' },
  spec: {
    selector,
    template: template('agent:1'),
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
    ...spec,
  },
});

const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0): Spec => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } },
});

/** The node that a pod of a daemon set is for. */
const target = ({ spec }: PodObject): string =>
  spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]
    ?.values?.[0] ?? '';

async function targets(b: Bench): Promise<string[]> {
  return (await b.pods.all()).map(target).sort();
}

async function started(b: Bench, nodes: readonly string[], spec: Spec = {}): Promise<void> {
  for (const name of nodes) await nodesIn(b).create({ metadata: { name } });
  await setsIn(b).create(daemonSet(spec));
  await b.settled();
  await b.pods.makeReady();
}

async function imagesByNode(b: Bench): Promise<Record<string, string[]>> {
  const images: Record<string, string[]> = {};
  for (const pod of await b.pods.all()) (images[target(pod)] ??= []).push(imageOf(pod));
  return images;
}

describe('a daemon set', () => {
  test('has one pod for each node', async () => {
    await using b = await bench();
    await started(b, ['a', 'b']);
    expect(await targets(b)).toEqual(['a', 'b']);
    expect((await setsIn(b).get('agent')).status).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
      numberMisscheduled: 0,
    });
    await nodesIn(b).create({ metadata: { name: 'c' } });
    await b.settled();
    expect(await targets(b)).toEqual(['a', 'b', 'c']);
    expect((await setsIn(b).get('agent')).status).toMatchObject({ desiredNumberScheduled: 3, numberUnavailable: 1 });
  });

  test('gives its pods the tolerations of node conditions and the label of their revision', async () => {
    await using b = await bench();
    const own = { key: 'mine', operator: 'Exists', effect: 'NoSchedule' };
    const base = template('agent:1');
    await started(b, ['a'], { template: { ...base, spec: { ...base.spec, hostNetwork: true, tolerations: [own] } } });
    const [pod] = await b.pods.all();
    expect(pod?.spec?.tolerations?.map(({ key, effect }) => `${key}:${effect}`)).toEqual([
      'mine:NoSchedule',
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
      'node.kubernetes.io/network-unavailable:NoSchedule',
    ]);
    const [revision] = (await b.client.resource(ControllerRevision).namespace('default').list()).items;
    const hash = revision?.metadata.labels?.['controller-revision-hash'];
    expect(revision?.metadata.name).toBe(`agent-${hash}`);
    expect(pod?.metadata.labels?.['controller-revision-hash']).toBe(hash);
  });

  test('selects nodes by selector and affinity', async () => {
    await using b = await bench();
    await nodesIn(b).create({ metadata: { name: 'a', labels: { disk: 'ssd' } } });
    const base = template('agent:1');
    await started(b, ['b'], { template: { ...base, spec: { ...base.spec, nodeSelector: { disk: 'ssd' } } } });
    expect(await targets(b)).toEqual(['a']);
    await nodesIn(b).patch('b', { metadata: { labels: { disk: 'ssd' } } });
    await nodesIn(b).patch('a', { metadata: { labels: { disk: 'hdd' } } });
    await b.settled();
    expect(await targets(b)).toEqual(['b']);
  });

  test('keeps its pods on nodes with a new taint, unless it evicts them', async () => {
    await using b = await bench();
    await started(b, ['a', 'b', 'c']);
    await nodesIn(b).patch('a', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
    await nodesIn(b).patch('b', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await b.settled();
    expect(await targets(b)).toEqual(['a', 'c']);
    expect((await setsIn(b).get('agent')).status).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1 });
    const onA = (await b.pods.all()).find((pod) => target(pod) === 'a');
    await podsIn(b).delete(onA?.metadata.name ?? '');
    await b.settled();
    expect(await targets(b)).toEqual(['c']);
  });

  test('deletes unbound pods for a node that is gone', async () => {
    await using b = await bench();
    await started(b, ['a', 'b']);
    await nodesIn(b).delete('a');
    await b.settled();
    expect(await targets(b)).toEqual(['b']);
    expect((await setsIn(b).get('agent')).status).toMatchObject({ desiredNumberScheduled: 1 });
  });

  test('replaces failed pods after growing pauses', async () => {
    await using b = await bench();
    await started(b, ['a']);
    const fail = async (): Promise<string> => {
      const [pod] = await b.pods.all();
      if (pod === undefined) throw new Error('no pod');
      await b.pods.become(pod, 'Failed');
      await b.settled();
      return pod.metadata.name ?? '';
    };
    const first = await fail();
    expect(await b.pods.names()).not.toContain(first);
    const second = await fail();
    expect(await b.pods.names()).toEqual([second]);
    await b.advance(1_000);
    expect(await b.pods.names()).not.toContain(second);
    expect(await b.messages('agent', 'FailedDaemonPod')).toContain(
      `Found failed daemon pod default/${first} on node a, will try to kill it`,
    );
  });
});

describe('a rolling update of a daemon set', () => {
  test('replaces as many pods at once as may be unavailable', async () => {
    await using b = await bench();
    await started(b, ['a', 'b', 'c'], rolling(2));
    await setsIn(b).patch('agent', { spec: { template: template('agent:2') } });
    await b.settled();
    const images = Object.values(await imagesByNode(b));
    expect(images.filter(([image]) => image === 'agent:2')).toHaveLength(2);
    while ((await b.pods.makeReady()) > 0);
    expect(await imagesByNode(b)).toEqual({ a: ['agent:2'], b: ['agent:2'], c: ['agent:2'] });
    expect((await setsIn(b).get('agent')).status).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3 });
  });

  test('with a surge has a new pod beside the old one until it is available', async () => {
    await using b = await bench();
    await started(b, ['a', 'b'], { ...rolling(0, 1), minReadySeconds: 5 });
    await b.advance(5_000);
    await setsIn(b).patch('agent', { spec: { template: template('agent:2') } });
    await b.settled();
    const pairs = Object.values(await imagesByNode(b)).map((images) => images.sort());
    expect(pairs).toEqual(expect.arrayContaining([['agent:1', 'agent:2'], ['agent:1']]));
    await b.pods.makeReady();
    expect((await b.pods.all()).filter(ready)).toHaveLength(3);
    await b.advance(5_000);
    await b.pods.makeReady();
    await b.advance(5_000);
    expect(await imagesByNode(b)).toEqual({ a: ['agent:2'], b: ['agent:2'] });
  });

  test('with OnDelete replaces only the pods that someone deletes', async () => {
    await using b = await bench();
    await started(b, ['a', 'b'], { updateStrategy: { type: 'OnDelete' } });
    await setsIn(b).patch('agent', { spec: { template: template('agent:2') } });
    await b.settled();
    expect(await imagesByNode(b)).toEqual({ a: ['agent:1'], b: ['agent:1'] });
    const onA = (await b.pods.all()).find((pod) => target(pod) === 'a');
    await podsIn(b).delete(onA?.metadata.name ?? '');
    await b.settled();
    expect(await imagesByNode(b)).toEqual({ a: ['agent:2'], b: ['agent:1'] });
  });

  test('keeps as many old revisions as the limit allows, and renews one that is rolled back to', async () => {
    await using b = await bench();
    await started(b, ['a'], { revisionHistoryLimit: 1 });
    for (const image of ['agent:2', 'agent:3', 'agent:2']) {
      await setsIn(b).patch('agent', { spec: { template: template(image) } });
      await b.settled();
      while ((await b.pods.makeReady()) > 0);
    }
    const { items } = await b.client.resource(ControllerRevision).namespace('default').list();
    expect(items.map(({ revision }) => revision).sort()).toEqual([3, 4]);
  });
});
