/** Near its memory limits a server refuses what would need more, and goes on with everything else. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiServer, ConfigMap, Namespace, type ApiServerOptions } from '../../src/entries/index.js';
import { systemClock, type Clock } from '../../src/foundation/index.js';
import { stampRevision } from '../../src/registry/records/record-codec.js';
import type { MemoryBudget, Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { createManualClock, type ManualClock } from '../../src/entries/testing.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { RawClient } from '../transport/support/raw-client.js';
import { ask, jsonOf } from './ask.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const MAPS = '/api/v1/namespaces/default/configmaps';
const FULL = /^the objects of the server have reached the limit of 1048576 bytes of text \(limits\.objectsTextBytes/;
const SHORT = /^the memory budget of the server is used up \(limits\.memoryBytes/;

/** Undone in reverse order. */
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function serverOn(
  storage: Storage,
  limits: ApiServerOptions['limits'],
  clock: Clock = systemClock,
): { server: ApiServer; budget: MemoryBudget } {
  const given: MemoryBudget[] = [];
  const share = storage.shareBudget?.bind(storage);
  storage.shareBudget = (budget) => {
    given.push(budget);
    share?.(budget);
  };
  const server = new ApiServer({
    storage,
    clock,
    observability: {
      // Controllers that cannot write in a full store log it.
      logger: { info: () => undefined, error: () => undefined },
    },
    dialect: 'kubernetes',
    limits,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  closing.push(() => server.close());
  const [budget] = given;
  if (budget === undefined) throw new Error('the storage was given no budget');
  return { server, budget };
}

const map = (name: string, length: number, more: object = {}): string =>
  JSON.stringify({ metadata: { name, ...more }, data: { text: 'x'.repeat(length) } });

/** Creates objects of 100 KB until one is refused. Returns the number of those that were accepted, and the refusal. */
async function fill(server: ApiServer): Promise<{ count: number; refusal: Awaited<ReturnType<typeof ask>> }> {
  for (let count = 0; ; count += 1) {
    const refusal = await ask(server, 'POST', MAPS, { body: map(`full-${count}`, 100 * KIB) });
    if (refusal.status !== 201) return { count, refusal };
  }
}

describe('a server whose objects have reached their limit', () => {
  test('refuses creates and growing updates with 429, and accepts everything that frees memory', async () => {
    const { server } = serverOn(createMemoryStorage({ clock: systemClock }), { objectsTextBytes: MIB });
    const kept = await ask(server, 'POST', MAPS, { body: map('kept', 10, { finalizers: ['example.com/wait'] }) });
    expect(kept.status).toBe(201);
    const { count, refusal } = await fill(server);
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(11);
    expect(refusal.status).toBe(429);
    expect(refusal.headers['retry-after']).toBe('1');
    expect(jsonOf(refusal)).toMatchObject({
      reason: 'TooManyRequests',
      message: expect.stringMatching(FULL),
      code: 429,
    });

    const put = (name: string, length: number) =>
      ask(server, 'PUT', `${MAPS}/${name}`, { body: map(name, length) }).then(({ status }) => status);
    expect(await put('full-0', 200 * KIB)).toBe(429);
    expect(await put('full-0', 99 * KIB)).toBe(200);
    expect((await ask(server, 'GET', MAPS)).status).toBe(200);
    expect((await ask(server, 'DELETE', `${MAPS}/full-1`)).status).toBe(200);
    expect((await fill(server)).count).toBe(0);

    // Even with a finalizer, which the deletion only marks and then removes.
    const marked = await ask(server, 'DELETE', `${MAPS}/kept`);
    expect([marked.status, jsonOf(marked)['metadata']]).toEqual([
      200,
      expect.objectContaining({ deletionTimestamp: expect.any(String) }),
    ]);
    const freed = await ask(server, 'PATCH', `${MAPS}/kept`, {
      body: '{"metadata":{"finalizers":null}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(freed.status).toBe(200);
    expect((await ask(server, 'GET', `${MAPS}/kept`)).status).toBe(404);
  });

  test('deletes whole namespaces, whose controllers write, too', async () => {
    const { server, budget } = serverOn(createMemoryStorage({ clock: systemClock }), { objectsTextBytes: MIB });
    const namespaces = server.client().resource(Namespace);
    await namespaces.create({ metadata: { name: 'shop' } });
    const maps = server.client().resource(ConfigMap).namespace('shop');
    await maps.create({ metadata: { name: 'a' }, data: { text: 'x' } });
    await server.settled();
    await fill(server);
    // Less than any object has: only what frees memory passes.
    budget.limitObjectsText(1);
    await namespaces.delete('shop');
    await server.settled();
    await expect(namespaces.get('shop')).rejects.toMatchObject({ code: 404 });
    expect((await ask(server, 'DELETE', MAPS)).status).toBe(200);
  });

  test('has no limit with 0', async () => {
    const { server } = serverOn(createMemoryStorage({ clock: systemClock }), { objectsTextBytes: 0 });
    for (let number = 0; number < 12; number += 1)
      expect((await ask(server, 'POST', MAPS, { body: map(`m-${number}`, 100 * KIB) })).status).toBe(201);
  });

  test('starts on a store that is beyond the limit, and serves reads and deletes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'full-store-'));
    closing.push(() => rm(directory, { recursive: true }));
    const open = (): Promise<Storage> =>
      openSqliteStorage({ path: join(directory, 'store.db'), clock: systemClock, stampRevision });
    const { server: before } = serverOn(await open(), {});
    for (let number = 0; number < 12; number += 1)
      await ask(before, 'POST', MAPS, { body: map(`m-${number}`, 100 * KIB) });
    await before.close();

    const { server } = serverOn(await open(), { objectsTextBytes: MIB });
    await server.ready();
    expect((await ask(server, 'GET', '/readyz?verbose')).body).toContain('passed');
    expect((jsonOf(await ask(server, 'GET', MAPS))['items'] as unknown[]).length).toBeGreaterThanOrEqual(12);
    const refusal = await ask(server, 'POST', MAPS, { body: map('more', 1) });
    expect([refusal.status, jsonOf(refusal)['message']]).toEqual([429, expect.stringMatching(FULL)]);
    for (let number = 0; number < 6; number += 1)
      expect((await ask(server, 'DELETE', `${MAPS}/m-${number}`)).status).toBe(200);
    expect((await ask(server, 'POST', MAPS, { body: map('more', 1) })).status).toBe(201);
  });
});

describe('a server near its memory budget', () => {
  const LIMITS = { memoryBytes: 64 * MIB, bodyBytes: 512 * KIB, objectsTextBytes: 0 };
  let clients: RawClient[];
  let server: ApiServer;
  let budget: MemoryBudget;
  let listener: Listener;
  let clock: ManualClock;

  async function start(): Promise<void> {
    clock = createManualClock();
    ({ server, budget } = serverOn(createMemoryStorage({ clock }), LIMITS, clock));
    await server.ready();
    listener = await listen(server, { webSocket: { ping: 0 } });
    clients = [];
    closing.push(async () => {
      for (const { socket } of clients) socket.destroy();
      await listener.close({ grace: 0 });
    });
  }

  function open(head: string, body = ''): RawClient {
    const client = new RawClient(listener.address.port);
    clients.push(client);
    client.write(`${head}\r\nHost: localhost\r\nAuthorization: Bearer admin\r\n\r\n${body}`);
    return client;
  }

  const request = (method: string, path: string, body?: string): Promise<Response> =>
    fetch(listener.url + path, {
      method,
      headers: {
        authorization: 'Bearer admin',
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        connection: 'close',
      },
      ...(body === undefined ? {} : { body }),
    });

  /** Takes memory until so many bytes are left. Returns a function that releases it. */
  function leave(bytes: number): () => void {
    const account = budget.open('objects');
    account.hold(budget.memoryBytes - budget.usedFor('objects') - budget.usedFor('bodies') - bytes);
    budget.enforceLimit();
    return () => account.close();
  }

  test('refuses bodies that do not fit with 429, even of administrators, but neither deletes nor health checks', async () => {
    await start();
    expect((await request('POST', MAPS, map('a', 10))).status).toBe(201);
    const free = leave(500 * KIB);
    expect((await request('POST', MAPS, map('small', 10))).status).toBe(201);
    const refused = await request('POST', MAPS, map('large', 200 * KIB));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toMatchObject({ reason: 'TooManyRequests', message: expect.stringMatching(SHORT) });
    const freeAll = leave(0);
    expect((await request('POST', MAPS, map('small-2', 10))).status).toBe(429);
    expect((await request('GET', '/livez')).status).toBe(200);
    expect((await request('GET', `${MAPS}/a`)).status).toBe(200);
    expect((await request('DELETE', `${MAPS}/a`, '{"gracePeriodSeconds":0}')).status).toBe(200);
    for (const release of [freeAll, free]) release();
    expect((await request('POST', MAPS, map('large', 200 * KIB))).status).toBe(201);
    expect(budget.usedFor('bodies')).toBe(0);
  });

  test('counts bodies while they arrive, and releases them when the clients disappear', async () => {
    await start();
    const head = `POST ${MAPS} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 400000`;
    leave(10 * MIB);
    for (let number = 0; number < 20; number += 1) open(head, 'x'.repeat(300_000));
    const refused = (): number => clients.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length;
    // There is room for at most ten times 300,000 bytes with their copies, besides the 4 MiB that are kept.
    await expect.poll(() => refused() + budget.usedFor('bodies') / 600_000, { timeout: 60_000 }).toBe(20);
    expect(refused()).toBeGreaterThanOrEqual(10);
    expect(budget.usedBytes).toBeLessThanOrEqual(budget.memoryBytes);
    expect((await request('GET', '/readyz')).status).toBe(200);
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => budget.usedFor('bodies'), { timeout: 60_000 }).toBe(0);
    expect((await request('POST', MAPS, map('a', 10_000))).status).toBe(201);
  });

  test('counts responses that are not read until their clients disappear, and refuses more of them', async () => {
    await start();
    // Together more than the buffers of a connection hold.
    for (let number = 0; number < 80; number += 1)
      await ask(server, 'POST', MAPS, { body: map(`m-${number}`, 500 * KIB) });
    leave(8 * MIB);
    for (let number = 0; number < 20; number += 1) open(`GET ${MAPS} HTTP/1.1`).socket.pause();
    // 4 MiB are kept for small requests.
    await expect.poll(() => budget.usedFor('bodies')).toBeGreaterThan(4 * MIB - 300 * KIB);
    expect(budget.usedBytes).toBeLessThanOrEqual(budget.memoryBytes);
    expect((await request('GET', MAPS)).status).toBe(429);
    // A change has taken effect when its response is made.
    expect((await request('DELETE', `${MAPS}/m-0`)).status).toBe(200);
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => budget.usedFor('bodies'), { timeout: 60_000 }).toBe(0);
    const list = await request('GET', MAPS);
    expect([list.status, ((await list.json()) as { items: unknown[] }).items.length]).toEqual([200, 79]);
  });

  test.each([
    ['compact', 'application/json'],
    ['as metadata', 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'],
    ['as YAML', 'application/yaml'],
  ])(
    'counts the replaced objects of a list %s that is not read, and breaks it off when memory is short',
    async (_form, accept) => {
      await start();
      const annotations = { text: 'x'.repeat(200 * KIB) };
      const name = (number: number): string => `m-${number}`;
      for (let number = 0; number < 40; number += 1)
        await ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name: name(number), annotations } }) });
      const unread = open(`GET ${MAPS} HTTP/1.1\r\nAccept: ${accept}`);
      unread.socket.pause();
      let closed = false;
      void unread.closed.then(() => (closed = true));
      await expect.poll(() => budget.usedFor('bodies')).toBeGreaterThan(0);
      const replace = async (number: number): Promise<void> => {
        await ask(server, 'PUT', `${MAPS}/${name(number % 40)}`, {
          body: JSON.stringify({
            metadata: { name: name(number % 40), annotations: { ...annotations, number: String(number) } },
          }),
        });
      };
      // The history drops what is replaced, and the response still refers to it.
      let number = 0;
      while (budget.usedFor('snapshots') === 0) await replace((number += 1));
      expect(closed).toBe(false);
      leave(4 * MIB);
      expect(budget.usedFor('snapshots')).toBe(0);
      unread.socket.resume();
      await expect.poll(() => closed).toBe(true);
      expect(budget.usedBytes).toBeLessThanOrEqual(budget.memoryBytes);
    },
  );

  test.each([
    ['HTTP', `GET ${MAPS}?watch=1 HTTP/1.1`],
    [
      'WebSocket',
      `GET ${MAPS}?watch=1 HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==`,
    ],
  ])('drops a watcher over %s that does not read when there is no memory for its events', async (_transport, head) => {
    await start();
    await ask(server, 'POST', MAPS, { body: map('a', 10) });
    const [slow, reading] = [open(head), open(head)];
    for (const client of [slow, reading]) await client.until('"a"');
    slow.socket.pause();
    let dropped = false;
    void slow.closed.then(() => (dropped = true));
    const before = listener.connections;
    const maps = server.client().resource(ConfigMap).namespace('default');
    const write = (number: number) =>
      maps.update({ metadata: { name: 'a' }, data: { text: `event ${number} ${'x'.repeat(200 * KIB)}` } });
    let number = 0;
    const next = async (): Promise<void> => {
      await write((number += 1));
      await reading.until(`event ${number} `);
      reading.received = '';
    };
    const isBlocked = (): boolean => budget.usedFor('watchBuffers') > 0;
    // Until the buffers of the host are full and the transport holds events back. Every client blocks for a moment.
    for (let seen = 0; seen < 5; seen = isBlocked() ? seen + 1 : 0) await next();
    leave(0);
    await next();
    expect([dropped, isBlocked()]).toEqual([false, true]);
    await clock.advance(2000);
    await next();
    slow.socket.resume();
    await expect.poll(() => dropped).toBe(true);
    await expect.poll(isBlocked).toBe(false);
    expect(listener.connections).toBe(before - 1);
    await next();
  });
});

describe('limits of memory that cannot work', () => {
  test.each([
    [
      { objectsTextBytes: 100 },
      'limits.objectsTextBytes',
      '0 for no limit, or a number of bytes, 1048576 (1Mi) or more',
    ],
    [{ objectsTextBytes: '1Gi' as never }, 'limits.objectsTextBytes', 'a number of bytes'],
    [{ memoryBytes: 0 }, 'limits.memoryBytes', 'a number of bytes, 1 or more'],
    [{ memoryBytes: MIB }, 'limits.memoryBytes', 'limits.bodyBytes (--max-request-body-size, 3145728) needs 18874368'],
    [
      { memoryBytes: 64 * MIB, objectsTextBytes: 65 * MIB },
      'limits.objectsTextBytes',
      'lower the former, raise the latter',
    ],
  ])('are refused at once, with the option and the remedy: %j', (limits, option, remedy) => {
    const construct = (): unknown => new ApiServer({ limits });
    expect(construct).toThrow(TypeError);
    expect(construct).toThrow(option);
    expect(construct).toThrow(remedy);
  });
});
