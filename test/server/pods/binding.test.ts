import { describe, expect, test } from 'vitest';
import { Pod } from '../../../src/entries/index.js';
import { podOf, post, startWorld } from './world.js';

const binding = (name: string, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name, ...metadata },
  target: { kind: 'Node', name: 'node1' },
  ...more,
});

test('a binding assigns the pod to the node, with the condition and the annotations', async () => {
  await using world = await startWorld();
  const pods = world.client.resource(Pod).namespace('default');
  const created = await pods.create({ ...podOf('p'), metadata: { name: 'p', annotations: { a: '1', b: '1' } } });
  await world.advance(5000);
  const answer = await post(world, 'pods/p/binding', binding('p', {}, { annotations: { b: '2', c: '2' } }));
  expect(answer).toMatchObject({
    code: 201,
    body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
  });
  const bound = await pods.get('p');
  expect(bound.spec?.nodeName).toBe('node1');
  expect(bound.metadata.annotations).toEqual({ a: '1', b: '2', c: '2' });
  expect(bound.status?.conditions).toEqual([
    { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: '2024-01-01T00:00:05Z' },
  ]);
  expect(bound.metadata.managedFields).toEqual(created.metadata.managedFields);
});

test('a binding can be created as a resource of its own', async () => {
  await using world = await startWorld();
  const pods = world.client.resource(Pod).namespace('default');
  await pods.create(podOf('p'));
  expect((await post(world, 'bindings', binding('p'))).code).toBe(201);
  expect((await pods.get('p')).spec?.nodeName).toBe('node1');
});

describe('a binding is refused', () => {
  test.each<[string, (world: Awaited<ReturnType<typeof startWorld>>) => Promise<unknown>, object, number, string]>([
    ['for a pod that does not exist', async () => undefined, binding('p'), 404, 'pods "p" not found'],
    [
      'for a pod that is bound',
      (world) =>
        world.client
          .resource(Pod)
          .namespace('default')
          .create(podOf('p', { spec: { nodeName: 'other' } })),
      binding('p'),
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "other"',
    ],
    [
      'for a pod with scheduling gates',
      (world) =>
        world.client
          .resource(Pod)
          .namespace('default')
          .create(podOf('p', { spec: { schedulingGates: [{ name: 'example.com/gate' }] } })),
      binding('p'),
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
    ],
    [
      'for a pod that is being deleted',
      async (world) => {
        const pods = world.client.resource(Pod).namespace('default');
        const { metadata, ...pod } = podOf('p');
        await pods.create({ ...pod, metadata: { ...metadata, finalizers: ['example.com/f'] } });
        await pods.delete('p');
      },
      binding('p'),
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is being deleted, cannot be assigned to a host',
    ],
    [
      'with another name than in the path',
      (world) => world.client.resource(Pod).namespace('default').create(podOf('p')),
      binding('q'),
      400,
      'name in URL does not match name in Binding object',
    ],
    [
      'without a node',
      (world) => world.client.resource(Pod).namespace('default').create(podOf('p')),
      binding('p', { target: {} }),
      500,
      'target.name: Required value',
    ],
    [
      'to something else than a node',
      (world) => world.client.resource(Pod).namespace('default').create(podOf('p')),
      binding('p', { target: { kind: 'Pod', name: 'x' } }),
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      'for another pod of the same name',
      (world) => world.client.resource(Pod).namespace('default').create(podOf('p')),
      binding('p', {}, { uid: 'other' }),
      409,
      'Operation cannot be fulfilled on pods "p": Precondition failed: UID in precondition: other, UID in object meta:',
    ],
  ])('%s', async (_, prepare, body, code, message) => {
    await using world = await startWorld();
    await prepare(world);
    const answer = await post(world, 'pods/p/binding', body);
    expect(answer.code).toBe(code);
    expect(String(answer.body['message']).slice(0, message.length)).toBe(message);
  });
});

test('a dry run binds nothing', async () => {
  await using world = await startWorld();
  const pods = world.client.resource(Pod).namespace('default');
  await pods.create(podOf('p'));
  expect((await post(world, 'pods/p/binding?dryRun=All', binding('p'))).code).toBe(201);
  expect((await pods.get('p')).spec?.nodeName).toBeUndefined();
});
