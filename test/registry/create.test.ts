import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResourceDefinition } from '../../src/registry/definition/definition.js';
import { ConfigMap, Namespace, Node, Pod, Secret } from '../../src/kinds/builtin/index.js';
import { seededEntropy } from '../../src/entries/testing.js';
import { ConfigMaps, refusal, Widget } from './registry.js';
import { startFrozenServer, type FrozenServer } from './served.js';

let running: FrozenServer;
beforeEach(async () => {
  running = await startFrozenServer();
});
afterEach(() => running.close());

const maps = () => running.client.resource(ConfigMap).namespace('default');
const widgets = () => running.client.resource(Widget).namespace('default');

describe('create', () => {
  test('the server alone sets its own metadata fields', async () => {
    const made = await widgets().create({
      metadata: {
        name: 'a',
        uid: '11111111-1111-4111-8111-111111111111',
        generation: 7,
        creationTimestamp: '1999-01-01T00:00:00Z',
        deletionTimestamp: '1999-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 5,
        selfLink: '/some/where',
      },
      spec: { size: 1 },
      status: { phase: 'Made up' },
    });
    expect(made.metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2024-01-01T00:00:00Z',
    });
    expect(made.metadata.uid).not.toBe('11111111-1111-4111-8111-111111111111');
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'])
      expect(made.metadata).not.toHaveProperty(field);
    expect(made.status).toBeUndefined();
    expect(made.metadata.resourceVersion).toBe(String(await running.storage.currentRevision()));
  });

  test('a name in use is rejected; the existing object is unchanged', async () => {
    const first = await maps().create({ metadata: { name: 'a' }, data: { k: '1' } });
    expect(await refusal(maps().create({ metadata: { name: 'a' }, data: { k: '2' } }))).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
    });
    expect(await maps().get('a')).toEqual(first);
    expect(running.writes()).toHaveLength(1);
  });

  test('a name used by a terminating object is reported as such', async () => {
    await maps().create({ metadata: { name: 'a', finalizers: ['example.com/f'] } });
    await maps().delete('a');
    expect((await refusal(maps().create({ metadata: { name: 'a' } }))).message).toBe(
      'object is being deleted: configmaps "a" already exists',
    );
  });

  test('a generated name in use is reported as retryable', async () => {
    await maps().create({ metadata: { name: 'a', finalizers: ['example.com/f'] } });
    const message = 'configmaps "a" already exists, the server was not able to generate a unique name for the object';
    const taken = await refusal(maps().create({ metadata: { name: 'a', generateName: 'b' } }));
    expect(taken).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message,
      status: { details: { name: 'a', kind: 'configmaps', retryAfterSeconds: 1 } },
    });
    await maps().delete('a');
    expect((await refusal(maps().create({ metadata: { name: 'a', generateName: 'b' } }))).message).toBe(
      `object is being deleted: ${message}`,
    );
  });

  test('a freed name may be used again, by another object', async () => {
    const first = await maps().create({ metadata: { name: 'a' } });
    await maps().delete('a');
    const second = await maps().create({ metadata: { name: 'a' } });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
  });

  test('a resourceVersion is rejected, with the text and the code of Kubernetes', async () => {
    expect(await refusal(maps().create({ metadata: { name: 'a', resourceVersion: '1' } }))).toMatchObject({
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    });
    expect(running.writes()).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>, number, string]>([
    ['no name at all', () => maps().create({ metadata: {} }), 422, 'name or generateName is required'],
    ['an invalid name', () => maps().create({ metadata: { name: 'A_b' } }), 422, 'metadata.name: Invalid value: "A_b"'],
    [
      'a name that is too long',
      () => maps().create({ metadata: { name: 'a'.repeat(254) } }),
      422,
      'must be no more than 253 characters',
    ],
    [
      'an invalid label',
      () => maps().create({ metadata: { name: 'a', labels: { 'a b': 'c' } } }),
      422,
      'metadata.labels: Invalid value: "a b"',
    ],
    [
      'an invalid finalizer',
      () => maps().create({ metadata: { name: 'a', finalizers: ['x'] } }),
      422,
      'metadata.finalizers',
    ],
    ['no namespace', () => running.client.resource(ConfigMap).create({ metadata: { name: 'a' } }), 422, 'namespace'],
    [
      'a missing namespace',
      () =>
        running.client
          .resource(ConfigMap)
          .namespace('nowhere')
          .create({ metadata: { name: 'a' } }),
      404,
      'namespaces "nowhere" not found',
    ],
    [
      'a value of the wrong type',
      () => maps().create({ metadata: { name: 'a' }, data: { k: 1 } } as never),
      400,
      'cannot be handled as a ConfigMap',
    ],
  ])('%s is rejected and leaves nothing', async (_name, create, code, text) => {
    const error = await refusal(create());
    expect(error.message).toContain(text);
    expect(error.code).toBe(code);
    expect(running.writes()).toEqual([]);
  });

  test('a hundred concurrent creates with one name make one object', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) => maps().create({ metadata: { name: 'a' }, data: { k: String(index) } })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(running.writes()).toHaveLength(1);
  });

  test.each([
    [1, 'a name that is taken once', true],
    [7, 'a name that is taken seven times', true],
    [8, 'a name that is taken eight times', false],
  ])('a generated name is generated again while it is in use: %i times (%s)', async (times, _name, works) => {
    const registered = new ConfigMaps();
    let draws = 0;
    // The same letters each time, until the given number of names has been generated.
    const entropy = {
      ...seededEntropy(1),
      bytes: (length: number) => new Uint8Array(length).fill((draws += 1) <= times + 1 ? 1 : 2),
    };
    const create = (): Promise<unknown> =>
      registered.store.create({ ...registered.registry.context, entropy }, 'default', {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { generateName: 'x-' },
      });
    await create();
    if (works) expect(await create()).toMatchObject({ key: expect.stringMatching(/x-.{5}$/) as string });
    else expect(await refusal(create())).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    expect(draws).toBe(works ? times + 2 : 9);
  });

  test('stored objects are frozen in these tests, so that a change to one throws', async () => {
    const registered = new ConfigMaps();
    await registered.create('a', { labels: { k: 'v' } });
    const object = registered.store.read(await registered.store.get('default', 'a'));
    expect(() => Object.assign(object.metadata.labels ?? {}, { k: 'w' })).toThrow(TypeError);
  });

  test("the caller's input is unchanged, and the result is its own copy", async () => {
    const given = { metadata: { name: 'a', labels: { k: 'v' } }, data: { k: 'v' } };
    const before = structuredClone(given);
    const made = await maps().create(given);
    expect(given).toEqual(before);
    (made.data as Record<string, string>)['k'] = 'changed';
    made.metadata.labels = { k: 'changed' };
    given.data.k = 'changed too';
    expect(await maps().get('a')).toMatchObject({ metadata: { labels: { k: 'v' } }, data: { k: 'v' } });
  });

  test('kinds of every type can be created, stored frozen, and listed', async () => {
    await running.client.resource(Node).create({ metadata: { name: 'n' } });
    await running.client.resource(Namespace).create({ metadata: { name: 'space' } });
    await running.client
      .resource(Secret)
      .namespace('space')
      .create({ metadata: { name: 's' }, data: { k: 'dg==' } });
    await running.client
      .resource(Pod)
      .namespace('space')
      .create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    await widgets().create({ metadata: { name: 'w' }, spec: { color: 'red' } });
    const definitions: readonly ResourceDefinition[] = [Node, Namespace, Secret, Pod, Widget];
    for (const definition of definitions)
      expect((await running.client.resource(definition).list()).items.length).toBeGreaterThan(0);
  });
});
