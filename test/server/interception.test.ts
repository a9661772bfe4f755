import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  ApiError,
  ApiServer,
  ConfigMap,
  ConnectionLostError,
  type RequestInterceptor,
} from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { toFetchHandler } from '../../src/transport/fetch/fetch.js';
import { listen } from '../../src/transport/node/index.js';

const DEFAULT = 'default';

/** Both ways to ask a server: the status of the answer, or the code of the error. */
function askers(server: ApiServer): Readonly<Record<string, () => Promise<number | string>>> {
  const handler = toFetchHandler(server);
  const token = /token: (\S+)/.exec(server.kubeConfig())?.[1] ?? '';
  const outcome = (error: any): number | string => error.code ?? error.cause?.code ?? String(error);
  return {
    'in process': () =>
      server
        .client()
        .resource(ConfigMap)
        .namespace(DEFAULT)
        .list()
        .then(() => 200, outcome),
    'over fetch': () =>
      handler(
        new Request('http://x/api/v1/namespaces/default/configmaps', { headers: { authorization: `Bearer ${token}` } }),
      ).then(({ status }) => status, outcome),
  };
}

const silent = { info: () => undefined, error: () => undefined };

describe.each(['in process', 'over fetch'])('an interceptor %s', (way) => {
  const ask = (server: ApiServer): Promise<number | string> => askers(server)[way]?.() ?? Promise.resolve('no way');

  test('sees the user, the verb and the path, and lets the request pass', async () => {
    const seen: unknown[] = [];
    await using server = new ApiServer({
      interceptor: {
        request: async (request, proceed) => {
          if (request.via === 'controllers' || request.via === 'server') return void (await proceed());
          const { code, body } = await proceed();
          const { user, verb, resource, namespace, path, via } = request;
          seen.push([user.username, verb, resource, namespace, path, via, code, (body() as any).kind]);
        },
      },
    });
    expect(await ask(server)).toBe(200);
    const path = '/api/v1/namespaces/default/configmaps';
    const via = way === 'in process' ? 'client' : 'http';
    expect(seen).toEqual([['system:apiserver', 'list', 'configmaps', DEFAULT, path, via, 200, 'ConfigMapList']]);
  });

  test.each<[string, RequestInterceptor['request'], number | string]>([
    ['throws an ApiError', async () => Promise.reject(new ApiError({ code: 418, message: 'teapot' })), 418],
    ['loses the connection', async () => Promise.reject(new ConnectionLostError()), 'ECONNRESET'],
    ['fails', async () => Promise.reject(new Error('a mistake')), 500],
    [
      'throws',
      () => {
        throw new Error('a mistake');
      },
      500,
    ],
    ['forgets to continue', () => Promise.resolve(), 500],
  ])('that %s', async (_name, request, expected) => {
    await using server = new ApiServer({
      observability: { logger: silent },
      interceptor: {
        request: (given, proceed) =>
          given.via === 'client' || given.via === 'http' ? request(given, proceed) : proceed().then(() => undefined),
      },
    });
    expect(await ask(server)).toBe(expected);
  });

  test('that hangs runs into the deadline of the request', async () => {
    const clock = createManualClock();
    await using server = new ApiServer({
      clock,
      interceptor: {
        request: (given, proceed) =>
          given.via === 'client' || given.via === 'http'
            ? new Promise(() => undefined)
            : proceed().then(() => undefined),
      },
    });
    const asked = ask(server);
    await clock.advance(60_000);
    expect(await asked).toBe(504);
  });
});

