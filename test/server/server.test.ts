import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiServerOptions } from '../../src/entries/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { decorateStorage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import type { AdmissionPlugin } from '../../src/registry/verbs/admission.js';
import type { Authorizer } from '../../src/security/authz/authorizer.js';
import type { ApiResponse } from '../../src/server/requests/http.js';
import { ask, jsonOf, streamOf, textOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const everybody: Authorizer = () => ({ decision: 'Allow', reason: '' });
const OPTIONS: Omit<ApiServerOptions, 'clock'> = {
  dialect: 'kubernetes',
  controllers: { disable: controllerNames },
  authentication: {
    tokens: [
      { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
      { token: 'alice', user: { username: 'alice', groups: ['dev'] } },
    ],
  },
};

let running: TestServer;
beforeEach(async () => {
  running = await startTestServer(OPTIONS);
});
afterEach(() => running.close());

const maps = (test: TestServer = running) => test.client.resource(ConfigMap).namespace('default');

describe('authentication and authorization', () => {
  test('a wrong token is answered with 401, even if anonymous requests are accepted', async () => {
    for (const path of [MAPS, '/healthz', '/apis', '/nothing']) {
      const response = await ask(running.server, 'GET', path, { token: 'wrong' });
      expect([response.status, jsonOf(response)['reason']]).toEqual([401, 'Unauthorized']);
    }
  });

  test('anonymous users may read health and version, and nothing else', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/version'])
      expect((await ask(running.server, 'GET', path, { token: '' })).status).toBe(200);
    const response = await ask(running.server, 'GET', MAPS, { token: '' });
    expect(jsonOf(response)).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    });
    expect((await ask(running.server, 'GET', '/apis', { token: '' })).status).toBe(403);
  });

  test('with anonymous requests disabled, a request without credentials is answered with 401', async () => {
    await using strict = await startTestServer({
      ...OPTIONS,
      authentication: { ...OPTIONS.authentication, anonymous: false },
    });
    expect((await ask(strict.server, 'GET', '/apis', { token: '' })).status).toBe(401);
  });

  test.each<[method: string, path: string, message: string]>([
    [
      'GET',
      `${MAPS}/a`,
      'configmaps "a" is forbidden: User "alice" cannot get resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      `${MAPS}?watch=1`,
      'configmaps is forbidden: User "alice" cannot watch resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'POST',
      MAPS,
      'configmaps is forbidden: User "alice" cannot create resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'PUT',
      `${MAPS}/a`,
      'configmaps "a" is forbidden: User "alice" cannot update resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'DELETE',
      MAPS,
      'configmaps is forbidden: User "alice" cannot deletecollection resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/nodes',
      'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/apis/no.such.group/v1/things',
      'things.no.such.group is forbidden: User "alice" cannot list resource "things" in API group "no.such.group" at the cluster scope',
    ],
    ['POST', '/metrics', 'forbidden: User "alice" cannot post path "/metrics"'],
  ])('%s %s is denied before the answer discloses anything', async (method, path, message) => {
    const response = await ask(running.server, method, path, { token: 'alice', body: 'not even JSON' });
    expect(jsonOf(response)).toMatchObject({ kind: 'Status', code: 403, reason: 'Forbidden', message });
  });
});

