import { describe, expect, test } from 'vitest';
import { DaemonSet, Node } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { createPod, eventsOf, podsOf, podWith, stateOf, type PodObject } from './support.js';

const start = (nodes = 1): Promise<TestServer> => startTestServer({ dialect: 'kubernetes', simulate: { nodes } });

const conditionOf = ({ status }: PodObject, type: string) =>
  status?.conditions?.find((condition) => condition.type === type);

const keep = { finalizers: ['example.com/keep'] };

describe('a node that fails', () => {
  test.each(['NotReady', 'Unreachable'] as const)('(%s) has pods that are not ready, and events', async (outcome) => {
    await using test = await start();
    await createPod(test, 'web');
    const rule = test.nodes.matching('node-1').become(outcome);
    await test.settled();
    expect(await stateOf(test, 'web')).toBe('Running ready=False up restarts=0');
    const pod = await podsOf(test).get('web');
    expect(conditionOf(pod, 'ContainersReady')).toMatchObject({ status: 'True' });
    expect(await eventsOf(test, 'web')).toEqual(['Warning NodeNotReady: Node is not ready']);
    expect(new Set(await eventsOf(test, 'node-1'))).toEqual(
      new Set(['Normal NodeNotReady: Node node-1 status is now: NodeNotReady']),
    );
    rule.stop();
    await test.settled();
    expect(await stateOf(test, 'web')).toBe('Running ready=True up restarts=0');
    expect(await eventsOf(test, 'node-1')).toContain('Normal NodeReady: Node node-1 status is now: NodeReady');
    expect(await eventsOf(test, 'web')).toEqual([
      'Warning NodeNotReady: Node is not ready',
      'Normal TaintManagerEviction: Cancelling deletion of Pod default/web',
    ]);
  });

  test('evicts by its taints, with the condition that says why', async () => {
    await using test = await start();
    await podsOf(test).create(podWith('web', {}, keep));
    await test.settled();
    test.nodes.matching('node-1').become('NotReady');
    await test.advance(300_000);
    const pod = await podsOf(test).get('web');
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    expect(conditionOf(pod, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    expect(await eventsOf(test, 'web')).toContain('Normal TaintManagerEviction: Marking for deletion Pod default/web');
  });

  test('keeps the pods of daemon sets, which tolerate that', async () => {
    await using test = await start();
    const labels = { app: 'agent' };
    await test.client
      .resource(DaemonSet)
      .namespace('default')
      .create({
        metadata: { name: 'agent' },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podWith('x').spec } },
      });
    await test.settled();
    test.nodes.matching('node-1').become('NotReady');
    await test.advance(900_000);
    expect((await podsOf(test).list()).items).toHaveLength(1);
  });
});

describe('a taint with NoExecute', () => {
  const maintain = async (test: TestServer): Promise<void> => {
    const node = await test.client.resource(Node).get('node-1');
    const taints = [{ key: 'maintenance', effect: 'NoExecute' }];
    await test.client.resource(Node).update({ ...node, spec: { ...node.spec, taints } });
  };

  test('counts the first toleration that matches it', async () => {
    await using test = await start();
    const toleration = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute' };
    await createPod(test, 'web', { tolerations: [toleration, { ...toleration, tolerationSeconds: 1 }] });
    await maintain(test);
    await test.advance(60_000);
    expect((await podsOf(test).get('web')).metadata.deletionTimestamp).toBeUndefined();
  });

  test('counts a toleration that is added in time', async () => {
    await using test = await start();
    const toleration = { key: 'maintenance', operator: 'Exists', effect: 'NoExecute' };
    const { spec } = await createPod(test, 'web', { tolerations: [{ ...toleration, tolerationSeconds: 60 }] });
    await maintain(test);
    await test.advance(30_000);
    const others = (spec?.tolerations ?? []).filter(({ key }) => key !== toleration.key);
    await podsOf(test).patch('web', { spec: { tolerations: [...others, { ...toleration, tolerationSeconds: 20 }] } });
    await test.settled();
    await expect(podsOf(test).get('web')).rejects.toMatchObject({ code: 404 });
  });
});
