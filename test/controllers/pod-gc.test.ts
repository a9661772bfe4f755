import { describe, expect, test } from 'vitest';
import { Job, Node, Pod } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import type { ObjectOf } from '../../src/registry/definition/definition.js';
import { harness } from './harness.js';

type PodObject = ObjectOf<typeof Pod>;

const keep = ['example.com/keep'];
const start = (simulate = false): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', ...(simulate ? { simulate: { nodes: 1 } } : {}) });
const podsOf = ({ client }: Pick<TestServer, 'client'>) => client.resource(Pod).namespace('default');
const pod = (name: string, nodeName?: string, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'a' }], ...(nodeName === undefined ? {} : { nodeName }) },
});
const targetOf = ({ status }: PodObject) => status?.conditions?.find(({ type }) => type === 'DisruptionTarget');

async function namesOf(test: Pick<TestServer, 'client'>): Promise<(string | undefined)[]> {
  return (await podsOf(test).list()).items.map(({ metadata }) => metadata.name);
}

describe('pods of a node that does not exist', () => {
  test('are deleted after forty seconds when it never existed: Failed, with the reason', async () => {
    await using test = await start();
    await podsOf(test).create(pod('web', 'nowhere', { finalizers: keep }));
    await podsOf(test).create(pod('free', 'nowhere'));
    await test.advance(39_999);
    expect((await podsOf(test).get('web')).metadata.deletionTimestamp).toBeUndefined();
    await test.advance(1);
    const { metadata, status } = await podsOf(test).get('web');
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status?.phase).toBe('Failed');
    expect(targetOf(await podsOf(test).get('web'))).toMatchObject({
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
    expect(await namesOf(test)).toEqual(['web']);
  });

  test('are deleted after forty seconds when it was deleted, and keep a phase that is an end', async () => {
    await using test = await start();
    await test.client.resource(Node).create({ metadata: { name: 'a' } });
    const created = await podsOf(test).create(pod('done', 'a', { finalizers: keep }));
    await podsOf(test).updateStatus({ ...created, status: { phase: 'Succeeded' } });
    await test.advance(60_000);
    expect((await podsOf(test).get('done')).metadata.deletionTimestamp).toBeUndefined();
    await test.client.resource(Node).delete('a');
    await test.advance(40_000);
    const found = await podsOf(test).get('done');
    expect(found.metadata.deletionTimestamp).toBeDefined();
    expect(found.status?.phase).toBe('Succeeded');
    expect(targetOf(found)).toBeUndefined();
  });

  test('stay when the node comes in time', async () => {
    await using test = await start();
    await podsOf(test).create(pod('web', 'late'));
    await test.advance(30_000);
    await test.client.resource(Node).create({ metadata: { name: 'late' } });
    await test.advance(60_000);
    expect(await namesOf(test)).toEqual(['web']);
  });

  test('end a Job that counts them', async () => {
    await using test = await start(true);
    test.pods.matching({}).become('Running');
    const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] };
    const jobs = test.client.resource(Job).namespace('default');
    await jobs.create({ metadata: { name: 'work' }, spec: { backoffLimit: 0, template: { spec } } });
    await test.settled();
    await test.client.resource(Node).delete('node-1');
    await test.advance(40_000);
    const { status } = await jobs.get('work');
    expect(status).toMatchObject({ failed: 1 });
    expect(status?.conditions?.at(-1)).toMatchObject({ type: 'Failed', reason: 'BackoffLimitExceeded' });
    expect(await namesOf(test)).toEqual([]);
  });
});

test('a deleted pod that was never scheduled becomes Failed, and a Job counts it', async () => {
  await using test = await start(true);
  test.pods.matching({}).become('Pending');
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] };
  const jobs = test.client.resource(Job).namespace('default');
  await jobs.create({
    metadata: { name: 'work' },
    spec: { podReplacementPolicy: 'Failed', backoffLimit: 0, template: { spec } },
  });
  await test.settled();
  const [name = ''] = await namesOf(test);
  await podsOf(test).delete(name);
  await test.advance(19_000);
  expect((await podsOf(test).get(name)).status?.phase).toBe('Pending');
  await test.advance(1000);
  expect((await jobs.get('work')).status).toMatchObject({ failed: 1 });
  expect(await namesOf(test)).not.toContain(name);
});

describe('deleted pods of a node that does not answer', () => {
  const taint = async (test: TestServer): Promise<void> => {
    const node = await test.client.resource(Node).get('node-1');
    const taints = [...(node.spec?.taints ?? []), { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await test.client.resource(Node).update({ ...node, spec: { ...node.spec, taints } });
  };

  test('go when somebody says that the node is out of service', async () => {
    await using test = await start(true);
    await podsOf(test).create(pod('web'));
    await test.settled();
    test.nodes.matching('node-1').become('Unreachable');
    await podsOf(test).delete('web');
    await test.advance(600_000);
    expect(await namesOf(test)).toEqual(['web']);
    await taint(test);
    await test.settled();
    expect(await namesOf(test)).toEqual([]);
  });

  test('stay while the node is ready', async () => {
    await using test = await start(true);
    const tolerations = [{ operator: 'Exists' }];
    test.pods.matching({}).become('Running', { terminateAfter: '30s' });
    const created = pod('web');
    await podsOf(test).create({ ...created, spec: { ...created.spec, tolerations } });
    await test.settled();
    await taint(test);
    await podsOf(test).delete('web');
    await test.advance(29_000);
    expect(await namesOf(test)).toEqual(['web']);
  });
});

test('a server keeps as many pods that have ended as its option says', async () => {
  await using test = await startTestServer({ dialect: 'kubernetes', controllers: { terminatedPodThreshold: 1 } });
  const pods = podsOf(test);
  for (const name of ['first', 'second'])
    await pods.updateStatus({ ...(await pods.create(pod(name))), status: { phase: 'Succeeded' } });
  await test.settled();
  await test.advance(60_000);
  expect(await namesOf(test)).toHaveLength(1);
});

test('the oldest of too many pods that have ended are deleted, evicted ones first', async () => {
  await using h = harness({ enabled: ['podgc'], terminatedPodThreshold: 2 });
  const pods = podsOf(h);
  const end = async (name: string, phase: string, reason?: string): Promise<void> => {
    const created = await pods.create(pod(name));
    h.clock.advance(1000);
    const status = { phase, ...(reason === undefined ? {} : { reason }) };
    await pods.updateStatus({ ...created, status });
  };
  await pods.create(pod('running'));
  await end('oldest', 'Succeeded');
  await end('middle', 'Failed');
  await end('evicted', 'Failed', 'Evicted');
  await end('newest', 'Succeeded');
  await h.settled();
  expect(await namesOf(h)).toHaveLength(5);
  h.clock.advance(20_000);
  await h.settled();
  expect(await namesOf(h)).toEqual(['middle', 'newest', 'running']);
});
