import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { nextTurn } from '../../src/foundation/async/turn.js';
import type { ApiRequest, ApiResponse } from '../../src/server/requests/http.js';
import { createServingCertificate, listen } from '../../src/transport/node/index.js';
import { ReadTurns, type HeldSocket } from '../../src/transport/node/read-turns.js';

/** A connection that says whether it is read. */
class Line implements HeldSocket {
  destroyed = false;
  isRead = true;

  isPaused(): boolean {
    return !this.isRead;
  }

  pause(): never {
    this.isRead = false;
    return undefined as never;
  }

  resume(): never {
    this.isRead = true;
    return undefined as never;
  }
}

const fields = (count: number): string[] => Array.from({ length: 2 * count }, () => 'x');
const head = (socket: HeldSocket, count: number, headers = {}) => ({ rawHeaders: fields(count), headers, socket });
const readOf = (lines: readonly Line[]): number => lines.filter(({ isRead }) => isRead).length;

describe('connections', () => {
  test('are held when the heads of a turn have many fields, and read again in further turns, light ones first', async () => {
    const lines = Array.from({ length: 100 }, () => new Line());
    const reads = new ReadTurns(() => lines);
    const heavy = lines.slice(0, 5);
    for (const line of heavy) {
      expect(readOf(lines)).toBe(100);
      reads.head(head(line, 1_900));
    }
    expect(readOf(lines)).toBe(0);
    await nextTurn();
    expect(readOf(lines.slice(5))).toBe(95);
    expect(readOf(heavy)).toBe(4);
    await nextTurn();
    expect(readOf(lines)).toBe(100);
  });

  test('are read again a hundred or so at a time, so that a turn is not spent on holding them', async () => {
    const lines = Array.from({ length: 1_000 }, () => new Line());
    const reads = new ReadTurns(() => lines);
    for (let count = 0; count < 5; count += 1) reads.head(head(new Line(), 1_900));
    for (let turn = 1; turn <= 7; turn += 1) {
      await nextTurn();
      expect(readOf(lines)).toBe(128 * turn);
    }
    await nextTurn();
    expect(readOf(lines)).toBe(1_000);
  });

  test('are read again in an order that lets those wait that are like hundreds of others', async () => {
    const order: string[] = [];
    class Named extends Line {
      readonly #name: string;

      constructor(name: string) {
        super();
        this.#name = name;
      }

      override resume(): never {
        order.push(this.#name);
        return super.resume();
      }
    }
    const names = ['known', 'heavy', 'early', 'once', 'late'] as const;
    const lines = names.map((name) => new Named(name));
    const [known, heavy, , once] = lines;
    const reads = new ReadTurns(() => lines);
    for (let count = 0; count < 9; count += 1) reads.head(head(known ?? new Line(), 5));
    reads.head(head(once ?? new Line(), 5));
    reads.turn();
    for (let count = 0; count < 5; count += 1) reads.head(head(heavy ?? new Line(), 1_900));
    expect(readOf(lines)).toBe(0);
    await nextTurn();
    expect(order).toEqual(['known', 'once', 'late', 'early', 'heavy']);
  });

  test('are all read again, though hundreds of others send many small requests in each turn', async () => {
    const lines = Array.from({ length: 600 }, () => new Line());
    const [patient, ...busy] = lines;
    const reads = new ReadTurns(() => lines);
    const send = (line: Line): void => {
      for (let count = 0; count < 9; count += 1) reads.head(head(line, 5));
    };
    if (patient !== undefined) send(patient);
    reads.turn();
    for (let turn = 0; turn < 100; turn += 1) {
      // Each of those that are read sends what has waited.
      for (const line of busy.filter(({ isRead }) => isRead)) send(line);
      expect(readOf(busy)).toBe(0);
      await nextTurn();
      if (patient?.isRead === true) break;
    }
    expect(patient?.isRead).toBe(true);
  });

  test('whose bodies come in short pieces are read one at a time', async () => {
    const lines = Array.from({ length: 10 }, () => new Line());
    const [light, ...crumbs] = lines;
    const reads = new ReadTurns(() => lines);
    // Those that send them fill a turn.
    for (const line of crumbs) reads.pieces(600, line);
    expect(readOf(lines)).toBe(0);
    for (let turn = 1; turn <= crumbs.length; turn += 1) {
      await nextTurn();
      expect([light?.isRead, readOf(crumbs)]).toEqual([true, turn]);
    }
  });

  test('are held for chunked bodies that come with their heads, and for short pieces', async () => {
    for (const read of [
      (reads: ReadTurns, line: Line) => reads.head(head(line, 5, { 'transfer-encoding': 'chunked' })),
      (reads: ReadTurns) => reads.pieces(2_500),
    ]) {
      const line = new Line();
      const reads = new ReadTurns(() => [line]);
      read(reads, line);
      expect(line.isRead).toBe(true);
      read(reads, line);
      expect(line.isRead).toBe(false);
      await nextTurn();
      await nextTurn();
      expect(line.isRead).toBe(true);
    }
  });

  test('are not held for the small requests of a hundred connections', () => {
    const lines = Array.from({ length: 90 }, () => new Line());
    const reads = new ReadTurns(() => lines);
    for (const line of lines) reads.head(head(line, 8));
    expect(readOf(lines)).toBe(90);
  });

  test('are not held for what several turns read, and one that somebody else has paused stays paused', async () => {
    const [line, paused] = [new Line(), new Line()];
    paused.isRead = false;
    const reads = new ReadTurns(() => [line, paused]);
    for (let turn = 0; turn < 100; turn += 1) {
      for (let count = 0; count < 4; count += 1) reads.head(head(line, 1_900));
      reads.turn();
    }
    expect(line.isRead).toBe(true);
    for (let count = 0; count < 5; count += 1) reads.head(head(line, 1_900));
    expect(line.isRead).toBe(false);
    await nextTurn();
    await nextTurn();
    expect([line.isRead, paused.isRead]).toEqual([true, false]);
  });
});

/** Counts the heads that a turn parses. Returns a function that returns the most of them. */
function headsOfTurns(): () => number {
  let [most, current] = [0, 0];
  const { head: counted } = ReadTurns.prototype;
  const spy = vi.spyOn(ReadTurns.prototype, 'head').mockImplementation(function (this: ReadTurns, request) {
    if (current === 0) setImmediate(() => (current = 0));
    current += 1;
    most = Math.max(most, current);
    counted.call(this, request);
  });
  onTestFinished(() => spy.mockRestore());
  return () => most;
}

async function connected(port: number, ca: string | undefined): Promise<Socket> {
  const host = '127.0.0.1';
  const socket =
    ca === undefined
      ? connect({ port, host })
      : connectTls({ port, host, ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  await once(socket, ca === undefined ? 'connect' : 'secureConnect');
  return socket;
}

const FIELDS = Array.from({ length: 1_900 }, (_, index) => `x-${index}: ${'v'.repeat(20)}\r\n`).join('');
const BODY = `${'1\r\n \r\n'.repeat(5_000)}0\r\n\r\n`;
const ENDS: readonly [name: string, rest: string][] = [
  ['long heads', `${FIELDS}\r\n`],
  ['bodies of short chunks', `transfer-encoding: chunked\r\n\r\n${BODY}`],
];

describe.each([
  ['in plaintext', false],
  ['over TLS', true],
])('%s', (_name, secure) => {
  test.each(ENDS)(
    'a turn parses a few of many connections that send %s at once, and all are answered',
    async (_what, rest) => {
      const serving = secure ? await createServingCertificate() : undefined;
      const tls = serving && { key: serving.keyPem, cert: serving.certPem };
      const answer: ApiResponse = { status: 200, headers: {}, body: 'done' };
      const handle = async (request: ApiRequest): Promise<ApiResponse> => {
        await request.body(10_000);
        return answer;
      };
      await using listener = await listen({ handle }, { port: 0, tls });
      const most = headsOfTurns();
      const sockets: Socket[] = [];
      for (let count = 0; count < 60; count += 1) sockets.push(await connected(listener.address.port, serving?.caPem));
      for (let round = 0; round < 2; round += 1) {
        const answered = sockets.map((socket) => once(socket, 'data'));
        for (const socket of sockets) socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\n${rest}`);
        for (const [data] of await Promise.all(answered)) expect(String(data)).toContain('200 OK');
      }
      expect(most()).toBeGreaterThan(1);
      // Five reach the limit.
      expect(most()).toBeLessThan(7);
      for (const socket of sockets) socket.destroy();
    },
  );
});

/** The first message of a TLS client. */
async function clientHello(): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'connection');
  const client = connectTls({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const [socket] = (await asked) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  server.close();
  return hello;
}

test('a turn begins the TLS handshakes that fit into a slice, though all clients ask at once', async () => {
  const serving = await createServingCertificate();
  const answer: ApiResponse = { status: 200, headers: {}, body: 'done' };
  const handle = (): Promise<ApiResponse> => Promise.resolve(answer);
  await using listener = await listen({ handle }, { port: 0, tls: { key: serving.keyPem, cert: serving.certPem } });
  const hello = await clientHello();
  const sockets: Socket[] = [];
  for (let count = 0; count < 40; count += 1) sockets.push(await connected(listener.address.port, undefined));
  // A millisecond passes with each look at the time, so that a slice ends after two.
  let nowMs = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
  let [most, current] = [0, 0];
  const answered = sockets.map(async (socket) => {
    await once(socket, 'data');
    if (current === 0) setImmediate(() => (current = 0));
    current += 1;
    most = Math.max(most, current);
  });
  for (const socket of sockets) socket.write(hello);
  await Promise.all(answered);
  now.mockRestore();
  expect(most).toBeLessThan(10);
  for (const socket of sockets) socket.destroy();
});
