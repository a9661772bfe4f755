import { expect } from 'vitest';
import { ConfigMap, Pod } from '../../../src/entries/index.js';
import { TokenRequest } from '../../../src/entries/kinds.js';
import { eventsUntil, failure, mapsOf, type ClientCase } from './case-world.js';
import type { DialectName } from './places.js';

/** A definition of the kind `Any`, whose objects may have any fields. */
export const anyDefinition = (dialect: DialectName, plural = 'anys') => {
  const [suffix, extension] = dialect === 'kubernetes' ? ['k8s.io', 'x-kubernetes'] : ['orch.io', 'x-orch'];
  const openAPIV3Schema = { type: 'object', [`${extension}-preserve-unknown-fields`]: true };
  return {
    apiVersion: `apiextensions.${suffix}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.any.example` },
    spec: {
      group: 'any.example',
      scope: 'Namespaced',
      names: { plural, kind: 'Any' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
};

/** The cases of reads. */
export const readCases: readonly ClientCase[] = [
  {
    name: 'lists have typed objects, pages and selectors',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const made = [];
      for (const name of ['a', 'b', 'c']) made.push(await maps.create({ metadata: { name, labels: { name } } }));
      const all = await maps.list();
      expect(all).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMapList' });
      expect(all.items).toEqual(made);
      const first = await maps.list({ limit: 2 });
      expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
      expect(first.metadata).toMatchObject({ resourceVersion: all.metadata.resourceVersion, remainingItemCount: 1 });
      await maps.create({ metadata: { name: 'd' } });
      const second = await maps.list({ limit: 2, continue: first.metadata.continue });
      expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
      expect(second.metadata.continue ?? '').toBe('');
      const then = await maps.list({ resourceVersion: all.metadata.resourceVersion, resourceVersionMatch: 'Exact' });
      expect(then.items).toHaveLength(3);
      expect((await maps.list({ labelSelector: 'name in (b, c)' })).items).toHaveLength(2);
      expect((await maps.list({ fieldSelector: 'metadata.name=b' })).items).toHaveLength(1);
      const everywhere = await (await world.client()).resource(ConfigMap).list({ labelSelector: 'name=a' });
      expect(everywhere.items.map(({ metadata }) => metadata.namespace)).toContain(world.namespace);
      const empty = await (await world.client()).resource(Pod).namespace(world.namespace).list();
      expect(empty).toMatchObject({ kind: 'PodList', items: [] });
    },
  },
  {
    name: 'metadata alone: get, list and watch',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const { metadata } = await maps.create({ metadata: { name: 'a', labels: { app: 'web' } }, data: { a: 'b' } });
      const group = world.dialect === 'kubernetes' ? 'meta.k8s.io/v1' : 'meta.orch.io/v1';
      const partial = { apiVersion: group, kind: 'PartialObjectMetadata', metadata };
      expect(await maps.metadata().get('a')).toEqual(partial);
      const list = await maps.metadata().list({ labelSelector: 'app=web' });
      expect(list).toMatchObject({ apiVersion: group, kind: 'PartialObjectMetadataList', items: [partial] });
      const [event] = await eventsUntil(maps.metadata().watch(), () => true);
      expect(event).toMatchObject({ type: 'ADDED', object: partial });
    },
  },
  {
    name: 'a watch begins with the existing objects, or after a version',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const made = await maps.create({ metadata: { name: 'a' } });
      const [existing] = await eventsUntil(maps.watch(), () => true);
      expect(existing).toEqual({ type: 'ADDED', object: made });
      const { resourceVersion } = (await maps.list()).metadata;
      const watching = eventsUntil(maps.watch({ resourceVersion }), ({ length }) => length === 3);
      const changed = await maps.update({ ...made, data: { a: '1' } });
      const other = await maps.create({
        metadata: { name: 'b', labels: { app: 'web' } },
        data: { long: 'ü'.repeat(70_000) },
      });
      await maps.delete('a');
      const events = await watching;
      expect(events.map(({ type }) => type)).toEqual(['MODIFIED', 'ADDED', 'DELETED']);
      expect(events[0]).toEqual({ type: 'MODIFIED', object: changed });
      expect(events[1]).toEqual({ type: 'ADDED', object: other });
      const selected = await eventsUntil(maps.watch({ labelSelector: 'app=web' }), () => true);
      expect(selected).toEqual([{ type: 'ADDED', object: other }]);
    },
  },
  {
    name: 'a watch ends with its timeout, its signal, or when it is left, and gets bookmarks',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      await maps.create({ metadata: { name: 'a' } });
      const timed = maps.watch({ timeoutSeconds: 30, allowWatchBookmarks: true });
      expect((await timed.next()).value).toMatchObject({ type: 'ADDED' });
      const rest = eventsUntil(timed, () => false);
      await world.test.advance('40s');
      expect(await rest).toMatchObject([
        { type: 'BOOKMARK', object: { kind: 'ConfigMap', metadata: { resourceVersion: expect.any(String) } } },
      ]);
      const abort = new AbortController();
      const aborted = maps.watch({ signal: abort.signal });
      expect((await aborted.next()).value).toMatchObject({ type: 'ADDED' });
      const ending = eventsUntil(aborted, () => false);
      abort.abort();
      expect(await ending).toEqual([]);
      for await (const event of maps.watch()) {
        expect(event.type).toBe('ADDED');
        break;
      }
      const before = AbortSignal.abort();
      expect(await eventsUntil(maps.watch({ signal: before }), () => false)).toEqual([]);
    },
  },
  {
    name: 'a version that is no longer there is an ERROR event with 410',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const { resourceVersion } = (await maps.create({ metadata: { name: 'a' } })).metadata;
      await maps.patch('a', { data: { a: '1' } });
      world.test.faults.expireHistory();
      const events = await eventsUntil(maps.watch({ resourceVersion }), () => false);
      expect(events).toMatchObject([
        { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', status: 'Failure' } },
      ]);
      expect(
        await failure(maps.list({ resourceVersion: resourceVersion ?? '', resourceVersionMatch: 'Exact' })),
      ).toMatchObject({ code: 410 });
    },
  },
];

