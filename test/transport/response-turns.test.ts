/** Responses in short pieces: a turn of the event loop parses a few of those that arrive side by side. */
import { createServer } from 'node:tls';
import { IncomingMessage } from 'node:http';
import { Socket, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createServingCertificate, nodeHttpClient } from '../../src/transport/node/index.js';
import { readBody } from '../../src/transport/node/body.js';
import { ReadTurns } from '../../src/transport/node/read-turns.js';
import { turnsDuring } from '../support/turns.js';

const PIECES = 20_000;
const ANSWER = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(PIECES)}0\r\n\r\n`;

/** Answers each request with bytes as they are. @returns the URL, and the certificate's authority */
async function serveBytes(bytes: string): Promise<{ url: string; certificateAuthority: string }> {
  const { keyPem: key, certPem: cert, caPem } = await createServingCertificate();
  const server = createServer({ key, cert }, (socket) => {
    onTestFinished(() => void socket.destroy());
    socket.on('data', () => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}/`, certificateAuthority: caPem };
}

/** Counts the short pieces that a turn takes. Returns a function that returns the most of them. */
function piecesOfTurns(): () => number {
  let [most, current] = [0, 0];
  const { pieces } = ReadTurns.prototype;
  const spy = vi.spyOn(ReadTurns.prototype, 'pieces').mockImplementation(function (this: ReadTurns, count, socket) {
    if (current === 0) setImmediate(() => (current = 0));
    current += count;
    most = Math.max(most, current);
    pieces.call(this, count, socket);
  });
  onTestFinished(() => spy.mockRestore());
  return () => most;
}

test('a turn takes the pieces of a few of many responses, and all are read, on connections that are used again', async () => {
  const { url, certificateAuthority } = await serveBytes(ANSWER);
  const client = nodeHttpClient();
  onTestFinished(() => client.close());
  const most = piecesOfTurns();
  for (let round = 0; round < 2; round += 1) {
    const answers = Array.from({ length: 12 }, () =>
      client({ url, tls: { certificateAuthority }, maxBytes: 2 * PIECES }),
    );
    for (const { status, body } of await Promise.all(answers)) expect([status, body.length]).toEqual([200, PIECES]);
  }
  expect(most()).toBeGreaterThan(1_000);
  // Four connections are read again in a turn, and of each the 7,500 pieces that Node reads at once.
  expect(most()).toBeLessThan(40_000);
});

/** A request whose body has arrived in two pieces, but not its end. */
function arriving(bytes: number): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers['transfer-encoding'] = 'chunked';
  request.push(Buffer.alloc(bytes / 2, 'a'));
  request.push(Buffer.alloc(bytes / 2, 'b'));
  return request;
}

/** Lets the bodies of some requests end in one turn. @returns the turns that it takes to read them */
async function endTogether(requests: readonly IncomingMessage[], bytes: number, reads?: ReadTurns): Promise<number> {
  const bodies = requests.map((request) => readBody(request, { response: undefined, reads }, bytes));
  const turns = await turnsDuring(() => {
    for (const request of requests) request.push(null);
    return Promise.all(bodies);
  });
  for (const body of await Promise.all(bodies)) {
    expect(body.length).toBe(bytes);
    expect([body[0], body[bytes / 2]]).toEqual([0x61, 0x62]);
  }
  return turns;
}

test.each([
  ['long', 1024 * 1024, true],
  ['short', 64 * 1024, false],
])('other connections are held when %s bodies end in one turn', async (_name, bytes, isHeld) => {
  let held = 0;
  const socket = new Socket();
  socket.on('pause', () => (held += 1));
  const reads = new ReadTurns(() => [socket]);
  await endTogether(
    Array.from({ length: 16 }, () => arriving(bytes)),
    bytes,
    reads,
  );
  expect(held > 0).toBe(isHeld);
});

test.each([
  ['long', 1024 * 1024, 3],
  ['short', 64 * 1024, 0],
])(
  '%s bodies over HTTP/2 that end in one turn are joined in as many turns as that takes',
  async (_name, bytes, least) => {
    const requests = Array.from({ length: 16 }, () =>
      Object.defineProperty(arriving(bytes), 'stream', { value: { endAfterHeaders: false } }),
    );
    const turns = await endTogether(requests, bytes);
    if (least === 0) expect(turns).toBeLessThanOrEqual(1);
    else expect(turns).toBeGreaterThanOrEqual(least);
  },
);