describe('overload', () => {
  const limited = (more: Omit<ApiServerOptions, 'clock'> = {}): Promise<TestServer> =>
    startTestServer({
      ...OPTIONS,
      ...more,
      authorization: { authorizer: everybody },
      limits: { inFlight: { maxReadOnly: 1, maxMutating: 1 } },
    });

  test('requests beyond the limit get 429 with Retry-After; masters and watches pass; slots are reused afterwards', async () => {
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (go = resolve));
    const slow: AdmissionPlugin = {
      name: 'Slow',
      operations: ['CREATE'],
      mutate: ({ object }) => (object?.metadata.name === 'slow' ? wait : undefined),
    };
    await using test = await limited({ admission: { plugins: [slow] } });
    const working = ask(test.server, 'POST', MAPS, { token: 'alice', body: '{"metadata":{"name":"slow"}}' });
    await test.clock.settle();
    const refused = await ask(test.server, 'POST', MAPS, { token: 'alice', body: '{"metadata":{"name":"a"}}' });
    expect([refused.status, refused.headers['retry-after'], jsonOf(refused)['reason']]).toEqual([
      429,
      '1',
      'TooManyRequests',
    ]);
    expect((await ask(test.server, 'POST', MAPS, { body: '{"metadata":{"name":"b"}}' })).status).toBe(201);
    expect((await ask(test.server, 'GET', MAPS, { token: 'alice' })).status).toBe(200);
    await streamOf(await ask(test.server, 'GET', `${MAPS}?watch=1`, { token: 'alice' })).return?.();
    go();
    expect((await working).status).toBe(201);
    expect((await ask(test.server, 'POST', MAPS, { token: 'alice', body: '{"metadata":{"name":"a"}}' })).status).toBe(
      201,
    );
  });

  test('a request that waits for a future version takes no slot', async () => {
    await using test = await limited();
    const waiting: Promise<ApiResponse>[] = [];
    for (const [method, target] of [
      ['GET', `${MAPS}?resourceVersion=1000`],
      ['GET', `${MAPS}/a?resourceVersion=1000`],
      ['DELETE', `${MAPS}?resourceVersion=1000&resourceVersionMatch=NotOlderThan`],
    ] as const) {
      waiting.push(ask(test.server, method, target, { token: 'alice' }));
      await test.clock.settle();
    }
    for (const token of ['alice', 'admin']) {
      expect((await ask(test.server, 'GET', MAPS, { token })).status).toBe(200);
      expect((await ask(test.server, 'POST', MAPS, { token, body: `{"metadata":{"name":"${token}"}}` })).status).toBe(
        201,
      );
    }
    await test.advance(3000);
    for (const late of await Promise.all(waiting))
      expect([late.status, late.headers['retry-after']]).toEqual([504, '1']);
  });

  test('watches beyond the limit get 429 with Retry-After, until one ends', async () => {
    await using test = await startTestServer({
      ...OPTIONS,
      authorization: { authorizer: everybody },
      limits: { watches: { max: 3, maxPerUser: 2 } },
    });
    const watch = (token: string): Promise<ApiResponse> => ask(test.server, 'GET', `${MAPS}?watch=1`, { token });
    const first = streamOf(await watch('alice'));
    const second = streamOf(await watch('alice'));
    const refused = await watch('alice');
    expect([refused.status, refused.headers['retry-after'], jsonOf(refused)['reason']]).toEqual([
      429,
      '1',
      'TooManyRequests',
    ]);
    expect((await ask(test.server, 'GET', MAPS, { token: 'alice' })).status).toBe(200);
    streamOf(await watch('admin'));
    expect((await watch('admin')).status).toBe(429);
    // Cancelled before it was ever read, and after its first event.
    await first.return?.();
    expect((await watch('alice')).status).toBe(200);
    await test.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await second.next();
    await second.return?.();
    expect((await watch('alice')).status).toBe(200);
    expect((await watch('alice')).status).toBe(429);
  });

  test('a watch that cannot be opened is not counted', async () => {
    await using test = await startTestServer({
      ...OPTIONS,
      authorization: { authorizer: everybody },
      limits: { watches: { maxPerUser: 1 } },
    });
    for (let turn = 0; turn < 3; turn += 1)
      expect((await ask(test.server, 'GET', `${MAPS}?watch=1&fieldSelector=no`, { token: 'alice' })).status).toBe(400);
    const gone = new AbortController();
    expect((await ask(test.server, 'GET', `${MAPS}?watch=1`, { token: 'alice', signal: gone.signal })).status).toBe(
      200,
    );
    expect((await ask(test.server, 'GET', `${MAPS}?watch=1`, { token: 'alice' })).status).toBe(429);
    gone.abort();
    expect((await ask(test.server, 'GET', `${MAPS}?watch=1`, { token: 'alice' })).status).toBe(200);
  });

  test('a request that fails frees its slot', async () => {
    await using test = await limited();
    for (let turn = 0; turn < 5; turn += 1)
      expect((await ask(test.server, 'GET', `${MAPS}/none`, { token: 'alice' })).status).toBe(404);
    for (let turn = 0; turn < 5; turn += 1)
      expect((await ask(test.server, 'POST', MAPS, { token: 'alice', body: '{' })).status).toBe(400);
  });
});

