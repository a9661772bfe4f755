import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { ConfigMap, Namespace, Role, RoleBinding, SelfSubjectAccessReview } from '../../../src/kinds/builtin/index.js';
import { GROUP, refusal, startWorld, version } from './world.js';

const WIDGETS = 'widgets.example.com';

type World = Awaited<ReturnType<typeof startWorld>>;

const ownedBy = (
  { apiVersion, kind, metadata }: Pick<StoredObject, 'apiVersion' | 'kind' | 'metadata'>,
  more = {},
) => ({
  ownerReferences: [{ apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', ...more }],
});

/** The names of the widgets and config maps that are left. */
async function left(world: World): Promise<string[]> {
  const widgets = await world.kind().namespace('default').list();
  const maps = await world.client.resource(ConfigMap).namespace('default').list();
  return [...widgets.items, ...maps.items]
    .map(({ kind, metadata }) => `${kind ?? 'ConfigMap'} ${metadata.name}`)
    .filter((name) => !name.endsWith('kube-root-ca.crt'));
}

describe('garbage collection', () => {
  test('crosses custom and built-in kinds', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    const maps = world.client.resource(ConfigMap).namespace('default');
    const owner = await widgets.create({ metadata: { name: 'owner' } });
    const map = await maps.create({ metadata: { name: 'map', ...ownedBy(owner) } });
    await widgets.create({ metadata: { name: 'leaf', ...ownedBy(map) } });
    await widgets.create({ metadata: { name: 'other' } });
    await world.settled();
    await widgets.delete('owner');
    await world.settled();
    expect(await left(world)).toEqual(['Widget other']);
  });

  test('waits in the foreground, and orphans', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    const maps = world.client.resource(ConfigMap).namespace('default');
    const first = await widgets.create({ metadata: { name: 'first' } });
    await maps.create({
      metadata: { name: 'held', finalizers: ['example.com/hold'], ...ownedBy(first, { blockOwnerDeletion: true }) },
    });
    const second = await widgets.create({ metadata: { name: 'second' } });
    await maps.create({ metadata: { name: 'orphan', ...ownedBy(second) } });
    await widgets.delete('first', { propagationPolicy: 'Foreground' });
    await widgets.delete('second', { propagationPolicy: 'Orphan' });
    await world.settled();
    expect(await left(world)).toEqual(['Widget first', 'ConfigMap held', 'ConfigMap orphan']);
    expect((await maps.get('orphan')).metadata.ownerReferences).toBeUndefined();
    await maps.patch('held', { metadata: { finalizers: null } } as object);
    await world.settled();
    expect(await left(world)).toEqual(['ConfigMap orphan']);
  });

  test('deletes what the objects of a deleted definition own', async () => {
    await using world = await startWorld();
    await world.define({});
    const widgets = world.kind().namespace('default');
    const maps = world.client.resource(ConfigMap).namespace('default');
    for (let index = 0; index < 60; index += 1) {
      const owner = await widgets.create({ metadata: { name: `w-${index}` } });
      await maps.create({ metadata: { name: `m-${index}`, ...ownedBy(owner) } });
    }
    await world.definitions.delete(WIDGETS);
    await world.settled();
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toEqual([]);
    expect(world.logged).toEqual([]);
  });

  test('leaves dependents alone whose owners are not served any more', async () => {
    await using world = await startWorld();
    await world.define({});
    const owner = await world
      .kind()
      .namespace('default')
      .create({ metadata: { name: 'w' } });
    const maps = world.client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'm', ...ownedBy(owner) } });
    await world.settled();
    await world.change(WIDGETS, (spec) => void ((spec.versions ?? [])[0]!.served = false));
    await maps.patch('m', { data: { a: 'b' } });
    await world.settled();
    expect((await maps.get('m')).data).toEqual({ a: 'b' });
    await world.change(WIDGETS, (spec) => void ((spec.versions ?? [])[0]!.served = true));
    await world.kind().namespace('default').delete('w');
    await world.settled();
    expect(await refusal(maps.get('m'))).toMatch(/^404/);
  });

  test('goes on by another version when the one that it used is no longer served', async () => {
    await using world = await startWorld();
    await world.define({ versions: [version('v1'), version('v1beta1', undefined, { storage: false })] });
    const widgets = world.kind('Widget', `${GROUP}/v1beta1`).namespace('default');
    const maps = world.client.resource(ConfigMap).namespace('default');
    const owner = await widgets.create({ metadata: { name: 'owner' } });
    await widgets.create({ metadata: { name: 'dependent', ...ownedBy(owner) } });
    const map = await maps.create({ metadata: { name: 'map' } });
    await widgets.create({ metadata: { name: 'second', ...ownedBy(map) } });
    await world.settled();
    await world.change(WIDGETS, (spec) => {
      for (const each of spec.versions ?? []) each.served = each.name === 'v1beta1';
    });
    await widgets.delete('owner');
    await maps.delete('map');
    await world.settled();
    expect((await widgets.list()).items).toEqual([]);
    expect(world.logged).toEqual([]);
  });
});

