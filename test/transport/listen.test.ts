import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { once } from 'node:events';
import { text as streamText } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import type { ApiRequest, ApiResponse, PeerCertificate } from '../../src/server/requests/http.js';
import {
  createServingCertificate,
  listen,
  type Listener,
  type ListenOptions,
  type ServingCertificate,
} from '../../src/transport/node/index.js';
import { echoHandler } from '../../src/testing/transport-cases/index.js';
import { resetRequest, sendFrames, type Frames } from '../attacks/http2-frames.js';
import { ask, textOf } from '../server/ask.js';
import { ManualClock } from './support/manual-clock.js';
import { http1Fetch, http2Fetch } from './support/node-fetch.js';
import { RawClient } from './support/raw-client.js';

let serving: ServingCertificate;
const listeners: Listener[] = [];

beforeAll(async () => {
  serving = await createServingCertificate();
});

afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close({ grace: 0 });
});

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

async function start(handle: Handle, options: ListenOptions = {}): Promise<Listener> {
  const listener = await listen({ handle }, options);
  listeners.push(listener);
  return listener;
}

const secure = (extra: { ca?: readonly string[] } = {}): ListenOptions => ({
  tls: { key: serving.keyPem, cert: serving.certPem, ...extra },
});
const text = (body: string): ApiResponse => ({ status: 200, headers: {}, body });

/** A promise and what resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('addresses', () => {
  test('a free port on the loopback address', async () => {
    const listener = await start(async () => text('ok'));
    expect(listener.address.port).toBeGreaterThan(0);
    expect(listener.url).toBe(`http://127.0.0.1:${listener.address.port}`);
  });

  test.each([
    ['::1', 'http://[::1]:'],
    ['localhost', 'http://'],
  ])('%s', async (host, url) => {
    const listener = await start(async () => text('ok'), { host });
    expect(listener.url.startsWith(url)).toBe(true);
    expect(await (await fetch(listener.url)).text()).toBe('ok');
  });

  test("a request timeout shorter than Node's default for headers", async () => {
    const listener = await start(async () => text('ok'), { timeouts: { request: 1_000 } });
    expect(await (await fetch(listener.url)).text()).toBe('ok');
  });

  test('plain HTTP on every address only if configured', async () => {
    await expect(listen({ handle: async () => text('ok') }, { host: '0.0.0.0' })).rejects.toThrow(
      'will not listen without TLS on 0.0.0.0',
    );
    const listener = await start(async () => text('ok'), { host: '0.0.0.0', allowPlaintext: true });
    expect(listener.url).toBe(`http://127.0.0.1:${listener.address.port}`);
  });

  test('a port in use is an error', async () => {
    const { address } = await start(async () => text('ok'));
    await expect(listen({ handle: async () => text('ok') }, { port: address.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});

/** A self-signed client certificate, which is its own authority. */
function clientIdentity(): { readonly keyPem: string; readonly certPem: string } {
  const both = execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout - -out - -subj /CN=client -days 1 -addext extendedKeyUsage=clientAuth'.split(
      ' ',
    ),
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const certAt = both.indexOf('-----BEGIN CERTIFICATE-----');
  return { keyPem: both.slice(0, certAt), certPem: both.slice(certAt) };
}

