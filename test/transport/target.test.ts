/** Transports serve a server, by its target, or a target alone. */
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { inProcessDispatcher, InProcessAgent } from '../../src/client/client-node/client-node.js';
import { ApiServer } from '../../src/entries/index.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { record } from '../../src/testing/record/index.js';
import { toExpress } from '../../src/transport/express/express.js';
import { toFastify } from '../../src/transport/fastify/fastify.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { toHono } from '../../src/transport/hono/hono.js';
import { listen, serveNode, serveUpgrades, type TransportTarget } from '../../src/transport/node/index.js';

const answer: ApiResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };
const target: TransportTarget = { handle: async () => answer };
/** A call as an untyped program makes it. */
const call = (callee: unknown, ...given: unknown[]): unknown => (callee as (...given: unknown[]) => unknown)(...given);

describe.each([
  ['a server', { target }],
  ['a target alone', target],
])('%s', (_what, served) => {
  test('is served by fetch', async () => {
    expect(await (await toFetchHandler(served)(new Request('http://host/'))).text()).toBe('ok');
  });

  test('is served by Hono', async () => {
    expect(await (await toHono(served)({ req: { raw: new Request('http://host/') } })).text()).toBe('ok');
  });

  test('is served on a port, with what the listener reports to it', async () => {
    const heard: unknown[] = [];
    const listening = (url: string) => {
      heard.push(url);
      return () => void heard.push('closed');
    };
    const whole = { ...target, listening };
    const listener = await listen('target' in served ? { target: whole } : whole);
    expect(await (await fetch(listener.url)).text()).toBe('ok');
    await listener.close();
    expect(heard).toEqual([listener.url, 'closed']);
  });

  test.each([
    ['Express', toExpress(served)],
    [
      'serveNode',
      (...[request, response]: Parameters<ReturnType<typeof toExpress>>) => void serveNode(served, request, response),
    ],
  ])('is served by %s', async (_name, handler) => {
    const http = createServer((request, response) => handler(request, response, () => undefined));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const address = http.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok');
    await new Promise((resolve) => http.close(resolve));
  });
});

describe('anything else is refused', () => {
  const http = createServer();
  const noServer: [string, unknown][] = [
    ['nothing', undefined],
    ['an object without a target', {}],
    ['a function', () => undefined],
    ['a target without handle', { target: { handleWebSocket: () => undefined } }],
  ];
  test.each(noServer)('%s', async (_what, given) => {
    for (const [name, transport] of Object.entries({
      toFetchHandler,
      toHono,
      toExpress,
      toFastify,
      inProcessDispatcher,
    }))
      expect(() => call(transport, given)).toThrow(
        `${name}: the first argument must be a server, such as new ApiServer()`,
      );
    expect(() => call(serveNode, given, {}, {})).toThrow('serveNode: the first argument must be a server');
    expect(() => call(serveUpgrades, http, given)).toThrow('serveUpgrades: the first argument must be a server');
    expect(() => new InProcessAgent(given as TransportTarget, 'http:')).toThrow(
      'InProcessAgent: the first argument must be a server',
    );
    await expect(call(listen, given)).rejects.toThrow('listen: the first argument must be a server');
  });

  test('a target without WebSockets, where they are served', () => {
    expect(() => serveUpgrades(http, target)).toThrow('serveUpgrades: the server does not serve WebSockets');
  });

  test.each([['a target', target], ...noServer.slice(1)])('%s, to be recorded', async (_what, server) => {
    await expect(call(record, { file: '/nowhere', server })).rejects.toThrow(
      'record: the option server must be a server, such as new ApiServer()',
    );
  });
});

describe('the target of an ApiServer', () => {
  test('has what transports call, of which the server itself has nothing', async () => {
    await using server = new ApiServer();
    expect(Object.keys(server.target).sort()).toEqual([
      'handle',
      'handleWebSocket',
      'handshakeFailed',
      'listening',
      'page',
    ]);
    for (const name of ['handle', 'handleWebSocket', 'handshakeFailed', 'listening', 'page', 'halt'])
      expect(name in server).toBe(false);
    expect(Object.isFrozen(server.target)).toBe(true);
  });

  test('stays the same object, and answers for the state that is restored', async () => {
    await using server = new ApiServer({ authentication: { ownerToken: 'owner' } });
    const { target: served } = server;
    const send = toFetchHandler(served);
    const statusOf = async (): Promise<number> => {
      const headers = { authorization: 'Bearer owner' };
      return (await send(new Request('http://host/api/v1/namespaces/team', { headers }))).status;
    };
    const snapshot = await server.snapshot();
    const { Namespace } = await import('../../src/entries/index.js');
    await server
      .client()
      .resource(Namespace)
      .create({ metadata: { name: 'team' } });
    expect(await statusOf()).toBe(200);
    await server.restore(snapshot);
    expect(await statusOf()).toBe(404);
    await server.restart();
    expect(await statusOf()).toBe(404);
    expect(server.target).toBe(served);
  });
});
