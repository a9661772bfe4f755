import { describe, expect, test } from 'vitest';
import type { NodeSpec } from '../../src/entries/controllers.js';
import { PodDisruptionBudget, PriorityClass } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { eventsOf, podsOf, podWith, problemOf, type PodObject } from './support.js';

async function start(...nodes: NodeSpec[]): Promise<TestServer> {
  const test = await startTestServer({ dialect: 'kubernetes', simulate: { nodes } });
  const classes = test.client.resource(PriorityClass);
  for (const [name, value] of Object.entries({ low: 10, middle: 100, high: 1000 }))
    await classes.create({ metadata: { name }, value });
  await classes.create({ metadata: { name: 'polite' }, value: 1000, preemptionPolicy: 'Never' });
  return test;
}

interface Options {
  readonly labels?: Record<string, string>;
  readonly finalizers?: string[];
  readonly nodeSelector?: Record<string, string>;
}

async function create(test: TestServer, name: string, priorityClassName: string, cpu: string, options: Options = {}) {
  const { nodeSelector, ...metadata } = options;
  const containers = [{ name: 'main', image: 'a', resources: { requests: { cpu } } }];
  const spec = { priorityClassName, containers, ...(nodeSelector === undefined ? {} : { nodeSelector }) };
  await podsOf(test).create(podWith(name, spec, metadata));
  await test.settled();
  return podsOf(test).get(name);
}

async function placed(test: TestServer): Promise<Record<string, string | undefined>> {
  const { items } = await podsOf(test).list();
  return Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec?.nodeName]));
}

const targetOf = ({ status }: PodObject) => status?.conditions?.find(({ type }) => type === 'DisruptionTarget');

describe('a pod that fits nowhere', () => {
  test('takes the place of less important pods, as few as possible', async () => {
    await using server = await start({ capacity: { cpu: '4' } });
    await create(server, 'a', 'low', '1');
    await create(server, 'b', 'middle', '1');
    await create(server, 'c', 'low', '2');
    const pod = await create(server, 'new', 'high', '2');
    expect(pod.spec?.nodeName).toBe('node-1');
    expect(pod.status?.nominatedNodeName).toBe('node-1');
    expect(Object.keys(await placed(server)).sort()).toEqual(['a', 'b', 'new']);
    expect(await eventsOf(server, 'new')).toContain(
      'Warning FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.',
    );
    expect(await eventsOf(server, 'c')).toEqual([
      `Normal Preempted: Preempted by pod ${pod.metadata.uid} on node node-1`,
    ]);
  });

  test('waits for its victims, which know why they go; nobody less important takes the place', async () => {
    await using server = await start({ capacity: { cpu: '1' } });
    server.pods.matching({ name: 'old' }).become('Running', { terminateAfter: '20s' });
    await create(server, 'old', 'low', '1');
    await create(server, 'waiting', 'middle', '1');
    await server.advance(20_000);
    expect((await podsOf(server).get('waiting')).spec?.nodeName).toBe('node-1');
    server.pods.matching({ name: 'waiting' }).become('Running', { terminateAfter: '20s' });
    const pod = await create(server, 'new', 'high', '1');
    const victim = await podsOf(server).get('waiting');
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(targetOf(victim)).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    });
    expect(pod.status?.nominatedNodeName).toBe('node-1');
    expect(pod.spec?.nodeName).toBeUndefined();
    expect(problemOf(await create(server, 'late', 'middle', '1'))).toContain('1 Insufficient cpu');
    await server.advance(20_000);
    expect(await placed(server)).toEqual({ new: 'node-1', late: undefined });
  });

  test('leaves pods of its own priority, and says so', async () => {
    await using server = await start({ capacity: { cpu: '1' } });
    await create(server, 'old', 'high', '1');
    expect(problemOf(await create(server, 'new', 'high', '1'))).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
    );
  });

  test('leaves others when its class says so, or when their end would not help', async () => {
    await using server = await start({ capacity: { cpu: '1' } });
    await create(server, 'old', 'low', '1');
    expect(problemOf(await create(server, 'polite', 'polite', '1'))).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    );
    expect(problemOf(await create(server, 'large', 'high', '2'))).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Insufficient cpu.',
    );
    expect(await placed(server)).toMatchObject({ old: 'node-1' });
  });
});

describe('of several nodes', () => {
  const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } });

  test('that with the less important victims is taken', async () => {
    await using server = await start({ capacity: { cpu: '1' } }, { capacity: { cpu: '1' } });
    await create(server, 'a', 'middle', '1', on('node-1'));
    await create(server, 'b', 'low', '1', on('node-2'));
    expect((await create(server, 'new', 'high', '1')).spec?.nodeName).toBe('node-2');
    expect(Object.keys(await placed(server)).sort()).toEqual(['a', 'new']);
  });

  test('that whose pods no disruption budget protects is taken, although they are more important', async () => {
    await using server = await start({ capacity: { cpu: '1' } }, { capacity: { cpu: '1' } });
    await server.client
      .resource(PodDisruptionBudget)
      .namespace('default')
      .create({ metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'b' } } } });
    await create(server, 'a', 'middle', '1', on('node-1'));
    await create(server, 'b', 'low', '1', { ...on('node-2'), labels: { app: 'b' } });
    expect((await create(server, 'new', 'high', '1')).spec?.nodeName).toBe('node-1');
    // Where nothing else helps, budgets do not.
    expect((await create(server, 'second', 'high', '1')).spec?.nodeName).toBe('node-2');
  });
});

test('waiting pods are placed by their priority when there is room', async () => {
  await using server = await start({ capacity: { cpu: '1' } });
  await create(server, 'old', 'high', '1');
  await create(server, 'low', 'low', '1');
  await create(server, 'middle', 'middle', '1');
  await podsOf(server).delete('old');
  await server.settled();
  expect(await placed(server)).toEqual({ low: undefined, middle: 'node-1' });
});
