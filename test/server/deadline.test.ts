import { afterEach, describe, expect, test } from 'vitest';
import { controllerNames } from '../../src/entries/controllers.js';
import { ApiServer, type ApiServerOptions } from '../../src/entries/index.js';
import { ApiError } from '../../src/foundation/errors/api-error.js';
import { ConfigMap, SubjectAccessReview } from '../../src/kinds/builtin/index.js';
import type { Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf, requestOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const never = new Promise<never>(() => undefined);
const OPTIONS: Omit<ApiServerOptions, 'clock'> = {
  dialect: 'kubernetes',
  controllers: { disable: controllerNames },
  authentication: {
    tokens: [
      { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
      { token: 'alice', user: { username: 'alice', groups: [] } },
    ],
  },
};

let running: TestServer | undefined;
afterEach(() => running?.close());

const LATE = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Timeout: request did not complete within the allotted timeout',
  reason: 'Timeout',
  details: {},
  code: 504,
};

/** The answer to a request, and the second in which it arrived; undefined if none arrived in time. */
async function answerWithin(
  seconds: number,
  test: TestServer,
  answer: Promise<{ status: number; body: unknown }>,
): Promise<[number, unknown] | undefined> {
  const start = test.clock.now();
  let seen: [number, unknown] | undefined;
  void answer.then((response) => (seen = [(test.clock.now() - start) / 1000, response]));
  for (let second = 0; second < seconds && seen === undefined; second += 1) await test.clock.advance(1000);
  return seen;
}
const request = async (test: TestServer, method: string, target: string, token = 'alice', body?: string) => {
  const response = await ask(test.server, method, target, { token, ...(body === undefined ? {} : { body }) });
  return { status: response.status, body: jsonOf(response) };
};

describe('the deadline of a watch covers its opening only', () => {
  const WATCHES = [`${MAPS}?watch=true`, '/api/v1/watch/configmaps', `${MAPS}?watch=true&timeout=1s`];
  /** A part that answers when the test says so. */
  const gate = <Answer>(answer: Answer) => {
    let open = (): void => undefined;
    const opened = new Promise<Answer>((resolve) => (open = () => resolve(answer)));
    return { opened, open };
  };

  test.each(WATCHES)('%s behind a hanging authenticator is answered with 504', async (path) => {
    running = await startTestServer({
      ...OPTIONS,
      authentication: { ...OPTIONS.authentication, tokens: [], authenticators: [() => never] },
    });
    expect(await answerWithin(61, running, request(running, 'GET', path))).toEqual([60, { status: 504, body: LATE }]);
  });

  test('applies over WebSocket', async () => {
    running = await startTestServer({ ...OPTIONS, authorization: { authorizer: () => never } });
    const answer = running.server.target.handleWebSocket(requestOf('GET', `${MAPS}?watch=true`));
    await running.clock.advance(60_000);
    const refused = await answer;
    expect('refuse' in refused && jsonOf(refused.refuse)).toEqual(LATE);
  });

  test('applies in-process', async () => {
    running = await startTestServer({ ...OPTIONS, authorization: { authorizer: () => never } });
    const maps = running.server.client({ user: 'alice' }).resource(ConfigMap);
    const next = maps
      .watch()
      .next()
      .catch((error: unknown) => error);
    await running.clock.advance(60_000);
    const error = await next;
    expect(error instanceof ApiError && error.status).toEqual(LATE);
  });

  test('a watch opened after the deadline takes no slot', async () => {
    const { opened, open } = gate({ decision: 'Allow', reason: '' } as const);
    running = await startTestServer({
      ...OPTIONS,
      authorization: {
        authorizer: ({ user }) => (user.username === 'alice' ? opened : { decision: 'Allow', reason: '' }),
      },
      limits: { watches: { maxPerUser: 1 } },
    });
    const late = WATCHES.map((path) => request(running as TestServer, 'GET', path));
    await running.clock.advance(60_000);
    for (const answer of late) expect((await answer).status).toBe(504);
    open();
    await running.clock.advance(1);
    const abort = new AbortController();
    const watch = await ask(running.server, 'GET', `${MAPS}?watch=true`, { token: 'alice', signal: abort.signal });
    expect(watch.status).toBe(200);
    abort.abort();
  });

  test('an open watch outlives the deadline', async () => {
    running = await startTestServer(OPTIONS);
    const watch = await ask(running.server, 'GET', `${MAPS}?watch=true`);
    await running.clock.advance(61_000);
    await running.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    if (typeof watch.body !== 'object' || !('stream' in watch.body)) throw new Error('the answer is no stream');
    const frame = await watch.body.stream[Symbol.asyncIterator]().next();
    expect(new TextDecoder().decode(frame.value as Uint8Array)).toContain('"type":"ADDED"');
  });
});

describe('a request that is not a watch is answered with 504 whatever hangs', () => {
  const hanging: readonly (readonly [what: string, options: Omit<ApiServerOptions, 'clock'>])[] = [
    ['the authenticator', { authentication: { authenticators: [() => never] } }],
    ['the authorizer', { authorization: { authorizer: () => never } }],
  ];
  const requests: readonly (readonly [method: string, path: string, body?: string])[] = [
    ['GET', '/healthz'],
    ['GET', '/version'],
    ['GET', '/apis'],
    ['GET', '/openapi/v2'],
    ['GET', '/nothing'],
    ['HEAD', MAPS],
    ['OPTIONS', MAPS],
    ['GET', MAPS],
    ['GET', `${MAPS}/a`],
    ['POST', MAPS, '{"metadata":{"name":"a"}}'],
    ['PUT', `${MAPS}/a`, '{"metadata":{"name":"a"}}'],
    ['PATCH', `${MAPS}/a`, '{}'],
    ['DELETE', `${MAPS}/a`],
    ['DELETE', MAPS],
    ['POST', '/api/v1/watch/configmaps', '{}'],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', '{}'],
  ];
  test.each(
    hanging.flatMap(([what, options]) =>
      requests.map(([method, path, body]) => [what, method, path, body, options] as const),
    ),
  )('%s: %s %s', async (_what, method, path, body, options) => {
    running = await startTestServer({
      ...OPTIONS,
      ...options,
      authentication: {
        ...OPTIONS.authentication,
        ...options.authentication,
        tokens: options.authentication === undefined ? (OPTIONS.authentication?.tokens ?? []) : [],
      },
    });
    expect(await answerWithin(61, running, request(running, method, path, 'alice', body))).toEqual([
      60,
      { status: 504, body: LATE },
    ]);
  });

  test('in admission', async () => {
    running = await startTestServer({
      ...OPTIONS,
      admission: {
        plugins: [
          {
            name: 'Hangs',
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            validate: ({ info }) => (info.kind === 'ConfigMap' ? never : undefined),
          },
        ],
      },
    });
    expect(
      await answerWithin(61, running, request(running, 'POST', MAPS, 'admin', '{"metadata":{"name":"a"}}')),
    ).toEqual([60, { status: 504, body: LATE }]);
  });

  test('in the storage, for reads and writes', async () => {
    const storage = createMemoryStorage({ clock: createManualClock() });
    const hangs = { on: false };
    const hangingStorage = new Proxy<Storage>(storage, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...parameters: unknown[]): unknown =>
          hangs.on && ['get', 'list', 'create'].includes(String(key))
            ? never
            : Reflect.apply(member, target, parameters);
      },
    });
    running = await startTestServer({ ...OPTIONS, storage: hangingStorage });
    hangs.on = true;
    expect(await answerWithin(61, running, request(running, 'GET', `${MAPS}/a`, 'admin'))).toEqual([
      60,
      { status: 504, body: LATE },
    ]);
    expect(await answerWithin(61, running, request(running, 'GET', MAPS, 'admin'))).toEqual([
      60,
      { status: 504, body: LATE },
    ]);
    expect(
      await answerWithin(61, running, request(running, 'POST', MAPS, 'admin', '{"metadata":{"name":"a"}}')),
    ).toEqual([60, { status: 504, body: LATE }]);
    hangs.on = false;
  });

  test('in the start of the server', async () => {
    const clock = createManualClock();
    const storage = new Proxy<Storage>(createMemoryStorage({ clock }), {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key);
        if (key === 'currentRevision') return () => never;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
    const server = new ApiServer({ ...OPTIONS, clock, storage });
    const answers = [ask(server, 'GET', '/healthz', { token: '' }), ask(server, 'GET', MAPS)];
    await clock.advance(60_000);
    for (const answer of answers) expect(jsonOf(await answer)).toEqual(LATE);
  });

  test('while other requests are answered', async () => {
    running = await startTestServer({
      ...OPTIONS,
      authorization: {
        authorizer: ({ user }) => (user.username === 'alice' ? never : { decision: 'Allow', reason: '' }),
      },
    });
    const hung = answerWithin(61, running, request(running, 'GET', '/healthz'));
    expect((await ask(running.server, 'GET', '/healthz')).status).toBe(200);
    expect(await hung).toEqual([60, { status: 504, body: LATE }]);
  });

  test('in-process', async () => {
    running = await startTestServer({ ...OPTIONS, authorization: { authorizer: () => never } });
    const { client, server, clock } = running;
    const alice = server.client({ user: { username: 'alice', groups: [] } });
    const maps = alice.resource(ConfigMap).namespace('default');
    const calls: readonly (() => Promise<unknown>)[] = [
      () => maps.get('a'),
      () => maps.list(),
      () => maps.create({ metadata: { name: 'a' } }),
      () => maps.update({ metadata: { name: 'a' } }),
      () => maps.patch('a', {}),
      () => maps.apply({ metadata: { name: 'a' } }, { fieldManager: 'm' }),
      () => maps.delete('a'),
      () => maps.deleteCollection(),
      () => alice.resource(SubjectAccessReview).create({ metadata: {}, spec: {} }),
    ];
    const outcomes = calls.map((call) => call().catch((error: unknown) => error));
    await clock.advance(59_999);
    expect(await Promise.race([...outcomes, Promise.resolve('nothing')])).toBe('nothing');
    await clock.advance(1);
    for (const error of await Promise.all(outcomes)) expect(error instanceof ApiError && error.status).toEqual(LATE);
    expect((await client.resource(ConfigMap).namespace('default').list()).items).toBeDefined();
    expect(clock.pending).toBe(0);
  });

  test('after the configured limit', async () => {
    running = await startTestServer({
      ...OPTIONS,
      authorization: { authorizer: () => never },
      limits: { requestTimeout: '5s' },
    });
    expect(await answerWithin(61, running, request(running, 'GET', '/healthz'))).toEqual([
      5,
      { status: 504, body: LATE },
    ]);
  });
});

