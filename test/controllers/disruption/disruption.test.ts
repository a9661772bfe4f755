import { describe, expect, test } from 'vitest';
import { formatTime } from '../../../src/foundation/time/time.js';
import type { OwnerReference } from '../../../src/foundation/objects/object.js';
import type { InputOf, ObjectOf } from '../../../src/registry/definition/definition.js';
import {
  CustomResourceDefinition,
  Deployment,
  Event,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';

const NAMESPACE = 'default';
const LABELS = { app: 'web' };
const SELECTOR = { matchLabels: LABELS };
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
const MINUTE_MS = 60_000;

type Spec = NonNullable<InputOf<typeof PodDisruptionBudget>['spec']>;
type PodObject = ObjectOf<typeof Pod>;

/** A server with the disruption controller; the workloads and their pods are made by the test. */
class Bench {
  readonly test: TestServer;

  constructor(test: TestServer) {
    this.test = test;
  }

  static async start(): Promise<Bench & AsyncDisposable> {
    const test = await startTestServer({
      dialect: 'kubernetes',
      controllers: { disable: ['replicaset', 'deployment', 'garbage-collector'] },
    });
    return Object.assign(new Bench(test), { [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() });
  }

  get budgets() {
    return this.test.client.resource(PodDisruptionBudget).namespace(NAMESPACE);
  }

  get pods() {
    return this.test.client.resource(Pod).namespace(NAMESPACE);
  }

  async budget(spec: Spec): Promise<void> {
    await this.budgets.create({ metadata: { name: 'web' }, spec: { selector: SELECTOR, ...spec } });
    await this.test.settled();
  }

  /** Creates pods; they are ready unless said otherwise. */
  async addPods(count: number, owner?: { readonly of: Owned; readonly ready?: boolean }): Promise<PodObject[]> {
    const pods: PodObject[] = [];
    for (let index = 0; index < count; index += 1) {
      const ownerReferences = owner === undefined ? [] : [referenceTo(owner.of)];
      const pod = await this.pods.create({
        metadata: { generateName: 'web-', labels: LABELS, ownerReferences },
        spec: TEMPLATE.spec,
      });
      pods.push(await this.setReady(pod, owner?.ready ?? true));
    }
    await this.test.settled();
    return pods;
  }

  setReady(pod: PodObject, ready: boolean): Promise<PodObject> {
    const status = ready ? 'True' : 'False';
    const conditions = [{ type: 'Ready', status, lastTransitionTime: formatTime(this.test.clock.now()) }];
    return this.pods.updateStatus({ ...pod, status: { ...pod.status, phase: 'Running', conditions } });
  }

  async status() {
    await this.test.settled();
    return (await this.budgets.get('web')).status;
  }

  async counts() {
    const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed } = (await this.status()) ?? {};
    return [currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed];
  }

  async messages(reason: string): Promise<(string | undefined)[]> {
    await this.test.settled();
    const { items } = await this.test.client.resource(Event).namespace(NAMESPACE).list();
    return items.filter((event) => event.reason === reason).map(({ message }) => message);
  }
}

interface Owned {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string | undefined; readonly uid?: string | undefined };
}

function referenceTo({ apiVersion, kind, metadata: { name = '', uid = '' } }: Owned): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true };
}

const replicaSet = (bench: Bench, replicas: number, owner?: Owned) =>
  bench.test.client
    .resource(ReplicaSet)
    .namespace(NAMESPACE)
    .create({
      metadata: { generateName: 'web-', ownerReferences: owner === undefined ? [] : [referenceTo(owner)] },
      spec: { replicas, selector: SELECTOR, template: TEMPLATE },
    });

