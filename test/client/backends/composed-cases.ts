import { expect } from 'vitest';
import { Informer } from '../../../src/entries/controllers.js';
import { Pod } from '../../../src/entries/index.js';
import { Deployment } from '../../../src/entries/kinds.js';
import { Widget } from '../widget.js';
import { eventually, failure, mapsOf, masterOf, type ClientCase } from './case-world.js';

/** The cases of what is made of several calls. */
export const composedCases: readonly ClientCase[] = [
  {
    name: 'pages are those of one state, and each yields their objects',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      for (const name of ['a', 'b', 'c', 'd', 'e']) await maps.create({ metadata: { name } });
      const sizes: number[] = [];
      const versions = new Set<string | undefined>();
      for await (const { items, metadata } of maps.pages({ limit: 2 })) {
        sizes.push(items.length);
        versions.add(metadata.resourceVersion);
        await maps.patch('e', { data: { size: String(sizes.length) } });
      }
      expect([sizes, versions.size]).toEqual([[2, 2, 1], 1]);
      const names: (string | undefined)[] = [];
      for await (const { metadata } of maps.each({ limit: 3, fieldSelector: 'metadata.name!=c' }))
        names.push(metadata.name);
      expect(names).toEqual(['a', 'b', 'd', 'e']);
      expect(() => maps.pages({ limit: -1 })).toThrow(TypeError);
    },
  },
  {
    name: 'pages whose state expires end with 410, restart, or continue',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name } });
      const read = async (expired?: 'restart' | 'continue'): Promise<(string | undefined)[]> => {
        const names: (string | undefined)[] = [];
        for await (const { items } of maps.pages({ limit: 2, expired })) {
          if (names.length === 0) {
            await maps.delete('a').catch(() => undefined);
            world.test.faults.expireHistory();
          }
          for (const { metadata } of items) names.push(metadata.name);
        }
        return names;
      };
      expect(await read('continue')).toEqual(['a', 'b', 'c']);
      await maps.create({ metadata: { name: 'a' } });
      expect(await read('restart')).toEqual(['a', 'b', 'b', 'c']);
      await maps.create({ metadata: { name: 'a' } });
      expect(await failure(read())).toMatchObject({ code: 410 });
    },
  },
  {
    name: 'follow yields the objects, then their changes, whatever ends its watches',
    async run(world) {
      const client = await world.client({
        user: masterOf('op'),
        clock: world.test.clock,
      });
      const maps = mapsOf(client, world);
      await maps.create({ metadata: { name: 'a' } });
      const events = maps.follow();
      const next = async (): Promise<unknown> => {
        const { value } = await events.next();
        if (value === undefined || value.type === 'SYNCED') return value?.type;
        return `${value.type} ${value.object.metadata.name}`;
      };
      // After the gap the list may be made before the deletion, which follows then.
      const nextChange = async (): Promise<unknown> => {
        const event = await next();
        return event === 'SYNCED' ? next() : event;
      };
      expect([await next(), await next()]).toEqual(['ADDED a', 'SYNCED']);
      const created = next();
      await maps.create({ metadata: { name: 'b' } });
      expect(await created).toBe('ADDED b');
      const after = next();
      world.test.faults.dropWatches({ user: 'op' });
      await maps.delete('a');
      expect(await after).toBe('DELETED a');
      const gap = nextChange();
      world.test.faults.expireHistory();
      await maps.delete('b');
      expect(await gap).toBe('DELETED b');
      await events.return();
    },
  },
  {
    name: 'an informer shows the objects, whatever ends its watches',
    async run(world) {
      const client = await world.client({ user: masterOf('informed'), clock: world.test.clock });
      const maps = mapsOf(client, world);
      await maps.create({ metadata: { name: 'a' } });
      const seen: string[] = [];
      const informer = new Informer({ source: maps, clock: world.test.clock, pageSize: 1, onError: () => undefined });
      informer.subscribe({
        added: ({ metadata }) => seen.push(`added ${metadata.name}`),
        updated: ({ metadata, data }) => seen.push(`updated ${metadata.name} ${data?.['x']}`),
        deleted: ({ metadata }) => seen.push(`deleted ${metadata.name}`),
      });
      informer.start();
      await informer.synced();
      await maps.create({ metadata: { name: 'b' } });
      await maps.patch('a', { data: { x: '1' } });
      await informer.caughtUp();
      world.test.faults.dropWatches({ user: 'informed' });
      await maps.delete('b');
      await informer.caughtUp();
      world.test.faults.expireHistory();
      await maps.patch('a', { data: { x: '2' } });
      await informer.caughtUp();
      expect(seen).toEqual(['added a', 'added b', 'updated a 1', 'deleted b', 'updated a 2']);
      expect([...informer.values()].map(({ metadata }) => metadata.name)).toEqual(['a']);
      await informer.stop();
    },
  },
  {
    name: 'waitFor ends with a condition, a function, the deletion, or its time',
    async run(world) {
      const client = await world.client({ clock: world.test.clock });
      const widgets = client.resource(Widget).namespace(world.namespace);
      const pods = client.resource(Pod).namespace(world.namespace);
      const waiting = widgets.waitFor('w', (widget) => widget?.status?.phase === 'Made');
      const widget = await widgets.create({ metadata: { name: 'w' }, spec: { color: 'red' } });
      await widgets.updateStatus({ ...widget, status: { phase: 'Made' } });
      expect((await waiting)?.status?.phase).toBe('Made');
      const pod = await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'main', image: 'i' }] } });
      const ready = pods.waitFor('p', { condition: 'Ready' }, { timeout: '1m' });
      const unready = { conditions: [{ type: 'Ready', status: 'False' }] };
      const updated = await pods.updateStatus({ ...pod, status: unready });
      await pods.updateStatus({ ...updated, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
      expect((await ready)?.metadata.uid).toBe(pod.metadata.uid);
      expect(await pods.waitFor('none', 'deleted')).toBeUndefined();
      const gone = pods.waitFor('p', 'deleted');
      await pods.delete('p', { gracePeriodSeconds: 0 });
      expect(await gone).toBeUndefined();
      const watches = () => world.test.requests({ verb: 'watch', namespace: world.namespace });
      const before = watches().length;
      const late = pods.waitFor('p', { condition: 'Ready' }, { timeout: '5s' }).catch((error: unknown) => error);
      await eventually(() => watches().length > before && watches().last?.status === 200);
      await world.test.advance('5s');
      expect(await late).toMatchObject({
        name: 'WaitTimeoutError',
        message: `Pod ${world.namespace}/p did not exist within 5s`,
      });
      const eve = (await world.client({ user: 'eve' })).resource(Pod).namespace(world.namespace);
      expect(await failure(eve.waitFor('p', 'deleted'))).toMatchObject({ code: 403 });
      await expect(pods.waitFor('p', 'Ready' as 'deleted')).rejects.toThrow(/^waitFor: the second argument must be/);
    },
  },
  {
    name: 'createOrUpdate creates, changes, or leaves an object, and tries again after a conflict',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const count = (by: number) => (map: { data?: Record<string, string> | undefined }) => {
        map.data = { ...map.data, count: String(Number(map.data?.['count'] ?? 0) + by) };
      };
      const template = { metadata: { name: 'a', labels: { app: 'web' } } };
      const made = await maps.createOrUpdate(template, count(1));
      expect(made).toMatchObject({ outcome: 'created', object: { data: { count: '1' }, metadata: template.metadata } });
      expect(template).toEqual({ metadata: { name: 'a', labels: { app: 'web' } } });
      const same = await maps.createOrUpdate(template, count(0));
      expect(same).toEqual({ outcome: 'unchanged', object: made.object });
      const all = await Promise.all(Array.from({ length: 5 }, () => maps.createOrUpdate(template, count(1))));
      expect(all.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'updated'));
      expect((await maps.get('a')).data).toEqual({ count: '6' });
    },
  },
  {
    name: 'scale sets the replicas of a kind that scales',
    async run(world) {
      const client = await world.client();
      const deployments = client.resource(Deployment).namespace(world.namespace);
      const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'a' }] } };
      await deployments.create({
        metadata: { name: 'web' },
        spec: { selector: { matchLabels: { app: 'web' } }, template },
      });
      expect(await deployments.scale('web', 3)).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
      expect((await deployments.get('web')).spec?.replicas).toBe(3);
      expect(await failure(deployments.scale('none', 3))).toMatchObject({ code: 404 });
      expect(await failure(mapsOf(client, world).scale('a', 3))).toMatchObject({ code: 404 });
      await expect(deployments.scale('web', -1)).rejects.toThrow(TypeError);
    },
  },
  {
    name: 'patchOf makes the patch of a difference',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const before = await maps.create({ metadata: { name: 'a' }, data: { a: '1', b: '2' } });
      const patch = await maps.patchOf(before, { ...before, data: { a: '1', c: '3' } });
      expect(patch).toEqual({ data: { b: null, c: '3' } });
      expect((await maps.patch('a', patch)).data).toEqual({ a: '1', c: '3' });
    },
  },
];