describe('TLS', () => {
  test('ALPN selects HTTP/2 or HTTP/1.1 on one port, and the certificate verifies', async () => {
    const listener = await start(async () => text('ok'), secure());
    for (const [offered, chosen] of [
      [['h2', 'http/1.1'], 'h2'],
      [['http/1.1'], 'http/1.1'],
    ] as const) {
      const socket = connectTls({
        port: listener.address.port,
        host: '127.0.0.1',
        ca: serving.caPem,
        ALPNProtocols: [...offered],
      });
      await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
      expect([socket.authorized, socket.alpnProtocol]).toEqual([true, chosen]);
      socket.destroy();
    }
  });

  test('a client certificate is requested and optional', async () => {
    const client = clientIdentity();
    const stranger = await createServingCertificate({ names: ['stranger'] });
    const seen: (PeerCertificate | undefined)[] = [];
    const listener = await start(
      async ({ peer }) => {
        seen.push(peer.certificate?.());
        expect([peer.tls, peer.address]).toEqual([true, '127.0.0.1']);
        return text('ok');
      },
      secure({ ca: [client.certPem] }),
    );
    for (const identity of [undefined, client, stranger]) {
      const caller = http1Fetch({
        ca: serving.caPem,
        ...(identity && { key: identity.keyPem, cert: identity.certPem }),
      });
      expect(await (await caller(`${listener.url}/`)).text()).toBe('ok');
      caller.close();
    }
    const leaf = (at: number): string | undefined => {
      const bytes = seen[at]?.chain[0];
      return bytes && new X509Certificate(bytes).subject;
    };
    expect([seen[0], leaf(1), seen[1]?.authorized]).toEqual([undefined, 'CN=client', true]);
    expect([leaf(2), seen[2]?.authorized]).toEqual(['CN=stranger', false]);
  });

  test('HTTP/2 passes on the client certificate too', async () => {
    let chain: readonly Uint8Array[] | undefined;
    const client = await createServingCertificate({ names: ['client'] });
    const listener = await start(
      async ({ peer }) => {
        chain = peer.certificate?.()?.chain;
        return text(String(peer.address));
      },
      secure({ ca: [client.caPem] }),
    );
    const session = connectHttp2(listener.url, { ca: serving.caPem, key: client.keyPem, cert: client.certPem });
    const stream = session.request({ ':path': '/' });
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += chunk;
    session.destroy();
    expect(body).toBe('127.0.0.1');
    expect(new X509Certificate(chain?.[0] ?? new Uint8Array(0)).subject).toBe('CN=client');
  });

  test('connections without TLS are rejected, and slow HTTP/1.1 clients too', async () => {
    const listener = await start(async () => text('ok'), { ...secure(), timeouts: { headers: 150, request: 300 } });
    const plain = new RawClient(listener.address.port);
    plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await plain.closed;
    const silent = new RawClient(listener.address.port);
    await silent.closed;
    const slow = connectTls({
      port: listener.address.port,
      host: '127.0.0.1',
      ca: serving.caPem,
      ALPNProtocols: ['http/1.1'],
    }).setEncoding('latin1');
    slow.write('GET / HTTP/1.1\r\nX-Slow: ');
    let received = '';
    for await (const chunk of slow) received += chunk;
    expect(received).toContain('HTTP/1.1 408 Request Timeout');
    await expect.poll(() => listener.connections).toBe(0);
  });

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'])(
    'a client that sends %s without TLS is told so, however much it sends, and its connection ends',
    async (method) => {
      const { address } = await start(async () => text('ok'), secure());
      const client = connectTcp(address.port);
      client.write(`${method} /api HTTP/1.1\r\nHost: localhost\r\n\r\n${'x'.repeat(1 << 20)}`);
      expect(await streamText(client)).toMatch(
        /^HTTP\/1\.0 400 .*\r\n\r\nClient sent an HTTP request to an HTTPS server\.\n$/,
      );
    },
  );

  test('HTTP/2 answers have no connection-specific fields, and the URL length is limited', async () => {
    const listener = await start(
      async () => ({
        status: 200,
        headers: { connection: 'close', 'transfer-encoding': 'chunked', 'x-kept': 'yes' },
        body: 'ok',
      }),
      {
        ...secure(),
        limits: { urlBytes: 100 },
      },
    );
    const client = http2Fetch(serving.caPem);
    const answer = await client(`${listener.url}/`);
    expect([
      answer.status,
      answer.headers.get('x-kept'),
      answer.headers.get('connection'),
      answer.headers.get('transfer-encoding'),
    ]).toEqual([200, 'yes', null, null]);
    expect((await client(`${listener.url}/${'x'.repeat(101)}`)).status).toBe(414);
    client.close();
  });

  test('HTTP/2 fields beyond the limit are rejected, far beyond it they end the stream, and the next one is served', async () => {
    const listener = await start(async () => text('ok'), { ...secure(), limits: { headerBytes: 8 * 1024 } });
    const client = http2Fetch(serving.caPem);
    expect((await client(`${listener.url}/`, { headers: { 'x-big': 'x'.repeat(10_000) } })).status).toBe(431);
    const reset = client(`${listener.url}/`, { headers: { 'x-big': 'x'.repeat(60_000) } });
    await expect(reset).rejects.toThrow('NGHTTP2_ENHANCE_YOUR_CALM');
    expect((await client(`${listener.url}/`)).status).toBe(200);
    client.close();
  });

  test.each([
    ['CANCEL', 8],
    ['INTERNAL_ERROR', 2],
  ])('HTTP/2 requests that are reset with them (%s) are not handled, and end their connection', async (_name, code) => {
    let handled = 0;
    const listener = await start(async () => {
      handled += 1;
      return text('ok');
    }, secure());
    const frames: Frames = (n) => {
      const pair = resetRequest('/', 'none')(n);
      pair.writeUInt32BE(code, pair.length - 4);
      return pair;
    };
    // Resolves when the server has closed the connection.
    await sendFrames(listener.url, frames, AbortSignal.timeout(20_000), { burst: 2_000, pauseMs: 1_000 });
    // The frames of a request may arrive in two pieces.
    expect(handled).toBeLessThan(50);
    const client = http2Fetch(serving.caPem);
    expect((await client(`${listener.url}/`)).status).toBe(200);
    client.close();
  });

  test('an HTTP/2 connection without streams ends after the idle time', async () => {
    const listener = await start(async () => text('ok'), { ...secure(), timeouts: { idle: 100 } });
    const session = connectHttp2(listener.url, { ca: serving.caPem });
    await new Promise<void>((resolve) => session.once('close', resolve));
    await expect.poll(() => listener.connections).toBe(0);
  });
});

