import { describe, expect, test } from 'vitest';
import { atOnce, UNBOUNDED_WORK } from '../../../src/foundation/index.js';
import type { ObjectMeta } from '../../../src/foundation/objects/object.js';
import type { ObjectOf } from '../../../src/registry/definition/definition.js';
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '../../../src/kinds/builtin/index.js';
import { placesOf, slotsOf } from '../../../src/controllers/workloads/statefulset/slots.js';
import { bench, imageOf, selector, template, type Bench } from './support.js';

type StatefulSetObject = ObjectOf<typeof StatefulSet>;

const setsIn = ({ client }: Bench) => client.resource(StatefulSet).namespace('default');
const claimsIn = ({ client }: Bench) => client.resource(PersistentVolumeClaim).namespace('default');
const podsIn = ({ client }: Bench) => client.resource(Pod).namespace('default');

function statefulSet(spec: Partial<NonNullable<StatefulSetObject['spec']>> = {}, metadata: ObjectMeta = {}) {
  return {
    metadata: { name: 'db', ...metadata },
    spec: {
      replicas: 3,
      selector,
      serviceName: 'db',
      template: template('db:1'),
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
  };
}

const withClaims = {
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
};

/** Creates a set, and makes its pods ready until nothing changes. */
async function started(b: Bench, spec: Partial<NonNullable<StatefulSetObject['spec']>> = {}): Promise<void> {
  await setsIn(b).create(statefulSet(spec));
  await b.settled();
  while ((await b.pods.makeReady()) > 0);
}

async function images(b: Bench): Promise<Record<string, string>> {
  return Object.fromEntries((await b.pods.all()).map((pod) => [pod.metadata.name, imageOf(pod)]));
}

describe('an ordered stateful set', () => {
  test('creates each pod when the ones before are ready', async () => {
    await using b = await bench();
    await setsIn(b).create(statefulSet());
    await b.settled();
    expect(await b.pods.names()).toEqual(['db-0']);
    await b.pods.makeReady();
    expect(await b.pods.names()).toEqual(['db-0', 'db-1']);
    await b.pods.makeReady();
    await b.pods.makeReady();
    expect(await b.pods.names()).toEqual(['db-0', 'db-1', 'db-2']);
    const { status } = await setsIn(b).get('db');
    expect(status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(await b.messages('db', 'SuccessfulCreate')).toEqual(
      [0, 1, 2].map((ordinal) => `create Pod db-${ordinal} in StatefulSet db successful`),
    );
  });

  test('gives its pods an identity', async () => {
    await using b = await bench();
    await started(b, { replicas: 1, ordinals: { start: 5 } });
    const [pod] = await b.pods.all();
    const { status } = await setsIn(b).get('db');
    expect(pod?.metadata).toMatchObject({
      name: 'db-5',
      labels: {
        app: 'web',
        'apps.kubernetes.io/pod-index': '5',
        'statefulset.kubernetes.io/pod-name': 'db-5',
        'controller-revision-hash': status?.updateRevision,
      },
    });
    expect(pod?.spec).toMatchObject({ hostname: 'db-5', subdomain: 'db' });
  });

  test('is scaled down from the highest ordinal', async () => {
    await using b = await bench();
    await started(b);
    await setsIn(b).patch('db', { spec: { replicas: 1 } });
    await b.settled();
    expect(await b.pods.names()).toEqual(['db-0']);
    expect(await b.messages('db', 'SuccessfulDelete')).toEqual([
      'delete Pod db-2 in StatefulSet db successful',
      'delete Pod db-1 in StatefulSet db successful',
    ]);
  });

  test('does not scale down while another pod is unhealthy', async () => {
    await using b = await bench();
    await started(b);
    const [first] = await b.pods.all();
    if (first === undefined) throw new Error('no pod');
    await b.pods.become(first, 'Running', false);
    await setsIn(b).patch('db', { spec: { replicas: 2 } });
    await b.settled();
    expect(await b.pods.names()).toEqual(['db-0', 'db-1', 'db-2']);
    await b.pods.makeReady();
    expect(await b.pods.names()).toEqual(['db-0', 'db-1']);
  });

  test('recreates pods that have ended', async () => {
    await using b = await bench();
    await started(b, { replicas: 2 });
    const [first] = await b.pods.all();
    if (first === undefined) throw new Error('no pod');
    await b.pods.become(first, 'Failed');
    await b.settled();
    const again = await podsIn(b).get('db-0');
    expect(again.metadata.uid).not.toBe(first.metadata.uid);
    expect(await b.messages('db', 'RecreatingFailedPod')).toEqual([
      'StatefulSet default/db is recreating failed Pod db-0',
    ]);
  });

  test('waits for minReadySeconds between its pods', async () => {
    await using b = await bench();
    await setsIn(b).create(statefulSet({ minReadySeconds: 10 }));
    await b.settled();
    await b.pods.makeReady();
    await b.advance(9_000);
    expect(await b.pods.names()).toEqual(['db-0']);
    await b.advance(1_000);
    expect(await b.pods.names()).toEqual(['db-0', 'db-1']);
  });
});

test('a parallel stateful set creates and deletes its pods at once', async () => {
  await using b = await bench();
  await setsIn(b).create(statefulSet({ podManagementPolicy: 'Parallel' }));
  await b.settled();
  expect(await b.pods.names()).toEqual(['db-0', 'db-1', 'db-2']);
  await setsIn(b).patch('db', { spec: { replicas: 1 } });
  await b.settled();
  expect(await b.pods.names()).toEqual(['db-0']);
});

describe('a rolling update of a stateful set', () => {
  test('replaces the pods from the highest ordinal, each when the one before is ready', async () => {
    await using b = await bench();
    await started(b);
    const before = (await setsIn(b).get('db')).status?.currentRevision;
    await setsIn(b).patch('db', { spec: { template: template('db:2') } });
    await b.settled();
    expect(await images(b)).toEqual({ 'db-0': 'db:1', 'db-1': 'db:1', 'db-2': 'db:2' });
    expect((await setsIn(b).get('db')).status).toMatchObject({ currentRevision: before, updatedReplicas: 1 });
    await b.pods.makeReady();
    expect(await images(b)).toEqual({ 'db-0': 'db:1', 'db-1': 'db:2', 'db-2': 'db:2' });
    await b.pods.makeReady();
    await b.pods.makeReady();
    expect(await images(b)).toEqual({ 'db-0': 'db:2', 'db-1': 'db:2', 'db-2': 'db:2' });
    const { status } = await setsIn(b).get('db');
    expect(status?.currentRevision).toBe(status?.updateRevision);
    expect(status?.currentRevision).not.toBe(before);
  });

  test('leaves the pods below the partition alone', async () => {
    await using b = await bench();
    await started(b, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } });
    await setsIn(b).patch('db', { spec: { template: template('db:2') } });
    await b.settled();
    while ((await b.pods.makeReady()) > 0);
    expect(await images(b)).toEqual({ 'db-0': 'db:1', 'db-1': 'db:1', 'db-2': 'db:2' });
    await podsIn(b).delete('db-0');
    await b.settled();
    expect((await images(b))['db-0']).toBe('db:1');
    const { status } = await setsIn(b).get('db');
    expect(status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
  });

  test('with OnDelete replaces only the pods that someone deletes', async () => {
    await using b = await bench();
    await started(b, { updateStrategy: { type: 'OnDelete' } });
    await setsIn(b).patch('db', { spec: { template: template('db:2') } });
    await b.settled();
    expect(Object.values(await images(b))).toEqual(['db:1', 'db:1', 'db:1']);
    await podsIn(b).delete('db-1');
    await b.settled();
    expect(await images(b)).toEqual({ 'db-0': 'db:1', 'db-1': 'db:2', 'db-2': 'db:1' });
  });

  test('is rolled back to an old revision, which becomes the newest', async () => {
    await using b = await bench();
    const revisions = b.client.resource(ControllerRevision).namespace('default');
    await started(b);
    const finish = async (image: string): Promise<void> => {
      await setsIn(b).patch('db', { spec: { template: template(image) } });
      await b.settled();
      while ((await b.pods.makeReady()) > 0);
    };
    await finish('db:2');
    await finish('db:1');
    const { items } = await revisions.list();
    expect(items.map(({ revision }) => revision).sort()).toEqual([2, 3]);
    const { status } = await setsIn(b).get('db');
    expect(items.find(({ revision }) => revision === 3)?.metadata.name).toBe(status?.updateRevision);
    expect(items[0]?.data).toMatchObject({ spec: { template: { $patch: 'replace' } } });
  });

  test('keeps as many old revisions as the limit allows', async () => {
    await using b = await bench();
    await started(b, { replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ['db:2', 'db:3', 'db:4']) {
      await setsIn(b).patch('db', { spec: { template: template(image) } });
      await b.settled();
      while ((await b.pods.makeReady()) > 0);
    }
    const { items } = await b.client.resource(ControllerRevision).namespace('default').list();
    expect(items.map(({ revision }) => revision).sort()).toEqual([3, 4]);
  });
});

describe('the claims of a stateful set', () => {
  test('are created before their pods, which mount them', async () => {
    await using b = await bench();
    await started(b, { replicas: 2, ...withClaims });
    const claims = (await claimsIn(b).list()).items;
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1']);
    expect(claims[0]?.metadata).toMatchObject({ labels: { app: 'web' } });
    expect(claims[0]?.metadata.ownerReferences).toBeUndefined();
    expect((await podsIn(b).get('db-1')).spec?.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-1' },
    });
    expect(await b.messages('db', 'SuccessfulCreate')).toContain(
      'create Claim data-db-1 Pod db-1 in StatefulSet db success',
    );
  });

  test('stay when the set is scaled down, unless the policy deletes them', async () => {
    for (const [whenScaled, left] of [
      ['Retain', ['data-db-0', 'data-db-1']],
      ['Delete', ['data-db-0']],
    ] as const) {
      await using b = await bench();
      const policy = { whenDeleted: 'Retain', whenScaled };
      await started(b, { replicas: 2, ...withClaims, persistentVolumeClaimRetentionPolicy: policy });
      await setsIn(b).patch('db', { spec: { replicas: 1 } });
      await b.settled();
      await b.advance(1000);
      const names = (await claimsIn(b).list()).items.map(({ metadata }) => metadata.name);
      expect(names).toEqual(left);
    }
  });

  test('belong to the set when its deletion deletes them', async () => {
    await using b = await bench();
    const policy = { whenDeleted: 'Delete', whenScaled: 'Retain' };
    await started(b, { replicas: 1, ...withClaims, persistentVolumeClaimRetentionPolicy: policy });
    expect((await claimsIn(b).get('data-db-0')).metadata.ownerReferences).toMatchObject([
      { kind: 'StatefulSet', name: 'db', controller: true },
    ]);
    await setsIn(b).delete('db');
    await b.settled();
    expect((await claimsIn(b).list()).items).toEqual([]);
    expect(await b.pods.names()).toEqual([]);
  });
});

test('a parallel set of more replicas than a server can hold creates 500 pods in a step, and holds no place for the others', () => {
  const type = { apiVersion: 'apps/v1', kind: 'StatefulSet' };
  const set = { ...type, ...statefulSet({ replicas: 2 ** 31 - 1, podManagementPolicy: 'Parallel' }) };
  const pod = (ordinal: number) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `db-${ordinal}` }, status: {} });
  const slots = atOnce(slotsOf(set, [pod(0), pod(2), pod(2_000_000_000)], UNBOUNDED_WORK));
  expect(slots.count).toBe(2 ** 31 - 1);
  expect([...slots.replicas.keys()]).toEqual([0, 2, 2_000_000_000]);
  const places = placesOf(slots, 500);
  expect(places).toHaveLength(503);
  expect(places.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
  expect(places.slice(-2)).toEqual([501, 2_000_000_000]);
});