describe('an interceptor', () => {
  test('learns of writes, and may fail there without harm', async () => {
    const written: string[] = [];
    await using server = new ApiServer({
      interceptor: {
        request: async (_request, proceed) => void (await proceed()),
        written: ({ via, verb }, { key }) => {
          if (via === 'client') written.push(`${verb} ${key}`);
          throw new Error('a mistake');
        },
      },
    });
    const maps = server.client().resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    await maps.update({ metadata: { name: 'a' } });
    await maps.create({ metadata: { name: 'b' } }, { dryRun: true });
    await maps.patch('a', { data: { x: '1' } });
    await maps.deleteCollection({ fieldSelector: 'metadata.name=a' });
    const key = '/registry/configmaps/default/a';
    expect(written).toEqual([`create ${key}`, `patch ${key}`, `deletecollection ${key}`]);
  });

  test('wraps the events of watches, also over WebSocket', async () => {
    const ways: string[] = [];
    await using server = new ApiServer({
      interceptor: {
        request: async (_request, proceed) => void (await proceed()),
        watch: (request, events) => {
          if (request.via === 'controllers') return events;
          ways.push(request.via);
          return (async function* () {
            for await (const event of events) {
              yield event;
              throw new ConnectionLostError();
            }
          })();
        },
      },
    });
    const maps = server.client().resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { type } of maps.watch()) seen.push(type);
      })(),
    ).rejects.toThrow(ConnectionLostError);
    expect(seen).toEqual(['ADDED']);
    await using listener = await listen(server, { port: 0 });
    const token = /token: (\S+)/.exec(server.kubeConfig())?.[1] ?? '';
    const url = `${listener.url.replace('http', 'ws')}/api/v1/namespaces/default/configmaps?watch=1`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    const messages: unknown[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data)).type));
    await new Promise((resolve) => socket.on('close', resolve));
    expect(messages).toEqual(['ADDED']);
    expect(ways).toEqual(['client', 'websocket']);
    await listener.close({ grace: 0 });
  });

  test('reads a past state where it says so', async () => {
    let readAt: number | undefined;
    await using server = new ApiServer({
      interceptor: { request: async (_request, proceed) => void (await proceed({ readAt })) },
    });
    const maps = server.client().resource(ConfigMap).namespace(DEFAULT);
    const { metadata } = await maps.create({ metadata: { name: 'a' }, data: { step: '1' } });
    await maps.update({ metadata: { name: 'a' }, data: { step: '2' } });
    readAt = Number(metadata.resourceVersion);
    expect((await maps.get('a')).data).toEqual({ step: '1' });
    readAt = undefined;
    expect((await maps.get('a')).data).toEqual({ step: '2' });
    expect(
      (
        await server
          .client({ at: metadata.resourceVersion ?? '' })
          .resource(ConfigMap)
          .namespace(DEFAULT)
          .get('a')
      ).data,
    ).toEqual({ step: '1' });
    expect(() => server.client({ at: 'now' })).toThrow('a resource version');
  });

  test('may read a body that the server refuses, after the request has left its place among those in flight', async () => {
    const bodies: unknown[] = [];
    await using server = new ApiServer({
      limits: { inFlight: { maxReadOnly: 2, maxMutating: 2, maxWaiting: 0 } },
      interceptor: {
        request: async (request, proceed) => {
          try {
            await proceed();
          } finally {
            if (request.via === 'http') bodies.push(await request.body());
          }
        },
      },
    });
    const handler = toFetchHandler(server);
    const token = /token: (\S+)/.exec(server.kubeConfig())?.[1];
    const headers = {
      authorization: `Bearer ${token}`,
      'impersonate-user': 'alice',
      'impersonate-group': 'developers',
      'content-type': 'application/json',
    };
    for (let count = 0; count < 6; count += 1) {
      const body = JSON.stringify({ count });
      const url = 'http://x/api/v1/namespaces/default/configmaps';
      expect((await handler(new Request(url, { method: 'PATCH', headers, body }))).status).toBe(403);
      const owners = { authorization: headers.authorization, 'content-type': 'application/json' };
      expect((await handler(new Request(url, { method: 'PATCH', headers: owners, body }))).status).toBe(405);
    }
    expect(bodies).toHaveLength(12);
    expect(bodies.at(-1)).toEqual({ count: 5 });
  });

  test('is checked', () => {
    expect(() => new ApiServer({ interceptor: {} as never })).toThrow('the option interceptor.request is required');
    expect(() => new ApiServer({ interceptor: { request: 1 } as never })).toThrow(
      'interceptor.request must be a function',
    );
  });
});
