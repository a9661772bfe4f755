import { describe, expect, test } from 'vitest';
import { ApiError, ConfigMap, Namespace, Secret, type Client } from '../../../src/entries/index.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { listen } from '../../../src/transport/node/index.js';

const DEFAULT = 'default';

/** One way of the code under test to reach a server. */
interface Way {
  readonly get: (name: string) => Promise<{ resourceVersion: string; data: unknown }>;
  readonly list: () => Promise<string[]>;
  readonly put: (name: string, data: Record<string, string>, resourceVersion?: string) => Promise<string>;
  readonly create: (name: string, user?: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function inProcess({ server }: TestServer): Way {
  const maps = (client: Client) => client.resource(ConfigMap).namespace(DEFAULT);
  const owner = server.client();
  return {
    get: async (name) => {
      const { metadata, data } = await maps(owner).get(name);
      return { resourceVersion: metadata.resourceVersion ?? '', data };
    },
    list: async () => (await maps(owner).list()).items.map(({ metadata }) => metadata.name ?? ''),
    put: async (name, data, resourceVersion) => {
      const metadata = { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
      return (await maps(owner).update({ metadata, data })).metadata.resourceVersion ?? '';
    },
    create: (name, user) =>
      maps(user === undefined ? owner : server.client({ user: { username: user, groups: ['system:masters'] } })).create(
        { metadata: { name } },
      ),
    close: () => Promise.resolve(),
  };
}

async function overHttp({ server }: TestServer): Promise<Way> {
  const listener = await listen(server, { port: 0 });
  const token = /token: (\S+)/.exec(server.kubeConfig())?.[1] ?? '';
  const url = `${listener.url}/api/v1/namespaces/${DEFAULT}/configmaps`;
  const call = async (method: string, path: string, body?: unknown, user?: string): Promise<any> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(user === undefined ? {} : { 'impersonate-user': user, 'impersonate-group': 'system:masters' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw ApiError.fromStatus(answer, response.status);
    return answer;
  };
  return {
    get: async (name) => {
      const { metadata, data } = await call('GET', `/${name}`);
      return { resourceVersion: metadata.resourceVersion, data };
    },
    list: async () => (await call('GET', '')).items.map((item: any) => item.metadata.name),
    put: async (name, data, resourceVersion) =>
      (await call('PUT', `/${name}`, { metadata: { name, resourceVersion }, data })).metadata.resourceVersion,
    create: (name, user) => call('POST', '', { metadata: { name } }, user),
    close: () => listener.close({ grace: 0 }),
  };
}

const code = (work: Promise<unknown>): Promise<number | string> =>
  work.then(
    () => 200,
    (error: unknown) =>
      error instanceof ApiError
        ? error.code
        : String((error as { code?: string; cause?: { code?: string } }).code ?? (error as any).cause?.code),
  );

describe.each([
  ['in process', inProcess],
  ['over HTTP', overHttp],
] as const)('a rule for requests %s', (_name, wayOf) => {
  async function setUp(): Promise<{ test: TestServer; way: Way } & AsyncDisposable> {
    const test = await startTestServer();
    const way = await wayOf(test);
    return {
      test,
      way,
      [Symbol.asyncDispose]: async () => {
        await way.close();
        await test.close();
      },
    };
  }

  test('fails what it matches, after some requests and for some times', async () => {
    await using running = await setUp();
    const { test, way } = running;
    await way.create('a');
    const rule = test.faults.fail(
      { verb: 'get', resource: 'configmaps', name: 'a', after: 1, times: 2 },
      { status: 503 },
    );
    expect([
      await code(way.get('a')),
      await code(way.get('a')),
      await code(way.get('a')),
      await code(way.get('a')),
    ]).toEqual([200, 503, 503, 200]);
    expect(await code(way.list())).toBe(200);
    expect(rule.hits).toBe(2);
  });

  test('fails with a reason, a message and a time to retry', async () => {
    await using running = await setUp();
    const { test, way } = running;
    test.faults.fail({ verb: 'create' }, { status: { code: 429, message: 'slow down', retryAfter: '7s' } });
    await expect(way.create('a')).rejects.toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: 'slow down',
      status: { details: { retryAfterSeconds: 7 } },
    });
    test.faults.clear();
    expect(await way.list()).not.toContain('a');
  });

  test('matches the name of a create in its body', async () => {
    await using running = await setUp();
    const { test, way } = running;
    test.faults.fail({ verb: 'create', name: 'b*' }, { status: 500 });
    expect([await code(way.create('a')), await code(way.create('bad'))]).toEqual([200, 500]);
  });

  test('matches users', async () => {
    await using running = await setUp();
    const { test, way } = running;
    test.faults.fail({ user: 'alice' }, { status: 500 });
    expect([await code(way.create('a', 'bob')), await code(way.create('b', 'alice'))]).toEqual([200, 500]);
  });

  test('drops connections before the server does anything', async () => {
    await using running = await setUp();
    const { test, way } = running;
    const rule = test.faults.dropConnection({ verb: 'create' }, 'before commit');
    expect(await code(way.create('a'))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(await way.list()).not.toContain('a');
    expect(rule.hits).toBe(1);
  });

  test('drops connections after the write', async () => {
    await using running = await setUp();
    const { test, way } = running;
    test.faults.dropConnection({ verb: 'create', times: 1 }, 'after commit');
    expect(await code(way.create('a'))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(await way.list()).toContain('a');
    expect(await code(way.create('a'))).toBe(409);
    expect(test.requests({ verb: 'create' }).map(({ status, name }) => [status, name])).toEqual([
      [0, 'a'],
      [409, 'a'],
    ]);
  });

  test.each(['removal of the rule', 'reset', 'restart', 'close'])(
    'a delayed request is let go by the %s',
    async (end) => {
      const test = await startTestServer();
      const rule = test.faults.delay({ verb: 'list' }, '1h');
      const listed = test.client
        .resource(ConfigMap)
        .list()
        .then(
          () => 'answered',
          () => 'failed',
        );
      await test.clock.settle();
      expect(rule.hits).toBe(1);
      if (end === 'reset') await test.reset();
      else if (end === 'restart') await test.restart();
      else if (end === 'close') await test.close();
      else rule.remove();
      expect(await listed).toMatch(end === 'removal of the rule' ? /answered/ : /answered|failed/);
      await test.close();
    },
  );

  test('delays on the clock of the test', async () => {
    await using running = await setUp();
    const { test, way } = running;
    await way.create('a');
    test.faults.delay({ verb: 'get' }, '2s');
    let done = false;
    const reading = way.get('a').then(() => (done = true));
    await waitUntil(() => test.requests({ verb: 'get' }).length === 1);
    await test.advance(1_900);
    expect(done).toBe(false);
    await test.advance(200);
    await reading;
    expect(test.requests({ verb: 'get' }).last?.duration).toBe(2_000);
  });

  test('reads from a past state: an object, and a collection', async () => {
    await using running = await setUp();
    const { test, way } = running;
    await way.create('a');
    await way.put('a', { step: '1' });
    await way.put('a', { step: '2' });
    await way.create('other');
    const stale = test.faults.staleReads({ resource: 'configmaps' }, 1);
    expect((await way.get('a')).data).toEqual({ step: '1' });
    expect(await way.list()).not.toContain('other');
    stale.remove();
    test.faults.staleReads({ resource: 'configmaps' }, 3);
    expect(await code(way.get('a'))).toBe(404);
    test.faults.clear();
    expect((await way.get('a')).data).toEqual({ step: '2' });
  });

  test('lets another writer come first, so that a blind retry fails too', async () => {
    await using running = await setUp();
    const { test, way } = running;
    await way.create('a');
    const { resourceVersion } = await way.get('a');
    const rule = test.faults.conflictOnce({ resource: 'configmaps' });
    expect(await code(way.put('a', { x: '1' }, resourceVersion))).toBe(409);
    expect(await code(way.put('a', { x: '1' }, resourceVersion))).toBe(409);
    const read = await way.get('a');
    expect(read.data).toBeUndefined();
    expect(await code(way.put('a', { x: '1' }, read.resourceVersion))).toBe(200);
    expect(rule.hits).toBe(1);
  });

  test('separates a user until the partition heals', async () => {
    await using running = await setUp();
    const { test, way } = running;
    const partition = test.faults.partition('alice');
    expect(await code(way.create('a', 'alice'))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    expect(await code(way.create('b', 'bob'))).toBe(200);
    partition.heal();
    expect(await code(way.create('a', 'alice'))).toBe(200);
    expect(partition.hits).toBe(1);
  });

  test('several rules apply in order', async () => {
    await using running = await setUp();
    const { test, way } = running;
    const delayed = test.faults.delay({ verb: 'list' }, 0);
    const failed = test.faults.fail({ verb: 'list' }, { status: 500 });
    const never = test.faults.fail({ verb: 'list' }, { status: 404 });
    expect(await code(way.list())).toBe(500);
    expect([delayed.hits, failed.hits, never.hits]).toEqual([1, 1, 0]);
    expect(() => test.faults.assertAllUsed()).toThrow("test.faults.fail({ verb: 'list' }, { status: 404 })");
    failed.remove();
    expect(await code(way.list())).toBe(404);
    test.faults.assertAllUsed();
  });

  test('the log has the body, the answer and the versions of each request', async () => {
    await using running = await setUp();
    const { test, way } = running;
    await way.create('a', 'alice');
    const version = await way.put('a', { x: '1' });
    const [created, updated] = test.requests().to('configmaps').writes;
    expect(created).toMatchObject({
      user: 'alice',
      verb: 'create',
      resource: 'configmaps',
      namespace: DEFAULT,
      name: 'a',
      path: '/api/v1/namespaces/default/configmaps',
      status: 201,
      body: { metadata: { name: 'a' } },
      answer: { kind: 'ConfigMap', metadata: { name: 'a' } },
    });
    expect(updated).toMatchObject({
      verb: 'update',
      status: 200,
      answer: { data: { x: '1' } },
      written: [Number(version)],
    });
    expect(test.requests().by('alice').failed.length).toBe(0);
  });
});

/** Waits for a condition that the event loop brings about. */
async function waitUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('rules', () => {
  test('leave the server’s own controllers alone unless asked', async () => {
    await using test = await startTestServer();
    const rule = test.faults.fail({ verb: 'create', resource: 'serviceaccounts' }, { status: 500 });
    await test.client.resource(Namespace).create({ metadata: { name: 'shop' } });
    await test.settled();
    expect(test.requests({ resource: 'serviceaccounts' }, { controllers: true }).writes.length).toBe(1);
    expect(rule.hits).toBe(0);
    const all = test.faults.fail(
      { verb: 'create', resource: 'serviceaccounts', controllers: true, times: 1 },
      { status: 500 },
    );
    await test.client.resource(Namespace).create({ metadata: { name: 'store' } });
    await test.settled();
    expect(all.hits).toBe(1);
  });

  test('are refused early, with what to write instead', async () => {
    await using test = await startTestServer();
    const { faults } = test;
    expect(() => faults.fail({ verb: 'udpate' as 'update' }, { status: 500 })).toThrow('did you mean "update"?');
    expect(() => faults.fail({ resource: 'configmap5' }, { status: 500 })).toThrow('nearest are "configmaps"');
    expect(() => faults.fail({ resource: 'pods/state' }, { status: 500 })).toThrow(
      'has no subresource "state"; it has',
    );
    expect(() => faults.fail({}, { status: 200 })).toThrow('the code of a failure, 400 to 599');
    expect(() => faults.fail({}, {} as never)).toThrow('the option status is required');
    expect(() => faults.delay({}, 'soon')).toThrow(
      'the option duration must be milliseconds, or a string such as "5s"',
    );
    expect(() => faults.conflictOnce({ verb: 'get' })).toThrow('leave the verb out');
    expect(() => faults.add({ fault: 'explode' } as never)).toThrow('fault must be one of fail, delay');
    expect(() => faults.add({ fault: 'fail', status: 500, match: { usr: 'a' } } as never)).toThrow('did you mean');
    expect(faults.rules).toEqual([]);
  });

  test('expire the continue tokens of lists', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    for (const name of ['a', 'b', 'c']) await maps.create({ metadata: { name } });
    const page = await maps.list({ limit: 1 });
    await maps.create({ metadata: { name: 'd' } });
    const rule = test.faults.expireHistory();
    await expect(maps.list({ limit: 1, continue: page.metadata.continue })).rejects.toMatchObject({
      code: 410,
      reason: 'Expired',
    });
    expect(rule.hits).toBe(1);
  });

  test('can be made from their JSON', async () => {
    await using test = await startTestServer();
    const { faults } = test;
    const made = [
      faults.fail({ verb: ['get', 'list'], user: "o'hara" }, { status: { code: 500, reason: 'InternalError' } }),
      faults.delay({}, '1s'),
      faults.dropConnection({ times: 1 }, 'after commit'),
      faults.dropWatches({ after: 1 }, { cleanly: true }),
      faults.staleReads({ resource: 'secrets' }, 2),
      faults.slowConsumer({}),
      faults.partition('alice', { watches: 'silent' }),
      faults.conflictOnce({ name: 'x' }),
    ];
    const specs = made.map(({ spec }) => JSON.parse(JSON.stringify(spec)));
    const texts = made.map(String);
    faults.clear();
    expect(specs.map((spec) => String(faults.add(spec)))).toEqual(texts);
    expect(texts[0]).toBe(
      "test.faults.fail({ verb: ['get', 'list'], user: 'o\\'hara' }, { status: { code: 500, reason: 'InternalError' } })",
    );
  });

  test('fail with any error as the server itself would', async () => {
    await using test = await startTestServer();
    test.faults.fail({ resource: 'secrets' }, { error: new Error('disk on fire') });
    await expect(test.client.resource(Secret).namespace(DEFAULT).list()).rejects.toMatchObject({ code: 500 });
    test.faults.clear();
    const own = new ApiError({ code: 418, message: 'teapot' });
    test.faults.fail({ resource: 'secrets' }, { error: own });
    await expect(test.client.resource(Secret).namespace(DEFAULT).list()).rejects.toBe(own);
  });
});