describe('a budget', () => {
  test('with a number of pods counts the pods that its selector matches', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 2 });
    expect(await bench.status()).toEqual({
      observedGeneration: 1,
      currentHealthy: 0,
      desiredHealthy: 2,
      expectedPods: 0,
      disruptionsAllowed: 0,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'False',
          observedGeneration: 1,
          lastTransitionTime: '2024-01-01T00:00:00Z',
          reason: 'InsufficientPods',
          message: '',
        },
      ],
    });
    expect(await bench.messages('NoPods')).toEqual(['No matching pods found']);
    await bench.test.advance(1000);
    const [first] = await bench.addPods(3);
    expect(await bench.status()).toMatchObject({
      currentHealthy: 3,
      expectedPods: 3,
      disruptionsAllowed: 1,
      conditions: [{ status: 'True', reason: 'SufficientPods', lastTransitionTime: '2024-01-01T00:00:01Z' }],
    });
    if (first === undefined) throw new Error('no pod');
    await bench.setReady(first, false);
    expect(await bench.counts()).toEqual([2, 2, 3, 0]);
  });

  test('follows changes of its selector, of labels and of its own generation', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 0 });
    const [pod] = await bench.addPods(2);
    expect(await bench.counts()).toEqual([2, 0, 2, 2]);
    await bench.pods.patch(pod?.metadata.name ?? '', { metadata: { labels: { app: 'other' } } });
    expect(await bench.counts()).toEqual([1, 0, 1, 1]);
    const budget = await bench.budgets.get('web');
    await bench.budgets.update({ ...budget, spec: { minAvailable: 1, selector: { matchLabels: { app: 'other' } } } });
    expect(await bench.counts()).toEqual([1, 1, 1, 0]);
    expect((await bench.status())?.observedGeneration).toBe(2);
    await bench.pods.delete(pod?.metadata.name ?? '', { gracePeriodSeconds: 0 });
    expect(await bench.counts()).toEqual([0, 1, 0, 0]);
  });

  test('does not count pods that are being deleted', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 1 });
    const [pod] = await bench.addPods(2);
    expect(await bench.counts()).toEqual([2, 1, 2, 1]);
    await bench.pods.patch(pod?.metadata.name ?? '', { metadata: { finalizers: ['example.com/wait'] } });
    await bench.pods.delete(pod?.metadata.name ?? '');
    expect(await bench.counts()).toEqual([1, 1, 2, 0]);
  });

  test.each<[string, Spec, number[]]>([
    ['an allowed number', { maxUnavailable: 1 }, [3, 4, 5, 0]],
    ['an allowed share, rounded up', { maxUnavailable: '30%' }, [3, 3, 5, 0]],
    ['a required share, rounded up', { minAvailable: '50%' }, [3, 3, 5, 0]],
    ['a small required share', { minAvailable: '10%' }, [3, 1, 5, 2]],
    ['more than all', { maxUnavailable: 9 }, [3, 0, 5, 3]],
  ])('with %s compares with the scale of a replica set', async (_, spec, expected) => {
    await using bench = await Bench.start();
    await bench.addPods(3, { of: await replicaSet(bench, 5) });
    await bench.budget(spec);
    expect(await bench.counts()).toEqual(expected);
  });

  test('counts the scale of a deployment once for all of its replica sets', async () => {
    await using bench = await Bench.start();
    const deployment = await bench.test.client
      .resource(Deployment)
      .namespace(NAMESPACE)
      .create({ metadata: { name: 'web' }, spec: { replicas: 4, selector: SELECTOR, template: TEMPLATE } });
    await bench.addPods(2, { of: await replicaSet(bench, 3, deployment) });
    await bench.addPods(2, { of: await replicaSet(bench, 2, deployment) });
    await bench.budget({ maxUnavailable: '25%' });
    expect(await bench.counts()).toEqual([4, 3, 4, 1]);
  });

  test('adds the scales of several controllers of any kind', async () => {
    await using bench = await Bench.start();
    const { client } = bench.test;
    const stateful = await client
      .resource(StatefulSet)
      .namespace(NAMESPACE)
      .create({
        metadata: { name: 'db' },
        spec: { replicas: 2, selector: SELECTOR, serviceName: 'db', template: TEMPLATE },
      });
    const replicated = await client
      .resource(ReplicationController)
      .namespace(NAMESPACE)
      .create({ metadata: { name: 'rc' }, spec: { replicas: 3, selector: LABELS, template: TEMPLATE } });
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await client.resource(CustomResourceDefinition).create({
      metadata: { name: 'shops.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'shops', kind: 'Shop' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: schema },
            subresources: { scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
          },
        ],
      },
    });
    await bench.test.settled();
    const shop = await client
      .resource({ apiVersion: 'example.com/v1', kind: 'Shop' })
      .namespace(NAMESPACE)
      .create({ metadata: { name: 'shop' }, spec: { replicas: 5 } } as never);
    for (const of of [stateful, replicated, shop]) await bench.addPods(1, { of });
    await bench.budget({ minAvailable: '20%' });
    expect(await bench.counts()).toEqual([3, 2, 10, 1]);
  });

  test('reports pods without a controller, whose share is unknown', async () => {
    await using bench = await Bench.start();
    await bench.addPods(2);
    await bench.budget({ minAvailable: '50%' });
    expect(await bench.counts()).toEqual([2, 0, 0, 0]);
    expect(await bench.messages('UnmanagedPods')).toEqual([
      'Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });

  test('says of a long selector only that it is long', async () => {
    await using bench = await Bench.start();
    await bench.addPods(1);
    const matchExpressions = Array.from({ length: 3_000 }, (_, index) => ({
      ...{ key: `k${index}`, operator: 'DoesNotExist' },
    }));
    await bench.budget({ minAvailable: '50%', selector: { matchExpressions } });
    expect(await bench.messages('UnmanagedPods')).toEqual([
      expect.stringMatching(/^Pods .*\(selector: … \(more than 16,384 characters\)\) were found to be unmanaged\. /),
    ]);
  });

  test.each([
    ['is gone', { apiVersion: 'apps/v1', kind: 'ReplicaSet' }, /^found no controllers for pod "web-.*"$/],
    ['has no scale', { apiVersion: 'batch/v1', kind: 'Job' }, 'jobs.batch does not implement the scale subresource'],
    ['is of an unknown kind', { apiVersion: 'a.b/v1', kind: 'Shop' }, 'no matches for kind "Shop" in version "a.b/v1"'],
  ])('allows nothing while the controller of a pod %s', async (_, kind, problem) => {
    await using bench = await Bench.start();
    await bench.addPods(1, { of: { ...kind, metadata: { name: 'web', uid: 'gone' } } });
    await bench.budget({ maxUnavailable: 1 });
    const message = typeof problem === 'string' ? problem : expect.stringMatching(problem);
    expect(await bench.status()).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message }],
    });
    expect(await bench.messages('CalculateExpectedPodCountFailed')).toHaveLength(1);
  });

  test('counts a disrupted pod as lost for two minutes', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 1 });
    const [first, second] = await bench.addPods(3);
    const disruptedPods = {
      [first?.metadata.name ?? '']: formatTime(bench.test.clock.now()),
      [second?.metadata.name ?? '']: formatTime(bench.test.clock.now() - 3 * MINUTE_MS),
      gone: formatTime(bench.test.clock.now()),
    };
    const budget = await bench.budgets.get('web');
    await bench.budgets.updateStatus({
      ...budget,
      status: { ...budget.status, disruptedPods } as typeof budget.status,
    });
    expect(await bench.counts()).toEqual([2, 1, 3, 1]);
    expect(Object.keys((await bench.status())?.disruptedPods ?? {})).toEqual([first?.metadata.name]);
    expect(await bench.messages('NotDeleted')).toEqual([
      "Pod was expected by PDB default/default to be deleted but it wasn't",
    ]);
    await bench.test.advance(2 * MINUTE_MS + 1);
    expect(await bench.counts()).toEqual([3, 1, 3, 2]);
    expect((await bench.status())?.disruptedPods).toBeUndefined();
  });

  test('writes nothing when nothing changes', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 1 });
    const [pod] = await bench.addPods(2);
    const { resourceVersion } = (await bench.budgets.get('web')).metadata;
    await bench.pods.patch(pod?.metadata.name ?? '', { metadata: { annotations: { a: 'b' } } });
    await bench.test.settled();
    expect((await bench.budgets.get('web')).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('that shares a pod with another one is reported', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 1 });
    await bench.budgets.create({ metadata: { name: 'other' }, spec: { selector: SELECTOR } });
    await bench.test.settled();
    const [pod] = await bench.addPods(1);
    expect(await bench.messages('MultiplePodDisruptionBudgets')).toEqual([
      `Pod "default"/"${pod?.metadata.name}" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.`,
    ]);
  });
});

