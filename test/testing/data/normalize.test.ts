import { describe, expect, test } from 'vitest';
import { Deployment, Pod } from '../../../src/entries/index.js';
import { ReplicaSet } from '../../../src/entries/kinds.js';
import { normalize, snapshotSerializer, startTestServer } from '../../../src/entries/testing.js';

const labels = { app: 'web' };
const web = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

async function stateOf(seed: number, startMs: number) {
  await using server = await startTestServer({ seed, start: startMs, dialect: 'kubernetes', simulate: true });
  for (let index = 0; index < seed; index += 1)
    await server.client
      .resource(Pod)
      .namespace('default')
      .create({ metadata: { name: `other-${index}` }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await server.advance(seed * 1000);
  await server.client.resource(Deployment).namespace('default').create(web);
  await server.settled();
  const sets = await server.client.resource(ReplicaSet).namespace('default').list();
  const pods = await server.client.resource(Pod).namespace('default').list({ labelSelector: 'app=web' });
  return [await server.client.resource(Deployment).namespace('default').get('web'), ...sets.items, ...pods.items];
}

describe('normalizing', () => {
  test('makes the objects of different runs equal', async () => {
    const one = await stateOf(1, Date.UTC(2024, 0, 1));
    const two = await stateOf(2, Date.UTC(2025, 5, 7));
    const address = (objects: unknown) =>
      JSON.parse(JSON.stringify(objects).replaceAll(/10\.244\.\d+\.\d+|172\.18\.0\.\d+|node-\d/g, 'x'));
    expect(two).not.toEqual(one);
    expect(address(normalize(two))).toEqual(address(normalize(one)));
    const text = JSON.stringify(normalize(one));
    for (const { metadata } of one) expect(text).not.toContain(metadata.uid);
    expect(text).not.toMatch(/\d{4}-\d{2}-\d{2}T/);
    const [deployment, set, pod] = normalize(one);
    expect(deployment?.metadata).toMatchObject({ name: 'web', uid: '<uid 1>', creationTimestamp: '<time 1>' });
    expect(set?.metadata.ownerReferences?.[0]?.uid).toBe('<uid 1>');
    expect(pod?.metadata.ownerReferences?.[0]?.uid).toBe(set?.metadata.uid);
    expect(pod?.metadata.name).toMatch(/^web-[a-z0-9]+-<name 1>$/);
    expect(pod?.metadata).not.toHaveProperty('managedFields');
  });

  test('replaces texts within others, and versions in their members only', () => {
    const uid = '11111111-2222-4333-8444-555555555555';
    const value = {
      metadata: { name: 'a-x1y2z', generateName: 'a-', uid, resourceVersion: '7' },
      spec: {
        volumeName: `pvc-${uid}`,
        replicas: '7',
        time: '2024-01-01T00:00:00Z',
        note: 'at 2024-01-01T00:00:00Z by a-x1y2z',
      },
      labels: { 'controller-uid': uid, [`of-${uid}`]: '' },
      reference: { resourceVersion: '7' },
    };
    expect(normalize(value)).toEqual({
      metadata: { name: 'a-<name 1>', generateName: 'a-', uid: '<uid 1>', resourceVersion: '<version 1>' },
      spec: { volumeName: 'pvc-<uid 1>', replicas: '7', time: '<time 1>', note: 'at <time 1> by a-<name 1>' },
      labels: { 'controller-uid': '<uid 1>', 'of-<uid 1>': '' },
      reference: { resourceVersion: '<version 1>' },
    });
    expect(value.metadata.uid).toBe(uid);
    expect(normalize(value, { keep: ['uid', 'name'] }).metadata).toMatchObject({
      name: 'a-x1y2z',
      uid,
      resourceVersion: '<version 1>',
    });
    expect(() => normalize(value, { keep: ['uids' as 'uid'] })).toThrow('unknown part "uids"');
  });

  test('is a serializer of snapshots', () => {
    const object = (name: string, uid: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, uid: `${uid}1111111-2222-4333-8444-555555555555` },
    });
    expect.addSnapshotSerializer(snapshotSerializer());
    expect([object('a', '1'), object('b', '2'), object('c', '1')]).toMatchInlineSnapshot(`
      [
        {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "a",
            "uid": "<uid 1>",
          },
        },
        {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "b",
            "uid": "<uid 2>",
          },
        },
        {
          "apiVersion": "v1",
          "kind": "Pod",
          "metadata": {
            "name": "c",
            "uid": "<uid 1>",
          },
        },
      ]
    `);
    expect({ plain: { uid: 'kept' } }).toMatchInlineSnapshot(`
      {
        "plain": {
          "uid": "kept",
        },
      }
    `);
  });
});
