import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap, Pod } from '../../src/kinds/builtin/index.js';
import { refusal, Widget } from './registry.js';
import { startFrozenServer, type FrozenServer } from './served.js';

let running: FrozenServer;
beforeEach(async () => {
  running = await startFrozenServer();
});
afterEach(() => running.close());

const maps = () => running.client.resource(ConfigMap).namespace('default');
const widgets = () => running.client.resource(Widget).namespace('default');

describe('optimistic concurrency', () => {
  test('an update bound to a version that is not the current one is rejected, and changes nothing', async () => {
    const first = await maps().create({ metadata: { name: 'a' }, data: { k: '1' } });
    await maps().update({ ...first, data: { k: '2' } });
    running.writes();
    expect(await refusal(maps().update({ ...first, data: { k: '3' } }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
    expect((await maps().get('a')).data).toEqual({ k: '2' });
    expect(running.writes()).toEqual([]);
  });

  test.each(['', '0', undefined])('an update with the version %j replaces any version', async (resourceVersion) => {
    await maps().create({ metadata: { name: 'a' }, data: { k: '1' } });
    const updated = await maps().update({
      metadata: { name: 'a', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
      data: { l: '2' },
    });
    expect(updated.data).toEqual({ l: '2' });
  });

  test('of concurrent updates bound to one version, one succeeds', async () => {
    const first = await maps().create({ metadata: { name: 'a' }, data: { k: '0' } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => maps().update({ ...first, data: { k: String(index + 1) } })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 409 });
  });

  test('concurrent updates without a version all succeed, one after another', async () => {
    await maps().create({ metadata: { name: 'a' } });
    running.writes();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => maps().update({ metadata: { name: 'a' }, data: { k: String(index) } })),
    );
    expect(running.writes()).toHaveLength(50);
  });

  test('another uid is a conflict', async () => {
    const first = await maps().create({ metadata: { name: 'a' } });
    const other = '11111111-1111-4111-8111-111111111111';
    const error = await refusal(maps().update({ metadata: { name: 'a', uid: other } }));
    expect(error).toMatchObject({
      code: 409,
      message: `Operation cannot be fulfilled on configmaps "a": Precondition failed: UID in precondition: ${other}, UID in object meta: ${first.metadata.uid}`,
    });
  });

  test('an update of a missing object is not found, with or without a resourceVersion', async () => {
    for (const resourceVersion of ['', '5'])
      expect(await refusal(maps().update({ metadata: { name: 'none', resourceVersion } }))).toMatchObject({
        code: 404,
      });
  });
});

describe('an update that changes nothing', () => {
  test('keeps the version, writes nothing and notifies no watcher', async () => {
    const first = await maps().create({
      metadata: { name: 'a', labels: { b: '1', a: '2' } },
      data: { y: '1', x: '2' },
    });
    running.writes();
    await running.advance(5000);
    const again = await maps().update({
      data: { x: '2', y: '1' },
      metadata: { labels: { a: '2', b: '1' }, name: 'a' },
    });
    expect(again).toEqual(first);
    expect(running.writes()).toEqual([]);
  });

  test('still checks its version', async () => {
    const first = await maps().create({ metadata: { name: 'a' } });
    const second = await maps().update({ ...first, data: { k: 'v' } });
    expect(
      await refusal(
        maps().update({
          ...second,
          metadata: { ...second.metadata, resourceVersion: first.metadata.resourceVersion ?? '' },
        }),
      ),
    ).toMatchObject({ code: 409 });
  });
});

describe("the server's own metadata", () => {
  test('cannot be changed or removed by a client', async () => {
    const first = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
    await running.advance(60_000);
    const { uid, creationTimestamp } = first.metadata;
    const bare = await widgets().update({ metadata: { name: 'a' }, spec: { size: 2 } });
    expect(bare.metadata).toMatchObject({ uid, creationTimestamp, generation: 2, namespace: 'default' });
    const lying = await widgets().update({
      metadata: { name: 'a', generation: 99, creationTimestamp: '1999-01-01T00:00:00Z', selfLink: '/x' },
      spec: { size: 2 },
    });
    expect(lying).toEqual(bare);
  });

  test.each<[string, object]>([
    ['deletionTimestamp', { deletionTimestamp: '2024-01-01T00:00:00Z' }],
    ['deletionGracePeriodSeconds', { deletionGracePeriodSeconds: 3 }],
  ])('%s cannot be set by an update', async (field, metadata) => {
    await maps().create({ metadata: { name: 'a' } });
    const outcome = await maps()
      .update({ metadata: { name: 'a', ...metadata } })
      .catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 422 });
    expect((await maps().get('a')).metadata).not.toHaveProperty(field);
  });
});

