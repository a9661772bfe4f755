import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { fetchHttpClient, type OutboundRequest } from '../../../src/foundation/outbound/index.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const send = fetchHttpClient();
const text = (body: Uint8Array): string => new TextDecoder().decode(body);

describe('a request', () => {
  test('sends the request unchanged and returns the response', async () => {
    const url = await serve(async (incoming, response) => {
      let body = '';
      for await (const chunk of incoming) body += String(chunk);
      response.writeHead(201, { 'x-echo': `${incoming.method} ${incoming.headers['x-ask']}` }).end(body);
    });
    const answer = await send({
      url: `${url}/path`,
      method: 'POST',
      headers: { 'x-ask': 'me' },
      body: 'grüße',
      maxBytes: 100,
    });
    expect([answer.status, answer.header('x-echo'), answer.header('x-none'), text(answer.body)]).toEqual([
      201,
      'POST me',
      undefined,
      'grüße',
    ]);
  });

  test('is not redirected', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const answer = await send({ url, maxBytes: 10 });
    expect([answer.status, answer.header('location'), asked]).toEqual([302, '/elsewhere', 1]);
  });

  test('accepts an answer of exactly the maximum size, and none longer', async () => {
    const url = await serve((_, response) => void response.end('12345'));
    expect(text((await send({ url, maxBytes: 5 })).body)).toBe('12345');
    await expect(send({ url, maxBytes: 4 })).rejects.toThrow(`GET ${url}/: the answer is longer than 4 bytes`);
  });

  test('ends with its signal, and rejects with its reason', async () => {
    const controller = new AbortController();
    const url = await serve(() => controller.abort(new Error('enough')));
    await expect(send({ url, maxBytes: 5, signal: controller.signal })).rejects.toThrow(`GET ${url}/: enough`);
  });

  test('without an answer reports the cause', async () => {
    const url = await serve(() => undefined);
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    await expect(send({ url: `${url}/a?token=secret`, maxBytes: 5 })).rejects.toThrow(
      /^GET http:\/\/127\.0\.0\.1:\d+\/a: connect ECONNREFUSED/,
    );
  });
});

describe('an unsupported request', () => {
  const base: OutboundRequest = { url: 'https://issuer.example/keys', maxBytes: 5 };
  test.each<[string, Partial<OutboundRequest>, string]>([
    ['a custom authority', { tls: { certificateAuthority: 'PEM' } }, '"certificateAuthority"'],
    ['a client certificate', { tls: { certificate: 'PEM', key: 'PEM' } }, '"certificate"'],
    ['another server name', { tls: { serverName: 'other' } }, '"serverName"'],
    ['no verification', { tls: { insecureSkipVerify: true } }, '"insecureSkipVerify"'],
    ['a file URL', { url: 'file:///etc/passwd' }, 'must start with https:// or http://'],
    ['no URL', { url: 'issuer' }, 'must start with https:// or http://'],
    ['a password in the URL', { url: 'https://user:hunter2@issuer.example/' }, 'must not have a user name or password'],
    [
      'a line break in a header',
      { headers: { authorization: 'Bearer hunter2\r\nx: y' } },
      'the value of header "authorization" has characters that cannot be sent',
    ],
    ['a header name in capitals', { headers: { Authorization: 'x' } }, 'in lower case'],
  ])('%s', async (_, change, message) => {
    const problem = await send({ ...base, ...change }).catch((error: unknown) => error as Error);
    expect(String(problem)).toContain(message);
    expect(String(problem)).not.toContain('hunter2');
  });

  test('empty TLS options have no effect', async () => {
    const answered = fetchHttpClient(async () => new Response('ok'));
    const answer = await answered({ ...base, tls: { certificateAuthority: '', insecureSkipVerify: false } });
    expect(text(answer.body)).toBe('ok');
  });

  test('a redirect that the platform hides is an error', async () => {
    const hiding = fetchHttpClient(async () =>
      Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' }),
    );
    await expect(hiding(base)).rejects.toThrow('the answer is a redirect, which is not followed');
  });
});
