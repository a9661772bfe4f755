import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { WebSocketHandler } from '../../src/server/requests/http.js';
import {
  createServingCertificate,
  listen,
  serveUpgrades,
  type Listener,
  type ListenOptions,
} from '../../src/transport/node/index.js';
import { toExpress } from '../../src/transport/express/express.js';
import { echoHandler } from '../../src/testing/transport-cases/index.js';
import { ManualClock } from './support/manual-clock.js';
import { RawClient } from './support/raw-client.js';

let listener: Listener;
const clock = new ManualClock();

beforeEach(async () => {
  listener = await listen(echoHandler(), { webSocket: { ping: 1000 }, clock });
});

afterEach(() => listener.close({ grace: 0 }));

const socketUrl = (path: string): string => listener.url.replace('http', 'ws') + path;

interface Conversation {
  readonly protocol: string;
  readonly messages: string[];
  readonly code: number;
}

/** Everything that a client receives until the end. */
function converse(client: WebSocket): Promise<Conversation> {
  const messages: string[] = [];
  return new Promise((resolve, reject) => {
    client.on('error', reject).on('message', (data) => messages.push(String(data)));
    client.on('close', (code) => resolve({ protocol: client.protocol, messages, code }));
  });
}

describe('a watch over WebSocket', () => {
  test.each([
    [[], ''],
    [['other', 'echo'], 'echo'],
  ])('sends one message per frame and closes with 1000 (offered %j)', async (offered, protocol) => {
    const received = await converse(new WebSocket(socketUrl('/socket?count=3'), offered));
    expect(received).toEqual({ protocol, messages: ['message 0', 'message 1', 'message 2'], code: 1000 });
    await expect.poll(() => listener.connections).toBe(0);
  });

  test('with many messages arrives completely', async () => {
    const received = await converse(new WebSocket(socketUrl('/socket?count=20000')));
    expect(received.messages.length).toBe(20_000);
    expect(received.messages[19_999]).toBe('message 19999');
  });

  test('closes with 1011 when the source fails', async () => {
    expect(await converse(new WebSocket(socketUrl('/socket/fail?count=1')))).toEqual({
      protocol: '',
      messages: ['message 0'],
      code: 1011,
    });
  });

  test('is refused with an ordinary answer', async () => {
    const client = new WebSocket(socketUrl('/socket/refused'));
    const answer = await new Promise<{ status: number | undefined; body: string }>((resolve) => {
      client.on('unexpected-response', (_request, response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => resolve({ status: response.statusCode, body }));
      });
    });
    expect(answer).toEqual({ status: 403, body: '{"message":"forbidden"}' });
    await expect.poll(() => listener.connections).toBe(0);
  });

  test('a malformed handshake is a 400', async () => {
    const bad = new RawClient(listener.address.port);
    bad.write(
      'GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    await bad.until('HTTP/1.1 400');
    await bad.closed;
    await expect.poll(() => listener.connections).toBe(0);
  });

  test('is closed with 1009 if the client sends too much', async () => {
    const { url, close } = await serving({ handleWebSocket: endless().handler });
    const client = new WebSocket(url);
    client.on('open', () => client.send('x'.repeat(300_000)));
    expect((await converse(client)).code).toBe(1009);
    await close();
  });
});

/** An endless source, and its final state. */
function endless(message = 'more'): {
  readonly handler: WebSocketHandler;
  readonly seen: { pulls: number; released: boolean; aborted: boolean };
} {
  const seen = { pulls: 0, released: false, aborted: false };
  const handler: WebSocketHandler = async ({ signal }) => ({
    accept: {
      protocol: '',
      messages: (async function* () {
        try {
          for (;;) {
            seen.pulls++;
            yield message;
            if (message === 'more')
              await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            if (signal.aborted) return;
          }
        } finally {
          seen.released = true;
          seen.aborted = signal.aborted;
        }
      })(),
    },
  });
  return { handler, seen };
}

async function serving(
  target: { handleWebSocket: WebSocketHandler },
  options: ListenOptions = {},
): Promise<{ url: string; listener: Listener; close: () => Promise<void> }> {
  const other = await listen({ ...echoHandler(), ...target }, { clock, ...options });
  return { url: other.url.replace('http', 'ws'), listener: other, close: () => other.close({ grace: 0 }) };
}

