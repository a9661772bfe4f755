/** Connections whose bytes are passed on, where a side behaves badly. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import { endingWith } from '../../src/server/filters/in-flight.js';
import type { WebSocketAnswer, WebSocketHandler } from '../../src/server/index.js';
import { serveUpgrades } from '../../src/transport/node/index.js';
import { passOn } from '../../src/transport/node/websocket/pass-on.js';
import { ManualClock } from './support/manual-clock.js';

const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Connects to a server that answers upgrades with a handler. */
async function upgrading(handleWebSocket: WebSocketHandler): Promise<Socket> {
  const http = createServer();
  const handle = () => Promise.resolve({ status: 404, headers: {}, body: undefined });
  serveUpgrades(http, { handle, handleWebSocket });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = connect((http.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  ends.push(
    () => client.destroy(),
    () => http.close(),
  );
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n');
  return client;
}

test.each([
  ['whose bytes are passed on', { passedOn: {} }],
  ['of a watch', {}],
])('a connection %s ends when its client has gone before it is accepted', async (_name, more) => {
  const left = vi.fn();
  const closed = vi.fn();
  let arrived = (): void => undefined;
  const asked = new Promise<void>((resolve) => (arrived = resolve));
  const client = await upgrading(async ({ signal }) => {
    arrived();
    await once(signal, 'abort');
    await nextTurn();
    async function* silent(): AsyncGenerator<Uint8Array> {
      await new Promise(() => undefined);
      yield new Uint8Array();
    }
    return { accept: { protocol: '', messages: endingWith(silent(), left), closed, ...more } };
  });
  await asked;
  client.resetAndDestroy();
  await expect.poll(() => [left.mock.calls.length, closed.mock.calls.length]).toEqual([1, 1]);
});

/** A connection whose client sends and takes what a test says. */
class Wire extends Duplex {
  isTaking = true;

  constructor() {
    super({ allowHalfOpen: true });
    this.on('error', () => undefined);
  }

  override _read(): void {
    // The test pushes what the client sends.
  }

  override _write(_bytes: Buffer, _encoding: string, taken: () => void): void {
    if (this.isTaking) taken();
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

const plain = { closeMs: 5_000, head: new Uint8Array(), lines: [] };

test('a client that does not take the last bytes is disconnected', async () => {
  const clock = new ManualClock();
  const wire = new Wire();
  wire.isTaking = false;
  const answer: WebSocketAnswer = { protocol: '', messages: bytesOf('end') };
  await passOn(wire, answer, { ...plain, clock });
  expect(wire.destroyed).toBe(false);
  clock.advance(4_999);
  expect(wire.destroyed).toBe(false);
  clock.advance(1);
  expect(wire.destroyed).toBe(true);
});

test('a client whose bytes cannot be passed on is disconnected', async () => {
  const wire = new Wire();
  const closed = once(wire, 'close');
  const answer: WebSocketAnswer = {
    protocol: '',
    messages: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) },
    receive: () => Promise.reject(new Error('the other side has failed')),
  };
  void passOn(wire, answer, { ...plain, clock: new ManualClock() });
  wire.push('bytes');
  await closed;
  expect(wire.destroyed).toBe(true);
});
