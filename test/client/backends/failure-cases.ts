import { expect } from 'vitest';
import type { Client } from '../../../src/entries/client.js';
import { ConfigMap, Namespace, Pod } from '../../../src/entries/index.js';
import { Widget } from '../widget.js';
import { failure, mapsOf, type ClientCase } from './case-world.js';

/** The cases of refusals: ApiErrors with the same Status everywhere. */
export const failureCases: readonly ClientCase[] = [
  {
    name: 'the Status of a refusal is the same as in the process',
    async run(world) {
      const client = await world.client();
      const there = world.test.client;
      await mapsOf(client, world).create({ metadata: { name: 'taken' } });
      const { metadata } = await mapsOf(client, world).get('taken');
      await mapsOf(client, world).patch('taken', { data: { a: '1' } });
      const calls: ((of: Client) => Promise<unknown>)[] = [
        (of) => mapsOf(of, world).get('none'),
        (of) => mapsOf(of, world).delete('none'),
        (of) => mapsOf(of, world).update({ metadata: { name: 'none' } }),
        (of) => mapsOf(of, world).create({ metadata: { name: 'taken' } }),
        (of) => mapsOf(of, world).create({ metadata: { name: 'A_' } }),
        (of) => mapsOf(of, world).update({ metadata, data: {} }),
        (of) =>
          of
            .resource(ConfigMap)
            .namespace('none')
            .create({ metadata: { name: 'a' } }),
        (of) => mapsOf(of, world).list({ labelSelector: 'a in (' }),
        (of) => mapsOf(of, world).list({ fieldSelector: 'data.key=1' }),
        (of) => mapsOf(of, world).list({ continue: 'x' }),
        (of) => mapsOf(of, world).patch('taken', [{ op: 'test', path: '/data/a', value: '2' }]),
        (of) => mapsOf(of, world).patch('taken', { data: { a: 1 } } as never),
        (of) => of.resource(Namespace).create({ metadata: { name: 'x' }, spec: { finalizers: ['bad'] } }),
        (of) =>
          of
            .resource(Widget)
            .namespace(world.namespace)
            .create({ metadata: { name: 'w' }, spec: { color: 'pink' as 'red', size: 1000 } }),
      ];
      for (const call of calls) {
        const [here, inProcess] = [await failure(call(client)), await failure(call(there))];
        expect(here.status, call.toString()).toEqual(inProcess.status);
        expect(here.message).toBe(inProcess.message);
      }
    },
  },
  {
    name: 'a client acts as another user, whose rights count',
    async run(world) {
      const eve = await world.client({ user: 'eve' });
      const error = await failure(mapsOf(eve, world).list());
      expect(error).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        message: `configmaps is forbidden: User "eve" cannot list resource "configmaps" in API group "" in the namespace "${world.namespace}"`,
      });
      const admin = await world.client({ user: { username: 'äda', groups: ['system:masters'] } });
      const made = await mapsOf(admin, world).create({ metadata: { name: 'by-ada' } });
      expect(made.metadata.name).toBe('by-ada');
      const request = world.test.requests({ verb: 'create', user: 'äda' }).last;
      expect(request).toMatchObject({ user: 'äda', groups: expect.arrayContaining(['system:masters']) });
    },
  },
  {
    name: 'a signal that is aborted before or during a call ends it with its reason',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      const reason = new Error('enough');
      const before = maps.create({ metadata: { name: 'a' } }, { signal: AbortSignal.abort(reason) });
      await expect(before).rejects.toBe(reason);
      expect((await maps.list()).items).toEqual([]);
    },
  },
  {
    name: 'invalid arguments are TypeErrors',
    async run(world) {
      const maps = mapsOf(await world.client(), world);
      await expect(maps.get('')).rejects.toThrow(
        new TypeError('get: the first argument must be the name of an object, got ""'),
      );
      await expect(maps.list({ limit: -1 })).rejects.toThrow(TypeError);
      expect(() => maps.watch({ limit: -1 })).toThrow(TypeError);
      await expect(maps.update({ metadata: {} })).rejects.toThrow(
        new TypeError('update: the object must have metadata.name, got undefined'),
      );
    },
  },
];

/** The cases of logs. The server answers for each pod with its name, and for `endless` without an end. */
export const logCases: readonly ClientCase[] = [
  {
    name: 'logs are read line by line, and followed',
    async run(world) {
      const pods = (await world.client()).resource(Pod).namespace(world.namespace);
      for (const name of ['short', 'endless'])
        await pods.create({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'i' }] } });
      const lines: string[] = [];
      for await (const line of pods.logs('short', { tailLines: 5 })) lines.push(line);
      expect(lines).toEqual(['short 5', 'grün ✓', 'no end']);
      for await (const line of pods.logs('endless', { follow: true })) if (line === 'line 3') break;
      const abort = new AbortController();
      let seen = 0;
      for await (const _line of pods.logs('endless', { follow: true, signal: abort.signal }))
        if ((seen += 1) === 2) abort.abort();
      expect(seen).toBeGreaterThanOrEqual(2);
      await expect(pods.logs('none').next()).rejects.toMatchObject({ code: 404 });
      const namespaces = (await world.client()).resource(Namespace);
      // @ts-expect-error a namespace has no log
      await expect(namespaces.logs('default').next()).rejects.toThrow(new TypeError('Namespace has no logs'));
    },
  },
];