describe('a pod that was to be disrupted', () => {
  const target = async (bench: Bench, reason: string): Promise<PodObject> => {
    const [pod] = await bench.addPods(1);
    if (pod === undefined) throw new Error('no pod');
    const time = formatTime(bench.test.clock.now());
    const condition = { type: 'DisruptionTarget', status: 'True', reason, message: 'm', lastTransitionTime: time };
    return bench.pods.updateStatus({
      ...pod,
      status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []), condition] },
    });
  };
  const conditionOf = async (bench: Bench, { metadata: { name = '' } }: PodObject) =>
    (await bench.pods.get(name)).status?.conditions?.find(({ type }) => type === 'DisruptionTarget');

  test('is no target any more after two minutes', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 1 });
    const pod = await target(bench, 'EvictionByEvictionAPI');
    await bench.test.advance(2 * MINUTE_MS - 1);
    await bench.test.settled();
    expect(await conditionOf(bench, pod)).toMatchObject({ status: 'True' });
    await bench.test.advance(1);
    await bench.test.settled();
    expect(await conditionOf(bench, pod)).toEqual({
      type: 'DisruptionTarget',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: '2024-01-01T00:02:00Z',
    });
  });

  test('stays a target when its node ends it', async () => {
    await using bench = await Bench.start();
    await bench.budget({ minAvailable: 1 });
    const pod = await target(bench, 'TerminationByKubelet');
    await bench.test.advance(5 * MINUTE_MS);
    await bench.test.settled();
    expect(await conditionOf(bench, pod)).toMatchObject({ status: 'True' });
  });
});
