/** Streams of the page over WebSocket: what the listener answers, and what the page makes of it. */
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ConfigMap } from '../../src/entries/kinds.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { toExpress } from '../../src/transport/express/express.js';
import { listen, serveUpgrades, type Listener } from '../../src/transport/node/index.js';
import { jsonLinesOf } from '../../src/ui/web/data/lines.js';
import { SocketStreams, type OpenSocket } from '../../src/ui/web/data/socket-streams.js';
import { StillClock } from './still.js';

const tokens = [
  { token: 'admin', user: { username: 'alice', groups: ['system:masters'] } },
  { token: 'nobody', user: { username: 'eve', groups: [] } },
];
const WATCH = '/api/v1/namespaces/default/configmaps?watch=1';

let api: TestServer;
let listener: Listener;
beforeAll(async () => {
  api = await startTestServer({ dialect: 'kubernetes', authentication: { tokens } });
  listener = await listen(api.server, { ui: true });
});
afterAll(async () => {
  await listener.close({ grace: 0 });
  await api.close();
});

const maps = () => api.server.client().resource(ConfigMap).namespace('default');

const protocolsOf = (fields: unknown): string[] => [
  'stream.ui',
  `fields.ui.${Buffer.from(JSON.stringify(fields), 'latin1').toString('base64url')}`,
];

const addressOf = (to: string): string =>
  `${listener.url.replace('http', 'ws')}/ui/v1/stream?to=${encodeURIComponent(to)}`;

const ADMIN = protocolsOf({ authorization: 'Bearer admin' });

/** Returns the answer of a handshake that is refused. */
async function refused(to: string, protocols: string[], headers: Record<string, string> = {}) {
  const socket = new WebSocket(addressOf(to), protocols, { headers });
  socket.on('error', () => undefined);
  const [, response] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, body };
}

