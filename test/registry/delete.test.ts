import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { controllerNames } from '../../src/entries/controllers.js';
import { ConfigMap, Namespace, Pod } from '../../src/kinds/builtin/index.js';
import { refusal, Widget } from './registry.js';
import { startFrozenServer, type FrozenServer } from './served.js';

let running: FrozenServer;
beforeEach(async () => {
  running = await startFrozenServer({
    controllers: { disable: controllerNames },
  });
});
afterEach(() => running.close());

const maps = () => running.client.resource(ConfigMap).namespace('default');
const pods = () => running.client.resource(Pod).namespace('default');
const KEY = '/registry/configmaps/default/a';

describe('the two phases ("States and transitions")', () => {
  test('without finalizers: gone at once, by one write', async () => {
    const made = await maps().create({ metadata: { name: 'a' } });
    running.writes();
    expect(await maps().delete('a')).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { kind: 'configmaps', name: 'a', uid: made.metadata.uid },
    });
    expect(await refusal(maps().get('a'))).toMatchObject({ code: 404 });
    expect(running.writes()).toEqual([`delete ${KEY} @${Number(made.metadata.resourceVersion) + 1}`]);
  });

  test('an object with finalizers is marked first and removed with its last finalizer', async () => {
    await maps().create({ metadata: { name: 'a', finalizers: ['example.com/one', 'example.com/two'] } });
    await running.advance(1000);
    running.writes();
    const ending = await maps().delete('a');
    expect(ending).toMatchObject({
      metadata: {
        deletionTimestamp: '2024-01-01T00:00:01Z',
        deletionGracePeriodSeconds: 0,
        finalizers: ['example.com/one', 'example.com/two'],
      },
    });
    await running.advance(1000);
    // A second delete changes nothing.
    expect(await maps().delete('a')).toEqual(ending);
    const one = await maps().update({
      metadata: { name: 'a', finalizers: ['example.com/two'] },
      data: { k: 'still writable' },
    });
    expect(one).toMatchObject({
      metadata: { deletionTimestamp: '2024-01-01T00:00:01Z' },
      data: { k: 'still writable' },
    });
    await maps().update({ metadata: { name: 'a' } });
    expect(await refusal(maps().get('a'))).toMatchObject({ code: 404 });
    expect(running.writes().map((write) => write.split(' ')[0])).toEqual(['update', 'update', 'delete']);
  });

  test('finalizers cannot be added once deletion has begun', async () => {
    await maps().create({ metadata: { name: 'a', finalizers: ['example.com/one'] } });
    await maps().delete('a');
    const error = await refusal(
      maps().update({ metadata: { name: 'a', finalizers: ['example.com/one', 'example.com/late'] } }),
    );
    expect(error).toMatchObject({
      code: 422,
      message: expect.stringContaining(
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted',
      ) as string,
    });
  });

  test('the deletion timestamp cannot be removed', async () => {
    await maps().create({ metadata: { name: 'a', finalizers: ['example.com/one'] } });
    await maps().delete('a');
    expect(
      (await maps().update({ metadata: { name: 'a', finalizers: ['example.com/one'] } })).metadata.deletionTimestamp,
    ).toBe('2024-01-01T00:00:00Z');
  });

  test('a missing object is answered with 404', async () => {
    expect(await refusal(maps().delete('none'))).toMatchObject({ code: 404, message: 'configmaps "none" not found' });
  });

  test('concurrent deletes: one succeeds, the others find nothing', async () => {
    await maps().create({ metadata: { name: 'a' } });
    running.writes();
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => maps().delete('a')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 404 });
    expect(running.writes()).toHaveLength(1);
  });
});

