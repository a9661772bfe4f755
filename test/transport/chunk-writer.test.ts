import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ApiRequest, ApiResponse, StreamBody } from '../../src/server/requests/http.js';
import { serveNode } from '../../src/transport/node/edge.js';
import { listen } from '../../src/transport/node/listening/listen.js';
import { RawClient } from './support/raw-client.js';

const SHARED = Buffer.from('shared by all');
const LONG = Buffer.alloc(70_000, 'x');

/** A stream of chunks, taken without waiting, or iterated. */
function streamOf(chunks: readonly Uint8Array[], taken: boolean): StreamBody {
  const rest = [...chunks];
  async function* iterated(): AsyncGenerator<Uint8Array> {
    for (let chunk = rest.shift(); chunk !== undefined; chunk = rest.shift()) yield await Promise.resolve(chunk);
  }
  const stream = iterated();
  return taken ? { stream, take: () => rest.shift() ?? 'next' } : { stream };
}

const CHUNKS = [SHARED, new Uint8Array(), LONG, SHARED, Buffer.from('last')];
const TEXT = Buffer.concat(CHUNKS).toString('latin1');

const handle = ({ path }: ApiRequest): Promise<ApiResponse> =>
  Promise.resolve(
    path === '/plain'
      ? { status: 200, headers: {}, body: 'a plain answer' }
      : { status: 200, headers: {}, body: streamOf(CHUNKS, path === '/taken') },
  );

/** Returns the body of the first response in chunked encoding, and what follows it. */
function unchunked(received: string): { readonly body: string; readonly rest: string } {
  let at = received.indexOf('\r\n\r\n') + 4;
  let body = '';
  for (;;) {
    const end = received.indexOf('\r\n', at);
    const size = Number.parseInt(received.slice(at, end), 16);
    expect(received.slice(end + 2 + size, end + 4 + size)).toBe('\r\n');
    body += received.slice(end + 2, end + 2 + size);
    at = end + 4 + size;
    if (size === 0) return { body, rest: received.slice(at) };
  }
}

describe.each(['/taken', '/iterated'])('the chunks of a stream that is %s', (path) => {
  test('are framed, and the connection serves another request', async () => {
    const listener = await listen({ handle });
    onTestFinished(() => listener.close({ grace: 0 }));
    const client = new RawClient(listener.address.port);
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await client.until('\r\n0\r\n\r\n');
    client.write('GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until('a plain answer');
    const { body, rest } = unchunked(client.received);
    expect(body).toBe(TEXT);
    expect(rest).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('are sent as they are to a client of HTTP/1.0', async () => {
    const listener = await listen({ handle });
    onTestFinished(() => listener.close({ grace: 0 }));
    const client = new RawClient(listener.address.port);
    client.write(`GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n`);
    await client.closed;
    expect(client.received.slice(client.received.indexOf('\r\n\r\n') + 4)).toBe(TEXT);
  });

  test('pass through the method of a framework that replaces `write`', async () => {
    const passed: string[] = [];
    const server = createServer((request, response) => {
      const write = response.write.bind(response) as (chunk: Uint8Array) => boolean;
      response.write = (chunk: Uint8Array) => {
        passed.push(Buffer.from(chunk).toString('latin1'));
        return write(chunk);
      };
      void serveNode({ handle }, request, response);
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new RawClient((server.address() as AddressInfo).port);
    client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    await client.closed;
    expect(passed.join('')).toBe(TEXT);
    expect(unchunked(client.received).body).toBe(TEXT);
  });
});

test('chunks that are shared arrive complete at several clients', async () => {
  const listener = await listen({ handle });
  onTestFinished(() => listener.close({ grace: 0 }));
  const clients = Array.from({ length: 5 }, () => new RawClient(listener.address.port));
  for (const client of clients) client.write('GET /taken HTTP/1.1\r\nHost: localhost\r\n\r\n');
  for (const client of clients) {
    await client.until('\r\n0\r\n\r\n');
    expect(unchunked(client.received).body).toBe(TEXT);
    client.socket.destroy();
  }
});
