import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap, Namespace, Pod } from '../../src/kinds/builtin/index.js';
import { refusal, Widget } from './registry.js';
import { startFrozenServer, type FrozenServer } from './served.js';

let running: FrozenServer;
beforeEach(async () => {
  running = await startFrozenServer();
});
afterEach(() => running.close());

const maps = () => running.client.resource(ConfigMap).namespace('default');
const widgets = () => running.client.resource(Widget).namespace('default');
const pods = () => running.client.resource(Pod).namespace('default');
const DRY = { dryRun: true } as const;

/** The store and its revision, before and after. */
async function leavesNothing(action: () => Promise<unknown>): Promise<unknown> {
  const before = {
    revision: await running.storage.currentRevision(),
    page: (await running.storage.list('/registry/')).records,
  };
  running.writes();
  const outcome = await action();
  await running.settled();
  expect(running.writes()).toEqual([]);
  expect(await running.storage.currentRevision()).toBe(before.revision);
  expect((await running.storage.list('/registry/')).records).toEqual(before.page);
  return outcome;
}

describe('a dry run answers as the real request would, and leaves nothing', () => {
  beforeEach(async () => {
    await maps().create({ metadata: { name: 'a' }, data: { k: '1' } });
    await maps().create({ metadata: { name: 'held', finalizers: ['example.com/f'] } });
    await maps().create({ metadata: { name: 'ending', finalizers: ['example.com/f'] } });
    await maps().delete('ending');
    await widgets().create({ metadata: { name: 'w' }, spec: { size: 1 } });
    await pods().create({
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'node' },
    });
    await running.settled();
  });

  const cases: readonly (readonly [name: string, run: () => Promise<unknown>, answer: object])[] = [
    [
      'create',
      () => maps().create({ metadata: { name: 'new' }, data: { k: 'v' } }, DRY),
      {
        metadata: {
          name: 'new',
          namespace: 'default',
          uid: expect.any(String) as string,
          creationTimestamp: '2024-01-01T00:00:00Z',
        },
        data: { k: 'v' },
      },
    ],
    [
      'create by generateName',
      () => maps().create({ metadata: { generateName: 'new-' } }, DRY),
      { metadata: { name: expect.stringMatching(/^new-.{5}$/) as string } },
    ],
    [
      'create of a namespace',
      () => running.client.resource(Namespace).create({ metadata: { name: 'space' } }, DRY),
      { status: { phase: 'Active' } },
    ],
    [
      'update',
      () => maps().update({ metadata: { name: 'a' }, data: { k: '2' } }, DRY),
      { metadata: { name: 'a' }, data: { k: '2' } },
    ],
    [
      'update of the spec',
      () => widgets().update({ metadata: { name: 'w' }, spec: { size: 2 } }, DRY),
      { metadata: { generation: 2 }, spec: { size: 2 } },
    ],
    [
      'update of the status',
      () => widgets().updateStatus({ metadata: { name: 'w' }, status: { phase: 'Ready' } }, DRY),
      { spec: { size: 1 }, status: { phase: 'Ready' } },
    ],
    [
      'update that removes the last finalizer',
      () => maps().update({ metadata: { name: 'ending' } }, DRY),
      { metadata: { name: 'ending' } },
    ],
    ['delete', () => maps().delete('a', DRY), { kind: 'Status', status: 'Success' }],
    [
      'delete of an object with finalizers',
      () => maps().delete('held', DRY),
      { metadata: { name: 'held', deletionTimestamp: '2024-01-01T00:00:00Z' } },
    ],
    ['delete of a terminating object', () => maps().delete('ending', DRY), { metadata: { name: 'ending' } }],
    ['delete with grace', () => pods().delete('p', DRY), { metadata: { deletionGracePeriodSeconds: 30 } }],
    ['delete without grace', () => pods().delete('p', { ...DRY, gracePeriodSeconds: 0 }), {}],
    [
      'delete of a namespace',
      () =>
        running.client
          .resource(Namespace)
          .delete('orch-node-lease', DRY)
          .catch(() => ({})),
      {},
    ],
    [
      'delete in the foreground',
      () => maps().delete('a', { ...DRY, propagationPolicy: 'Foreground' }),
      { metadata: { finalizers: ['foregroundDeletion'] } },
    ],
    ['deletecollection', () => maps().deleteCollection(DRY), {}],
  ];
  test.each(cases)('%s', async (_name, run, answer) => {
    expect(await leavesNothing(run)).toMatchObject(answer);
  });

  test('a create with a version is answered with it, as no storage refuses it', async () => {
    for (const resourceVersion of ['7', 'not a number']) {
      const made = await leavesNothing(() => maps().create({ metadata: { name: 'new', resourceVersion } }, DRY));
      expect(made).toMatchObject({ metadata: { name: 'new', resourceVersion } });
    }
    await expect(maps().create({ metadata: { name: 'a', resourceVersion: '7' } }, DRY)).rejects.toMatchObject({
      reason: 'AlreadyExists',
    });
  });

  test('a created object has no version, a changed one that of the stored object', async () => {
    expect((await maps().create({ metadata: { name: 'new' } }, DRY)).metadata).not.toHaveProperty('resourceVersion');
    const stored = await maps().get('a');
    expect((await maps().update({ metadata: { name: 'a' }, data: { k: '2' } }, DRY)).metadata.resourceVersion).toBe(
      stored.metadata.resourceVersion,
    );
  });

  test.each<[string, () => Promise<unknown>, number]>([
    ['a name in use', () => maps().create({ metadata: { name: 'a' } }, DRY), 409],
    ['a broken rule', () => maps().create({ metadata: { name: 'A' } }, DRY), 422],
    ['an old version', () => maps().update({ metadata: { name: 'a', resourceVersion: '1' } }, DRY), 409],
    ['a missing object', () => maps().update({ metadata: { name: 'none' } }, DRY), 404],
    ['a delete of a missing object', () => maps().delete('none', DRY), 404],
    [
      'a delete with a failing precondition',
      () => maps().delete('a', { ...DRY, preconditions: { resourceVersion: '1' } }),
      409,
    ],
    [
      'a missing namespace',
      () =>
        running.client
          .resource(ConfigMap)
          .namespace('nowhere')
          .create({ metadata: { name: 'a' } }, DRY),
      404,
    ],
  ])('%s is rejected in a dry run too', async (_name, run, code) => {
    await leavesNothing(async () => expect(await refusal(run())).toMatchObject({ code }));
  });
});
