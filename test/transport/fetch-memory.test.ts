/** The memory of long responses of `fetch` transports counts until they are read, cancelled, or too old. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { toFetchHandler, type FetchHandler } from '../../src/transport/fetch/fetch.js';
import { toHono } from '../../src/transport/hono/hono.js';

const MIB = 1024 * 1024;
const LIST = 'http://server/api/v1/namespaces/default/configmaps?pretty=1';

let clock: ReturnType<typeof createManualClock>;
let server: ApiServer;
let handle: FetchHandler;
beforeEach(async () => {
  clock = createManualClock();
  server = new ApiServer({
    clock,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  const maps = server.client().resource(ConfigMap).namespace('default');
  for (let index = 0; index < 16; index += 1)
    await maps.create({ metadata: { name: `m${index}` }, data: { text: 'x'.repeat(200_000) } });
  handle = toFetchHandler(server);
});
afterEach(() => server.close());

const request = (url: string, init: RequestInit = {}): Request =>
  new Request(url, { ...init, headers: { authorization: 'Bearer admin' } });

/** Returns the bytes that requests in flight hold. */
async function held(): Promise<number> {
  const text = await (await handle(request('http://server/metrics'))).text();
  return Number(/^apiserver_memory_reserved_bytes\{use="bodies"\} (\S+)$/m.exec(text)?.[1]);
}

test.each([
  ['fetch', () => handle(request(LIST))],
  ['Hono', () => toHono(server)({ req: { raw: request(LIST) } })],
])('of %s, until the stream is read to its end', async (_name, list) => {
  const response = await list();
  expect(response.status).toBe(200);
  expect(await held()).toBeGreaterThan(MIB);
  expect((await response.text()).length).toBeGreaterThan(3 * MIB);
  expect(await held()).toBe(0);
});

test('until it is cancelled', async () => {
  const response = await handle(request(LIST));
  const reader = response.body?.getReader();
  await reader?.read();
  expect(await held()).toBeGreaterThan(MIB);
  await reader?.cancel();
  expect(await held()).toBe(0);
});

test('until the deadline of the request, of one that nobody reads, which fails when it is read after all', async () => {
  const response = await handle(request(`${LIST}&timeout=10s`));
  await clock.advance(9_999);
  expect(await held()).toBeGreaterThan(MIB);
  await clock.advance(1);
  expect(await held()).toBe(0);
  await expect(response.text()).rejects.toThrow('the connection to the server was lost');
});

test('not at all without a body, and not once the bytes belong to the caller', async () => {
  expect((await handle(request(LIST, { method: 'HEAD' }))).status).toBe(405);
  const one = await handle(request('http://server/api/v1/namespaces/default/configmaps/m1'));
  expect(one.status).toBe(200);
  expect(await held()).toBe(0);
});