describe('preconditions', () => {
  test("a uid or version that differs from the object's rejects the delete", async () => {
    const made = await maps().create({ metadata: { name: 'a' } });
    const wrong = '11111111-1111-4111-8111-111111111111';
    expect(await refusal(maps().delete('a', { preconditions: { uid: wrong } }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: expect.stringContaining(
        `the UID in the precondition (${wrong}) does not match the UID in record (${made.metadata.uid})`,
      ) as string,
    });
    expect(await refusal(maps().delete('a', { preconditions: { resourceVersion: '1' } }))).toMatchObject({
      code: 409,
      message: expect.stringContaining('the ResourceVersion in the precondition (1) does not match') as string,
    });
    expect(await maps().get('a')).toEqual(made);
    await maps().delete('a', {
      preconditions: { uid: made.metadata.uid ?? '', resourceVersion: made.metadata.resourceVersion ?? '' },
    });
    expect(await refusal(maps().get('a'))).toMatchObject({ code: 404 });
  });

  test('hold against a concurrent write', async () => {
    const made = await maps().create({ metadata: { name: 'a' } });
    const [deleted, updated] = await Promise.allSettled([
      maps().delete('a', { preconditions: { resourceVersion: made.metadata.resourceVersion ?? '' } }),
      maps().update({ ...made, data: { k: 'v' } }),
    ]);
    expect([deleted.status, updated.status].sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('propagation', () => {
  test.each(['Orphan', 'Foreground'] as const)(
    '%s leaves its finalizer to the garbage collector',
    async (propagationPolicy) => {
      await maps().create({ metadata: { name: 'a' } });
      await maps().delete('a', { propagationPolicy });
      const ending = await maps().get('a');
      expect(ending.metadata.finalizers).toEqual([propagationPolicy === 'Orphan' ? 'orphan' : 'foregroundDeletion']);
      expect(ending.metadata.deletionTimestamp).toBe('2024-01-01T00:00:00Z');
      await maps().delete('a', { propagationPolicy: 'Background' });
      expect(await refusal(maps().get('a'))).toMatchObject({ code: 404 });
    },
  );

  test('one policy replaces another', async () => {
    await maps().create({ metadata: { name: 'a' } });
    await maps().delete('a', { propagationPolicy: 'Orphan' });
    await maps().delete('a', { propagationPolicy: 'Foreground' });
    expect((await maps().get('a')).metadata.finalizers).toEqual(['foregroundDeletion']);
  });
});

describe('grace', () => {
  const pod = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'node', terminationGracePeriodSeconds: 40 },
  };

  test('a pod on a node is deleted gracefully; its time can be shortened and not lengthened', async () => {
    await pods().create(pod);
    expect(await pods().delete('p')).toMatchObject({
      metadata: { deletionTimestamp: '2024-01-01T00:00:40Z', deletionGracePeriodSeconds: 40 },
    });
    await running.advance(5000);
    expect(await pods().delete('p', { gracePeriodSeconds: 100 })).toMatchObject({
      metadata: { deletionTimestamp: '2024-01-01T00:00:40Z', deletionGracePeriodSeconds: 40 },
    });
    expect(await pods().delete('p', { gracePeriodSeconds: 10 })).toMatchObject({
      metadata: { deletionTimestamp: '2024-01-01T00:00:10Z', deletionGracePeriodSeconds: 10 },
    });
    expect((await pods().get('p')).metadata.generation ?? 0).toBeLessThanOrEqual(2);
    await pods().delete('p', { gracePeriodSeconds: 0 });
    expect(await refusal(pods().get('p'))).toMatchObject({ code: 404 });
  });

  test('an unscheduled pod is deleted at once', async () => {
    await pods().create({ ...pod, spec: { containers: pod.spec.containers } });
    await pods().delete('p');
    expect(await refusal(pods().get('p'))).toMatchObject({ code: 404 });
  });

  test('a negative period counts as one second', async () => {
    await pods().create(pod);
    expect(await pods().delete('p', { gracePeriodSeconds: -1 })).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 1 },
    });
  });

  test('kinds without graceful deletion do not wait', async () => {
    await maps().create({ metadata: { name: 'a' } });
    await maps().delete('a', { gracePeriodSeconds: 30 });
    expect(await refusal(maps().get('a'))).toMatchObject({ code: 404 });
  });

  test('finalizers keep a pod whose grace period is over', async () => {
    await pods().create({ ...pod, metadata: { name: 'p', finalizers: ['example.com/f'] } });
    expect(await pods().delete('p', { gracePeriodSeconds: 0 })).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 0, finalizers: ['example.com/f'] },
    });
    const held = await pods().get('p');
    await pods().update({ ...held, metadata: { ...held.metadata, finalizers: [] } });
    expect(await refusal(pods().get('p'))).toMatchObject({ code: 404 });
  });
});

