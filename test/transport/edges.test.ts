import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse, Peer } from '../../src/server/requests/http.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { toHono } from '../../src/transport/hono/hono.js';
import { normalizePrefix, stripPrefix } from '../../src/transport/prefix.js';
import { splitTarget } from '../../src/transport/target.js';
import { toFieldValue } from '../../src/transport/field-value.js';
import { toExpress } from '../../src/transport/express/express.js';
import { toFastify } from '../../src/transport/fastify/fastify.js';
import { echoHandler } from '../../src/testing/transport-cases/index.js';

test.each([
  ['/a/b', '', '/a/b'],
  ['/k8s/api', '/k8s', '/api'],
  ['/k8s/', '/k8s', '/'],
  ['/k8s', '/k8s', '/'],
  ['/k8sx/api', '/k8s', '/k8sx/api'],
  ['/other', '/k8s', '/other'],
])('stripPrefix(%j, %j)', (path, prefix, wanted) => {
  expect(stripPrefix(path, prefix)).toBe(wanted);
});

test.each([
  [undefined, ''],
  ['/', ''],
  ['/k8s/', '/k8s'],
  ['/k8s//', '/k8s'],
])('normalizePrefix(%j)', (prefix, wanted) => {
  expect(normalizePrefix(prefix)).toBe(wanted);
});

test.each([
  ['/', '/', ''],
  ['/a?', '/a', ''],
  ['/a?b?c=/d', '/a', 'b?c=/d'],
  ['*', '*', ''],
  ['http://host', '/', ''],
  ['http://host?x', '/', 'x'],
  ['http://host/a%2F?x', '/a%2F', 'x'],
])('splitTarget(%j)', (target, path, query) => {
  expect(splitTarget(target)).toEqual({ path, query });
});

test.each([
  ['plain', 'plain'],
  ['a\r\nb: c', 'a  b: c'],
  ['grün', 'gr\u00c3\u00bcn'],
  ['tab\there', 'tab\there'],
  ['del\x7f', 'del '],
])('toFieldValue(%j)', (value, wanted) => {
  expect(toFieldValue(value)).toBe(wanted);
});

