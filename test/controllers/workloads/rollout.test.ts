import { describe, expect, test } from 'vitest';
import { errors } from '../../../src/foundation/errors/api-error.js';
import { silentLogger } from '../../../src/foundation/reporting/logger.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import type { AdmissionPlugin } from '../../../src/registry/verbs/admission.js';
import { oldSetSizes } from '../../../src/controllers/workloads/deployment/scaling.js';
import { Pod, ReplicaSet } from '../../../src/kinds/builtin/index.js';
import {
  bench,
  deployment,
  deploymentsIn,
  imageOf,
  ready,
  setsIn,
  template,
  type Bench,
  type DeploymentObject,
  type ReplicaSetObject,
} from './support.js';

type Spec = Partial<NonNullable<DeploymentObject['spec']>>;

const condition = async (b: Bench, type: string) => {
  const { status } = await deploymentsIn(b.client).get('web');
  const found = status?.conditions?.find((candidate) => candidate.type === type);
  return found && { status: found.status, reason: found.reason, message: found.message };
};

async function started(b: Bench, spec: Spec = {}): Promise<void> {
  await deploymentsIn(b.client).create(deployment('web', spec));
  await b.settled();
  await finish(b);
}

async function finish(b: Bench): Promise<void> {
  while ((await b.pods.makeReady()) > 0);
}

interface Change {
  readonly template?: ReturnType<typeof template>;
  readonly replicas?: number;
  readonly paused?: boolean;
}

async function change(b: Bench, spec: Change): Promise<void> {
  await deploymentsIn(b.client).patch('web', { spec });
  await b.settled();
}

async function images(b: Bench): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pod of await b.pods.all()) counts[imageOf(pod)] = (counts[imageOf(pod)] ?? 0) + 1;
  return counts;
}

/** Sizes of the replica sets by image. */
async function sizes(b: Bench): Promise<Record<string, number>> {
  const { items } = await setsIn(b.client).list();
  return Object.fromEntries(
    items.map(({ spec }) => [spec?.template?.spec?.containers[0]?.image ?? '', spec?.replicas ?? 0]),
  );
}

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Spec => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

/** A plugin that refuses writes of a kind while `refuse` returns an error. */
const refusing = (plural: string, refuse: () => unknown): AdmissionPlugin => ({
  name: 'Refusing',
  operations: ['CREATE'],
  validate({ info }) {
    const error = info.resource === plural ? refuse() : undefined;
    if (error !== undefined) throw error;
  },
});

describe('a paused deployment', () => {
  test('scales but does not roll over until it is resumed', async () => {
    await using b = await bench();
    await started(b, { replicas: 2 });
    await change(b, { paused: true });
    expect(await condition(b, 'Progressing')).toEqual({
      status: 'Unknown',
      reason: 'DeploymentPaused',
      message: 'Deployment is paused',
    });
    await change(b, { template: template('web:2') });
    await change(b, { replicas: 3 });
    expect(await images(b)).toEqual({ 'web:1': 3 });
    await b.advance(700_000);
    await change(b, { paused: false });
    await finish(b);
    expect(await images(b)).toEqual({ 'web:2': 3 });
    expect((await condition(b, 'Progressing'))?.reason).toBe('NewReplicaSetAvailable');
  });
});

describe('the deadline of a rollout', () => {
  test('reports a rollout without progress, and its later end', async () => {
    await using b = await bench();
    await started(b, { replicas: 1, progressDeadlineSeconds: 30 });
    await change(b, { template: template('web:2') });
    await b.advance(30_000);
    expect((await condition(b, 'Progressing'))?.reason).toBe('ReplicaSetUpdated');
    await b.advance(1_000);
    const [newest] = (await setsIn(b.client).list()).items.filter(
      ({ spec }) => spec?.template?.spec?.containers[0]?.image === 'web:2',
    );
    expect(await condition(b, 'Progressing')).toEqual({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      message: `ReplicaSet "${newest?.metadata.name}" has timed out progressing.`,
    });
    await finish(b);
    expect((await condition(b, 'Progressing'))?.reason).toBe('NewReplicaSetAvailable');
  });

  test('starts anew with each step', async () => {
    await using b = await bench();
    await started(b, { replicas: 2, progressDeadlineSeconds: 30, ...rolling(1, 0) });
    await change(b, { template: template('web:2') });
    await b.advance(25_000);
    await b.pods.makeReady();
    await b.advance(25_000);
    expect((await condition(b, 'Progressing'))?.reason).toBe('ReplicaSetUpdated');
    await b.advance(10_000);
    expect((await condition(b, 'Progressing'))?.reason).toBe('ProgressDeadlineExceeded');
  });

  test('does not exist without progressDeadlineSeconds', async () => {
    await using b = await bench();
    await started(b, { replicas: 1, progressDeadlineSeconds: 2_147_483_647 });
    await change(b, { template: template('web:2') });
    await b.advance(700_000);
    expect(await condition(b, 'Progressing')).toBeUndefined();
  });
});

