import { describe, expect, test } from 'vitest';
import { Pod } from '../../../src/kinds/builtin/index.js';
import { bench, replicaSet, setsIn, template } from './support.js';

describe('a replica set', () => {
  test('creates its pods and counts them', async () => {
    await using b = await bench();
    await setsIn(b.client).create(replicaSet('web', { replicas: 3 }));
    await b.settled();
    const pods = await b.pods.all();
    expect(pods.map(({ metadata }) => metadata.ownerReferences)).toEqual(
      Array.from({ length: 3 }, () => [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: expect.any(String),
          controller: true,
          blockOwnerDeletion: true,
        },
      ]),
    );
    const [first] = pods;
    if (first !== undefined) await b.pods.become(first, 'Running', true);
    await b.settled();
    expect((await setsIn(b.client).get('web')).status).toMatchObject({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 1,
      availableReplicas: 1,
    });
    expect((await b.messages('web', 'SuccessfulCreate')).sort()).toEqual(
      pods.map(({ metadata }) => `Created pod: ${metadata.name}`).sort(),
    );
  });

  test('replaces pods that fail or are deleted', async () => {
    await using b = await bench();
    await setsIn(b.client).create(replicaSet('web', { replicas: 2 }));
    await b.settled();
    const [first, second] = await b.pods.all();
    if (first === undefined || second === undefined) throw new Error('no pods');
    await b.pods.become(first, 'Failed');
    await b.client
      .resource(Pod)
      .namespace('default')
      .delete(second.metadata.name ?? '');
    await b.settled();
    const names = await b.pods.names();
    expect(names).toHaveLength(3);
    expect(names).toContain(first.metadata.name);
    expect(names).not.toContain(second.metadata.name);
    expect((await setsIn(b.client).get('web')).status?.replicas).toBe(2);
  });

  test('adopts matching orphans, and releases pods whose labels no longer match', async () => {
    await using b = await bench();
    const pods = b.client.resource(Pod).namespace('default');
    await pods.create({ ...template('web:0'), metadata: { name: 'orphan', labels: { app: 'web' } } });
    await pods.create({ ...template('web:0'), metadata: { name: 'other', labels: { app: 'other' } } });
    await setsIn(b.client).create(replicaSet('web', { replicas: 2 }));
    await b.settled();
    expect((await pods.get('orphan')).metadata.ownerReferences).toMatchObject([{ name: 'web', controller: true }]);
    expect(await b.pods.names()).toHaveLength(3);
    await pods.patch('orphan', { metadata: { labels: { app: 'taken-out' } } });
    await b.settled();
    expect((await pods.get('orphan')).metadata.ownerReferences).toBeUndefined();
    expect(await b.pods.names()).toHaveLength(4);
    expect((await setsIn(b.client).get('web')).status?.replicas).toBe(2);
  });

  test('counts pods as available after minReadySeconds', async () => {
    await using b = await bench();
    await setsIn(b.client).create(replicaSet('web', { replicas: 1, minReadySeconds: 10 }));
    await b.settled();
    await b.pods.makeReady();
    const status = async () => (await setsIn(b.client).get('web')).status;
    await b.advance(9_999);
    expect([(await status())?.readyReplicas, (await status())?.availableReplicas ?? 0]).toEqual([1, 0]);
    await b.advance(1);
    expect((await status())?.availableReplicas).toBe(1);
  });
});