async function withServer(
  listener: Parameters<typeof createServer>[1],
  run: (base: string) => Promise<void>,
): Promise<void> {
  const server = createServer(listener as NonNullable<typeof listener>);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('express', () => {
  test('passes on requests that the server does not handle', async () => {
    const app = express();
    app.use(toExpress(echoHandler(), { claims: (path) => path.startsWith('/echo') }));
    app.get('/own', (_request, response) => void response.send('own'));
    await withServer(app, async (base) => {
      expect(await (await fetch(`${base}/own`)).text()).toBe('own');
      expect(await (await fetch(`${base}/echo?x=1`)).json()).toMatchObject({ path: '/echo', query: 'x=1' });
    });
  });

  test('accepts a parsed body in any form: object, text, bytes, or bytes beside it', async () => {
    const parsers: readonly (readonly [name: string, body: unknown, rawBody?: Uint8Array])[] = [
      ['{"a":1}', { a: 1 }],
      ['text', 'text'],
      ['bytes', Buffer.from('bytes')],
      ['{"a": 1}', { a: 1 }, Buffer.from('{"a": 1}')],
      ['null', null],
    ];
    for (const [wanted, body, rawBody] of parsers) {
      const app = express();
      app.use((request, _response, next) => {
        request.resume().on('end', () => {
          request.body = body;
          Object.assign(request, { rawBody });
          next();
        });
      });
      app.use(toExpress(echoHandler()));
      await withServer(app, async (base) => {
        const answer = await fetch(`${base}/echo`, { method: 'POST', body: 'as sent' });
        expect(await answer.json()).toMatchObject({ body: wanted });
      });
    }
  });

  test('does not treat an object set without reading as a body', async () => {
    const app = express();
    app.use((request, _response, next) => {
      request.body = {};
      next();
    });
    app.use(toExpress(echoHandler()));
    await withServer(app, async (base) => {
      expect(await (await fetch(`${base}/echo`)).json()).toMatchObject({ body: '' });
      expect(await (await fetch(`${base}/echo`, { method: 'POST', body: 'unread' })).json()).toMatchObject({
        body: 'unread',
      });
    });
  });

  test('applies the limit to a parsed body', async () => {
    const app = express();
    app.use(express.text(), toExpress(echoHandler()));
    await withServer(app, async (base) => {
      const answer = await fetch(`${base}/limit`, { method: 'POST', body: 'x'.repeat(2000) });
      expect([answer.status, await answer.json()]).toEqual([413, { limit: 1024 }]);
    });
  });
});

describe('fastify', () => {
  test('leaves the rest of the application alone, and runs its hooks', async () => {
    const app = fastify({ forceCloseConnections: true, bodyLimit: 10 });
    const hooked: string[] = [];
    app.addHook('preHandler', async (request) => void hooked.push(request.url));
    app.post('/own', async (request) => request.body);
    await app.register(toFastify(echoHandler()), { prefix: '/k8s' });
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    const own = await fetch(`${base}/own`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await own.json()).toEqual({ a: 1 });
    const api = await fetch(`${base}/k8s/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{ not json, and longer }',
    });
    expect(await api.json()).toMatchObject({ path: '/echo', body: '{ not json, and longer }' });
    expect(await (await fetch(`${base}/k8s`)).json()).toEqual({ path: '/' });
    expect(hooked).toEqual(['/own', '/k8s/echo', '/k8s']);
    await app.close();
  });

  test('answers an invalid content type itself', async () => {
    const app = fastify({ forceCloseConnections: true });
    await app.register(toFastify(echoHandler()));
    const base = await app.listen({ host: '127.0.0.1', port: 0 });
    for (const type of ['nonsense', 'a/b/c', ';']) {
      const answer = await fetch(`${base}/echo`, { method: 'POST', headers: { 'content-type': type }, body: 'x' });
      expect([type, answer.status]).toEqual([type, 415]);
    }
    await app.close();
  });
});

function recording(answer: ApiResponse): {
  readonly handle: (request: ApiRequest) => Promise<ApiResponse>;
  readonly requests: ApiRequest[];
} {
  const requests: ApiRequest[] = [];
  return {
    requests,
    handle: async (request) => {
      requests.push(request);
      return answer;
    },
  };
}

describe('fetch', () => {
  const answer: ApiResponse = { status: 200, headers: {}, body: 'ok' };

  test('the peer is unknown, or given by the embedder', async () => {
    const { handle, requests } = recording(answer);
    await toFetchHandler({ handle })(new Request('https://host/'));
    const peer: Peer = { address: '10.0.0.1', tls: true };
    await toFetchHandler({ handle }, { peer: () => peer })(new Request('http://host/'));
    expect(requests.map((request) => request.peer)).toEqual([{ address: undefined, tls: true }, peer]);
  });

  test('the signal follows the request, whenever it is read', async () => {
    const { handle, requests } = recording(answer);
    const controller = new AbortController();
    await toFetchHandler({ handle })(new Request('http://host/', { signal: controller.signal }));
    expect(requests[0]?.signal.aborted).toBe(false);
    controller.abort();
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  test('a body that is too long is not read further', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(600)),
      cancel: () => void (cancelled = true),
    });
    const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    expect((await toFetchHandler(echoHandler())(new Request('http://host/limit', init))).status).toBe(413);
    expect(cancelled).toBe(true);
  });
});

test('hono on Node passes on the address of the peer', async () => {
  const { handle, requests } = recording({ status: 200, headers: {}, body: 'ok' });
  const app = new Hono();
  app.all('*', toHono({ handle }));
  await new Promise<void>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      void fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })
        .then((response) => response.text())
        .then(() => server.close(() => resolve()));
    });
  });
  expect(requests[0]?.peer).toEqual({ address: '127.0.0.1', tls: false });
});
