/** Slow clients: each is ended within its limit, and other clients are not affected. */
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createServingCertificate,
  listen,
  type Listener,
  type ServingCertificate,
} from '../../src/transport/node/index.js';
import { echoHandler } from '../../src/testing/transport-cases/index.js';
import { ManualClock } from './support/manual-clock.js';
import { http1Fetch, http2Fetch } from './support/node-fetch.js';
import { RawClient } from './support/raw-client.js';
import { END_HEADERS, END_STREAM, fields, frame, opening, RawHttp2Client } from './support/raw-http2.js';

// Far beyond the range of Node's own timers during a test.
const timeouts = { headers: 30_000, request: 60_000, idle: 90_000, write: 40_000, linger: 4_000 };
const CHECK_MS = 1_000;

let serving: ServingCertificate;
let clock: ManualClock;
let listener: Listener;

beforeAll(async () => {
  serving = await createServingCertificate();
});

async function start(tls: boolean): Promise<void> {
  clock = new ManualClock();
  listener = await listen(echoHandler(), {
    clock,
    timeouts,
    webSocket: { ping: 0 },
    ...(tls ? { tls: { key: serving.keyPem, cert: serving.certPem } } : {}),
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass, and its consequences happen. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= CHECK_MS) {
    clock.advance(Math.min(left, CHECK_MS));
    await turn();
  }
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

async function othersAreServed(tls: boolean): Promise<void> {
  for (const client of tls ? [http2Fetch(serving.caPem), http1Fetch({ ca: serving.caPem })] : [http1Fetch()]) {
    const answer = await client(`${listener.url}/text`);
    expect([answer.status, await answer.text()]).toEqual([200, 'grün ✓']);
    client.close();
  }
}

const connectionsAre = (count: number): Promise<void> => expect.poll(() => listener.connections).toBe(count);

type Shape = (client: RawHttp2Client) => void;
const post = frame('headers', END_HEADERS, 1, fields('POST', '/echo'));
const get = (path: string, stream = 1): Buffer =>
  frame('headers', END_HEADERS | END_STREAM, stream, fields('GET', path));

describe('HTTP/2', () => {
  beforeEach(() => start(true));
  afterEach(() => listener.close({ grace: 0 }));

  async function open(shape: Shape): Promise<RawHttp2Client> {
    const client = new RawHttp2Client(listener.address.port, serving.caPem);
    await client.secured;
    shape(client);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    return client;
  }

  const unfinishedHeads: readonly (readonly [string, Shape])[] = [
    ['nothing', () => undefined],
    ['half a preface', (client) => client.write(opening().subarray(0, 10))],
    ['a preface without settings', (client) => client.write(opening().subarray(0, 24))],
    ['settings only', (client) => client.write(opening())],
    ['a partial frame header', (client) => client.write(opening(), get('/text').subarray(0, 4))],
    ['a HEADERS frame that stops after one byte', (client) => client.write(opening(), get('/text').subarray(0, 10))],
    [
      'HEADERS whose CONTINUATION never arrives',
      (client) => client.write(opening(), frame('headers', END_STREAM, 1, fields('GET', '/text'))),
    ],
    [
      'a CONTINUATION that stops',
      (client) =>
        client.write(
          opening(),
          frame('headers', END_STREAM, 1, fields('GET', '/text')),
          frame('continuation', END_HEADERS, 1, fields('GET', '/text')).subarray(0, 11),
        ),
    ],
    [
      'pings without a request',
      (client) => client.write(opening(), frame('ping', 0, 0, Buffer.alloc(8)), frame('ping', 0, 0, Buffer.alloc(8))),
    ],
  ];

  test.each(unfinishedHeads)('a connection with %s ends after the timeout `headers`', async (_name, shape) => {
    const client = await open(shape);
    await connectionsAre(1);
    await pass(timeouts.headers - CHECK_MS);
    expect(listener.connections).toBe(1);
    await othersAreServed(true);
    await pass(timeouts.linger + 3 * CHECK_MS);
    await client.closed;
    await connectionsAre(0);
  });

  test.each(unfinishedHeads)('a connection with %s does not delay the close', async (_name, shape) => {
    const client = await open(shape);
    await connectionsAre(1);
    const closed = listener.close({ grace: 3_600_000 });
    await pass(timeouts.linger + 2 * CHECK_MS);
    await closed;
    await client.closed;
  });

  test('fifty of them end together', async () => {
    const clients = await Promise.all(
      Array.from({ length: 50 }, () => open((client) => client.write(opening(), get('/text').subarray(0, 10)))),
    );
    await connectionsAre(50);
    await othersAreServed(true);
    await pass(timeouts.headers + timeouts.linger + 2 * CHECK_MS);
    await Promise.all(clients.map(({ closed }) => closed));
  });

  test('a connection that stops in HEADERS after a request ends after the timeout `idle`', async () => {
    const client = await open((raw) => raw.write(opening(), get('/text')));
    await expect.poll(() => client.frames('data', 1).length).toBeGreaterThan(0);
    client.write(get('/text', 3).subarray(0, 10));
    await pass(timeouts.idle - CHECK_MS);
    expect(listener.connections).toBe(1);
    await pass(timeouts.linger + 3 * CHECK_MS);
    await client.closed;
  });

  test('a body that never ends is answered with 408 after the timeout `request`, and its stream reset', async () => {
    const client = await open((raw) => raw.write(opening(), post, frame('data', 0, 1, Buffer.from('abc'))));
    await pass(timeouts.request - CHECK_MS);
    expect(client.frames('headers', 1)).toEqual([]);
    await othersAreServed(true);
    await pass(2 * CHECK_MS);
    await expect.poll(() => client.frames('data', 1).join('')).toBe('408 Request Timeout');
    expect(client.frames('rst', 1)).toEqual([]);
    await pass(timeouts.linger + 2 * CHECK_MS);
    await expect.poll(() => client.frames('rst', 1).length).toBe(1);
    // The connection can serve other requests.
    client.write(get('/text', 3));
    await expect.poll(() => client.frames('data', 3).join('')).toBe('grün ✓');
  });

  test('a body that continues after its answer has its stream reset after the timeout `linger`', async () => {
    const client = await open((raw) =>
      raw.write(
        opening(),
        frame('headers', END_HEADERS, 1, fields('POST', '/limit')),
        frame('data', 0, 1, Buffer.alloc(2_000)),
      ),
    );
    await expect.poll(() => client.frames('data', 1).length).toBeGreaterThan(0);
    client.write(frame('data', 0, 1, Buffer.alloc(10)));
    await pass(timeouts.linger + 2 * CHECK_MS);
    await expect.poll(() => client.frames('rst', 1).length).toBe(1);
  });

  test.each([
    ['a list', '/large?count=2000&size=1024'],
    ['a list with non-ASCII text', '/large?count=2000&size=1024&ascii=false'],
    ['an endless watch', '/flood?id=unread'],
    ['a short answer', '/text'],
  ])('%s that the client does not read ends after the timeout `write`', async (_name, path) => {
    const client = await open((raw) => raw.write(opening(0), get(path)));
    await expect.poll(() => client.frames('headers', 1).length).toBe(1);
    await pass(timeouts.write - 2 * CHECK_MS);
    expect(client.frames('rst', 1)).toEqual([]);
    await othersAreServed(true);
    await pass(5 * CHECK_MS);
    await expect.poll(() => client.frames('rst', 1).length).toBe(1);
  });

  test('a connection that is not read at all is destroyed after the timeout `write`', async () => {
    const client = await open((raw) => {
      raw.socket.pause();
      const window = Buffer.alloc(4);
      window.writeUInt32BE(0x7f00_0000);
      raw.write(opening(0x7fff_ffff), frame('windowUpdate', 0, 0, window), get('/large?count=40000&size=1024'));
    });
    await expect.poll(() => client.socket.readableLength).toBeGreaterThan(0);
    await pass(timeouts.write + timeouts.linger + 4 * CHECK_MS);
    await connectionsAre(0);
    client.socket.destroy();
  });

  test.each([
    ['a body that never ends', (client: RawHttp2Client) => client.write(opening(), post)],
    ['an unread answer', (client: RawHttp2Client) => client.write(opening(0), get('/text'))],
    ['an unread watch', (client: RawHttp2Client) => client.write(opening(0), get('/flood?id=unread'))],
  ] as const)('%s does not delay the close', async (_name, shape) => {
    await open(shape);
    const closed = listener.close({ grace: 3_600_000 });
    await pass(2 * timeouts.linger + 4 * CHECK_MS);
    await closed;
    expect(listener.connections).toBe(0);
  });
});

describe('floods of HTTP/2', () => {
  beforeEach(() => start(true));
  afterEach(() => listener.close({ grace: 0 }));

  const cancel = Buffer.from([0, 0, 0, 8]);

  /** Writes frames as fast as possible, `count` at most. */
  async function flood(one: (at: number) => Buffer, count: number): Promise<RawHttp2Client> {
    const client = new RawHttp2Client(listener.address.port, serving.caPem);
    await client.secured;
    client.write(opening(), post);
    let at = 0;
    const more = (): void => {
      while (
        at < count &&
        !client.socket.destroyed &&
        client.socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => one(at++))))
      );
    };
    client.socket.on('drain', more);
    more();
    return client;
  }

  test.each([
    ['pings', () => frame('ping', 0, 0, Buffer.alloc(8))],
    ['settings', () => frame('settings', 0, 0)],
    ['empty DATA', () => frame('data', 0, 1)],
  ] as const)('%s end their connection', async (_name, one) => {
    const client = await flood(one, 1_000_000);
    await othersAreServed(true);
    await client.closed;
  });

  const resetRequests = (count: number): Promise<RawHttp2Client> =>
    flood((at) => Buffer.concat([get('/text', 3 + 2 * at), frame('rst', 0, 3 + 2 * at, cancel)]), count);
  const ENHANCE_YOUR_CALM = 11;

  test('resets end their connection', async () => {
    const client = new RawHttp2Client(listener.address.port, serving.caPem);
    await client.secured;
    const reset = (at: number): Buffer =>
      Buffer.concat([get('/text', 1 + 2 * at), frame('rst', 0, 1 + 2 * at, cancel)]);
    client.write(opening(), ...Array.from({ length: 199 }, (_, at) => reset(at)));
    await othersAreServed(true);
    expect(client.frames('goaway')).toEqual([]);
    client.write(reset(199), reset(200));
    await client.closed;
    const [goaway] = client.frames('goaway');
    expect([goaway?.readUInt32BE(4), client.frames('headers')]).toEqual([ENHANCE_YOUR_CALM, []]);
  });

  test('header fields beyond those of most requests count as resets', async () => {
    const client = new RawHttp2Client(listener.address.port, serving.caPem);
    await client.secured;
    // A field that the table of the connection keeps, and then a byte for each of the others.
    const kept = Buffer.from([0x40, 1, 0x78, 1, 0x79]);
    const many = (stream: number, first: Uint8Array = Buffer.alloc(0)): Buffer =>
      frame(
        'headers',
        END_HEADERS | END_STREAM,
        stream,
        Buffer.concat([fields('GET', '/text'), first, Buffer.alloc(900, 0x80 | 62)]),
      );
    client.write(opening(), many(1, kept));
    await expect.poll(() => client.frames('headers').length).toBe(1);
    client.write(...Array.from({ length: 40 }, (_, at) => many(3 + 2 * at)));
    await client.closed;
    // Frames on the way are dropped, also the reason.
    expect(client.frames('headers').length).toBeLessThan(41);
  });

  test('resets of responses that have begun do not count', async () => {
    const client = new RawHttp2Client(listener.address.port, serving.caPem);
    await client.secured;
    client.write(opening(0));
    for (let batch = 0; batch < 3; batch += 1) {
      const numbers = Array.from({ length: 80 }, (_, at) => 1 + 2 * (80 * batch + at));
      client.write(...numbers.map((stream) => get('/text', stream)));
      await expect.poll(() => client.frames('headers').length).toBe(80 * (batch + 1));
      client.write(...numbers.map((stream) => frame('rst', 0, stream, cancel)));
    }
    expect(client.frames('goaway')).toEqual([]);
    expect(client.socket.destroyed).toBe(false);
  });

  test('a source with two such connections waits before it is served again', async () => {
    for (let round = 0; round < 2; round += 1) await (await resetRequests(20_000)).closed;
    const waiting = new RawHttp2Client(listener.address.port, serving.caPem);
    let secured = false;
    void waiting.secured.then(() => (secured = true));
    await connectionsAre(1);
    await pass(990);
    expect(secured).toBe(false);
    await pass(10);
    await waiting.secured;
    waiting.write(opening(), get('/text'));
    await expect.poll(() => waiting.frames('data', 1).join('')).toBe('grün ✓');
    waiting.socket.destroy();
    await pass(62_000);
    await othersAreServed(true);
  });

  test('a connection that waits does not delay the close', async () => {
    for (let round = 0; round < 2; round += 1) await (await resetRequests(20_000)).closed;
    const waiting = new RawHttp2Client(listener.address.port, serving.caPem);
    waiting.secured.catch(() => undefined);
    await connectionsAre(1);
    await listener.close({ grace: 3_600_000 });
    expect(listener.connections).toBe(0);
  });
});