describe('deletecollection', () => {
  beforeEach(async () => {
    await running.client.resource(Namespace).create({ metadata: { name: 'other' } });
    for (const name of ['a', 'b', 'c'])
      await maps().create({ metadata: { name, labels: { odd: String(name !== 'b') } } });
    await running.client
      .resource(ConfigMap)
      .namespace('other')
      .create({ metadata: { name: 'a' } });
    running.writes();
  });
  const left = async () =>
    (await running.client.resource(ConfigMap).list()).items
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      .filter((key) => !key.endsWith('root-ca.crt'));

  test('deletes the objects that a list would return, and returns them', async () => {
    const gone = await maps().deleteCollection({ labelSelector: 'odd=true' });
    expect(gone.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
    expect(await left()).toEqual(['default/b', 'other/a']);
  });

  test('is limited to its namespace', async () => {
    await maps().deleteCollection();
    expect(await left()).toEqual(['other/a']);
  });

  test('of no objects succeeds', async () => {
    expect(await maps().deleteCollection({ fieldSelector: 'metadata.name=zz' })).toEqual([]);
    expect(running.writes()).toEqual([]);
  });

  test('as a dry run deletes nothing', async () => {
    expect(await maps().deleteCollection({ dryRun: true })).toHaveLength(3);
    expect(running.writes()).toEqual([]);
  });

  test('with finalizers sets the deletion timestamp', async () => {
    await maps().update({ metadata: { name: 'a', finalizers: ['example.com/f'] } });
    await maps().deleteCollection();
    expect(await left()).toEqual(['default/a', 'other/a']);
    expect((await maps().get('a')).metadata.deletionTimestamp).toBeDefined();
  });
});

describe('namespaces', () => {
  const spaces = () => running.client.resource(Namespace);

  test('check uid and version with the error texts of every other write', async () => {
    const { metadata } = await spaces().create({ metadata: { name: 'space' } });
    const prefix = 'Operation cannot be fulfilled on namespaces "space": Precondition failed:';
    const cases = [
      [{ uid: 'other' }, `${prefix} UID in precondition: other, UID in object meta: ${metadata.uid}`],
      [
        { resourceVersion: '1' },
        `${prefix} ResourceVersion in precondition: 1, ResourceVersion in object meta: ${metadata.resourceVersion}`,
      ],
    ] as const;
    for (const [preconditions, message] of cases) {
      expect((await refusal(spaces().delete('space', { preconditions }))).status).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message,
        details: { name: 'space', kind: 'namespaces' },
      });
    }
    expect((await spaces().get('space')).metadata.deletionTimestamp).toBeUndefined();
    await spaces().delete('space', {
      preconditions: { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' },
    });
  });

  test('are deleted in phases; no object is created in a terminating one', async () => {
    await spaces().create({ metadata: { name: 'space' } });
    const inside = running.client.resource(ConfigMap).namespace('space');
    await inside.create({ metadata: { name: 'old' } });
    expect(await spaces().delete('space')).toMatchObject({
      metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' },
      status: { phase: 'Terminating' },
    });
    const error = await refusal(inside.create({ metadata: { name: 'new' } }));
    expect(error).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "new" is forbidden: unable to create new content in namespace space because it is being terminated',
    });
    expect(error.status.details?.causes).toEqual([
      { reason: 'NamespaceTerminating', message: 'namespace space is being terminated', field: 'metadata.namespace' },
    ]);
    expect((await refusal(inside.create({ metadata: { generateName: 'gen-' } }))).message).toBe(
      'configmaps "gen-" is forbidden: unable to create new content in namespace space because it is being terminated',
    );
    expect(
      (await refusal(inside.create({ metadata: { name: 'new', generateName: 'gen-' } }))).status.details?.name,
    ).toBe('new');
    expect((await inside.update({ metadata: { name: 'old' }, data: { k: 'v' } })).data).toEqual({ k: 'v' });
  });

  test.each(['default', 'orch-system', 'orch-public'])('%s may not be deleted', async (name) => {
    expect(await refusal(spaces().delete(name))).toMatchObject({
      code: 403,
      message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    });
    expect((await spaces().get(name)).metadata.deletionTimestamp).toBeUndefined();
  });

  test('a namespace is removed only when its own finalizer is removed', async () => {
    const made = await spaces().create({ metadata: { name: 'space' } });
    expect((made.spec as { finalizers?: string[] }).finalizers).toEqual(['orch']);
    await spaces().update({ ...made, spec: {} });
    expect((await spaces().get('space')).spec).toEqual({ finalizers: ['orch'] });
    await spaces().delete('space');
    await spaces().delete('space');
    const ending = await spaces().get('space');
    await spaces().updateSubresource('finalize', { ...ending, spec: { finalizers: [] } });
    await spaces()
      .delete('space')
      .catch(() => undefined);
    expect(await refusal(spaces().get('space'))).toMatchObject({ code: 404 });
  });
});

describe('a custom kind', () => {
  test('is deleted like built-in kinds', async () => {
    const widgets = running.client.resource(Widget).namespace('default');
    await widgets.create({ metadata: { name: 'w', finalizers: ['anything'] }, spec: { size: 1 } });
    const ending = await widgets.delete('w');
    expect(ending).toMatchObject({ metadata: { generation: 2, finalizers: ['anything'] } });
    await widgets.update({ metadata: { name: 'w' }, spec: { size: 1 } });
    expect(await refusal(widgets.get('w'))).toMatchObject({ code: 404 });
  });
});
