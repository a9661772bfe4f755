import { unitsOf } from '../../support/units.js';
import { describe, expect, test } from 'vitest';
import { Pod, PodDisruptionBudget } from '../../../src/kinds/builtin/index.js';
import type { TestServer } from '../../../src/entries/testing.js';
import { podOf, post, startWorld } from './world.js';

const LABELS = { app: 'web' };
const eviction = (deleteOptions?: object, name = 'p') => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: 'default' },
  ...(deleteOptions === undefined ? {} : { deleteOptions }),
});

/** Creates a pod in a phase. A bound pod stays after its deletion until its node agent confirms it. */
async function createPod(world: TestServer, phase: string, ready: boolean, name = 'p') {
  const pods = world.client.resource(Pod).namespace('default');
  const pod = await pods.create(podOf(name, { labels: LABELS, spec: { nodeName: 'node1' } }));
  return pods.updateStatus({
    ...pod,
    status: { ...pod.status, phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
}

interface BudgetStatus {
  readonly disruptionsAllowed: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly observedGeneration?: number;
  readonly conditions?: object[];
}

async function createBudget(world: TestServer, status: BudgetStatus, spec: object = {}, name = 'budget') {
  const budgets = world.client.resource(PodDisruptionBudget).namespace('default');
  const budget = await budgets.create({
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: LABELS }, ...spec },
  });
  return budgets.updateStatus({
    ...budget,
    status: {
      currentHealthy: 1,
      desiredHealthy: 1,
      expectedPods: 1,
      observedGeneration: budget.metadata.generation ?? 0,
      ...status,
    } as NonNullable<typeof budget.status>,
  });
}

const budgetOf = (world: TestServer) => world.client.resource(PodDisruptionBudget).namespace('default').get('budget');
const podOfWorld = (world: TestServer) => world.client.resource(Pod).namespace('default').get('p');

test('without a budget the pod is marked and deleted', async () => {
  await using world = await startWorld();
  await createPod(world, 'Running', true);
  expect(await post(world, 'pods/p/eviction', eviction())).toMatchObject({
    code: 201,
    body: { kind: 'Status', status: 'Success', code: 201 },
  });
  const pod = await podOfWorld(world);
  expect(pod.metadata.deletionTimestamp).toBeDefined();
  expect(pod.status?.conditions?.at(-1)).toEqual({
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: '2024-01-01T00:00:00Z',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  });
});

test('a budget that allows a disruption counts it and names the pod', async () => {
  await using world = await startWorld();
  await createPod(world, 'Running', true);
  await createBudget(world, { disruptionsAllowed: 1 });
  expect((await post(world, 'pods/p/eviction', eviction())).code).toBe(201);
  const { status } = await budgetOf(world);
  expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { p: '2024-01-01T00:00:00Z' } });
  expect(status?.conditions).toEqual([
    expect.objectContaining({ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' }),
  ]);
  expect((await podOfWorld(world)).metadata.deletionTimestamp).toBeDefined();
});

describe('a budget refuses', () => {
  test.each<[string, BudgetStatus, string | undefined, string]>([
    [
      'without disruptions',
      { disruptionsAllowed: 0, desiredHealthy: 2, currentHealthy: 2 },
      undefined,
      'The disruption budget budget needs 2 healthy pods and has 2 currently',
    ],
    [
      'whose controller has not seen its latest state',
      { disruptionsAllowed: 1, observedGeneration: -1 },
      '10',
      'The disruption budget budget is still being processed by the server.',
    ],
    [
      'whose controller failed',
      {
        disruptionsAllowed: 0,
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            reason: 'SyncFailed',
            message: 'no owner',
            lastTransitionTime: '2024-01-01T00:00:00Z',
          },
        ],
      },
      undefined,
      'The disruption budget budget does not allow evicting pods currently because it failed sync: no owner',
    ],
  ])('%s', async (_, status, retryAfter, cause) => {
    await using world = await startWorld();
    await createPod(world, 'Running', true);
    await createBudget(world, status);
    const answer = await post(world, 'pods/p/eviction', eviction());
    expect(answer.code).toBe(429);
    expect(answer.retryAfter).toBe(retryAfter);
    expect(answer.body).toMatchObject({
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: 'DisruptionBudget', message: cause }] },
    });
    expect((await podOfWorld(world)).metadata.deletionTimestamp).toBeUndefined();
  });

  test('when several budgets protect the pod', async () => {
    await using world = await startWorld();
    await createPod(world, 'Running', true);
    await createBudget(world, { disruptionsAllowed: 1 });
    await createBudget(world, { disruptionsAllowed: 1 }, {}, 'second');
    expect(await post(world, 'pods/p/eviction', eviction())).toMatchObject({
      code: 500,
      body: {
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    });
  });

  test('when its number of disruptions is broken', async () => {
    await using world = await startWorld();
    await createPod(world, 'Running', true);
    await createBudget(world, { disruptionsAllowed: 0 });
    const budgets = world.client.resource(PodDisruptionBudget).namespace('default');
    const { status, ...budget } = await budgetOf(world);
    const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`p${n}`, '2024-01-01T00:00:00Z']));
    await budgets.updateStatus({ ...budget, status: { ...(status as NonNullable<typeof status>), disruptedPods } });
    expect(await post(world, 'pods/p/eviction', eviction())).toMatchObject({
      code: 403,
      body: {
        message:
          'poddisruptionbudget.policy "budget" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
      },
    });
  });
});

