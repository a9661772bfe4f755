import { describe, expect, it } from 'vitest';
import { toFetchHandler } from '../../../src/entries/fetch.js';
import { ConfigMap } from '../../../src/entries/kinds.js';
import { createWorkspaces, type Workspaces, type WorkspacesOptions } from '../../../src/apiserver/workspaces/index.js';
import { decorateStorage, type Storage } from '../../../src/entries/storage.js';
import { isStream } from '../../../src/server/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock, type ManualClock } from '../../../src/testing/time/manual-clock.js';
import { ask, configMap, ownerToken } from './ask.js';

const PATH = '/clusters/alpha/api/v1/namespaces/default/configmaps';

/** A store in memory that outlives those who use it. */
function keptStorage(clock: ManualClock): Storage {
  return decorateStorage(createMemoryStorage({ clock }), { close: async () => undefined });
}

function made(options: WorkspacesOptions = {}): { workspaces: Workspaces; clock: ManualClock; storage: Storage } {
  const clock = createManualClock();
  const storage = options.storage ?? keptStorage(clock);
  return { workspaces: createWorkspaces({ clock, storage, ...options }), clock, storage };
}

const isLoaded = async (workspaces: Workspaces, name: string): Promise<boolean> =>
  (await workspaces.get(name))?.isLoaded === true;

/** Lets the controllers finish, so that nothing keeps the workspace. */
async function settled(workspaces: Workspaces, name: string): Promise<void> {
  using open = await workspaces.open(name);
  await open.server.settled();
}