test('old replica sets are deleted beyond the limit of the history, lowest revisions first', async () => {
  await using b = await bench();
  await started(b, { revisionHistoryLimit: 1 });
  for (const image of ['web:2', 'web:3', 'web:4']) {
    await change(b, { template: template(image) });
    await finish(b);
  }
  expect(await sizes(b)).toEqual({ 'web:3': 0, 'web:4': 1 });
});

test('the strategy Recreate creates new pods when the old ones are gone', async () => {
  await using b = await bench();
  await started(b, { replicas: 2, strategy: { type: 'Recreate' } });
  // A pod on a node stays until the node confirms its end.
  const pods = b.client.resource(Pod).namespace('default');
  const [lingering] = await b.pods.all();
  const { name = '' } = lingering?.metadata ?? {};
  await pods.patch(name, { metadata: { finalizers: ['example.com/wait'] } });
  await change(b, { template: template('web:2') });
  expect(await images(b)).toEqual({ 'web:1': 1 });
  await pods.patch(name, { metadata: { finalizers: null } });
  await b.settled();
  expect(await images(b)).toEqual({ 'web:2': 2 });
});

test('scaling during a rollout gives every replica set its share', async () => {
  await using b = await bench();
  await started(b, { replicas: 10, ...rolling(3, 2) });
  await change(b, { template: template('web:2') });
  expect(await sizes(b)).toEqual({ 'web:1': 8, 'web:2': 5 });
  await change(b, { replicas: 15, paused: true });
  expect(await sizes(b)).toEqual({ 'web:1': 11, 'web:2': 7 });
});

describe('scaling down during a rollout keeps the pods that must be available', () => {
  test.each([
    { replicas: 10, to: 6, surge: 3, unavailable: 2 },
    { replicas: 5, to: 3, surge: 0, unavailable: 1 },
    { replicas: 20, to: 10, surge: 0, unavailable: 2 },
    { replicas: 8, to: 2, surge: '25%', unavailable: '25%' },
    { replicas: 9, to: 1, surge: 1, unavailable: 0 },
  ])('from $replicas to $to, surge $surge, unavailable $unavailable', async ({ replicas, to, surge, unavailable }) => {
    await using b = await bench();
    await started(b, { replicas, ...rolling(surge, unavailable) });
    await change(b, { template: template('web:2') });
    await change(b, { replicas: to });
    const limit = typeof unavailable === 'number' ? unavailable : Math.floor(to / 4);
    expect((await b.pods.all()).filter(ready).length).toBeGreaterThanOrEqual(to - limit);
    await finish(b);
    expect(await images(b)).toEqual({ 'web:2': to });
  });
});

describe('a step of a rollout is given up while a status is older than its spec', () => {
  const set = (name: string, replicas: number, available: number, generations: [number, number]) =>
    ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name, generation: generations[0] },
      spec: { replicas, selector: { matchLabels: { app: 'web' } } },
      status: { replicas: available, availableReplicas: available, observedGeneration: generations[1] },
    }) satisfies Partial<ReplicaSetObject>;
  const owner = { ...deployment('web', { replicas: 8, ...rolling(0, 2) }), apiVersion: 'apps/v1', kind: 'Deployment' };

  test.each<[string, ReplicaSetObject, ReplicaSetObject, number[]]>([
    ['none is older', set('new', 4, 4, [1, 1]), set('old', 4, 4, [1, 1]), [2]],
    ['more old pods available than wanted', set('new', 4, 4, [1, 1]), set('old', 4, 6, [1, 1]), []],
    ['more new pods available than wanted', set('new', 4, 8, [1, 1]), set('old', 4, 4, [1, 1]), []],
    ['an older status of the old one', set('new', 4, 4, [1, 1]), set('old', 4, 4, [3, 2]), []],
    ['an older status of the new one', set('new', 4, 4, [3, 2]), set('old', 4, 4, [1, 1]), []],
  ])('%s', (_case, current, old, expected) => {
    expect(oldSetSizes(owner, { current, old: [old] }).map(({ replicas }) => replicas)).toEqual(expected);
  });
});