/** The cases of kinds without a definition in the program. */
export const untypedCases: readonly ClientCase[] = [
  {
    name: 'kinds are found by their names, and objects of any kind are applied',
    async run(world) {
      const client = await world.client({ fieldManager: 'cases' });
      const apps = client.resource({ apiVersion: 'apps/v1', kind: 'Deployment' }).namespace(world.namespace);
      expect((await apps.list()).kind).toBe('DeploymentList');
      const applied = await client.apply({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: world.namespace },
        data: { a: '1' },
      });
      expect(applied).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } });
      expect(await client.resource({ apiVersion: 'v1', kind: 'Namespace' }).get(world.namespace)).toMatchObject({
        kind: 'Namespace',
        metadata: { name: world.namespace },
      });
      const accounts = client.resource({ apiVersion: 'v1', kind: 'ServiceAccount' }).namespace(world.namespace);
      const token = await accounts.perform('default', TokenRequest, { spec: { audiences: [] } });
      expect(token.status?.token).toMatch(/^ey/);
    },
  },
  {
    name: 'a kind that is not served is 404, and names its nearest neighbours',
    async run(world) {
      const client = await world.client();
      const message =
        'the server could not find the requested resource: no kind "Deploymint" of "apps/v1" is served; near names are Deployment of apps/v1';
      const wrong = client.resource({ apiVersion: 'apps/v1', kind: 'Deploymint' });
      expect(await failure(wrong.list())).toMatchObject({ code: 404, reason: 'NotFound', message });
      const group = client.resource({ apiVersion: 'app/v1', kind: 'Deployment' });
      expect(await failure(group.get('a'))).toMatchObject({
        code: 404,
        message: expect.stringContaining('near names are Deployment of apps/v1'),
      });
      await expect(
        (async () => {
          for await (const event of wrong.watch()) throw new Error(`got ${event.type}`);
        })(),
      ).rejects.toMatchObject({ code: 404, message });
    },
  },
  {
    name: 'a kind that is defined, removed and defined with other names while the client runs',
    async run(world) {
      const client = await world.client();
      const kind = client.resource({ apiVersion: 'any.example/v1', kind: 'Any' });
      const any = kind.namespace(world.namespace);
      const definitions = world.test.client.resource({
        apiVersion: anyDefinition(world.dialect).apiVersion,
        kind: 'CustomResourceDefinition',
      });
      await definitions.delete('anys.any.example').catch(() => undefined);
      await world.test.settled();
      expect(await failure(any.list())).toMatchObject({
        code: 404,
        message: expect.stringContaining('no kind "Any" of "any.example/v1" is served'),
      });
      await definitions.create(anyDefinition(world.dialect));
      await world.test.settled();
      expect(await any.create({ metadata: { name: 'a' }, size: 1 })).toMatchObject({ kind: 'Any', size: 1 });
      await definitions.delete('anys.any.example');
      await world.test.settled();
      expect(await failure(any.list())).toMatchObject({ code: 404 });
      await definitions.create(anyDefinition(world.dialect, 'whichever'));
      await world.test.settled();
      expect((await any.list()).items).toEqual([]);
      await definitions.delete('whichever.any.example');
      await world.test.settled();
    },
  },
  {
    name: 'integers of 64 bits are exact',
    async run(world) {
      const definitions = world.test.client.resource({
        apiVersion: anyDefinition(world.dialect).apiVersion,
        kind: 'CustomResourceDefinition',
      });
      await definitions.create(anyDefinition(world.dialect));
      await world.test.settled();
      const any = (await world.client()).resource({ apiVersion: 'any.example/v1', kind: 'Any' });
      const big = 9_007_199_254_740_993n;
      const made = await any.namespace(world.namespace).create({ metadata: { name: 'a' }, value: { count: big } });
      expect(made['value']).toEqual({ count: big });
      const patched = await any.namespace(world.namespace).patch('a', { value: { count: big + 2n } } as never);
      expect(patched['value']).toEqual({ count: big + 2n });
      const [event] = await eventsUntil(any.namespace(world.namespace).watch(), () => true);
      expect(event?.object).toEqual(patched);
      await definitions.delete('anys.any.example');
      await world.test.settled();
    },
  },
];
