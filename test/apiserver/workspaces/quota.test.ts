import { afterEach, describe, expect, it } from 'vitest';
import { createWorkspaces, type WorkspaceQuota, type Workspaces } from '../../../src/apiserver/workspaces/index.js';
import { Seats } from '../../../src/apiserver/workspaces/seats.js';
import { toFetchHandler } from '../../../src/entries/fetch.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { limitedStorage, StoreUsage } from '../../../src/storage/index.js';
import { ManualClock } from '../../storage/manual-clock.js';
import { ask, configMap, ownerToken } from './ask.js';

let open: Workspaces | undefined;

afterEach(() => open?.close());

const PATH = '/clusters/alpha/api/v1/namespaces/default/configmaps';

async function withQuota(quota: WorkspaceQuota): Promise<{ workspaces: Workspaces; token: string }> {
  const workspaces = (open = createWorkspaces({ server: { dialect: 'kubernetes' } }));
  await workspaces.create('alpha', { quota });
  await workspaces.create('beta');
  return { workspaces, token: await ownerToken(workspaces, 'alpha') };
}

/** Creates ConfigMaps until one is refused. @returns how many there are, and the refusal */
async function fill(workspaces: Workspaces, token: string, data: Record<string, string>, most: number) {
  for (let count = 0; count <= most; count += 1) {
    const { status, body } = await ask(workspaces, 'POST', PATH, { token, body: configMap(`c-${count}`, data) });
    if (status !== 201) return { count, status, message: String(body.message) };
  }
  throw new Error('nothing was refused');
}

describe('the quota of a workspace', () => {
  it('limits its objects: a delete makes room', async () => {
    const { workspaces, token } = await withQuota({ objects: 20 });
    const { status, message } = await fill(workspaces, token, {}, 20);
    expect([status, message]).toEqual([429, expect.stringMatching(/it may have 20 objects/)]);
    expect((await ask(workspaces, 'DELETE', `${PATH}/c-0`, { token })).status).toBe(200);
    expect((await ask(workspaces, 'POST', PATH, { token, body: configMap('again') })).status).toBe(201);
    expect(
      (await ask(workspaces, 'PUT', `${PATH}/again`, { token, body: configMap('again', { a: 'b' }) })).status,
    ).toBe(200);
    const beta = await ownerToken(workspaces, 'beta');
    expect(
      (await ask(workspaces, 'POST', PATH.replace('alpha', 'beta'), { token: beta, body: configMap('c') })).status,
    ).toBe(201);
  });

  it('limits the bytes: an update may not let them grow further, and may let them shrink', async () => {
    const { workspaces, token } = await withQuota({ bytes: 100_000 });
    const large = { data: 'x'.repeat(10_000) };
    const { status, message } = await fill(workspaces, token, large, 20);
    expect([status, message]).toEqual([429, expect.stringMatching(/100000 bytes of text/)]);
    const put = async (size: number) =>
      (await ask(workspaces, 'PUT', `${PATH}/c-0`, { token, body: configMap('c-0', { data: 'x'.repeat(size) }) }))
        .status;
    expect(await put(30_000)).toBe(429);
    expect(await put(10_001)).toBe(200);
    expect(await put(10)).toBe(200);
    expect((await ask(workspaces, 'POST', PATH, { token, body: configMap('small') })).status).toBe(201);
  });

  it('limits the kinds', async () => {
    const { workspaces, token } = await withQuota({ kinds: 1 });
    const definition = (plural: string, kind: string) => ({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: `${plural}.example.com` },
      spec: {
        ...{ group: 'example.com', scope: 'Namespaced', names: { plural, kind } },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const path = '/clusters/alpha/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await ask(workspaces, 'POST', path, { token, body: definition('apples', 'Apple') })).status).toBe(201);
    const second = await ask(workspaces, 'POST', path, { token, body: definition('pears', 'Pear') });
    expect([second.status, second.body.message]).toEqual([429, expect.stringMatching(/1 kinds/)]);
  });

  it('limits the open watches', async () => {
    const { workspaces, token } = await withQuota({ watches: 1 });
    const watch = () =>
      toFetchHandler(workspaces)(
        new Request(`http://workspaces.test${PATH}?watch=true`, { headers: { authorization: `Bearer ${token}` } }),
      );
    const first = await watch();
    expect([first.status, (await watch()).status]).toEqual([200, 429]);
    await first.body?.cancel();
    const third = await watch();
    expect(third.status).toBe(200);
    await third.body?.cancel();
  });

  it('can be replaced while the workspace is in memory, and its writes go on', async () => {
    const { workspaces, token } = await withQuota({ objects: 20 });
    await fill(workspaces, token, {}, 20);
    await workspaces.setQuota('alpha', { objects: 40 });
    expect((await ask(workspaces, 'POST', PATH, { token, body: configMap('more') })).status).toBe(201);
    await expect(workspaces.setQuota('alpha', { objects: 0 })).rejects.toThrow(/objects/);
    await expect(workspaces.setQuota('gamma', {})).rejects.toMatchObject({ code: 404 });
  });

  it('limits the requests in flight', async () => {
    const { workspaces, token } = await withQuota({ requests: 2 });
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async () => (await ask(workspaces, 'GET', PATH, { token })).status),
    );
    expect(statuses.sort()).toEqual([200, 200, 429, 429]);
    expect((await ask(workspaces, 'GET', PATH, { token })).status).toBe(200);
  });
});

describe('a store with limits', () => {
  it('admits writes that are made together exactly up to its limit', async () => {
    const inner = createMemoryStorage({ clock: new ManualClock() });
    const usage = new StoreUsage(inner);
    await usage.start();
    const limits = { objects: 10, bytes: Infinity, collections: new Map<string, never>() };
    const storage = limitedStorage(inner, usage, () => limits);
    const writes = Array.from({ length: 15 }, (_, index) => storage.create(`/registry/x/${index}`, () => '{}'));
    const made = (await Promise.allSettled(writes)).filter(({ status }) => status === 'fulfilled');
    expect([made.length, usage.objects, usage.objectsOf('/registry/x/')]).toEqual([10, 10, 10]);
    expect(usage.bytes).toBe(10 * ('/registry/x/0'.length + 2));
  });
});

describe('the seats of requests', () => {
  it('go to the workspaces in turn, however many requests one of them has', async () => {
    const seats = new Seats(1);
    const order: string[] = [];
    const enter = (workspace: string): void => {
      const seat = seats.enter(workspace, 100);
      if (seat instanceof Promise) void seat.then(() => order.push(workspace));
      else order.push(`${workspace} ${seat}`);
    };
    enter('noisy');
    for (let count = 0; count < 5; count += 1) enter('noisy');
    enter('quiet');
    enter('calm');
    for (const leaving of ['noisy', 'noisy', 'quiet', 'calm', 'noisy', 'noisy', 'noisy']) {
      seats.leave(leaving);
      await Promise.resolve();
      await Promise.resolve();
    }
    expect(order).toEqual(['noisy seated', 'noisy', 'quiet', 'calm', 'noisy', 'noisy', 'noisy', 'noisy']);
    expect(seats.taken).toBe(1);
    seats.leave('noisy');
    expect([seats.taken, seats.enter('quiet', 1), seats.enter('quiet', 1)]).toEqual([0, 'seated', 'refused']);
  });
});
