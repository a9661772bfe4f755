import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { echoHandler } from '../../src/testing/transport-cases/index.js';
import { RawClient } from './support/raw-client.js';

let listener: Listener;

beforeEach(async () => {
  listener = await listen(echoHandler(), {
    limits: { headerBytes: 16 * 1024, urlBytes: 4 * 1024 },
    acceptHosts: ['example.test'],
    timeouts: { headers: 120, request: 240 },
  });
});

afterEach(() => listener.close({ grace: 0 }));

const client = (): RawClient => new RawClient(listener.address.port);

async function stillServes(): Promise<void> {
  const answer = await fetch(`${listener.url}/text`, { headers: { connection: 'close' } });
  expect([answer.status, await answer.text()]).toEqual([200, 'grün ✓']);
  await expect.poll(() => listener.connections).toBe(0);
}

describe('an invalid request is answered, and leaves nothing behind', () => {
  const cases: readonly (readonly [name: string, sent: string, answer: string])[] = [
    ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['an invalid method', 'FOO BAR / HTTP/1.1\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    [
      'two lengths',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'length and chunked encoding',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'an invalid chunk',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'HTTP/1.1 400 Bad Request',
    ],
    [
      'huge headers',
      `GET /text HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large',
    ],
    [
      'a long URL',
      `GET /text?${'x'.repeat(5 * 1024)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      'HTTP/1.1 414 URI Too Long',
    ],
    [
      'a huge URL',
      `GET /text?${'x'.repeat(40 * 1024)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      'HTTP/1.1 431 Request Header Fields Too Large',
    ],
    ['headers that never end', 'GET /text HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 'HTTP/1.1 408 Request Timeout'],
    [
      'a body that never ends',
      'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc',
      'HTTP/1.1 408 Request Timeout',
    ],
  ];
  test.each(cases)('%s', async (_name, sent, answer) => {
    const bad = client();
    bad.write(sent);
    await bad.until(answer);
    await bad.closed;
    await stillServes();
  });
});

describe('a client that disconnects', () => {
  test('in the middle of its headers', async () => {
    const bad = client();
    bad.write('GET /text HTTP/1.1\r\nHos');
    await expect.poll(() => listener.connections).toBe(1);
    bad.socket.destroy();
    await stillServes();
  });

  test('in the middle of its body', async () => {
    const bad = client();
    bad.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc');
    await expect.poll(() => listener.connections).toBe(1);
    bad.socket.resetAndDestroy();
    await stillServes();
  });

  test('half closed in the middle of its body', async () => {
    const bad = client();
    bad.socket.end('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nabc');
    await bad.closed;
    await stillServes();
  });

  test.each(['destroy', 'resetAndDestroy'] as const)('in the middle of a watch, by %s', async (how) => {
    const bad = client();
    bad.write('GET /never?id=gone HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await bad.until('watching');
    bad.socket[how]();
    const seen: unknown = await (
      await fetch(`${listener.url}/ended?id=gone`, { headers: { connection: 'close' } })
    ).json();
    expect(seen).toEqual({ pulls: 1, aborted: true, released: true });
    await stillServes();
  });

  test('in the middle of an answer that it does not read', async () => {
    const bad = client();
    bad.socket.pause();
    bad.write('GET /large?count=40000&size=1024 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => listener.connections).toBe(1);
    bad.socket.destroy();
    await stillServes();
  });
});

test('a client that sends far beyond the limit gets its answer and is disconnected', async () => {
  const bad = client();
  bad.write('POST /limit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\n\r\n');
  await bad.until('HTTP/1.1 413');
  const chunk = 'x'.repeat(1024 * 1024);
  const flood = (): void => {
    while (!bad.socket.destroyed && bad.socket.write(chunk));
  };
  bad.socket.on('drain', flood);
  flood();
  await bad.closed;
  await stillServes();
});

describe('Expect: 100-continue', () => {
  const head = (length: number, path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test('is answered when the body is read, and the connection continues', async () => {
    const good = client();
    good.write(head(3, '/limit'));
    await good.until('HTTP/1.1 100 Continue');
    good.write('abc');
    await good.until('{"length":3}');
    expect(good.received).toContain('Connection: keep-alive');
    good.write('GET /text HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await good.closed;
    await stillServes();
  });

  test.each([
    ['too large', '/limit', 'HTTP/1.1 413'],
    ['not read', '/ignore', 'HTTP/1.1 200'],
  ])('is not answered when the body is %s, and the connection ends', async (_name, path, answer) => {
    const good = client();
    good.write(head(5000, path));
    await good.until(answer);
    await good.closed;
    expect(good.received).not.toContain('100 Continue');
    expect(good.received).toContain('Connection: close');
    await stillServes();
  });
});

test('a target in absolute form is served like one in origin form', async () => {
  const proxy = client();
  proxy.write('GET http://example.test/echo/a%2Fb?x=1 HTTP/1.1\r\nHost: example.test\r\nConnection: close\r\n\r\n');
  await proxy.closed;
  expect(proxy.received).toContain('"path":"/echo/a%2Fb","query":"x=1"');
});

test('an upgrade to h2c is ignored, even with a body', async () => {
  const jdk = client();
  jdk.write(
    'POST /echo?n=1 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\nContent-Length: 7\r\n\r\nbo',
  );
  jdk.write('dy 1\n');
  await jdk.until('"body":"body 1\\n"');
  jdk.write('GET /echo?n=2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await jdk.closed;
  expect(jdk.received).toContain('"query":"n=2"');
  await stillServes();
});

test('a repeated credential is not joined into a valid one', async () => {
  const twice = client();
  twice.write(
    'GET /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n',
  );
  await twice.closed;
  expect(twice.received).toContain('"authorization":["Bearer a","Bearer b"]');
});

describe('the Host of a plain HTTP request on the loopback address', () => {
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const ask = async (head: string): Promise<string> => {
    const asking = client();
    asking.write(`GET /socket?count=0 HTTP/1.1\r\n${head}\r\n`);
    await asking.until('\r\n');
    asking.socket.destroy();
    return asking.received.slice(0, asking.received.indexOf('\r\n'));
  };

  test.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST',
    'dev.localhost',
    '127.0.0.1:80',
    '127.1.2.3',
    '[::1]',
    '[::1]:80',
    'example.test',
    'Example.Test:80',
  ])('%s is accepted', async (host) => {
    expect(await ask(`Host: ${host}\r\nConnection: close\r\n`)).toBe('HTTP/1.1 404 Not Found');
    expect(await ask(`Host: ${host}\r\n${upgrade}`)).toBe('HTTP/1.1 101 Switching Protocols');
  });

  test.each([
    'attacker.test',
    'attacker.test:80',
    'localhost.attacker.test',
    '127.0.0.1.attacker.test',
    'xlocalhost',
    '10.0.0.1',
    '[::2]',
    '0.0.0.0',
    '',
  ])('%j is rejected', async (host) => {
    expect(await ask(`Host: ${host}\r\n`)).toBe('HTTP/1.1 403 Forbidden');
    expect(await ask(`Host: ${host}\r\n${upgrade}`)).toBe('HTTP/1.1 403 Forbidden');
  });

  test('two are a bad request, whatever their values', async () => {
    for (const more of ['', upgrade])
      expect(await ask(`Host: localhost\r\nHost: localhost\r\n${more}`)).toBe('HTTP/1.1 400 Bad Request');
  });

  test('any is accepted if the listener is configured so', async () => {
    const open = await listen(echoHandler(), { acceptHosts: ['*'] });
    const asking = new RawClient(open.address.port);
    asking.write('GET /text HTTP/1.1\r\nHost: attacker.test\r\nConnection: close\r\n\r\n');
    await asking.closed;
    expect(asking.received).toContain('HTTP/1.1 200 OK');
    await open.close();
  });
});