test('a request that takes too long is answered with 504; its effects may still happen', async () => {
  let go: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (go = resolve));
  await using slow = await startTestServer({
    ...OPTIONS,
    admission: {
      plugins: [
        { name: 'Slow', operations: ['CREATE'], mutate: ({ info }) => (info.kind === 'ConfigMap' ? wait : undefined) },
      ],
    },
  });
  const answer = ask(slow.server, 'POST', MAPS, { body: '{"metadata":{"name":"late"}}' });
  await slow.clock.settle();
  await slow.clock.advance(60_000);
  expect(jsonOf(await answer)).toMatchObject({
    code: 504,
    reason: 'Timeout',
    message: expect.stringContaining('request did not complete within the allotted timeout') as string,
  });
  go();
  await slow.clock.settle();
  expect((await maps(slow).get('late')).metadata.name).toBe('late');
});

test('an internal error is answered with 500 without details, and is logged', async () => {
  const logged: string[] = [];
  await using broken = await startTestServer({
    ...OPTIONS,
    observability: { logger: { info: () => undefined, error: (message) => void logged.push(message) } },
    admission: {
      plugins: [
        {
          name: 'Broken',
          operations: ['CREATE'],
          mutate: ({ info }) =>
            info.kind === 'ConfigMap' ? Promise.reject(new Error('the secret password is 1234')) : undefined,
        },
      ],
    },
  });
  const response = await ask(broken.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' });
  expect(jsonOf(response)).toMatchObject({ kind: 'Status', code: 500, reason: 'InternalError' });
  expect(textOf(response)).not.toContain('1234');
  expect(logged).toHaveLength(1);
});

describe('answers with 404 and 405', () => {
  const STATUS_404 = { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' };
  const STATUS_405 = {
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  };

  test.each<[method: string, path: string, shape: object | string]>([
    ['GET', '/nothing', '404 page not found\n'],
    ['GET', '/apis/no.such.group', '404 page not found\n'],
    ['GET', '/apis/no.such.group/v1', '404 page not found\n'],
    ['GET', '/apis/no.such.group/v1/things', '404 page not found\n'],
    ['GET', '/api/v2', STATUS_404],
    ['GET', '/api/v1/things', STATUS_404],
    ['GET', '/api/v1/namespaces/default/nodes', STATUS_404],
    ['GET', `${MAPS}/a/status`, STATUS_404],
    ['GET', `${MAPS}/a/b/c`, STATUS_404],
    [
      'GET',
      `${MAPS}/a`,
      {
        code: 404,
        reason: 'NotFound',
        message: 'configmaps "a" not found',
        details: { name: 'a', kind: 'configmaps' },
      },
    ],
    ['POST', `${MAPS}/a`, STATUS_405],
    ['PUT', MAPS, STATUS_405],
    ['PATCH', MAPS, STATUS_405],
    ['POST', '/api/v1/configmaps', STATUS_405],
    ['DELETE', '/api/v1/configmaps', STATUS_405],
    ['DELETE', '/api/v1/namespaces', STATUS_405],
    ['HEAD', MAPS, STATUS_405],
    ['BREW', MAPS, STATUS_405],
    ['POST', '/version', STATUS_405],
    ['DELETE', '/api/v1', STATUS_405],
  ])('%s %s', async (method, path, shape) => {
    const response = await ask(running.server, method, path, { body: '{}' });
    if (typeof shape === 'string') {
      expect([response.status, textOf(response), response.headers['content-type']]).toEqual([
        404,
        shape,
        'text/plain; charset=utf-8',
      ]);
    } else {
      expect(jsonOf(response)).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...shape });
      expect([response.status, response.headers['content-type']]).toEqual([
        (shape as { code: number }).code,
        'application/json',
      ]);
    }
  });
});

