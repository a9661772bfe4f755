import { describe, expect, test } from 'vitest';
import type { CloudOptions } from '../../../src/entries/controllers.js';
import {
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
  StorageClass,
} from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { eventsOf, podsOf, podWith, problemOf } from '../support.js';

const start = (cloud: boolean | CloudOptions = true, nodes = 1): Promise<TestServer> =>
  startTestServer({ dialect: 'kubernetes', simulate: { nodes, cloud } });
const claimsOf = ({ client }: TestServer) => client.resource(PersistentVolumeClaim).namespace('default');
const volumesOf = ({ client }: TestServer) => client.resource(PersistentVolume);
const resources = (storage = '1Gi') => ({ requests: { storage } });

async function claim(test: TestServer, name: string, spec: object = {}, labels: Record<string, string> = {}) {
  await claimsOf(test).create({
    metadata: { name, labels },
    spec: { accessModes: ['ReadWriteOnce'], resources: resources(), ...spec },
  });
  await test.settled();
  return claimsOf(test).get(name);
}
const phaseOf = async (test: TestServer, name: string) => (await claimsOf(test).get(name)).status?.phase;
async function volume(test: TestServer, name: string, storage = '1Gi', spec: object = {}) {
  await volumesOf(test).create({
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' }, ...spec },
  });
  await test.settled();
}
const volumePhase = async (test: TestServer, name: string) => (await volumesOf(test).get(name)).status?.phase;
const withClaim = (claimName: string) => ({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });

describe('the volumes of a fake cloud', () => {
  test('are provisioned for claims of the default class', async () => {
    await using server = await start();
    const bound = await claim(server, 'data');
    const name = `pvc-${bound.metadata.uid}`;
    expect(bound).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { storageClassName: 'standard', volumeName: name },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    });
    expect(await volumesOf(server).get(name)).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/provisioned-by': 'cloud.example.com/disk' },
        finalizers: ['kubernetes.io/pv-protection'],
      },
      spec: {
        claimRef: { name: 'data', namespace: 'default', uid: bound.metadata.uid },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'standard',
      },
      status: { phase: 'Bound' },
    });
    await claimsOf(server).delete('data');
    await server.settled();
    await expect(volumesOf(server).get(name)).rejects.toMatchObject({ code: 404 });
  });

  test('are kept by a class that retains them', async () => {
    await using server = await start({ storageClass: { name: 'kept', reclaimPolicy: 'Retain' } });
    const { spec } = await claim(server, 'data');
    await claimsOf(server).delete('data');
    await server.settled();
    expect(await volumePhase(server, spec?.volumeName ?? '')).toBe('Released');
    await server.advance(3_600_000);
    await volumesOf(server).delete(spec?.volumeName ?? '');
    await server.settled();
    expect((await volumesOf(server).list()).items).toEqual([]);
  });

  test('wait for the first pod, and the pod for them', async () => {
    await using server = await start({ storageClass: { volumeBindingMode: 'WaitForFirstConsumer' } });
    server.cloud.volumes.matching({}).become('Provisioned', { after: '10s' });
    await claim(server, 'data');
    await server.advance(60_000);
    expect(await phaseOf(server, 'data')).toBe('Pending');
    await podsOf(server).create(podWith('web', withClaim('data')));
    await server.settled();
    expect((await podsOf(server).get('web')).spec?.nodeName).toBeUndefined();
    expect((await claimsOf(server).get('data')).metadata.annotations).toMatchObject({
      'volume.kubernetes.io/selected-node': 'node-1',
    });
    await server.advance(10_000);
    expect(await phaseOf(server, 'data')).toBe('Bound');
    expect((await podsOf(server).get('web')).status?.phase).toBe('Running');
  });

  test('keep pods pending whose claims are missing or unbound', async () => {
    await using server = await start();
    const rule = server.cloud.volumes.matching({}).become('Pending');
    await podsOf(server).create(podWith('web', withClaim('data')));
    await server.settled();
    expect(problemOf(await podsOf(server).get('web'))).toBe(
      '0/1 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    );
    await claim(server, 'data');
    expect(problemOf(await podsOf(server).get('web'))).toContain('pod has unbound immediate PersistentVolumeClaims');
    rule.stop();
    await server.settled();
    expect((await podsOf(server).get('web')).status?.phase).toBe('Running');
    await claimsOf(server).delete('data');
    await server.settled();
    expect(await phaseOf(server, 'data')).toBe('Bound');
    await podsOf(server).delete('web');
    await server.settled();
    expect((await volumesOf(server).list()).items).toEqual([]);
  });

  test('serve the templates of a StatefulSet', async () => {
    await using server = await start();
    const labels = { app: 'db' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'db' }] } };
    const volumeClaimTemplates = [
      { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: resources() } },
    ];
    await server.client
      .resource(StatefulSet)
      .namespace('default')
      .create({
        metadata: { name: 'db' },
        spec: { serviceName: 'db', replicas: 2, selector: { matchLabels: labels }, template, volumeClaimTemplates },
      });
    await server.settled();
    expect((await server.client.resource(StatefulSet).namespace('default').get('db')).status?.readyReplicas).toBe(2);
    expect(await phaseOf(server, 'data-db-1')).toBe('Bound');
  });

  test('that exist are bound first: the smallest that fits', async () => {
    await using server = await start({ storageClass: false });
    await volume(server, 'large', '10Gi');
    await volume(server, 'fits', '5Gi');
    await volume(server, 'small', '1Gi');
    await volume(server, 'block', '5Gi', { volumeMode: 'Block' });
    await volume(server, 'shared', '4Gi', { accessModes: ['ReadWriteMany'] });
    expect(await volumePhase(server, 'fits')).toBe('Available');
    const { spec, status } = await claim(server, 'data', { resources: resources('3Gi'), storageClassName: '' });
    expect([spec?.volumeName, status?.capacity]).toEqual(['fits', { storage: '5Gi' }]);
    const other = await claim(server, 'picky', { storageClassName: '', selector: { matchLabels: { disk: 'fast' } } });
    expect(other.status?.phase).toBe('Pending');
    await volumesOf(server).patch('large', { metadata: { labels: { disk: 'fast' } } });
    await server.settled();
    expect((await claimsOf(server).get('picky')).spec?.volumeName).toBe('large');
  });

  test('that name a claim wait for it', async () => {
    await using server = await start();
    await volume(server, 'mine', '1Gi', {
      claimRef: { namespace: 'default', name: 'data' },
      storageClassName: 'standard',
    });
    expect(await volumePhase(server, 'mine')).toBe('Available');
    expect((await claim(server, 'data')).spec?.volumeName).toBe('mine');
    expect((await claim(server, 'named', { volumeName: 'later', storageClassName: '' })).status?.phase).toBe('Pending');
    await volume(server, 'later');
    expect(await phaseOf(server, 'named')).toBe('Bound');
  });

  test('grow with their claim', async () => {
    await using server = await start();
    const { spec } = await claim(server, 'data');
    await claimsOf(server).patch('data', { spec: { resources: resources('7Gi') } });
    await server.settled();
    expect((await claimsOf(server).get('data')).status?.capacity).toEqual({ storage: '7Gi' });
    expect((await volumesOf(server).get(spec?.volumeName ?? '')).spec?.capacity).toEqual({ storage: '7Gi' });
  });

  test('that are lost are reported', async () => {
    await using server = await startTestServer({
      dialect: 'kubernetes',
      simulate: { nodes: 1, cloud: true },
      controllers: { disable: ['pv-protection'] },
      admission: { disable: ['StorageObjectInUseProtection'] },
    });
    const { spec } = await claim(server, 'data');
    await volumesOf(server).delete(spec?.volumeName ?? '');
    await server.settled();
    expect(await phaseOf(server, 'data')).toBe('Lost');
    expect(await eventsOf(server, 'data')).toEqual([
      'Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ]);
  });

  test('of other provisioners and classes that do not exist are not made', async () => {
    await using server = await start({ provisioners: ['cloud.example.com/disk'] });
    await server.client.resource(StorageClass).create({ metadata: { name: 'other' }, provisioner: 'example.com/nfs' });
    expect((await claim(server, 'a', { storageClassName: 'other' })).status?.phase).toBe('Pending');
    expect((await claim(server, 'b', { storageClassName: 'none' })).status?.phase).toBe('Pending');
    expect(await eventsOf(server, 'b')).toEqual([
      'Warning ProvisioningFailed: storageclass.storage.k8s.io "none" not found',
    ]);
    await server.client
      .resource(StorageClass)
      .create({ metadata: { name: 'none' }, provisioner: 'cloud.example.com/disk' });
    await server.settled();
    expect(await phaseOf(server, 'b')).toBe('Bound');
  });

  test('are left alone without a cloud', async () => {
    await using server = await startTestServer({ dialect: 'kubernetes', simulate: true });
    expect((await claim(server, 'data')).status?.phase).toBe('Pending');
    await podsOf(server).create(podWith('web', withClaim('data')));
    await server.settled();
    expect((await server.client.resource(Pod).namespace('default').get('web')).status?.phase).toBe('Running');
  });
});