test('minReadySeconds delays the steps of a rollout', async () => {
  await using b = await bench();
  await deploymentsIn(b.client).create(deployment('web', { replicas: 2, minReadySeconds: 10, ...rolling(0, 1) }));
  await b.settled();
  await b.pods.makeReady();
  await b.advance(10_000);
  await change(b, { template: template('web:2') });
  expect(await images(b)).toEqual({ 'web:1': 1, 'web:2': 1 });
  await b.pods.makeReady();
  await b.advance(9_000);
  expect(await images(b)).toEqual({ 'web:1': 1, 'web:2': 1 });
  await b.advance(1_000);
  expect(await images(b)).toEqual({ 'web:2': 2 });
});

test('a collision of names is counted, and the next name is taken', async () => {
  await using b = await bench();
  await started(b);
  const [first] = (await setsIn(b.client).list()).items;
  const { name = '' } = first?.metadata ?? {};
  await deploymentsIn(b.client).delete('web');
  await b.settled();
  const other = { matchLabels: { app: 'other' } };
  await setsIn(b.client).create({
    metadata: { name },
    spec: { replicas: 0, selector: other, template: template('other', { app: 'other' }) },
  });
  await deploymentsIn(b.client).create(deployment('web'));
  await b.settled();
  expect((await deploymentsIn(b.client).get('web')).status?.collisionCount).toBe(1);
  expect(await images(b)).toEqual({ 'web:1': 1 });
});

test('a deployment adopts a replica set that it selects, and releases one that it does not', async () => {
  await using b = await bench();
  const sets = setsIn(b.client);
  const labels = { app: 'web', 'pod-template-hash': 'x' };
  const orphan = { replicas: 1, selector: { matchLabels: labels }, template: template('web:1', labels) };
  await sets.create({ metadata: { name: 'orphan', labels }, spec: orphan });
  await started(b, { replicas: 2 });
  expect(await sizes(b)).toEqual({ 'web:1': 2 });
  expect((await sets.get('orphan')).metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'web' }]);
  await sets.patch('orphan', { metadata: { labels: { app: 'left' } } });
  await b.settled();
  expect((await sets.get('orphan')).metadata.ownerReferences).toBeUndefined();
  expect(await b.pods.names()).toHaveLength(4);
});