describe('a workspace', () => {
  it('is loaded by its first request, and unloaded when nothing has used it', async () => {
    const { workspaces, clock } = made({ unloadAfter: '5m' });
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    expect(await isLoaded(workspaces, 'alpha')).toBe(false);
    expect((await ask(workspaces, 'POST', PATH, { token, body: configMap('kept') })).status).toBe(201);
    expect(await isLoaded(workspaces, 'alpha')).toBe(true);
    await settled(workspaces, 'alpha');
    await clock.advance('4m');
    expect(await isLoaded(workspaces, 'alpha')).toBe(true);
    await clock.advance('10m');
    expect(await isLoaded(workspaces, 'alpha')).toBe(false);
    expect((await ask(workspaces, 'GET', `${PATH}/kept`, { token })).status).toBe(200);
    await workspaces.close();
  });

  it('takes the place of the one that nobody has used for the longest time, unless all are in use', async () => {
    const { workspaces, clock } = made({ maxLoaded: 2 });
    for (const name of ['alpha', 'beta', 'gamma']) await workspaces.create(name);
    const loaded = async (): Promise<string[]> =>
      (await workspaces.list()).filter((workspace) => workspace.isLoaded).map(({ name }) => name);
    for (const name of ['beta', 'alpha']) {
      await settled(workspaces, name);
      await clock.advance('1s');
    }
    const gamma = await workspaces.open('gamma');
    expect(await loaded()).toEqual(['alpha', 'gamma']);
    const alpha = await workspaces.open('alpha');
    await expect(workspaces.open('beta')).rejects.toMatchObject({ code: 429 });
    const token = await ownerToken(workspaces, 'beta');
    expect((await ask(workspaces, 'GET', PATH.replace('alpha', 'beta'), { token })).status).toBe(429);
    alpha.close();
    await alpha.server.settled();
    expect((await ask(workspaces, 'GET', PATH.replace('alpha', 'beta'), { token })).status).toBe(200);
    expect(await loaded()).toEqual(['beta', 'gamma']);
    gamma.close();
    await workspaces.close();
  });

  it('stays in memory while it is open, or watched', async () => {
    const { workspaces, clock } = made({ unloadAfter: '5m' });
    for (const name of ['alpha', 'beta', 'gamma']) await workspaces.create(name);
    const open = await workspaces.open('alpha');
    (await workspaces.open('gamma')).close();
    const watching = await toFetchHandler(workspaces)(
      new Request(`http://workspaces.test${PATH.replace('alpha', 'beta')}?watch=true`, {
        headers: { authorization: `Bearer ${await ownerToken(workspaces, 'beta')}` },
      }),
    );
    expect(watching.status).toBe(200);
    const loaded = () => Promise.all(['alpha', 'beta', 'gamma'].map((name) => isLoaded(workspaces, name)));
    await clock.advance('20m');
    expect(await loaded()).toEqual([true, true, false]);
    open.close();
    open.close();
    await watching.body?.cancel();
    await clock.advance('20m');
    expect(await loaded()).toEqual([false, false, false]);
    await workspaces.close();
  });

  it('is left by a response that nobody begins to read, by whichever transport', async () => {
    const { workspaces, clock } = made({ unloadAfter: '5m' });
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    const { body } = await workspaces.target.handle({
      ...{ method: 'GET', path: PATH, query: 'watch=true', signal: new AbortController().signal },
      headers: {
        get: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
        getAll: (name) => (name === 'authorization' ? [`Bearer ${token}`] : []),
        names: () => ['authorization'],
        hasPrefix: (prefix) => 'authorization'.startsWith(prefix),
      },
      peer: { address: undefined, tls: false },
      body: () => Promise.resolve(new Uint8Array()),
    });
    if (!isStream(body)) throw new Error('a watch is a stream');
    await body.stream[Symbol.asyncIterator]().return?.();
    await clock.advance('20m');
    expect(await isLoaded(workspaces, 'alpha')).toBe(false);
    await workspaces.close();
  });

  it('keeps its controllers asleep until something is written', async () => {
    const { workspaces } = made();
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    const accounts = '/clusters/alpha/api/v1/namespaces/default/serviceaccounts';
    expect((await ask(workspaces, 'GET', accounts, { token })).body.items).toEqual([]);
    await ask(workspaces, 'POST', PATH, { token, body: configMap('first') });
    await settled(workspaces, 'alpha');
    expect((await ask(workspaces, 'GET', accounts, { token })).body.items[0].metadata.name).toBe('default');
    await workspaces.close();
  });

  it('goes on after the end of the process: with its objects, its owner, and the same default objects', async () => {
    const { workspaces, clock, storage } = made();
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    await ask(workspaces, 'POST', PATH, { token, body: configMap('kept') });
    const before = await ask(workspaces, 'GET', '/clusters/alpha/api/v1/namespaces/default', { token });
    await workspaces.close();
    const { workspaces: next } = made({ clock, storage });
    await next.create('beta');
    expect((await ask(next, 'GET', `${PATH}/kept`, { token })).status).toBe(200);
    expect((await ask(next, 'GET', '/clusters/alpha/api/v1/namespaces/default', { token })).body).toEqual(before.body);
    expect((await storage.list('/internal/workspaces/templates/')).records).toHaveLength(1);
    await next.close();
  });

  it('finishes the work of its controllers that the end of the process has interrupted', async () => {
    const { workspaces, clock, storage } = made();
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    const { id } = (await workspaces.get('alpha')) ?? {};
    await ask(workspaces, 'POST', PATH, { token, body: configMap('owner') });
    const { uid } = (await ask(workspaces, 'GET', `${PATH}/owner`, { token })).body.metadata;
    const owned = configMap('owned');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await ask(workspaces, 'POST', PATH, { token, body: { ...owned, metadata: { name: 'owned', ownerReferences } } });
    await workspaces.close();
    // The owner goes while nobody looks, as when the process ends between the delete and the collection.
    const key = `/w/${id}/registry/configmaps/default/owner`;
    const { record } = await storage.get(key);
    await storage.delete(key, () => record?.text ?? '', record?.modRevision ?? 0);
    const { workspaces: next } = made({ clock, storage });
    await ask(next, 'GET', PATH, { token });
    await settled(next, 'alpha');
    expect((await ask(next, 'GET', `${PATH}/owned`, { token })).status).toBe(404);
    await next.close();
  });

  it('is loaded at the start when its controllers wait for a time, and then works', async () => {
    const options: WorkspacesOptions = { unloadAfter: '1m', server: { controllers: { enable: ['cronjob'] } } };
    const { workspaces, clock, storage } = made(options);
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    const jobTemplate = {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
    };
    const cronJob = {
      ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'hourly' } },
      spec: { schedule: '0 * * * *', jobTemplate },
    };
    const jobs = '/clusters/alpha/apis/batch/v1/namespaces/default';
    expect((await ask(workspaces, 'POST', `${jobs}/cronjobs`, { token, body: cronJob })).status).toBe(201);
    await settled(workspaces, 'alpha');
    await workspaces.close();
    const { workspaces: next } = made({ ...options, clock, storage });
    await next.ready();
    await clock.settle();
    await settled(next, 'alpha');
    await clock.advance('2h');
    await clock.settle();
    expect(await isLoaded(next, 'alpha')).toBe(true);
    expect((await ask(next, 'GET', `${jobs}/jobs`, { token })).body.items.length).toBeGreaterThan(0);
    await next.close();
  });
});

