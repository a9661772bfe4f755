/** Workspaces in databases that several processes share. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from '../../../src/apiserver/workspaces/index.js';
import { controllerNames } from '../../../src/entries/controllers.js';
import { ConfigMap } from '../../../src/entries/kinds.js';
import { decorateStorage, type Storage } from '../../../src/entries/storage.js';
import { silentLogger } from '../../../src/foundation/index.js';
import { createManualClock } from '../../../src/testing/time/manual-clock.js';
import { sharedEngines, type SharedDatabase } from '../../storage/remote/shared-engines.js';
import { PATIENCE } from '../../support/patience.js';
import { ask, configMap, ownerToken } from './ask.js';

const pathOf = (name: string): string => `/clusters/${name}/api/v1/namespaces/default/configmaps`;
const PATH = pathOf('alpha');

for (const engine of sharedEngines)
  describe.skipIf(!engine.isInstalled)(`workspaces in ${engine.name}`, () => {
    let database: SharedDatabase;
    let stores = 0;
    let made: Workspaces[] = [];
    beforeAll(async () => {
      database = await engine.start();
    });
    afterAll(() => database.remove());
    beforeEach(() => {
      stores += 1;
    });
    afterEach(async () => {
      await Promise.all(made.map((workspaces) => workspaces.close()));
      made = [];
    });

    const open = (): Promise<Storage> => database.open(`workspaces_${stores}`);
    /** Workspaces as another process has them. */
    const processOf = async (options: WorkspacesOptions = {}): Promise<Workspaces> => {
      const server = { observability: { logger: silentLogger }, ...options.server };
      const workspaces = createWorkspaces({ ...options, storage: options.storage ?? (await open()), server });
      made.push(workspaces);
      return workspaces;
    };
    const ended = async (workspaces: Workspaces): Promise<void> => {
      made = made.filter((each) => each !== workspaces);
      await workspaces.close();
    };
    const keysBelow = async (prefix: string): Promise<string[]> => {
      const storage = await open();
      const { records } = await storage.list(prefix);
      await storage.close();
      return records.map(({ key }) => key);
    };

    test(
      'are loaded by a request, leave memory when idle, and are there after a restart',
      { timeout: 300_000 },
      async () => {
        const clock = createManualClock(Date.now());
        const workspaces = await processOf({ clock, unloadAfter: '5m' });
        await workspaces.create('alpha');
        const isLoaded = async () => (await workspaces.get('alpha'))?.isLoaded;
        expect(await isLoaded()).toBe(false);
        const token = await ownerToken(workspaces, 'alpha');
        expect((await ask(workspaces, 'POST', PATH, { token, body: configMap('kept', { a: '1' }) })).status).toBe(201);
        expect(await isLoaded()).toBe(true);
        {
          using opened = await workspaces.open('alpha');
          await opened.server.settled();
        }
        await vi.waitFor(
          async () => {
            await clock.advance('6m');
            expect(await isLoaded()).toBe(false);
          },
          { ...PATIENCE, timeout: 4 * PATIENCE.timeout },
        );
        expect((await ask(workspaces, 'GET', `${PATH}/kept`, { token })).body.data).toEqual({ a: '1' });
        await ended(workspaces);
        const next = await processOf();
        expect((await ask(next, 'GET', `${PATH}/kept`, { token })).body.data).toEqual({ a: '1' });
      },
    );

    test('are separate: in objects, tokens and keys', async () => {
      const workspaces = await processOf();
      for (const name of ['alpha', 'beta']) await workspaces.create(name);
      const [alpha, beta] = [await ownerToken(workspaces, 'alpha'), await ownerToken(workspaces, 'beta')];
      await ask(workspaces, 'POST', PATH, { token: alpha, body: configMap('mine') });
      expect((await ask(workspaces, 'GET', `${pathOf('beta')}/mine`, { token: beta })).status).toBe(404);
      expect((await ask(workspaces, 'GET', `${pathOf('beta')}/mine`, { token: alpha })).status).toBe(401);
      const names = (await ask(workspaces, 'GET', pathOf('beta'), { token: beta })).body.items;
      expect(names.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).not.toContain('mine');
      const { id } = (await workspaces.get('alpha')) ?? {};
      expect(await keysBelow(`/w/${id}/registry/configmaps/default/`)).toContain(
        `/w/${id}/registry/configmaps/default/mine`,
      );
    });

    test('have no more objects than their quota, also after the history was compacted', async () => {
      const workspaces = await processOf({ server: { controllers: { disable: controllerNames } } });
      await workspaces.create('alpha', { quota: { objects: 5 } });
      const token = await ownerToken(workspaces, 'alpha');
      const create = async (name: string) =>
        (await ask(workspaces, 'POST', PATH, { token, body: configMap(name) })).status;
      const statuses: number[] = [];
      for (let index = 0; index < 8; index += 1) statuses.push(await create(`c-${index}`));
      expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(5);
      expect(statuses.at(-1)).toBe(429);
      const storage = await open();
      await storage.compact(await storage.currentRevision());
      await storage.close();
      expect(await create('more')).toBe(429);
      expect((await ask(workspaces, 'DELETE', `${PATH}/c-0`, { token })).status).toBe(200);
      expect(await create('again')).toBe(201);
    });

    test('are deleted to the end by the next process, when one ends in the middle', async () => {
      const storage = await open();
      let allowed = 7;
      const failing = decorateStorage(storage, {
        delete: async (...given) => {
          if (given[0].startsWith('/w/') && (allowed -= 1) < 0) throw new Error('the process has ended');
          return storage.delete(...given);
        },
      });
      const workspaces = await processOf({ storage: failing });
      await workspaces.create('alpha');
      const token = await ownerToken(workspaces, 'alpha');
      for (let index = 0; index < 20; index += 1)
        await ask(workspaces, 'POST', PATH, { token, body: configMap(`c-${index}`) });
      await expect(workspaces.delete('alpha')).rejects.toThrow('the process has ended');
      await ended(workspaces);
      expect((await keysBelow('/w/')).length).toBeGreaterThan(0);
      const next = await processOf();
      await next.ready();
      await vi.waitFor(async () => expect(await next.list()).toEqual([]), PATIENCE);
      expect(await keysBelow('/w/')).toEqual([]);
    });

    describe('of two processes', () => {
      let one: Workspaces;
      let other: Workspaces;
      beforeEach(async () => {
        [one, other] = [await processOf(), await processOf()];
        await Promise.all([one.ready(), other.ready()]);
      });
      const known = (workspaces: Workspaces, name: string) =>
        vi.waitFor(async () => expect(await workspaces.get(name)).toBeDefined(), PATIENCE);

      test('are known to both, with one state and one owner', async () => {
        await one.create('alpha');
        await known(other, 'alpha');
        const token = await ownerToken(one, 'alpha');
        expect(await ownerToken(other, 'alpha')).toBe(token);
        using watched = await other.open('alpha');
        const maps = watched.client().resource(ConfigMap).namespace('default');
        const { resourceVersion = '' } = (await maps.list()).metadata;
        const watching = (async () => {
          for await (const { type, object } of maps.watch({ resourceVersion })) {
            if (type === 'BOOKMARK' || type === 'ERROR') continue;
            if (object.metadata.name === 'shared') return object.metadata.resourceVersion;
          }
          return undefined;
        })();
        const created = await ask(one, 'POST', PATH, { token, body: configMap('shared') });
        expect(await watching).toBe(created.body.metadata.resourceVersion);
        const changed = { ...created.body, data: { by: 'other' } };
        expect((await ask(other, 'PUT', `${PATH}/shared`, { token, body: changed })).status).toBe(200);
        expect((await ask(one, 'PUT', `${PATH}/shared`, { token, body: changed })).status).toBe(409);
        expect((await ask(one, 'GET', `${PATH}/shared`, { token })).body.data).toEqual({ by: 'other' });
      });

      test('have one name each, whoever creates it', async () => {
        const outcomes = await Promise.allSettled([one.create('alpha'), other.create('alpha')]);
        expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 409 } });
      });

      test('take a new quota in both', async () => {
        await one.create('alpha');
        await known(other, 'alpha');
        await other.setQuota('alpha', { objects: 1 });
        await vi.waitFor(async () => expect((await one.get('alpha'))?.quota).toEqual({ objects: 1 }), PATIENCE);
        const token = await ownerToken(one, 'alpha');
        await ask(one, 'POST', PATH, { token, body: configMap('a') });
        expect((await ask(one, 'POST', PATH, { token, body: configMap('b') })).status).toBe(429);
      });

      test('are deleted in both, and what is still being written is refused', async () => {
        await one.create('alpha');
        await known(other, 'alpha');
        const token = await ownerToken(one, 'alpha');
        using opened = await other.open('alpha');
        const late = opened.client().resource(ConfigMap).namespace('default');
        await late.create({ metadata: { name: 'before' } });
        await one.delete('alpha');
        await expect(late.create({ metadata: { name: 'late' } })).rejects.toThrow();
        await vi.waitFor(async () => expect((await ask(other, 'GET', PATH, { token })).status).toBe(404), PATIENCE);
        await vi.waitFor(async () => expect(await keysBelow('/w/')).toEqual([]), PATIENCE);
        expect((await other.create('alpha')).id).not.toBe('');
      });

      test('may be deleted by both at once', async () => {
        await one.create('alpha');
        await known(other, 'alpha');
        const outcomes = await Promise.allSettled([one.delete('alpha'), other.delete('alpha')]);
        for (const outcome of outcomes)
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 404 });
        await vi.waitFor(async () => expect([await one.list(), await other.list()]).toEqual([[], []]), PATIENCE);
      });

      test('are refused to a process of another dialect', async () => {
        const foreign = await processOf({ server: { dialect: 'kubernetes' } });
        await expect(foreign.ready()).rejects.toThrow(/dialect/);
      });
    });
  });