describe('`timeout` of a request', () => {
  const start = () =>
    startTestServer({
      ...OPTIONS,
      authorization: {
        authorizer: ({ user }) => (user.username === 'alice' ? never : { decision: 'Allow', reason: '' }),
      },
    });

  test.each([
    ['10s', 10],
    ['1m', 60],
    ['1.5s', 1.5],
    ['250ms', 0.25],
    ['%31s', 1],
    ['2s&timeout=9s', 2],
    ['', 60],
    ['0', 60],
    ['0s', 60],
    ['-5s', 60],
    ['61s', 60],
    ['10h', 60],
  ])('%s', async (timeout, seconds) => {
    running = await start();
    for (const path of ['/healthz', MAPS, `${MAPS}/a`])
      expect((await answerWithin(61, running, request(running, 'GET', `${path}?timeout=${timeout}`)))?.[0]).toBe(
        seconds,
      );
    expect((await answerWithin(61, running, request(running, 'DELETE', `${MAPS}/a?%74imeout=${timeout}`)))?.[0]).toBe(
      seconds,
    );
  });

  test.each([
    ['abc', 'time: invalid duration "abc"'],
    ['5', 'time: missing unit in duration "5"'],
    ['5x', 'time: unknown unit "x" in duration "5x"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['s', 'time: invalid duration "s"'],
    ['%22', 'time: invalid duration "\\""'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ])('%s is refused for every user', async (timeout, why) => {
    running = await start();
    for (const [method, path] of [
      ['GET', MAPS],
      ['GET', '/healthz'],
      ['POST', MAPS],
      ['DELETE', MAPS],
      ['GET', '/nothing'],
    ] as const) {
      for (const token of ['admin', 'alice', 'wrong']) {
        const { status, body } = await request(running, method, `${path}?timeout=${timeout}`, token);
        expect([status, body]).toEqual([
          400,
          {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: `invalid timeout specified in the request URL - ${why}`,
            reason: 'BadRequest',
            code: 400,
          },
        ]);
      }
    }
  });

  test('is ignored by a watch', async () => {
    running = await start();
    const gone = new AbortController();
    for (const timeout of ['abc', '1s']) {
      const { status, body } = await ask(running.server, 'GET', `${MAPS}?watch=1&timeout=${timeout}`, {
        signal: gone.signal,
      });
      expect([status, typeof body]).toEqual([200, 'object']);
    }
    gone.abort();
  });
});