describe('a stream over WebSocket', () => {
  test('brings what the request answers, as the user of its header fields', async () => {
    const fields = { authorization: 'Bearer admin', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const socket = new WebSocket(addressOf(WATCH), protocolsOf(fields));
    const message = once(socket, 'message');
    await once(socket, 'open');
    expect(socket.protocol).toBe('stream.ui');
    await maps().create({ metadata: { name: 'streamed' } });
    const [data] = await message;
    expect(JSON.parse(String(data))).toMatchObject({ type: 'ADDED', object: { kind: 'Table' } });
    socket.close();
    await once(socket, 'close');
  });

  test('ends with the stream', async () => {
    const socket = new WebSocket(addressOf(`${WATCH}&timeoutSeconds=1`), ADMIN);
    const closed = once(socket, 'close');
    await once(socket, 'open');
    await api.advance(2000);
    expect((await closed)[0]).toBe(1000);
  });

  test('is refused as the request is', async () => {
    const nobody = protocolsOf({ authorization: 'Bearer nobody' });
    expect(await refused(WATCH, nobody)).toMatchObject({
      status: 403,
      body: expect.stringContaining('User \\"eve\\" cannot watch resource \\"configmaps\\"'),
    });
    expect((await refused(WATCH, protocolsOf({ 'x-ui-session': 'x' }))).status).toBe(401);
    // Without credentials, the user is anonymous.
    expect((await refused(WATCH, protocolsOf({}))).status).toBe(403);
  });

  test('is refused to pages of other origins, whoever they are', async () => {
    const foreign = await refused(WATCH, ADMIN, { origin: 'http://elsewhere.example' });
    expect(foreign).toMatchObject({ status: 403, body: expect.stringContaining('other origins') });
  });

  test.each<[name: string, to: string, protocols: string[]]>([
    ['a list', '/api/v1/configmaps', ADMIN],
    ['no path', '', ADMIN],
    ['a path elsewhere', 'http://elsewhere.example/?watch=1', ADMIN],
    ['a path that no line of a request can have', '/api/v1/namespaces/\u00e4/configmaps?watch=1', ADMIN],
    ['a path with an end of line', `${WATCH}&x=\r\nhost: elsewhere.example`, ADMIN],
    ['no fields', WATCH, ['stream.ui']],
    ['fields that are no JSON', WATCH, ['stream.ui', 'fields.ui.eA']],
    ['fields that are no text', WATCH, protocolsOf({ accept: 1 })],
    ['another field', WATCH, protocolsOf({ host: 'elsewhere.example' })],
    ['a field with an end of line', WATCH, protocolsOf({ accept: 'a\r\nb: c' })],
    ['no stream', WATCH, protocolsOf({}).slice(1)],
  ])('is refused with 400 for %s', async (_, to, protocols) => {
    expect((await refused(to, protocols)).status).toBe(400);
  });

  test('changes nothing, by whatever method it is asked for', async () => {
    await maps().create({ metadata: { name: 'kept' } });
    const to = '/api/v1/namespaces/default/configmaps/kept?watch=1';
    const asked = httpRequest(addressOf(to).replace('ws', 'http'), {
      method: 'DELETE',
      headers: {
        ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-protocol': ADMIN.join(', ') },
        ...{ 'sec-websocket-version': '13', 'sec-websocket-key': Buffer.alloc(16).toString('base64') },
      },
    }).end();
    const [response] = await once(asked, 'response');
    response.resume();
    expect(response.statusCode).toBe(400);
    expect(await maps().get('kept')).toMatchObject({ metadata: { name: 'kept' } });
  });

  test('lasts however often its client answers pings', async () => {
    const socket = new WebSocket(addressOf(WATCH), ADMIN);
    await once(socket, 'open');
    // Together more than a client may send at once.
    for (let count = 0; count < 100; count += 1) {
      socket.ping('x'.repeat(100));
      await once(socket, 'pong');
    }
    expect(socket.readyState).toBe(socket.OPEN);
    socket.close();
    await once(socket, 'close');
  });

  test('is lost by a client that sends more than a little', async () => {
    const socket = new WebSocket(addressOf(WATCH), ADMIN);
    const closed = once(socket, 'close');
    await once(socket, 'open');
    socket.send('x'.repeat(8192));
    expect((await closed)[0]).toBe(1006);
  });
});

/** The streams of a page, and the requests that it sent by themselves. @param at where sockets are opened instead */
function streams(at?: string) {
  const sent: string[] = [];
  const opened: WebSocket[] = [];
  const open: OpenSocket = (url, protocols, events) => {
    const socket = new WebSocket(at ?? url, protocols);
    socket.binaryType = 'arraybuffer';
    opened.push(socket);
    socket.on('open', events.opened);
    socket.on('message', (data) => data instanceof ArrayBuffer && events.message(data));
    socket.on('close', events.closed);
    // A browser throws nothing.
    socket.on('error', () => undefined);
    return () => socket.close();
  };
  const { send } = new SocketStreams({
    root: new URL(`${listener.url}/`),
    ...{ open, clock: new StillClock() },
    send(input, init) {
      sent.push(String(input));
      return fetch(input, init);
    },
  });
  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    send(new URL(path, listener.url), { ...init, headers: { authorization: 'Bearer admin', ...init.headers } });
  return { request, sent, opened };
}

describe('beside an application', () => {
  test('streams are served, and other origins refused, where the page is', async () => {
    const app = express();
    app.use('/mounted', toExpress(api.server, { ui: true }));
    const http = createServer(app);
    serveUpgrades(http, api.server, { prefix: '/mounted', ui: true });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const address = http.address();
    const root = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mounted`;
    const socket = new WebSocket(`${root}/ui/v1/stream?to=${encodeURIComponent(WATCH)}`, ADMIN);
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
    const headers = { authorization: 'Bearer admin', origin: 'http://elsewhere.example' };
    const foreign = new WebSocket(root + WATCH, { headers });
    foreign.on('error', () => undefined);
    const [, response] = await once(foreign, 'unexpected-response');
    expect(response.statusCode).toBe(403);
    response.destroy();
    await new Promise((resolve) => http.close(resolve));
  });
});

describe('the streams of the page', () => {
  test('come by sockets, and all else as before', async () => {
    const { request, sent } = streams();
    const abort = new AbortController();
    const ofOne = `${WATCH}&fieldSelector=metadata.name=by-socket`;
    const lines = jsonLinesOf(await request(ofOne, { signal: abort.signal }));
    const first = lines.next();
    await maps().create({ metadata: { name: 'by-socket' } });
    expect((await first).value).toMatchObject({ type: 'ADDED' });
    expect(sent).toEqual([]);
    const next = lines.next();
    abort.abort();
    await expect(next).rejects.toThrow('aborted');
    expect((await request('/api/v1/namespaces/default/configmaps')).status).toBe(200);
    expect(sent).toHaveLength(1);
  });

  test('say why they are refused', async () => {
    const { request, sent } = streams();
    const refusal = await request(WATCH, { headers: { authorization: 'Bearer nobody' } });
    expect([refusal.status, (await refusal.json()).reason]).toEqual([403, 'Forbidden']);
    expect(sent).toHaveLength(1);
  });

  test('end where they are left', async () => {
    const { request, opened } = streams();
    const { body } = await request(WATCH);
    const [socket] = opened;
    const closed = socket === undefined ? undefined : once(socket, 'close');
    await body?.cancel();
    await closed;
    expect(opened).toHaveLength(1);
  });

  test('come without sockets where none opens', async () => {
    const { request, sent, opened } = streams(`${listener.url.replace('http', 'ws')}/nothing`);
    for (let index = 0; index < 5; index += 1) {
      const response = await request(WATCH);
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
    expect([opened.length, sent.length]).toEqual([3, 5]);
  });

  test('come without sockets where the browser refuses to try one', async () => {
    const refuses = (): never => {
      throw new DOMException('refused by the policy of the page', 'SecurityError');
    };
    const { send } = new SocketStreams({
      root: new URL(`${listener.url}/`),
      open: refuses,
      send: fetch,
      clock: new StillClock(),
    });
    const response = await send(new URL(WATCH, listener.url), { headers: { authorization: 'Bearer admin' } });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  test('come without sockets where a proxy answers no handshake', async () => {
    const clock = new StillClock();
    let closed = 0;
    const open: OpenSocket = () => () => void (closed += 1);
    const { send } = new SocketStreams({ root: new URL(`${listener.url}/`), open, send: fetch, clock });
    const opening = send(new URL(WATCH, listener.url), { headers: { authorization: 'Bearer admin' } });
    expect(closed).toBe(0);
    clock.advance(10_000);
    const response = await opening;
    expect([response.status, closed]).toEqual([200, 1]);
    await response.body?.cancel();
  });

  test('are forgotten by a signal that outlasts them', async () => {
    const { request } = streams();
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { body } = await request(WATCH, { signal });
    await body?.cancel();
    expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1]);
  });

  test('are only those that are read', async () => {
    const { request, opened, sent } = streams();
    const response = await request('/api/v1/namespaces/default/configmaps/none?watch=1', { method: 'DELETE' });
    expect([response.status, opened.length, sent.length]).toEqual([404, 0, 1]);
  });

  test('fail when the connection is lost, rather than end', async () => {
    const { request, opened } = streams();
    const { body } = await request(WATCH);
    opened[0]?.terminate();
    await expect(new Response(body).text()).rejects.toThrow('the connection was lost');
  });

  test('do not begin for a signal that has aborted', async () => {
    const { request, sent } = streams();
    await expect(request(WATCH, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(sent).toEqual([]);
  });
});
