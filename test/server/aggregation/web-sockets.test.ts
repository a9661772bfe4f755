/** WebSockets of the server of another API group: its bytes are passed on, as they come, in both directions. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { listen, type Listener } from '../../../src/transport/node/index.js';
import { PATIENCE } from '../../support/patience.js';
import { FERRIES, World } from './world.js';

let world: World;
let front: Listener;
/** An extension server that speaks WebSocket only. */
let plain: Server;
let sockets: WebSocketServer;
let headers: Record<string, string | string[] | undefined> = {};
const open: WebSocket[] = [];
/** Where a server redirects to whose client would be led to secrets of the machine. */
const METADATA = 'http://169.254.169.254/latest/meta-data/';

beforeAll(async () => {
  world = await World.start();
  await world.register();
  front = await listen(world.main, { webSocket: { ping: 0 } });
  const { certPem: cert, keyPem: key } = world.certificate;
  plain = createServer({ cert, key }, (request, response) => {
    if (request.url?.includes('moved') === true) response.writeHead(302, { location: METADATA }).end('moved');
    else response.writeHead(200).end('{}');
  });
  sockets = new WebSocketServer({ noServer: true });
  plain.on('upgrade', (request, socket, head) => {
    headers = request.headers;
    if (request.url?.includes('refused') === true)
      return void socket.end('HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\ncontent-length: 3\r\n\r\nno!');
    if (request.url?.includes('moved') === true)
      return void socket.end(`HTTP/1.1 302 Found\r\nlocation: ${METADATA}\r\ncontent-length: 0\r\n\r\n`);
    if (request.url?.includes('endless') === true)
      return void socket.write('HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n3\r\nno!\r\n');
    sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit('connection', webSocket));
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  sockets.removeAllListeners('connection');
  for (const socket of open.splice(0)) socket.terminate();
});
afterAll(async () => {
  await front.close();
  await world[Symbol.asyncDispose]();
  plain.close();
});

/** Lets the requests of the group go to the server that speaks WebSocket only. */
async function withPlain(run: () => Promise<void>): Promise<void> {
  const { url } = world;
  world.url = new URL(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`);
  try {
    await run();
  } finally {
    world.url = url;
  }
}

function connect(path: string, token = 'admin', protocols: string[] = []): WebSocket {
  const socket = new WebSocket(`${front.url.replace('http', 'ws')}${path}`, protocols, {
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
  });
  socket.on('error', () => undefined);
  open.push(socket);
  return socket;
}

const opened = (socket: WebSocket): Promise<void> => new Promise((resolve) => socket.once('open', () => resolve()));
const refusal = (socket: WebSocket): Promise<{ code: number | undefined; text: string }> =>
  new Promise((resolve) =>
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += String(chunk)));
      response.on('end', () => resolve({ code: response.statusCode, text }));
    }),
  );
const closed = (socket: WebSocket): Promise<{ code: number; reason: string }> =>
  new Promise((resolve) => socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })));

test('a watch over WebSocket has the events of the other server', async () => {
  const socket = connect(`${FERRIES}?watch=1`);
  const events: string[] = [];
  socket.on('message', (data, isBinary) => {
    const { type, object } = JSON.parse(String(data)) as { type: string; object: { metadata: { name: string } } };
    events.push(`${isBinary ? 'binary ' : ''}${type} ${object.metadata.name}`);
  });
  await opened(socket);
  const ferries = world.other.client().resource({ apiVersion: 'ships.example.com/v1', kind: 'Ferry' });
  await ferries.namespace('default').create({ metadata: { name: 'one' } });
  await expect.poll(() => events).toEqual(['ADDED one']);
});

test('texts, bytes, large messages, the subprotocol and the code of the end are those of the other server', async () => {
  await withPlain(async () => {
    sockets.on('connection', (socket: WebSocket) => {
      socket.on('message', (data: Buffer, isBinary) => socket.send(data, { binary: isBinary }));
      socket.on('message', (data: Buffer) => String(data) === 'end' && socket.close(4321, 'enough'));
    });
    const socket = connect(FERRIES, 'admin', ['v2.example', 'v1.example']);
    const echoed: unknown[] = [];
    socket.on('message', (data: Buffer, isBinary) => echoed.push(isBinary ? data.length : String(data)));
    await opened(socket);
    expect(socket.protocol).toBe('v2.example');
    socket.send('ä text');
    socket.send(Buffer.alloc(3_000_000, 7));
    await expect.poll(() => echoed).toEqual(['ä text', 3_000_000]);
    const end = closed(socket);
    socket.send('end');
    expect(await end).toEqual({ code: 4321, reason: 'enough' });
  });
});

test('the other server sees the user, and no credential, not even one in a subprotocol', async () => {
  await withPlain(async () => {
    const token = Buffer.from('alice').toString('base64url');
    const socket = connect(FERRIES, '', [`base64url.bearer.authorization.k8s.io.${token}`, 'v1.example']);
    await opened(socket);
    expect(headers).toMatchObject({ 'sec-websocket-protocol': 'v1.example', upgrade: 'websocket' });
    expect(headers['x-remote-user']).toBe(Buffer.from('älice').toString('latin1'));
    expect(JSON.stringify(headers)).not.toContain(token);
    expect(headers['authorization']).toBeUndefined();
  });
});

test('a refusal of the other server is passed on, and so is one of this server', async () => {
  await withPlain(async () => {
    expect(await refusal(connect(`${FERRIES}/refused`))).toEqual({ code: 403, text: 'no!' });
    headers = {};
    expect((await refusal(connect(FERRIES, 'bob'))).code).toBe(403);
    expect((await refusal(connect(FERRIES, 'nobody'))).code).toBe(401);
    expect(headers).toEqual({});
  });
});

test('a server that cannot be reached is named with 503', async () => {
  const { url } = world;
  world.url = new URL('https://127.0.0.1:1');
  expect(await refusal(connect(FERRIES))).toEqual({
    code: 503,
    text: expect.stringContaining('error trying to reach service: ') as string,
  });
  world.url = url;
});

test('the end of either side ends the other, without a word', async () => {
  await withPlain(async () => {
    const served: WebSocket[] = [];
    sockets.on('connection', (socket: WebSocket) => served.push(socket));
    const first = connect(FERRIES);
    await opened(first);
    await expect.poll(() => served.length).toBe(1);
    const gone = closed(served[0] as WebSocket);
    first.terminate();
    await gone;
    const second = connect(FERRIES);
    await opened(second);
    await expect.poll(() => served.length).toBe(2);
    const lost = closed(second);
    served[1]?.terminate();
    expect((await lost).code).toBe(1006);
  });
});

test('a client that does not read holds the other server up, not the memory', async () => {
  await withPlain(async () => {
    const served: WebSocket[] = [];
    sockets.on('connection', (socket: WebSocket) => served.push(socket));
    const socket = connect(FERRIES);
    await opened(socket);
    socket.pause();
    await expect.poll(() => served.length).toBe(1);
    const [sender] = served;
    const chunk = Buffer.alloc(1_000_000);
    for (let sent = 0; sent < 100; sent += 1) sender?.send(chunk);
    // The sender keeps the rest.
    let before = -1;
    await expect
      .poll(() => {
        const stays = sender?.bufferedAmount === before;
        before = sender?.bufferedAmount ?? 0;
        return stays;
      })
      .toBe(true);
    expect(before).toBeGreaterThan(80_000_000);
    let received = 0;
    socket.on('message', (data: Buffer) => (received += data.length));
    socket.resume();
    await expect.poll(() => received).toBe(100_000_000);
  });
});

test('the end of this server ends the connections, which count as watches', async () => {
  const ending = await World.start({ server: { limits: { watches: { max: 1 } } } });
  await ending.register();
  const listener = await listen(ending.main, { webSocket: { ping: 0 } });
  const url = `${listener.url.replace('http', 'ws')}${FERRIES}?watch=1`;
  const ask = (): WebSocket => {
    const socket = new WebSocket(url, { headers: { authorization: 'Bearer alice' } });
    socket.on('error', () => undefined);
    open.push(socket);
    return socket;
  };
  const socket = ask();
  await opened(socket);
  expect((await refusal(ask())).code).toBe(429);
  const end = closed(socket);
  await ending.main.close();
  await end;
  await listener.close();
  await ending[Symbol.asyncDispose]();
});

test('a redirect is not passed on: a client would follow it', async () => {
  await withPlain(async () => {
    const answer = await fetch(`${front.url}${FERRIES}/moved`, {
      headers: { authorization: 'Bearer admin' },
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([
      502,
      null,
      'the backend attempted to redirect this request, which is not permitted',
    ]);
    expect(await refusal(connect(`${FERRIES}/moved`))).toEqual({
      code: 503,
      text: 'invalid upgrade response: status code 302\n',
    });
  });
});

test('the end of this server ends a refusal that does not end', async () => {
  const ending = await World.start({ certificate: world.certificate });
  await ending.register();
  ending.url = new URL(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`);
  const listener = await listen(ending.main, { webSocket: { ping: 0 } });
  const socket = new WebSocket(`${listener.url.replace('http', 'ws')}${FERRIES}/endless`, {
    headers: { authorization: 'Bearer admin' },
  });
  socket.on('error', () => undefined);
  open.push(socket);
  const [, response] = await new Promise<[unknown, NodeJS.ReadableStream]>((resolve) =>
    socket.once('unexpected-response', (request, answer) => resolve([request, answer])),
  );
  let text = '';
  response.on('data', (chunk: Buffer) => (text += String(chunk))).on('error', () => undefined);
  const ended = new Promise((resolve) => response.once('close', resolve));
  await expect.poll(() => text, PATIENCE).toBe('no!');
  await ending.main.close();
  await ended;
  await listener.close();
  await ending[Symbol.asyncDispose]();
});