describe('failures', () => {
  test('of pods are reported in the replica set and the deployment until they end', async () => {
    let forbidden = true;
    const refusal = errors.forbidden({ group: '', resource: 'pods' }, '', 'exceeded quota');
    await using b = await bench({
      observability: { logger: silentLogger },
      admission: { plugins: [refusing('pods', () => (forbidden ? refusal : undefined))] },
    });
    await deploymentsIn(b.client).create(deployment('web', { replicas: 2 }));
    await b.settled();
    const [set] = (await setsIn(b.client).list()).items;
    const message = refusal.message;
    expect(set?.status?.conditions).toMatchObject([
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message },
    ]);
    expect(await condition(b, 'ReplicaFailure')).toEqual({ status: 'True', reason: 'FailedCreate', message });
    expect((await b.messages(set?.metadata.name ?? '', 'FailedCreate'))[0]).toBe(`Error creating: ${message}`);
    forbidden = false;
    await b.advance(1_000);
    expect(await b.pods.names()).toHaveLength(2);
    expect(await condition(b, 'ReplicaFailure')).toBeUndefined();
  });

  test('of replica sets are reported in the deployment', async () => {
    let broken = true;
    const plugin = refusing('replicasets', () => (broken ? new Error('no disk') : undefined));
    await using b = await bench({ observability: { logger: silentLogger }, admission: { plugins: [plugin] } });
    await deploymentsIn(b.client).create(deployment('web'));
    await b.settled();
    const found = await condition(b, 'Progressing');
    expect(found).toMatchObject({ status: 'False', reason: 'ReplicaSetCreateError' });
    expect(found?.message).toMatch(/^Failed to create new replica set "web-[a-z0-9]+": /);
    broken = false;
    await b.advance(5_000);
    expect(await b.pods.names()).toHaveLength(1);
  });

  test('are tried in batches that grow only with success', async () => {
    const refusal = errors.forbidden({ group: '', resource: 'pods' }, '', 'no');
    const batches: number[] = [];
    let creates = 0;
    let underWay = 0;
    let statusWrites = 0;
    const plugin: AdmissionPlugin = {
      name: 'Refusing',
      operations: ['CREATE', 'UPDATE'],
      async validate({ info, operation }) {
        if (info.resource === 'replicasets' && operation === 'UPDATE') statusWrites += 1;
        if (info.resource !== 'pods') return;
        creates += 1;
        const isRefused = creates > 3;
        if (underWay === 0) batches.push(0);
        underWay += 1;
        batches.push((batches.pop() ?? 0) + 1);
        // All creates of a batch begin before one ends: each may wait for a turn of the event loop.
        for (let begun = 0; begun !== creates;) {
          begun = creates;
          for (let turn = 0; turn < 8; turn += 1) await nextTurn();
        }
        underWay -= 1;
        if (isRefused) throw refusal;
      },
    };
    await using b = await bench({ observability: { logger: silentLogger }, admission: { plugins: [plugin] } });
    await b.client
      .resource(ReplicaSet)
      .namespace('default')
      .create({
        metadata: { name: 'web' },
        spec: { replicas: 100, selector: { matchLabels: { app: 'web' } }, template: template() },
      });
    await b.settled();
    // Batches of one, two and four pods, of which the last one fails; then one pod after each event, which are those of
    // the three pods and of the writes of the status.
    const [first, second, third, ...later] = batches;
    expect([first, second, third]).toEqual([1, 2, 4]);
    expect(new Set(later)).toEqual(new Set([1]));
    expect(later.length).toBeLessThanOrEqual(3 + statusWrites);
    expect(await b.pods.names()).toHaveLength(3);
  });

  test('of status writes by conflicts lose nothing', async () => {
    await using b = await bench();
    const deployments = deploymentsIn(b.client);
    await deployments.create(deployment('web', { replicas: 3 }));
    // Changes by others while the controller works.
    for (let round = 0; round < 5; round += 1) {
      await deployments.patch('web', { metadata: { labels: { round: String(round) } } });
      const [set] = (await setsIn(b.client).list()).items;
      if (set !== undefined)
        await setsIn(b.client).patch(set.metadata.name ?? '', { metadata: { annotations: { round: String(round) } } });
    }
    await b.settled();
    await finish(b);
    expect((await deployments.get('web')).status).toMatchObject({ replicas: 3, availableReplicas: 3 });
    expect(await b.pods.names()).toHaveLength(3);
  });
});

/** A repeatable sequence of numbers below a bound. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}

describe('a rolling update never breaks its limits', () => {
  test.each(Array.from({ length: 12 }, (_, seed) => seed + 1))('with the seed %i', async (seed) => {
    const next = numbers(seed * 7919);
    const replicas = 1 + next(8);
    const surge = next(4);
    const unavailable = next(4);
    const limit = surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas);
    await using b = await bench({ seed });
    await started(b, { replicas, ...rolling(surge, unavailable) });
    const check = async (): Promise<void> => {
      const pods = await b.pods.all();
      expect(pods.length).toBeLessThanOrEqual(replicas + surge);
      expect(pods.filter(ready).length).toBeGreaterThanOrEqual(replicas - limit);
    };
    await change(b, { template: template('web:2') });
    for (let round = 0; round < 60; round += 1) {
      await check();
      const waiting = (await b.pods.all()).filter((pod) => !ready(pod));
      const chosen = waiting[next(Math.max(1, waiting.length))];
      if (chosen === undefined) break;
      await b.pods.become(chosen, 'Running', true);
      await b.settled();
    }
    expect(await images(b)).toEqual({ 'web:2': replicas });
  });
});