describe('the deletion of a workspace', () => {
  it('refuses the requests for which it was being loaded', async () => {
    const { workspaces } = made();
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    const answering = ask(workspaces, 'GET', PATH, { token });
    await workspaces.delete('alpha');
    expect(await answering).toMatchObject({ status: 404, body: { details: { kind: 'workspaces', name: 'alpha' } } });
    await workspaces.close();
  });

  it('removes every key, and a workspace with the same name has nothing of it', async () => {
    const { workspaces, storage } = made();
    await workspaces.create('alpha');
    await workspaces.create('beta');
    const token = await ownerToken(workspaces, 'alpha');
    for (let index = 0; index < 30; index += 1)
      await ask(workspaces, 'POST', PATH, { token, body: configMap(`c-${index}`) });
    await ask(workspaces, 'GET', '/clusters/beta/api/v1/namespaces', { token: await ownerToken(workspaces, 'beta') });
    await workspaces.delete('alpha');
    const beta = (await workspaces.get('beta'))?.id ?? '';
    const left = (await storage.list('/w/')).records.map(({ key }) => key);
    expect(left.filter((key) => !key.startsWith(`/w/${beta}/`))).toEqual([]);
    expect((await ask(workspaces, 'GET', PATH, { token })).status).toBe(404);
    await workspaces.create('alpha');
    expect((await ask(workspaces, 'GET', PATH, { token })).status).toBe(401);
    expect((await ask(workspaces, 'GET', PATH, { token: await ownerToken(workspaces, 'alpha') })).body.items).toEqual(
      [],
    );
    await expect(workspaces.delete('gamma')).rejects.toMatchObject({ code: 404 });
    await workspaces.close();
  });

  it('survives a failure in its middle, and the next start continues', async () => {
    const clock = createManualClock();
    const engine = keptStorage(clock);
    let allowed = 7;
    const failing = decorateStorage(engine, {
      delete: async (...given) => {
        if (given[0].startsWith('/w/') && (allowed -= 1) < 0) throw new Error('the process has ended');
        return engine.delete(...given);
      },
    });
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const { workspaces } = made({ clock, storage: failing, server: { observability: { logger } } });
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    for (let index = 0; index < 20; index += 1)
      await ask(workspaces, 'POST', PATH, { token, body: configMap(`c-${index}`) });
    await expect(workspaces.delete('alpha')).rejects.toThrow('the process has ended');
    expect((await ask(workspaces, 'GET', PATH, { token })).status).toBe(404);
    await expect(workspaces.create('alpha')).rejects.toMatchObject({ code: 409 });
    await workspaces.close();
    expect((await engine.list('/w/')).records.length).toBeGreaterThan(0);
    const { workspaces: next } = made({ clock, storage: engine });
    await next.ready();
    await clock.settle();
    expect((await engine.list('/w/')).records).toEqual([]);
    expect(await next.list()).toEqual([]);
    await next.close();
  });
});

describe('two processes on one store', () => {
  it('know the workspaces of each other, and refuse late writes to a deleted one', async () => {
    const { workspaces, clock, storage } = made();
    const { workspaces: other } = made({ clock, storage });
    await other.ready();
    await workspaces.create('alpha');
    const token = await ownerToken(workspaces, 'alpha');
    expect((await ask(other, 'POST', PATH, { token, body: configMap('shared') })).status).toBe(201);
    expect((await ask(workspaces, 'GET', `${PATH}/shared`, { token })).status).toBe(200);
    using open = await other.open('alpha');
    const late = open.client();
    await workspaces.delete('alpha');
    expect((await ask(other, 'GET', PATH, { token })).status).toBe(404);
    await expect(
      late
        .resource(ConfigMap)
        .namespace('default')
        .create({ metadata: { name: 'late' } }),
    ).rejects.toThrow();
    expect((await storage.list('/w/')).records).toEqual([]);
    await workspaces.close();
    await other.close();
  });
});