describe('headers and forms of answers', () => {
  test('each warning is a separate header field, without duplicates', async () => {
    const response = await ask(running.server, 'POST', MAPS, {
      body: '{"metadata":{"name":"a","x":1},"y":{"z":1},"data":{"k":"1","k":"2"}}',
    });
    expect(response.status).toBe(201);
    const warnings = [response.headers['warning'] ?? []].flat();
    expect([...warnings].sort()).toEqual([
      '299 - "duplicate field \\"data.k\\""',
      '299 - "unknown field \\"metadata.x\\""',
      '299 - "unknown field \\"y\\""',
    ]);
  });

  test('an answer without warnings has no such field', async () => {
    expect((await ask(running.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' })).headers).not.toHaveProperty(
      'warning',
    );
  });

  test.each<[name: string, method: string, accepted: string | undefined, compressed: boolean]>([
    ['a GET that accepts gzip', 'GET', 'gzip', true],
    ['a GET that accepts gzip among others', 'GET', 'br, gzip;q=0.5', true],
    ['a GET that does not', 'GET', undefined, false],
    ['a GET that refuses it', 'GET', 'gzip;q=0', false],
    ['a PUT that accepts gzip', 'PUT', 'gzip', false],
  ])('a long answer is compressed for %s: %s %s %s', async (_name, method, accepted, compressed) => {
    await maps().create({ metadata: { name: 'big' }, data: { k: 'é'.repeat(100_000) } });
    const body = JSON.stringify({ metadata: { name: 'big' }, data: { k: 'é'.repeat(100_000) } });
    const response = await ask(running.server, method, `${MAPS}/big`, {
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
      ...(method === 'PUT' ? { body } : {}),
    });
    expect(response.headers['content-encoding']).toBe(compressed ? 'gzip' : undefined);
    expect((jsonOf(response) as { data: { k: string } }).data.k).toHaveLength(100_000);
  });

  test('a list is compressed as a whole, a short answer is not, and a gate disables compression', async () => {
    for (let index = 0; index < 200; index += 1)
      await maps().create({ metadata: { name: `m-${index}` }, data: { k: 'x'.repeat(1000) } });
    const gzipped = { headers: { 'accept-encoding': 'gzip' } };
    const list = await ask(running.server, 'GET', MAPS, gzipped);
    expect(list.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect((jsonOf(list) as { items: unknown[] }).items).toHaveLength(200);
    expect((await ask(running.server, 'GET', `${MAPS}/m-1`, gzipped)).headers).not.toHaveProperty('content-encoding');
    await using plain = await startTestServer({ ...OPTIONS, featureGates: { APIResponseCompression: false } });
    await maps(plain).create({ metadata: { name: 'big' }, data: { k: 'x'.repeat(200_000) } });
    expect((await ask(plain.server, 'GET', `${MAPS}/big`, gzipped)).headers).not.toHaveProperty('content-encoding');
  });

  test.each<[query: string, agent: string, pretty: boolean]>([
    ['', 'client/1', false],
    ['?pretty=true', 'client/1', true],
    ['?pretty=1', 'client/1', true],
    ['?pretty=false', 'curl/8', false],
    ['', 'curl/8', true],
    ['', 'Mozilla/5.0', true],
  ])('%j for %s is indented: %s', async (query, agent, pretty) => {
    await maps().create({ metadata: { name: 'a' } });
    for (const path of [`${MAPS}/a`, MAPS, '/apis']) {
      const text = textOf(await ask(running.server, 'GET', path + query, { headers: { 'user-agent': agent } }));
      expect(text.includes('\n  "'), path).toBe(pretty);
      expect(() => void JSON.parse(text)).not.toThrow();
    }
  });

  test.each([
    ['/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'],
    ['/api', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'],
    ['/openapi/v2', 'application/json'],
  ])('%s has an ETag, and is not sent again to a client that has it', async (path, accept) => {
    const first = await ask(running.server, 'GET', path, { headers: { accept } });
    const etag = String(first.headers['etag']);
    expect([first.status, /^"[^"]+"$/.test(etag)]).toEqual([200, true]);
    const again = await ask(running.server, 'GET', path, { headers: { accept, 'if-none-match': etag } });
    expect([again.status, again.body === undefined || textOf(again) === '', again.headers['etag']]).toEqual([
      304,
      true,
      etag,
    ]);
    expect((await ask(running.server, 'GET', path, { headers: { accept, 'if-none-match': '"other"' } })).status).toBe(
      200,
    );
  });
});

test('a server that closes with a grace period finishes the requests in flight first, within the period', async () => {
  for (const { answered, expected } of [
    // Whether the reader of the watch or whoever closes hears of the end first is chance.
    { answered: true, expected: ['answered 201', 'closed'] },
    { answered: false, expected: ['watch over', 'answered 201', 'closed'] },
  ]) {
    const order: string[] = [];
    let go: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (go = resolve));
    const ending = await startTestServer({
      ...OPTIONS,
      admission: {
        plugins: [
          {
            name: 'Slow',
            operations: ['CREATE'],
            mutate: ({ info }) => (info.kind === 'ConfigMap' ? wait : undefined),
          },
        ],
      },
    });
    const stream = streamOf(await ask(ending.server, 'GET', `${MAPS}?watch=1`));
    const watchOver = (async () => {
      while ((await stream.next()).done !== true);
      order.push('watch over');
    })();
    const inFlight = ask(ending.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' }).then(({ status }) =>
      order.push(`answered ${status}`),
    );
    await ending.clock.settle();
    const closed = ending.server.close({ grace: '1s' }).then(() => order.push('closed'));
    await ending.clock.advance(999);
    expect(order).toEqual([]);
    if (!answered) {
      await ending.clock.advance(1);
      await watchOver;
    }
    go();
    await Promise.all([watchOver, inFlight, closed]);
    expect(order.slice().sort()).toEqual(['answered 201', 'closed', 'watch over']);
    expect(order.filter((event) => expected.includes(event))).toEqual(expected);
  }
});

test('a closing server: readiness fails first, watches end, requests in flight are answered, the storage closes last', async () => {
  const order: string[] = [];
  const engine = createMemoryStorage({ clock: createManualClock() });
  const storage = decorateStorage(engine, {
    close: () => {
      order.push('store closed');
      return engine.close();
    },
  });
  let go: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (go = resolve));
  const ending = await startTestServer({
    ...OPTIONS,
    storage,
    admission: {
      plugins: [
        { name: 'Slow', operations: ['CREATE'], mutate: ({ info }) => (info.kind === 'ConfigMap' ? wait : undefined) },
      ],
    },
  });
  expect((await ask(ending.server, 'GET', '/readyz')).status).toBe(200);
  const stream = streamOf(await ask(ending.server, 'GET', `${MAPS}?watch=1`));
  const watchOver = stream.next().then(({ done }) => order.push(`watch over: ${String(done)}`));
  const inFlight = ask(ending.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' }).then(({ status }) =>
    order.push(`answered ${status}`),
  );
  await ending.clock.settle();
  const closed = ending.server.close().then(() => order.push('closed'));
  await watchOver;
  const readiness = await ask(ending.server, 'GET', '/readyz');
  expect([readiness.status, textOf(readiness).includes('[-]shutdown failed')]).toEqual([500, true]);
  expect((await ask(ending.server, 'GET', '/livez')).status).toBe(200);
  order.push('let go');
  go();
  await inFlight;
  await closed;
  expect(order).toEqual(['watch over: true', 'let go', 'answered 201', 'store closed', 'closed']);
  await ending.server.close();
});
