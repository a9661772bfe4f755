import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/foundation/errors/api-error.js';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '../../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';

const kit = ({ client }: TestServer) => ({
  volumes: client.resource(PersistentVolume),
  claims: client.resource(PersistentVolumeClaim).namespace('default'),
  pods: client.resource(Pod).namespace('default'),
});

const volume = {
  metadata: { name: 'disk' },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } },
};
const claim = (name = 'data', metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const container = { name: 'main', image: 'a' };

async function exists(object: Promise<unknown>): Promise<boolean> {
  try {
    await object;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'NotFound') return false;
    throw error;
  }
}

describe('a volume', () => {
  test.each(['kubernetes', 'orch'] as const)('is kept while it is bound, in the dialect %s', async (dialect) => {
    await using test = await startTestServer({ dialect });
    const { volumes } = kit(test);
    await volumes.create(volume);
    await test.settled();
    const created = await volumes.get('disk');
    expect(created.metadata.finalizers).toEqual([`${test.server.dialect.labelDomain}/pv-protection`]);
    await volumes.updateStatus({ ...created, status: { ...created.status, phase: 'Bound' } });
    await volumes.delete('disk');
    await test.settled();
    const kept = await volumes.get('disk');
    expect(kept.metadata.deletionTimestamp).toBeDefined();
    await volumes.updateStatus({ ...kept, status: { ...kept.status, phase: 'Released' } });
    await test.settled();
    expect(await exists(volumes.get('disk'))).toBe(false);
  });

  test('goes at once when it is not bound', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    const { volumes } = kit(test);
    await volumes.create(volume);
    await test.settled();
    await volumes.delete('disk');
    await test.settled();
    expect(await exists(volumes.get('disk'))).toBe(false);
  });
});

describe('a claim', () => {
  const user = (spec: object = {}) => ({
    metadata: { name: 'user' },
    spec: { containers: [container], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }], ...spec },
  });

  test('is kept while a pod on a node uses it', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    const { claims, pods } = kit(test);
    await claims.create(claim());
    await pods.create(user({ nodeName: 'n1' }));
    await test.settled();
    expect((await claims.get('data')).metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await claims.delete('data');
    await test.settled();
    expect(await exists(claims.get('data'))).toBe(true);
    await pods.delete('user', { gracePeriodSeconds: 0 });
    await test.settled();
    expect(await exists(claims.get('data'))).toBe(false);
  });

  test('goes although a pod names it that has no node', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    const { claims, pods } = kit(test);
    await claims.create(claim());
    await pods.create(user());
    await test.settled();
    await claims.delete('data');
    await test.settled();
    expect(await exists(claims.get('data'))).toBe(false);
  });

  test('of an ephemeral volume is kept by the pod that owns it alone', async () => {
    await using test = await startTestServer({
      dialect: 'kubernetes',
      controllers: { disable: ['garbage-collector'] },
    });
    const { claims, pods } = kit(test);
    const ephemeral = { volumeClaimTemplate: { spec: claim().spec } };
    const pod = await pods.create(
      user({
        nodeName: 'n1',
        volumes: [
          { name: 'v', ephemeral },
          { name: 'w', ephemeral },
        ],
      }),
    );
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'user', uid: pod.metadata.uid ?? '', controller: true };
    await claims.create(claim('user-v', { ownerReferences: [owner] }));
    await claims.create(claim('user-w'));
    await test.settled();
    await claims.delete('user-v');
    await claims.delete('user-w');
    await test.settled();
    expect(await exists(claims.get('user-v'))).toBe(true);
    expect(await exists(claims.get('user-w'))).toBe(false);
    await pods.delete('user', { gracePeriodSeconds: 0 });
    await test.settled();
    expect(await exists(claims.get('user-v'))).toBe(false);
  });
});