describe('generation and status', () => {
  test('generation counts changes of the spec, not those of metadata or status', async () => {
    const first = await widgets().create({ metadata: { name: 'a' }, spec: { size: 1 } });
    const labelled = await widgets().update({ ...first, metadata: { ...first.metadata, labels: { k: 'v' } } });
    expect(labelled.metadata.generation).toBe(1);
    const grown = await widgets().update({ ...labelled, spec: { size: 2 } });
    expect(grown.metadata.generation).toBe(2);
    const shown = await widgets().updateStatus({ ...grown, status: { phase: 'Ready' } });
    expect(shown.metadata.generation).toBe(2);
    const back = await widgets().update({ ...shown, spec: { size: 1 } });
    expect(back.metadata.generation).toBe(3);
    const gone = await widgets().update({ metadata: { name: 'a' } });
    expect(gone.metadata.generation).toBe(4);
  });

  test('the main resource keeps the status, and the status subresource the rest', async () => {
    const first = await widgets().create({ metadata: { name: 'a', labels: { k: 'v' } }, spec: { size: 1 } });
    const shown = await widgets().updateStatus({
      metadata: { name: 'a', labels: { k: 'other' }, annotations: { x: 'y' } },
      spec: { size: 9 },
      status: { phase: 'Ready' },
    });
    expect(shown).toMatchObject({
      metadata: { labels: { k: 'v' }, uid: first.metadata.uid },
      spec: { size: 1 },
      status: { phase: 'Ready' },
    });
    expect(shown.metadata.annotations).toBeUndefined();
    const grown = await widgets().update({
      metadata: { name: 'a', labels: { k: 'v' } },
      spec: { size: 2 },
      status: { phase: 'Made up' },
    });
    expect(grown).toMatchObject({ spec: { size: 2 }, status: { phase: 'Ready' } });
    const bare = await widgets().update({ metadata: { name: 'a', labels: { k: 'v' } } });
    expect(bare.status).toEqual({ phase: 'Ready' });
  });

  test('a status update checks its version like any other', async () => {
    const first = await widgets().create({ metadata: { name: 'a' } });
    await widgets().update({ ...first, spec: { size: 1 } });
    expect(await refusal(widgets().updateStatus({ ...first, status: { phase: 'Ready' } }))).toMatchObject({
      code: 409,
    });
    expect(await refusal(widgets().updateStatus({ metadata: { name: 'none' } }))).toMatchObject({ code: 404 });
  });

  test('a kind without a status subresource has none', async () => {
    await maps().create({ metadata: { name: 'a' } });
    expect(await refusal(maps().updateStatus({ metadata: { name: 'a' } }))).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
  });
});

describe('immutable', () => {
  test('an immutable ConfigMap cannot change, except for its metadata', async () => {
    const first = await maps().create({ metadata: { name: 'a' }, data: { k: 'v' }, immutable: true });
    for (const change of [{ data: { k: 'w' } }, { immutable: false }, { data: {} }])
      expect(await refusal(maps().update({ ...first, ...change }))).toMatchObject({
        code: 422,
        message: expect.stringContaining('field is immutable when `immutable` is set') as string,
      });
    expect(
      (await maps().update({ ...first, metadata: { ...first.metadata, labels: { k: 'v' } } })).metadata.labels,
    ).toEqual({ k: 'v' });
  });

  test('returned objects belong to the caller: changing one has no effect', async () => {
    const first = await maps().create({ metadata: { name: 'a', labels: { k: 'v' } }, data: { k: 'v' } });
    for (const read of [await maps().get('a'), (await maps().list()).items[0], first]) {
      if (read?.data === undefined) throw new Error('an object was expected');
      (read.data as Record<string, string>)['k'] = 'changed';
      read.metadata.labels = {};
    }
    expect(await maps().get('a')).toMatchObject({ metadata: { labels: { k: 'v' } }, data: { k: 'v' } });
  });

  test('no operation on a pod changes the stored object', async () => {
    const pods = running.client.resource(Pod).namespace('default');
    const made = await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } });
    const moved = await pods.update({
      ...made,
      spec: { ...made.spec, containers: [{ ...made.spec?.containers?.[0], name: 'c', image: 'i:2' }] },
    });
    const shown = await pods.updateStatus({
      ...moved,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
    expect(shown).toMatchObject({ spec: { containers: [{ image: 'i:2' }] }, status: { phase: 'Running' } });
    expect(
      await refusal(
        pods.update({ ...shown, spec: { ...shown.spec, containers: shown.spec?.containers ?? [], hostname: 'other' } }),
      ),
    ).toMatchObject({ code: 422 });
    await pods.delete('p', { gracePeriodSeconds: 0 });
    expect(await refusal(pods.get('p'))).toMatchObject({ code: 404 });
  });
});