describe('a client that disconnects or stalls', () => {
  test.each(['close', 'terminate'] as const)('releases the source on %s', async (how) => {
    const { handler, seen } = endless();
    const { url, listener: other, close } = await serving({ handleWebSocket: handler });
    const client = new WebSocket(url);
    await new Promise((resolve) => client.once('message', resolve));
    client[how]();
    await expect.poll(() => seen).toEqual({ pulls: 1, released: true, aborted: true });
    await expect.poll(() => other.connections).toBe(0);
    await close();
  });

  test('slows the source while it does not read', async () => {
    const { handler, seen } = endless('x'.repeat(64 * 1024));
    const { url, close } = await serving({ handleWebSocket: handler });
    const client = new WebSocket(url);
    client.on('error', () => undefined);
    await new Promise((resolve) => client.once('open', resolve));
    client.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const quiet = seen.pulls === before;
          before = seen.pulls;
          return quiet;
        },
        { interval: 100 },
      )
      .toBe(true);
    expect(seen.pulls).toBeLessThan(2000);
    client.terminate();
    await expect.poll(() => seen.released).toBe(true);
    await close();
  });

  test('is disconnected if it does not answer a ping, and not before', async () => {
    const { handler, seen } = endless();
    const manual = new ManualClock();
    const {
      url,
      listener: other,
      close,
    } = await serving({ handleWebSocket: handler }, { clock: manual, webSocket: { ping: 1000 } });
    const client = new WebSocket(url, { autoPong: false });
    let pings = 0;
    client.on('ping', (data) => ++pings <= 3 && client.pong(data));
    await new Promise((resolve) => client.once('message', resolve));
    const closed = new Promise<number>((resolve) => client.once('close', resolve));
    for (let round = 1; round <= 4; round++) {
      manual.advance(1000);
      await expect.poll(() => pings).toBe(round);
      // The server has read the pong once it answers the message sent after it.
      await (await fetch(`${other.url}/text`)).text();
      expect(client.readyState).toBe(WebSocket.OPEN);
    }
    manual.advance(1000);
    expect([await closed, pings]).toEqual([1006, 4]);
    await expect.poll(() => seen.released).toBe(true);
    await close();
  });
});

test('a WebSocket works over TLS', async () => {
  const { caPem, certPem, keyPem } = await createServingCertificate();
  const secure = await listen(echoHandler(), { tls: { key: keyPem, cert: certPem } });
  const received = await converse(new WebSocket(`${secure.url.replace('https', 'wss')}/socket?count=2`, { ca: caPem }));
  expect(received).toEqual({ protocol: '', messages: ['message 0', 'message 1'], code: 1000 });
  await secure.close({ grace: 0 });
});

test('a WebSocket works beside Express, under its prefix', async () => {
  const handler = echoHandler();
  const app = express();
  app.use('/mounted', toExpress(handler));
  const server = createServer(app);
  serveUpgrades(server, handler, { prefix: '/mounted' });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const received = await converse(
    new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/mounted/socket?count=1`),
  );
  expect(received).toEqual({ protocol: '', messages: ['message 0'], code: 1000 });
  await new Promise((resolve) => server.close(resolve));
});

test('bytes are sent as a binary frame', async () => {
  const { url, close } = await serving({
    handleWebSocket: async () => ({
      accept: {
        protocol: '',
        messages: (async function* () {
          yield new Uint8Array([1, 2, 3]);
        })(),
      },
    }),
  });
  const client = new WebSocket(url);
  const [data, binary] = await new Promise<[unknown, boolean]>((resolve) =>
    client.once('message', (bytes, isBinary) => resolve([bytes, isBinary])),
  );
  expect([data, binary]).toEqual([Buffer.from([1, 2, 3]), true]);
  await close();
});

test('without a WebSocket handler an upgrade is an ordinary request', async () => {
  const { handle } = echoHandler();
  await using plain = await listen({ handle });
  const client = new RawClient(plain.address.port);
  client.write('GET /text HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await client.until('HTTP/1.1 200');
  client.socket.destroy();
});