test('a deleted namespace takes custom objects along, and waits for their finalizers', async () => {
  await using world = await startWorld();
  await world.define({});
  const namespaces = world.client.resource(Namespace);
  await namespaces.create({ metadata: { name: 'team' } });
  const widgets = world.kind().namespace('team');
  await widgets.create({ metadata: { name: 'plain' } });
  await widgets.create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } });
  await namespaces.delete('team');
  await world.settled();
  expect((await widgets.list()).items.map(({ metadata }) => metadata.name)).toEqual(['held']);
  const { status } = await namespaces.get('team');
  expect(status?.conditions?.map(({ message }) => message)).toContain(
    'Some resources are remaining: widgets.example.com has 1 resource instances',
  );
  await widgets.patch('held', { metadata: { finalizers: null } } as object);
  await world.settled();
  expect(await refusal(namespaces.get('team'))).toMatch(/^404/);
});

test('roles grant access to custom kinds by group and plural, before and after the definition', async () => {
  await using world = await startWorld();
  await world.client
    .resource(Role)
    .namespace('default')
    .create({
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [GROUP], resources: ['widgets'], verbs: ['get', 'list'] }],
    });
  await world.client
    .resource(RoleBinding)
    .namespace('default')
    .create({
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }],
    });
  const ann = world.server.client({ user: 'ann' });
  const widgets = ann.resource({ apiVersion: `${GROUP}/v1`, kind: 'Widget' }).namespace('default');
  expect(await refusal(widgets.list())).toMatch(/^404/);
  const allowed = async (verb: string) => {
    const review = await ann.resource(SelfSubjectAccessReview).create({
      metadata: {},
      spec: { resourceAttributes: { group: GROUP, resource: 'widgets', verb, namespace: 'default' } },
    });
    return review.status?.allowed;
  };
  expect([await allowed('list'), await allowed('create')]).toEqual([true, false]);
  await world.define({});
  expect((await widgets.list()).items).toEqual([]);
  expect(await refusal(widgets.create({ metadata: { name: 'w' } }))).toBe(
    '403 Forbidden widgets.example.com is forbidden: User "ann" cannot create resource "widgets" in API group "example.com" in the namespace "default"',
  );
});

test('a watch of custom objects follows label and field selectors', async () => {
  await using world = await startWorld();
  await world.define({ versions: [version('v1', undefined)] });
  const widgets = world.kind().namespace('default');
  const collect = async (selectors: object): Promise<string[]> => {
    const seen: string[] = [];
    for await (const event of widgets.watch({ ...selectors, resourceVersion: start }))
      if (event.type === 'ADDED' || event.type === 'MODIFIED' || event.type === 'DELETED') {
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (event.type === 'DELETED') break;
      }
    return seen;
  };
  const start = (await widgets.list()).metadata.resourceVersion ?? '';
  const byLabel = collect({ labelSelector: 'a=b' });
  const byName = collect({ fieldSelector: 'metadata.name=x' });
  await widgets.create({ metadata: { name: 'x' } });
  await widgets.create({ metadata: { name: 'y', labels: { a: 'b' } } });
  await widgets.patch('x', { metadata: { labels: { a: 'b' } } });
  await widgets.patch('y', { metadata: { labels: { a: 'c' } } });
  await widgets.delete('x');
  expect(await byLabel).toEqual(['ADDED y', 'ADDED x', 'DELETED y']);
  expect(await byName).toEqual(['ADDED x', 'MODIFIED x', 'DELETED x']);
});

test('any object can be applied', async () => {
  await using world = await startWorld();
  await world.define({});
  const widget = {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
    spec: { a: 1 },
  };
  await world.client.apply(widget, { fieldManager: 'one' });
  const applied = await world.client.apply({ ...widget, spec: { b: 2 } }, { fieldManager: 'one' });
  expect(applied['spec']).toEqual({ b: 2 });
  expect(await refusal(world.client.apply({ ...widget, spec: { b: 3 } }, { fieldManager: 'two' }))).toMatch(
    /^409 Conflict Apply failed with 1 conflict: conflict with "one": \.spec\.b$/,
  );
});
