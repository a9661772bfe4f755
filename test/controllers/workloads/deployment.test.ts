import { describe, expect, test } from 'vitest';
import {
  bench,
  deployment,
  deploymentsIn,
  imageOf,
  setsIn,
  template,
  type Bench,
  type DeploymentObject,
} from './support.js';

const REVISION = 'deployment.kubernetes.io/revision';

const condition = ({ status }: DeploymentObject, type: string) => {
  const found = status?.conditions?.find((candidate) => candidate.type === type);
  return found && { status: found.status, reason: found.reason, message: found.message };
};

/** The replica sets by image: name, size and revision. */
async function setsOf(b: Bench) {
  const { items } = await setsIn(b.client).list();
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [
      spec?.template?.spec?.containers[0]?.image ?? '',
      { name: metadata.name ?? '', replicas: spec?.replicas, revision: metadata.annotations?.[REVISION] },
    ]),
  );
}

async function images(b: Bench): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pod of await b.pods.all()) counts[imageOf(pod)] = (counts[imageOf(pod)] ?? 0) + 1;
  return counts;
}

async function finish(b: Bench): Promise<void> {
  while ((await b.pods.makeReady()) > 0);
}

describe('a new deployment', () => {
  test('creates a replica set with the pods, and reports its progress', async () => {
    await using b = await bench();
    const deployments = deploymentsIn(b.client);
    await deployments.create(deployment('web', { replicas: 3 }));
    await b.settled();
    const [set] = (await setsIn(b.client).list()).items;
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(set).toMatchObject({
      metadata: {
        name: `web-${hash}`,
        labels: { app: 'web' },
        annotations: {
          [REVISION]: '1',
          'deployment.kubernetes.io/desired-replicas': '3',
          'deployment.kubernetes.io/max-replicas': '4',
        },
        ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true, blockOwnerDeletion: true }],
      },
      spec: { replicas: 3, selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } } },
    });
    const pods = await b.pods.all();
    expect(pods).toHaveLength(3);
    expect(pods[0]?.metadata).toMatchObject({
      name: expect.stringMatching(new RegExp(`^web-${hash}-[a-z0-9]{5}$`)),
      labels: { app: 'web', 'pod-template-hash': hash },
    });
    const web = await deployments.get('web');
    expect(web.status).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });
    expect(condition(web, 'Available')).toEqual({
      status: 'False',
      reason: 'MinimumReplicasUnavailable',
      message: 'Deployment does not have minimum availability.',
    });
    expect(condition(web, 'Progressing')).toEqual({
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: `ReplicaSet "web-${hash}" is progressing.`,
    });
    expect(await b.messages('web')).toEqual([`Scaled up replica set web-${hash} to 3`]);
  });

  test('is available and complete when its pods are ready', async () => {
    await using b = await bench();
    const deployments = deploymentsIn(b.client);
    await deployments.create(deployment('web', { replicas: 3 }));
    await b.settled();
    await b.pods.makeReady();
    const web = await deployments.get('web');
    const { 'web:1': set } = await setsOf(b);
    expect(web.status).toMatchObject({ replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 });
    expect(web.status?.unavailableReplicas ?? 0).toBe(0);
    expect(condition(web, 'Available')).toEqual({
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
    });
    expect(condition(web, 'Progressing')).toEqual({
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `ReplicaSet "${set?.name}" has successfully progressed.`,
    });
  });
});

describe('a rolling update', () => {
  test('adds new pods and removes old ones within its limits', async () => {
    await using b = await bench();
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
    const deployments = deploymentsIn(b.client);
    await deployments.create(deployment('web', { replicas: 4, strategy }));
    await b.settled();
    await b.pods.makeReady();
    await deployments.patch('web', { spec: { template: template('web:2') } });
    await b.settled();
    expect(await images(b)).toEqual({ 'web:1': 3, 'web:2': 2 });
    await b.pods.makeReady();
    expect(await images(b)).toEqual({ 'web:1': 1, 'web:2': 4 });
    await b.pods.makeReady();
    expect(await images(b)).toEqual({ 'web:2': 4 });
    const { 'web:1': old, 'web:2': current } = await setsOf(b);
    expect([old?.replicas, old?.revision, current?.replicas, current?.revision]).toEqual([0, '1', 4, '2']);
    expect(condition(await deployments.get('web'), 'Progressing')?.reason).toBe('NewReplicaSetAvailable');
    const messages = await b.messages('web');
    expect(messages.slice(0, 4)).toEqual([
      `Scaled up replica set ${old?.name} to 4`,
      `Scaled up replica set ${current?.name} to 1`,
      `Scaled down replica set ${old?.name} to 3 from 4`,
      `Scaled up replica set ${current?.name} to 2 from 1`,
    ]);
    expect(messages.at(-1)).toBe(`Scaled down replica set ${old?.name} to 0 from 1`);
  });

  test('is rolled back by the old template, which becomes the newest revision', async () => {
    await using b = await bench();
    const deployments = deploymentsIn(b.client);
    await deployments.create(deployment('web', { replicas: 2 }));
    await b.settled();
    await finish(b);
    await deployments.patch('web', { spec: { template: template('web:2') } });
    await b.settled();
    await finish(b);
    await deployments.patch('web', { spec: { template: template('web:1') } });
    await b.settled();
    await finish(b);
    expect(await images(b)).toEqual({ 'web:1': 2 });
    const { items } = await setsIn(b.client).list();
    const restored = items.find(({ spec }) => spec?.replicas === 2);
    expect(restored?.metadata.annotations).toMatchObject({
      [REVISION]: '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
    expect(items).toHaveLength(2);
  });
});

test('scaling a deployment changes its only replica set', async () => {
  await using b = await bench();
  const deployments = deploymentsIn(b.client);
  await deployments.create(deployment('web', { replicas: 2 }));
  await b.settled();
  await finish(b);
  await deployments.patch('web', { spec: { replicas: 5 } });
  await b.settled();
  expect(await b.pods.all()).toHaveLength(5);
  await deployments.patch('web', { spec: { replicas: 1 } });
  await b.settled();
  expect(await b.pods.all()).toHaveLength(1);
  const { 'web:1': set } = await setsOf(b);
  expect(await b.messages('web')).toEqual([
    `Scaled up replica set ${set?.name} to 2`,
    `Scaled up replica set ${set?.name} to 5 from 2`,
    `Scaled down replica set ${set?.name} to 1 from 5`,
  ]);
});

test('annotations and labels have the names of the dialect', async () => {
  await using b = await bench({ dialect: 'orch' });
  await deploymentsIn(b.client).create(deployment('web'));
  await b.settled();
  expect((await deploymentsIn(b.client).get('web')).metadata.annotations).toEqual({
    'deployment.orch.io/revision': '1',
  });
  const [set] = (await setsIn(b.client).list()).items;
  expect(set?.metadata.annotations).toEqual({
    'deployment.orch.io/desired-replicas': '1',
    'deployment.orch.io/max-replicas': '2',
    'deployment.orch.io/revision': '1',
  });
  expect(await b.pods.names()).toHaveLength(1);
});