describe('TLS', () => {
  beforeEach(() => start(true));
  afterEach(() => listener.close({ grace: 0 }));

  test.each([
    ['nothing', ''],
    ['half a ClientHello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])(
    'a handshake that stops after %s ends after the timeout `headers`, and does not delay a close',
    async (_name, sent) => {
      const first = new RawClient(listener.address.port);
      first.write(sent);
      await connectionsAre(1);
      await othersAreServed(true);
      await pass(timeouts.headers + timeouts.linger + 2 * CHECK_MS);
      await first.closed;
      const second = new RawClient(listener.address.port);
      second.write(sent);
      await connectionsAre(1);
      const closed = listener.close({ grace: 3_600_000 });
      await pass(timeouts.linger + 2 * CHECK_MS);
      await closed;
      await second.closed;
    },
  );

  test('an HTTP/1.1 body that never ends does not delay a close', async () => {
    const socket = connectTls({
      port: listener.address.port,
      host: '127.0.0.1',
      ca: serving.caPem,
      ALPNProtocols: ['http/1.1'],
    }).on('error', () => undefined);
    socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc');
    await connectionsAre(1);
    for (let turns = 0; turns < 50; turns += 1) await turn();
    const closed = listener.close({ grace: 3_600_000 });
    await pass(timeouts.linger + 2 * CHECK_MS);
    await closed;
  });
});

describe('HTTP/1.1', () => {
  beforeEach(() => start(false));
  afterEach(() => listener.close({ grace: 0 }));

  const shapes: readonly (readonly [string, string, number])[] = [
    ['nothing', '', timeouts.headers],
    ['half a request line', 'GET /te', timeouts.headers],
    ['half a head', 'GET /text HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', timeouts.headers],
    [
      'half the head of an upgrade',
      'GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n',
      timeouts.headers,
    ],
    ['half a body', 'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc', timeouts.request],
    [
      'a chunked body without an end',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
      timeouts.request,
    ],
    ['half a body after its answer', 'POST /ignore HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc', 0],
    ['a valid request, and blank lines after it', 'GET /text HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n', timeouts.idle],
  ];

  test.each(shapes)('a connection with %s ends within its limit', async (_name, sent, limit) => {
    const client = new RawClient(listener.address.port);
    client.write(sent);
    await connectionsAre(1);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    await pass(Math.max(0, limit - CHECK_MS));
    expect(listener.connections).toBe(1);
    await othersAreServed(false);
    await pass(timeouts.linger + 4 * CHECK_MS);
    await client.closed;
    await connectionsAre(0);
  });

  test.each(shapes)('a connection with %s does not delay the close', async (_name, sent) => {
    const client = new RawClient(listener.address.port);
    client.write(sent);
    await connectionsAre(1);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    const closed = listener.close({ grace: 3_600_000 });
    await pass(2 * timeouts.linger + 2 * CHECK_MS);
    await closed;
    await client.closed;
  });

  test.each([
    ['a list', '/large?count=40000&size=1024'],
    ['a list with non-ASCII text', '/large?count=40000&size=1024&ascii=false'],
    ['an endless watch', '/flood?id=unread'],
  ])('%s that is not read ends after the timeout `write`', async (_name, path) => {
    const client = connectTcp(listener.address.port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await connectionsAre(1);
    await expect.poll(() => client.readableLength + client.bytesRead).toBeGreaterThanOrEqual(0);
    for (let turns = 0; turns < 500; turns += 1) await turn();
    await pass(timeouts.write - 3 * CHECK_MS);
    expect(listener.connections).toBe(1);
    await othersAreServed(false);
    await pass(5 * CHECK_MS);
    await connectionsAre(0);
    client.destroy();
  });

  test('a slow reader that makes progress keeps its answer', async () => {
    const client = connectTcp(listener.address.port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    client.write('GET /large?count=16000&size=1024 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let taken = 0;
    const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
    client.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      client.pause();
    });
    client.pause();
    // Longer in total than writeMs, but never that long without progress.
    for (let step = 0; step < 20; step += 1) {
      const before = taken;
      while (taken < Math.min(before + 1024 * 1024, 16_000 * 1024)) {
        client.resume();
        await turn();
      }
      await pass(timeouts.write / 4);
    }
    client.removeAllListeners('data').resume();
    await ended;
    expect(taken).toBeGreaterThan(16_000 * 1024 - 1);
  });

  test('a WebSocket whose client does not answer the close is disconnected after the timeout `linger`', async () => {
    const client = new RawClient(listener.address.port);
    client.write(
      'GET /socket?count=1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    await client.until('message 0');
    await turn();
    expect(listener.connections).toBe(1);
    const closed = listener.close({ grace: 3_600_000 });
    await pass(timeouts.linger + CHECK_MS);
    await closed;
    await client.closed;
  });
});

test('connections beyond their limit are closed at once', async () => {
  listener = await listen(echoHandler(), { limits: { connections: 2 } });
  const held = [new RawClient(listener.address.port), new RawClient(listener.address.port)];
  await connectionsAre(2);
  await new RawClient(listener.address.port).closed;
  held[0]?.socket.destroy();
  await connectionsAre(1);
  await othersAreServed(false);
  await listener.close({ grace: 0 });
});