describe('close', () => {
  test.each([
    ['HTTP/1.1', false],
    ['HTTP/1.1 over TLS', true],
  ])('lets a request in flight finish and ends idle connections (%s)', async (_name, tls) => {
    const arrived = gate();
    const finish = gate();
    const listener = await start(
      async ({ path }) => {
        if (path === '/slow') {
          arrived.open();
          await finish.opened;
        }
        return text(path);
      },
      tls ? secure() : {},
    );
    const client = http1Fetch({ ca: serving.caPem });
    await (await client(`${listener.url}/idle`)).text();
    const slow = client(`${listener.url}/slow`);
    const other = http1Fetch({ ca: serving.caPem });
    await (await other(`${listener.url}/idle`)).text();
    await arrived.opened;
    const closed = listener.close({ grace: 60_000 });
    await expect.poll(() => listener.connections).toBe(1);
    finish.open();
    const answer = await slow;
    expect([await answer.text(), answer.headers.get('connection')]).toEqual(['/slow', 'close']);
    await closed;
    expect(listener.connections).toBe(0);
    await expect(client(`${listener.url}/late`)).rejects.toThrow('ECONNREFUSED');
    client.close();
    other.close();
  });

  test('is announced by drain: a response ends its connection, and new connections are served', async () => {
    const listener = await start(async ({ path }) => text(path));
    const client = new RawClient(listener.address.port);
    client.write('GET /before HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until('/before');
    expect(client.received).not.toContain('Connection: close');
    listener.drain();
    client.write('GET /after HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.closed;
    expect(client.received).toMatch(/Connection: close[^]*\/after$/);
    const answer = await fetch(`${listener.url}/new`);
    expect([await answer.text(), answer.headers.get('connection')]).toEqual(['/new', 'close']);
  });

  test('is announced on HTTP/2: streams in flight and those already on their way are served', async () => {
    const arrived = gate();
    const finish = gate();
    const listener = await start(async ({ path }) => {
      if (path === '/slow') {
        arrived.open();
        await finish.opened;
      }
      return text(path);
    }, secure());
    const session = connectHttp2(listener.url, { ca: serving.caPem });
    const ask = async (path: string): Promise<string> => {
      const stream = session.request({ ':path': path });
      let received = '';
      for await (const piece of stream.setEncoding('utf8')) received += String(piece);
      return received;
    };
    const announced = once(session, 'goaway') as Promise<[code: number, lastStream: number]>;
    const slow = ask('/slow');
    await arrived.opened;
    listener.drain();
    const [code, lastStream] = await announced;
    expect([code, lastStream]).toEqual([0, 2 ** 31 - 1]);
    finish.open();
    expect(await slow).toBe('/slow');
    await once(session, 'close');
    const client = http2Fetch(serving.caPem);
    expect(await (await client(`${listener.url}/new`)).text()).toBe('/new');
    client.close();
  });

  test('lets an HTTP/2 stream in flight finish', async () => {
    const arrived = gate();
    const finish = gate();
    const listener = await start(async () => {
      arrived.open();
      await finish.opened;
      return text('done');
    }, secure());
    const client = http2Fetch(serving.caPem);
    const slow = client(`${listener.url}/`);
    await arrived.opened;
    const closed = listener.close({ grace: 60_000 });
    finish.open();
    expect(await (await slow).text()).toBe('done');
    await closed;
    expect(listener.connections).toBe(0);
  });

  test.each([
    ['HTTP/1.1', false],
    ['HTTP/2', true],
  ])('ends a watch after the grace period (%s)', async (_name, tls) => {
    const clock = new ManualClock();
    const listener = await listen(echoHandler(), { ...(tls ? secure() : {}), clock });
    listeners.push(listener);
    const client = tls ? http2Fetch(serving.caPem) : http1Fetch();
    const reader = (await client(`${listener.url}/never?id=watch`)).body?.getReader();
    await reader?.read();
    const closed = listener.close({ grace: 5000 });
    clock.advance(4999);
    expect(listener.connections).toBe(1);
    clock.advance(1);
    await closed;
    await expect.poll(() => listener.connections).toBe(0);
    await expect(reader?.read()).rejects.toThrow();
    client.close();
  });

  test('ends a connection with its watch', async () => {
    const end = gate();
    const listener = await start(async () => ({
      status: 200,
      headers: {},
      body: {
        stream: (async function* () {
          yield new TextEncoder().encode('watching');
          await end.opened;
        })(),
      },
    }));
    const watcher = new RawClient(listener.address.port);
    watcher.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await watcher.until('watching');
    const closed = listener.close({ grace: 60_000 });
    end.open();
    await closed;
    await watcher.closed;
    expect(watcher.received.endsWith('0\r\n\r\n')).toBe(true);
  });

  test.each([
    ['over plain HTTP', false],
    ['for TLS', true],
  ])('does not wait for connections without any data (%s)', async (_name, tls) => {
    const listener = await start(async () => text('never asked for'), tls ? secure() : {});
    const silent = new RawClient(listener.address.port);
    await expect.poll(() => listener.connections).toBe(1);
    // Longer than the test may take.
    await listener.close({ grace: 60_000 });
    await silent.closed;
    expect(silent.received).toBe('');
  });

  test('happens once, and also on leaving the scope', async () => {
    let url = '';
    {
      await using listener = await listen({ handle: async () => text('ok') });
      url = listener.url;
      expect((await fetch(url, { headers: { connection: 'close' } })).status).toBe(200);
    }
    await expect(fetch(url)).rejects.toThrow();
  });
});

test('a handler that rejects nevertheless is answered with 500, and the next request is served', async () => {
  let calls = 0;
  const listener = await start(async () => {
    if (calls++ === 0) throw new Error('not meant to happen');
    return text('ok');
  });
  expect((await fetch(listener.url)).status).toBe(500);
  expect((await fetch(listener.url)).status).toBe(200);
});

test('an answer that cannot be sent breaks its connection and no other', async () => {
  let calls = 0;
  const listener = await start(async () =>
    calls++ === 0 ? { status: 200, headers: { 'not a name': 'x' }, body: 'x' } : text('ok'),
  );
  await expect(fetch(listener.url)).rejects.toThrow();
  expect((await fetch(listener.url)).status).toBe(200);
});

describe('the address in discovery', () => {
  const addressOf = async (server: ApiServer): Promise<string> => {
    const [, address = ''] = /"serverAddress": ?"([^"]*)"/.exec(textOf(await ask(server, 'GET', '/api'))) ?? [];
    return address;
  };

  test('is that of a listener, preferably with TLS, as long as it listens', async () => {
    await using server = new ApiServer({ authentication: { ownerToken: 'admin' } });
    expect(await addressOf(server)).toBe('localhost');
    const plain = await listen(server);
    expect(await addressOf(server)).toBe(`127.0.0.1:${plain.address.port}`);
    const tls = await listen(server, secure());
    expect(await addressOf(server)).toBe(`127.0.0.1:${tls.address.port}`);
    await tls.close();
    expect(await addressOf(server)).toBe(`127.0.0.1:${plain.address.port}`);
    await plain.close();
    expect(await addressOf(server)).toBe('localhost');
  });
});

test('clients that cannot establish TLS are counted', async () => {
  const server = new ApiServer({
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  const listener = await listen(server, secure());
  listeners.push(listener);
  const errors = async (): Promise<string | undefined> =>
    /^apiserver_tls_handshake_errors_total (.*)$/m.exec(textOf(await ask(server, 'GET', '/metrics')))?.[1];
  const { port } = listener.address;
  const working = connectTls({ port, rejectUnauthorized: false });
  await once(working, 'secureConnect');
  expect(await errors()).toBe('0');
  const plain = connectTcp(port);
  plain.end('GET / HTTP/1.1\r\n\r\n');
  expect(await streamText(plain)).toBe(
    'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
  );
  expect(await errors()).toBe('1');
  const silent = connectTcp(port);
  silent.end();
  silent.resume();
  await once(silent, 'close');
  expect(await errors()).toBe('2');
  const strange = connectTcp(port);
  strange.on('error', () => undefined);
  strange.end('GETTING / HTTP/1.1\r\n\r\n');
  strange.resume();
  await once(strange, 'close');
  expect(await errors()).toBe('3');
  working.destroy();
  await server.close();
});