describe('budgets do not count', () => {
  test.each(['Succeeded', 'Failed', 'Pending'])('for a pod that is %s', async (phase) => {
    await using world = await startWorld();
    await createPod(world, phase, false);
    await createBudget(world, { disruptionsAllowed: 0 });
    expect((await post(world, 'pods/p/eviction', eviction())).code).toBe(201);
    expect((await budgetOf(world)).status?.disruptedPods).toBeUndefined();
  });

  test.each<[string, object, BudgetStatus, number]>([
    ['when enough others are healthy', {}, { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 }, 201],
    ['unless too few are healthy', {}, { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 }, 429],
    [
      'when the policy always allows it',
      { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 },
      201,
    ],
  ])('for a pod that is not ready, %s', async (_, spec, status, code) => {
    await using world = await startWorld();
    await createPod(world, 'Running', false);
    await createBudget(world, status, spec);
    expect((await post(world, 'pods/p/eviction', eviction())).code).toBe(code);
  });

  test('for a pod with other labels', async () => {
    await using world = await startWorld();
    await createPod(world, 'Running', true);
    await createBudget(world, { disruptionsAllowed: 0 }, { selector: { matchLabels: { app: 'other' } } });
    expect((await post(world, 'pods/p/eviction', eviction())).code).toBe(201);
  });
});

test.each<[string, object, string]>([
  ['in the query', {}, '?dryRun=All'],
  ['in the options', { dryRun: ['All'] }, ''],
])('a dry run %s changes nothing, and is refused like an eviction', async (_, options, query) => {
  await using world = await startWorld();
  await createPod(world, 'Running', true);
  await createBudget(world, { disruptionsAllowed: 1 });
  const [before, budget] = [await podOfWorld(world), await budgetOf(world)];
  expect((await post(world, `pods/p/eviction${query}`, eviction(options))).code).toBe(201);
  expect(await podOfWorld(world)).toEqual(before);
  expect(await budgetOf(world)).toEqual(budget);
});

test.each<[string, object, number, string]>([
  [
    'another uid',
    { preconditions: { uid: 'other' } },
    409,
    'Operation cannot be fulfilled on Pod "p": the UID in the precondition (other) does not match the UID in record',
  ],
  [
    'another version',
    { preconditions: { resourceVersion: '1' } },
    409,
    'Operation cannot be fulfilled on Pod "p": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record',
  ],
  [
    'an unknown propagation policy',
    { propagationPolicy: 'Sideways' },
    422,
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways"',
  ],
])('the options of the delete count: %s', async (_, options, code, message) => {
  await using world = await startWorld();
  await createPod(world, 'Running', true);
  const answer = await post(world, 'pods/p/eviction', eviction(options));
  expect(answer.code).toBe(code);
  expect(String(answer.body['message']).slice(0, message.length)).toBe(message);
});

test('the grace period of the options is that of the delete', async () => {
  await using world = await startWorld();
  await createPod(world, 'Running', true);
  await post(world, 'pods/p/eviction', eviction({ gracePeriodSeconds: 7 }));
  expect((await podOfWorld(world)).metadata.deletionGracePeriodSeconds).toBe(7);
});

test('the names must agree, and the pod must exist', async () => {
  await using world = await startWorld();
  await createPod(world, 'Running', true);
  expect(await post(world, 'pods/p/eviction', eviction(undefined, 'q'))).toMatchObject({
    code: 400,
    body: { message: 'name in URL does not match name in Eviction object' },
  });
  expect(await post(world, 'pods/q/eviction', eviction(undefined, 'q'))).toMatchObject({
    code: 404,
    body: { message: 'pods "q" not found' },
  });
});

test('an eviction costs nothing for the budgets of other pods', async () => {
  const evicting = async (others: number): Promise<number> => {
    await using world = await startWorld();
    for (const name of ['first', 'second']) await createPod(world, 'Running', true, name);
    for (let index = 0; index < others; index += 1)
      await createBudget(
        world,
        { disruptionsAllowed: 0 },
        { selector: { matchLabels: { own: `o${index}` } } },
        `o${index}`,
      );
    await createBudget(world, { disruptionsAllowed: 2 });
    const evict = async (name: string): Promise<void> => {
      expect(await post(world, `pods/${name}/eviction`, eviction(undefined, name))).toMatchObject({ code: 201 });
    };
    // The first one opens the index.
    await evict('first');
    return unitsOf(() => evict('second'));
  };
  await evicting(10);
  expect((await evicting(160)) / (await evicting(10))).toBeLessThan(1.3);
});
