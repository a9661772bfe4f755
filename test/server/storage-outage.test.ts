/**
 * A server whose storage is unreachable for a while, or rejects writes: its answers, and its recovery without
 * intervention.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigMap, Lease, Namespace, Role, RoleBinding } from '../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, startTestServer, type TestServer } from '../../src/entries/testing.js';
import { FailingStorage } from '../support/failing-storage.js';
import { ask, jsonOf, streamOf, textOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const LEASES = '/apis/coordination.orch.io/v1/namespaces/default/leases';
const MINUTE = 60_000;

let failing: FailingStorage;
let running: TestServer;
let log: { readonly message: string; readonly reason: unknown }[];

beforeEach(async () => {
  failing = new FailingStorage(createMemoryStorage({ clock: createManualClock() }));
  log = [];
  const note = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    void log.push({ message, reason: fields?.['reason'] });
  running = await startTestServer({
    storage: failing.storage,
    observability: { logger: { info: note, error: note } },
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        { token: 'alice', user: { username: 'alice', groups: [] } },
      ],
    },
  });
  await maps().create({ metadata: { name: 'a' } });
});
afterEach(() => running.close());

const maps = () => running.client.resource(ConfigMap).namespace('default');
const body = (object: object): { readonly body: string } => ({ body: JSON.stringify(object) });

describe('while the storage is unreachable', () => {
  test.each<[verb: string, method: string, path: string, options?: Parameters<typeof ask>[3]]>([
    ['get', 'GET', `${MAPS}/a`],
    ['list', 'GET', MAPS],
    ['list', 'GET', `${MAPS}?limit=1`],
    ['list', 'GET', `${MAPS}?resourceVersion=1&resourceVersionMatch=Exact`],
    ['list', 'GET', `${MAPS}?fieldSelector=metadata.name%3Da`],
    ['watch', 'GET', `${MAPS}?watch=1`],
    ['update', 'PUT', `${MAPS}/a`, body({ metadata: { name: 'a' } })],
    [
      'update',
      'PATCH',
      `${MAPS}/a`,
      { ...body({ data: { k: 'v' } }), headers: { 'content-type': 'application/merge-patch+json' } },
    ],
    ['delete', 'DELETE', `${MAPS}/a`],
    ['list', 'DELETE', MAPS],
  ])('%s: %s %s is answered with a request to retry', async (verb, method, path, options) => {
    failing.works = 'nothing';
    const answer = await ask(running.server, method, path, options);
    expect(jsonOf(answer)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 500,
      reason: 'ServerTimeout',
      message: `The ${verb} operation against configmaps could not be completed at this time, please try again.`,
      details: { name: verb, kind: 'configmaps', retryAfterSeconds: 2 },
    });
    expect([answer.status, answer.headers['retry-after']]).toEqual([500, '2']);
    // The cause is for the operator of the server, not for its clients.
    expect(textOf(answer)).not.toContain('ECONNREFUSED');
    expect(log).toContainEqual({ message: 'the storage is unavailable', reason: 'connect ECONNREFUSED 10.0.0.7:2379' });
  });

  test('a create looks up the namespace first', async () => {
    failing.works = 'nothing';
    expect(jsonOf(await ask(running.server, 'POST', MAPS, body({ metadata: { name: 'b' } })))).toMatchObject({
      code: 500,
      reason: 'ServerTimeout',
      message: 'The get operation against namespaces could not be completed at this time, please try again.',
    });
    expect(
      jsonOf(await ask(running.server, 'POST', '/api/v1/namespaces', body({ metadata: { name: 'b' } }))),
    ).toMatchObject({
      code: 500,
      reason: 'ServerTimeout',
      message: 'The create operation against namespaces could not be completed at this time, please try again.',
    });
  });

  test('a service-account token that cannot be looked up is unknown, and is accepted again afterwards', async () => {
    const { status } = jsonOf(
      await ask(running.server, 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', body({})),
    ) as { status: { token: string } };
    expect((await ask(running.server, 'GET', '/version', { token: status.token })).status).toBe(200);
    failing.works = 'nothing';
    expect((await ask(running.server, 'GET', '/version', { token: status.token })).status).toBe(401);
    failing.works = 'everything';
    expect((await ask(running.server, 'GET', '/version', { token: status.token })).status).toBe(200);
  });

  test('a group appears as in every other message', async () => {
    failing.works = 'nothing';
    expect(jsonOf(await ask(running.server, 'GET', `${LEASES}/a`))).toMatchObject({
      message:
        'The get operation against leases.coordination.orch.io could not be completed at this time, please try again.',
      details: { name: 'get', group: 'coordination.orch.io', kind: 'leases', retryAfterSeconds: 2 },
    });
  });

  test('the server is neither ready nor live, and recovers with the storage', async () => {
    failing.works = 'nothing';
    for (const endpoint of ['healthz', 'livez', 'readyz']) {
      const answer = await ask(running.server, 'GET', `/${endpoint}?verbose`);
      expect([
        answer.status,
        textOf(answer).includes('[-]storage failed: connect ECONNREFUSED 10.0.0.7:2379\n'),
      ]).toEqual([500, true]);
    }
    failing.works = 'everything';
    for (const endpoint of ['healthz', 'livez', 'readyz'])
      expect((await ask(running.server, 'GET', `/${endpoint}`)).status).toBe(200);
  });

  test('the in-process client gets the same errors', async () => {
    failing.works = 'nothing';
    await expect(maps().get('a')).rejects.toMatchObject({ code: 500, reason: 'ServerTimeout' });
  });
});

describe('once the storage is back', () => {
  test('ended watches can be resumed, for a kind that was watched and for one that was not', async () => {
    const before = streamOf(await ask(running.server, 'GET', `${MAPS}?watch=1&resourceVersion=0`));
    const next = async (
      stream: AsyncIterator<Uint8Array>,
    ): Promise<{ type: string; object: { code?: number; metadata: { name?: string } } }> =>
      JSON.parse(new TextDecoder().decode((await stream.next()).value as Uint8Array)) as never;
    expect((await next(before)).type).toBe('ADDED');
    failing.works = 'nothing';
    expect(await next(before)).toMatchObject({ type: 'ERROR', object: { code: 500 } });
    expect((await before.next()).done).toBe(true);
    expect((await ask(running.server, 'GET', `${LEASES}?watch=1`)).status).toBe(500);
    failing.works = 'everything';
    const revision = (await maps().list()).metadata.resourceVersion ?? '';
    const after = streamOf(await ask(running.server, 'GET', `${MAPS}?watch=1&resourceVersion=${revision}`));
    const leases = streamOf(await ask(running.server, 'GET', `${LEASES}?watch=1&resourceVersion=${revision}`));
    await maps().create({ metadata: { name: 'b' } });
    await running.client
      .resource(Lease)
      .namespace('default')
      .create({ metadata: { name: 'l' } });
    expect([await next(after), await next(leases)]).toMatchObject([
      { type: 'ADDED', object: { metadata: { name: 'b' } } },
      { type: 'ADDED', object: { metadata: { name: 'l' } } },
    ]);
    await after.return?.();
    await leases.return?.();
  });

  test('controllers finish the remaining work', async () => {
    await running.client.resource(Namespace).create({ metadata: { name: 'shop' } });
    await running.client
      .resource(ConfigMap)
      .namespace('shop')
      .create({ metadata: { name: 'a' } });
    await running.settled();
    await running.client.resource(Namespace).delete('shop');
    failing.works = 'nothing';
    await running.clock.advance(5 * MINUTE);
    failing.works = 'everything';
    await running.clock.advance(5 * MINUTE);
    await running.settled();
    expect((await running.client.resource(Namespace).list()).items.map(({ metadata }) => metadata.name)).not.toContain(
      'shop',
    );
  });

  test('authorization uses everything written in the meantime', async () => {
    const alice = (): Promise<number> =>
      ask(running.server, 'GET', MAPS, { token: 'alice' }).then(({ status }) => status);
    expect(await alice()).toBe(403);
    failing.works = 'nothing';
    expect(await alice()).toBe(403);
    failing.works = 'everything';
    await running.client
      .resource(Role)
      .namespace('default')
      .create({
        metadata: { name: 'reader' },
        rules: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }],
      });
    await running.client
      .resource(RoleBinding)
      .namespace('default')
      .create({
        metadata: { name: 'reader' },
        subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.orch.io', name: 'alice' }],
        roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'reader' },
      });
    await running.clock.advance(MINUTE);
    expect(await alice()).toBe(200);
  });
});

describe('while writes fail, as on a full disk', () => {
  test('reads and watches continue, writes are answered with a request to retry, and succeed later', async () => {
    const revision = (await maps().list()).metadata.resourceVersion ?? '';
    const stream = streamOf(await ask(running.server, 'GET', `${MAPS}?watch=1&resourceVersion=${revision}`));
    expect((await ask(running.server, 'GET', '/readyz')).status).toBe(200);
    failing.works = 'reads';
    expect((await ask(running.server, 'GET', MAPS)).status).toBe(200);
    for (const [method, path, options] of [
      ['POST', MAPS, body({ metadata: { name: 'b' } })],
      ['PUT', `${MAPS}/a`, body({ metadata: { name: 'a' }, data: { k: 'v' } })],
      ['DELETE', `${MAPS}/a`, {}],
    ] as const) {
      expect(jsonOf(await ask(running.server, method, path, options))).toMatchObject({
        code: 500,
        reason: 'ServerTimeout',
      });
    }
    expect((await ask(running.server, 'GET', '/readyz')).status).toBe(200);
    failing.works = 'everything';
    await maps().create({ metadata: { name: 'b' } });
    const { value } = await stream.next();
    expect(new TextDecoder().decode(value)).toContain('"name":"b"');
    await stream.return?.();
  });
});
