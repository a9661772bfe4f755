import { expect } from 'vitest';
import { ConfigMap, isStatus, Pod } from '../../../src/entries/index.js';
import { ClusterRole, Deployment, ServiceAccount, TokenRequest } from '../../../src/entries/kinds.js';
import { Widget } from '../widget.js';
import { failure, mapsOf, type ClientCase } from './case-world.js';

/** The cases of verbs on objects. */
export const verbCases: readonly ClientCase[] = [
  {
    name: 'create, get and update answer with whole objects',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const made = await maps.create({ metadata: { name: 'a', labels: { app: 'web' } }, data: { key: 'grün ✓' } });
      expect(made).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: world.namespace, labels: { app: 'web' } },
        data: { key: 'grün ✓' },
      });
      expect(await maps.get('a')).toEqual(made);
      // Others see the same.
      expect(await world.test.client.resource(ConfigMap).namespace(world.namespace).get('a')).toEqual(made);
      const changed = await maps.update({ ...made, data: { key: 'other' } });
      expect(changed.data).toEqual({ key: 'other' });
      expect(changed.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
      expect(await maps.get('a', { resourceVersion: changed.metadata.resourceVersion })).toEqual(changed);
    },
  },
  {
    name: 'the namespace may come from the object, and a name may be generated',
    async run(world) {
      const client = await world.client();
      const made = await client
        .resource(ConfigMap)
        .create({ metadata: { generateName: 'made-', namespace: world.namespace } });
      expect(made.metadata.name).toMatch(/^made-.{5}$/);
      expect(made.metadata.namespace).toBe(world.namespace);
      const error = await failure(mapsOf(client, world).create({ metadata: { name: 'b', namespace: 'other' } }));
      expect(error).toMatchObject({ code: 400, reason: 'BadRequest' });
    },
  },
  {
    name: 'all patches and apply',
    async run(world) {
      const client = await world.client({ fieldManager: 'cases' });
      const deployments = client.resource(Deployment).namespace(world.namespace);
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'a' }] } };
      const made = await deployments.apply({
        metadata: { name: 'web', labels: { app: 'web' } },
        spec: { selector: { matchLabels: { app: 'web' } }, template },
      });
      expect(made).toMatchObject({ kind: 'Deployment', spec: { replicas: 1 } });
      expect(made.metadata.managedFields).toMatchObject([{ manager: 'cases', operation: 'Apply' }]);
      const merged = await deployments.patch('web', { metadata: { labels: { tier: 'front' } } });
      expect(merged.metadata.labels).toEqual({ app: 'web', tier: 'front' });
      const own = merged.metadata.managedFields?.filter(({ manager }) => manager === 'cases') ?? [];
      expect(own.map(({ operation }) => operation).sort()).toEqual(['Apply', 'Update']);
      const stepped = await deployments.patch('web', [
        { op: 'test', path: '/metadata/labels/tier', value: 'front' },
        { op: 'remove', path: '/metadata/labels/tier' },
      ]);
      expect(stepped.metadata.labels).toEqual({ app: 'web' });
      const strategic = await deployments.patch(
        'web',
        { spec: { template: { spec: { containers: [{ name: 'side', image: 'b' }] } } } },
        { type: 'strategic' },
      );
      expect(strategic.spec?.template?.spec?.containers?.map(({ name }) => name).sort()).toEqual(['main', 'side']);
      const conflict = await failure(
        deployments.apply({ metadata: { name: 'web', labels: { app: 'other' } } }, { fieldManager: 'someone' }),
      );
      expect(conflict).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(conflict.status.details?.causes).toMatchObject([
        { reason: 'FieldManagerConflict', field: '.metadata.labels.app' },
      ]);
      const forced = await deployments.apply(
        { metadata: { name: 'web', labels: { app: 'other' } } },
        { fieldManager: 'someone', force: true },
      );
      expect(forced.metadata.labels).toEqual({ app: 'other' });
    },
  },
  {
    name: 'the manager of an apply is required, from the call or the client',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      await expect(maps.apply({ metadata: { name: 'a' } })).rejects.toThrow(
        /^apply: the option fieldManager is required/,
      );
      const made = await maps.apply({ metadata: { name: 'a' }, data: { a: '1' } }, { fieldManager: 'own' });
      expect(made.metadata.managedFields).toMatchObject([{ manager: 'own', operation: 'Apply' }]);
    },
  },
  {
    name: 'delete answers with a Status, or with the object that waits for its finalizers',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      await maps.create({ metadata: { name: 'a' } });
      const held = await maps.create({ metadata: { name: 'b', finalizers: ['shop.example/hold'] } });
      const status = await maps.delete('a');
      expect(isStatus(status)).toBe(true);
      expect(status).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'configmaps' } });
      expect(await failure(maps.delete('b', { preconditions: { uid: 'other' } }))).toMatchObject({ code: 409 });
      expect(await maps.delete('b', { dryRun: true })).toMatchObject({ metadata: { name: 'b' } });
      expect((await maps.get('b')).metadata.deletionTimestamp).toBeUndefined();
      const waiting = await maps.delete('b', { preconditions: { uid: held.metadata.uid } });
      expect(waiting).toMatchObject({ kind: 'ConfigMap', metadata: { deletionTimestamp: expect.any(String) } });
      await maps.patch('b', { metadata: { finalizers: null } });
      expect(await failure(maps.get('b'))).toMatchObject({ code: 404 });
    },
  },
  {
    name: 'deleteCollection answers with what it has deleted',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      for (const [name, app] of [
        ['a', 'web'],
        ['b', 'db'],
        ['c', 'web'],
      ] as const)
        await maps.create({ metadata: { name, labels: { app } } });
      const kept = await maps.deleteCollection({ labelSelector: 'app=web', dryRun: true });
      expect(kept.map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
      const gone = await maps.deleteCollection({ labelSelector: 'app=web' });
      expect(gone.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
        ['ConfigMap', 'a'],
        ['ConfigMap', 'c'],
      ]);
      expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    },
  },
  {
    name: 'dry runs store nothing, and unknown fields warn or are refused',
    async run(world) {
      const warnings: string[] = [];
      const maps = mapsOf(await world.client({ onWarning: (text) => void warnings.push(text) }), world);
      const odd = { metadata: { name: 'a' }, 'größe "x"': 1 };
      expect(await maps.create(odd, { dryRun: true })).toMatchObject({ metadata: { name: 'a' } });
      expect(warnings).toEqual(['unknown field "größe \\"x\\""']);
      expect(await failure(maps.get('a'))).toMatchObject({ code: 404 });
      await maps.create(odd, { dryRun: true, fieldValidation: 'Ignore' });
      expect(warnings).toHaveLength(1);
      const error = await failure(maps.create(odd, { fieldValidation: 'Strict' }));
      expect(error).toMatchObject({ code: 400, message: expect.stringContaining('strict decoding error') });
    },
  },
  {
    name: 'subresources: status, scale, operations of objects, evictions and bindings',
    async run(world) {
      const client = await world.client();
      const widgets = client.resource(Widget).namespace(world.namespace);
      const widget = await widgets.create({ metadata: { name: 'w' }, spec: { color: 'red' } });
      const shown = await widgets.updateStatus({ ...widget, status: { phase: 'Made', ready: true } });
      expect(shown.status).toEqual({ phase: 'Made', ready: true });
      const token = await client
        .resource(ServiceAccount)
        .namespace(world.namespace)
        .perform('default', TokenRequest, { spec: { audiences: [], expirationSeconds: 3600 } });
      expect(token.status?.token).toMatch(/^ey/);
      expect(token.kind).toBe('TokenRequest');
      await expect(widgets.perform('w', TokenRequest, { spec: {} as never })).rejects.toThrow(
        new TypeError('Widget has no subresource that takes a TokenRequest'),
      );
      const pods = client.resource(Pod).namespace(world.namespace);
      await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
      await pods.bind('web', 'n1');
      expect((await pods.get('web')).spec?.nodeName).toBe('n1');
      expect(await failure(pods.bind('web', 'n2'))).toMatchObject({ code: 409 });
      await pods.evict('web', { dryRun: true });
      await pods.evict('web', { gracePeriodSeconds: 0 });
      expect(await failure(pods.get('web'))).toMatchObject({ code: 404 });
    },
  },
  {
    name: 'names and selectors with characters that a URL encodes',
    async run(world) {
      const client = await world.client();
      const roles = client.resource(ClusterRole);
      const name = `system:case:${world.namespace} a?b#ü`;
      await roles.create({ metadata: { name }, rules: [] });
      expect((await roles.get(name)).metadata.name).toBe(name);
      expect(isStatus(await roles.delete(name))).toBe(true);
      const maps = mapsOf(client, world);
      await maps.create({ metadata: { name: 'a', labels: { 'shop.example/app': 'a_b.c' } } });
      const selected = await maps.list({ labelSelector: 'shop.example/app in (a_b.c, x),!other' });
      expect(selected.items).toHaveLength(1);
      expect((await maps.list({ fieldSelector: 'metadata.name!=a' })).items).toEqual([]);
    },
  },
];