describe('rules about volumes', () => {
  test('fail a number of times', async () => {
    await using server = await start();
    const rule = server.cloud.volumes
      .matching({ labels: 'app=db', namespace: 'default', storageClass: 'standard' })
      .become('Failed', { times: 1, message: 'out of disks' });
    await claim(server, 'other');
    await claim(server, 'data', {}, { app: 'db' });
    expect([await phaseOf(server, 'other'), await phaseOf(server, 'data')]).toEqual(['Bound', 'Pending']);
    expect(await eventsOf(server, 'data')).toEqual([
      'Warning ProvisioningFailed: failed to provision volume with StorageClass "standard": out of disks',
    ]);
    await server.advance(5_000);
    expect(await phaseOf(server, 'data')).toBe('Bound');
    expect(rule.hits).toBe(1);
  });

  test('refuse the deletion of a volume, by the labels of its former claim', async () => {
    await using server = await start();
    const refusal = server.cloud.volumes.matching({ labels: 'app=db' }).become('DeletionFailed', { message: 'in use' });
    const { spec } = await claim(server, 'data', {}, { app: 'db' });
    await claimsOf(server).delete('data');
    await server.settled();
    expect((await volumesOf(server).get(spec?.volumeName ?? '')).status).toMatchObject({
      phase: 'Failed',
      message: 'in use',
    });
    refusal.stop();
    await server.settled();
    expect((await volumesOf(server).list()).items).toEqual([]);
  });

  test('delay the deletion', async () => {
    await using server = await start();
    server.cloud.volumes.matching('data').become('Provisioned', { deleteAfter: '1m' });
    await claim(server, 'data');
    await claimsOf(server).delete('data');
    await server.advance(59_999);
    expect((await volumesOf(server).list()).items).toHaveLength(1);
    await server.advance(1);
    expect((await volumesOf(server).list()).items).toEqual([]);
  });
});
