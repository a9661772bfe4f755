/** The events of requests that last, fail, or are more than one request. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { controllerNames } from '../../../src/entries/controllers.js';
import { webhook, type AuditOptions } from '../../../src/entries/index.js';
import type { AuditPolicy } from '../../../src/security/audit/index.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../../../src/entries/testing.js';
import { ask, jsonOf, requestOf, streamOf, textOf } from '../../server/ask.js';
import { auditWorld, EVERYTHING, stagesOf, type AuditWorld } from './audit-world.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const MINE: AuditPolicy = { rules: [{ level: 'Metadata', users: ['admin'] }] };

let world: AuditWorld | undefined;
let running: TestServer | undefined;
afterEach(async () => {
  await Promise.all([world?.close(), running?.close()]);
  world = running = undefined;
});

/** Starts a server with any audit options. */
async function start(audit: AuditOptions, options: TestServerOptions = {}): Promise<TestServer> {
  return (running = await startTestServer({
    dialect: 'kubernetes',
    ...options,
    controllers: { disable: controllerNames, ...options.controllers },
    authentication: {
      tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }],
      ...options.authentication,
    },
    observability: { ...options.observability, audit },
  }));
}

describe('a watch', () => {
  test('is recorded when it begins, and when it ends', async () => {
    world = await auditWorld();
    const gone = new AbortController();
    const stream = streamOf(await ask(world.server, 'GET', `${MAPS}?watch=1`, { signal: gone.signal }));
    const begun = await world.taken();
    expect(stagesOf(begun)).toEqual(['RequestReceived', 'ResponseStarted 200']);
    expect(begun[1]).not.toHaveProperty('responseObject');
    gone.abort();
    await stream.return?.();
    expect(stagesOf(await world.taken())).toEqual(['ResponseComplete 200']);
  });

  test('that is never read ends with its client; one that is refused has both events', async () => {
    world = await auditWorld();
    const gone = new AbortController();
    await ask(world.server, 'GET', `${MAPS}?watch=1`, { signal: gone.signal });
    await world.taken();
    gone.abort();
    expect(stagesOf(await world.taken())).toEqual(['ResponseComplete 200']);
    await ask(world.server, 'GET', `${MAPS}?watch=1&labelSelector=!!`);
    expect(stagesOf(await world.taken())).toEqual(['RequestReceived', 'ResponseStarted 400', 'ResponseComplete 400']);
  });

  test('over WebSocket', async () => {
    world = await auditWorld();
    const answer = await world.server.target.handleWebSocket(requestOf('GET', `${MAPS}?watch=1`));
    if ('refuse' in answer) throw new Error('it was refused');
    expect(stagesOf(await world.taken())).toEqual(['RequestReceived', 'ResponseStarted 101']);
    answer.accept.closed?.();
    await answer.accept.messages[Symbol.asyncIterator]().return?.();
    expect(stagesOf(await world.taken())).toEqual(['ResponseComplete 101']);
  });
});

describe('a request that fails', () => {
  test.each([
    ['a wrong token', { token: 'wrong' }, 'Authentication failed, attempted: bearer'],
    ['a password', { token: '', headers: { authorization: 'Basic YTpi' } }, undefined],
    ['nothing', { token: '' }, undefined],
  ])('authentication, with %s', async (_, asked, message) => {
    world = await auditWorld();
    const answer = await ask(world.server, 'GET', MAPS, asked);
    const events = await world.taken();
    if (answer.status !== 401) return expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseComplete 403']);
    expect(events).toEqual([
      expect.objectContaining({
        stage: 'ResponseStarted',
        auditID: answer.headers['audit-id'],
        user: {},
        responseStatus: { metadata: {}, message, code: 401 },
      }),
    ]);
    expect(JSON.stringify(events)).not.toContain('wrong');
  });

  test('authorization: the reason is in the annotations only', async () => {
    world = await auditWorld();
    const answer = await ask(world.server, 'GET', MAPS, { token: 'alice' });
    const [, complete] = await world.taken();
    expect(complete).toMatchObject({
      user: { username: 'alice', uid: 'u1', groups: ['system:authenticated'], extra: { team: ['x'] } },
      responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403, message: jsonOf(answer)['message'] },
      responseObject: jsonOf(answer),
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    });
  });

  test('the deadline: what the client saw is recorded, once', async () => {
    const hangs = webhook({
      name: 'hangs.example.com',
      rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['*'] }],
      timeout: '30s',
      handler: () => new Promise<never>(() => undefined),
    });
    world = await auditWorld(EVERYTHING, { admission: { plugins: [hangs] } });
    const late = ask(world.server, 'POST', `${MAPS}?timeout=2s`, { body: '{"metadata":{"name":"a"}}' });
    await world.clock.advance(2000);
    expect((await late).status).toBe(504);
    const events = await world.taken();
    expect(stagesOf(events)).toEqual(['RequestReceived', 'ResponseComplete 504']);
    expect(events[1]).toMatchObject({
      responseStatus: { reason: 'Timeout' },
      requestReceivedTimestamp: '2024-01-01T00:00:00.000000Z',
      stageTimestamp: '2024-01-01T00:00:02.000000Z',
    });
    await world.clock.advance(60_000);
    expect(await world.taken()).toEqual([]);
  });

  test('the server: the stage is Panic', async () => {
    world = await auditWorld(EVERYTHING, {
      authorization: {
        authorizer: ({ verb }) => {
          if (verb === 'get') throw new Error('broken');
          return { decision: 'Allow', reason: 'it may' };
        },
      },
      observability: { logger: { info: () => undefined, error: () => undefined } },
    });
    await ask(world.server, 'GET', `${MAPS}/a`);
    const [, panic] = await world.taken();
    expect(panic).toMatchObject({
      stage: 'Panic',
      responseStatus: {
        status: 'Failure',
        reason: 'InternalError',
        code: 500,
        message: expect.stringContaining('broken'),
      },
    });
    await ask(world.server, 'GET', MAPS);
    expect((await world.taken())[1]?.annotations).toEqual({
      'authorization.k8s.io/decision': 'allow',
      'authorization.k8s.io/reason': 'it may',
    });
  });

  test('an unknown path', async () => {
    world = await auditWorld();
    await ask(world.server, 'GET', '/nowhere');
    const [received, complete] = await world.taken();
    expect(received).not.toHaveProperty('objectRef');
    expect(complete?.responseStatus).toEqual({ metadata: {}, code: 404 });
  });
});

describe('what events say', () => {
  test('impersonation', async () => {
    world = await auditWorld();
    await ask(world.server, 'GET', MAPS, {
      headers: { 'impersonate-user': 'bob', 'impersonate-group': 'team', 'impersonate-extra-a': 'b' },
    });
    const [received, complete] = await world.taken();
    expect(received).not.toHaveProperty('impersonatedUser');
    expect(complete).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'bob', groups: ['team', 'system:authenticated'], extra: { a: ['b'] } },
      responseStatus: { code: 403 },
    });
  });

  test('deletions: options, Status, and the collection', async () => {
    world = await auditWorld();
    const { server } = world;
    for (const name of ['a', 'b']) await ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name } }) });
    await world.taken();
    await ask(server, 'DELETE', `${MAPS}/a`, {
      body: '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}',
    });
    const [, one] = await world.taken();
    expect(one).toMatchObject({
      requestObject: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 },
      responseStatus: { status: 'Success', details: { name: 'a', kind: 'configmaps' }, code: 200 },
      responseObject: { kind: 'Status' },
    });
    await ask(server, 'DELETE', MAPS);
    const [, all] = await world.taken();
    expect(all).toMatchObject({ verb: 'deletecollection', responseStatus: { code: 200 } });
    expect(
      (all?.responseObject as unknown as { items: { metadata: { name: string } }[] }).items.map(
        ({ metadata }) => metadata.name,
      ),
    ).toContain('b');
  });

  test.each([
    ['application/yaml', {}],
    ['application/vnd.kubernetes.protobuf', {}],
    ['application/json;as=Table;g=meta.k8s.io;v=v1', { kind: 'Table' }],
    ['application/json', {}],
  ])('objects are JSON, whatever the client accepts: %s', async (accept, fields) => {
    world = await auditWorld();
    await ask(world.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"},"data":{"k":"é"}}' });
    await world.taken();
    const headers = { accept, 'user-agent': 'kubectl/1' };
    for (const path of [`${MAPS}/a`, MAPS, `${MAPS}?pretty=true`]) {
      await ask(world.server, 'GET', path, { headers });
      const [, complete] = await world.taken();
      const expected = path === `${MAPS}/a` ? { kind: 'ConfigMap' } : { kind: 'ConfigMapList' };
      expect(complete?.responseObject).toMatchObject({ ...expected, ...fields });
    }
  });

  test('managed fields are omitted where the policy says so', async () => {
    world = await auditWorld({ omitManagedFields: true, rules: EVERYTHING.rules });
    await ask(world.server, 'POST', `${MAPS}?fieldManager=me`, { body: '{"metadata":{"name":"a"},"data":{"k":"v"}}' });
    await ask(world.server, 'GET', MAPS);
    await ask(world.server, 'GET', MAPS, { headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } });
    expect(JSON.stringify(await world.taken())).not.toContain('managedFields');
    expect(textOf(await ask(world.server, 'GET', MAPS))).toContain('managedFields');
  });

  test('stages are omitted where the policy says so', async () => {
    world = await auditWorld({ omitStages: ['RequestReceived'], rules: EVERYTHING.rules });
    await ask(world.server, 'GET', MAPS);
    expect(stagesOf(await world.taken())).toEqual(['ResponseComplete 200']);
  });

  test('level Request has no response, Metadata no object, None no event', async () => {
    world = await auditWorld({
      rules: [
        { level: 'Request', verbs: ['create'] },
        { level: 'Metadata', verbs: ['update'] },
        { level: 'None', verbs: ['get'] },
      ],
    });
    const object = '{"metadata":{"name":"a"}}';
    await ask(world.server, 'POST', MAPS, { body: object });
    const [, request] = await world.taken();
    expect([request?.level, 'requestObject' in (request ?? {}), 'responseObject' in (request ?? {})]).toEqual([
      'Request',
      true,
      false,
    ]);
    await ask(world.server, 'PUT', `${MAPS}/a`, { body: object });
    const [, metadata] = await world.taken();
    expect([metadata?.level, 'requestObject' in (metadata ?? {})]).toEqual(['Metadata', false]);
    await ask(world.server, 'GET', `${MAPS}/a`);
    expect(await world.taken()).toEqual([]);
  });

  test('deprecated versions, and the annotations of webhooks', async () => {
    const notes = webhook({
      name: 'notes.example.com',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      handler: () => ({ allowed: true, auditAnnotations: { why: 'because' } }),
    });
    world = await auditWorld(EVERYTHING, { release: '1.31', admission: { plugins: [notes] } });
    await ask(world.server, 'GET', '/api/v1/componentstatuses');
    expect((await world.taken())[1]?.annotations).toMatchObject({ 'k8s.io/deprecated': 'true' });
    await ask(world.server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' });
    expect((await world.taken())[1]?.annotations).toMatchObject({ 'notes.example.com/why': 'because' });
  });

  test('a long User-Agent is cut', async () => {
    world = await auditWorld();
    await ask(world.server, 'GET', '/version', { headers: { 'user-agent': 'x'.repeat(5000) } });
    expect((await world.taken())[0]?.userAgent).toBe(`${'x'.repeat(1024)}...TRUNCATED`);
  });
});

describe('the owner’s code', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['hangs', () => new Promise<void>(() => undefined)],
  ])('a sink that %s harms no request', async (_, write) => {
    const error = vi.fn();
    const { server, clock } = await start(
      { policy: MINE, sink: write },
      { observability: { logger: { info: () => undefined, error } } },
    );
    expect((await ask(server, 'GET', MAPS)).status).toBe(200);
    await clock.advance(10_000);
    expect((await ask(server, 'GET', MAPS)).status).toBe(200);
    expect(error).toHaveBeenCalledWith('audit events were lost', expect.objectContaining({ backend: 'sink' }));
    // Closing waits for the calls, each as long as for any.
    const closing = running?.close();
    await clock.advance(20_000);
    await closing;
    running = undefined;
  });

  test('with blocking-strict a request whose event is lost is refused, and changes nothing', async () => {
    let works = false;
    const write = () => (works ? undefined : Promise.reject(new Error('no')));
    const { server } = await start(
      { policy: MINE, sink: { write: () => write(), mode: 'blocking-strict' } },
      { observability: { logger: { info: () => undefined, error: () => undefined } } },
    );
    const refused = await ask(server, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' });
    expect([refused.status, jsonOf(refused)['message']]).toEqual([
      500,
      expect.stringContaining('failed to store audit event'),
    ]);
    works = true;
    expect((await ask(server, 'GET', `${MAPS}/a`)).status).toBe(404);
    const metrics = textOf(await ask(server, 'GET', '/metrics'));
    expect(metrics).toContain('apiserver_audit_requests_rejected_total 1');
    expect(metrics).toContain('apiserver_audit_level_total{level="Metadata"}');
  });

  test('events in the buffer are written when the server closes', async () => {
    const seen: string[] = [];
    const { server } = await start({
      policy: MINE,
      sink: { write: (events) => void seen.push(...events.map(({ stage }) => stage)), batch: { maxWait: 60_000 } },
    });
    await ask(server, 'GET', MAPS);
    expect(seen).toEqual([]);
    await running?.close();
    running = undefined;
    expect(seen).toEqual(['RequestReceived', 'ResponseComplete']);
  });

  test('several backends get the same events', async () => {
    const sink: string[] = [];
    let lines = '';
    const { server } = await start({
      policy: MINE,
      sink: { write: (events) => void sink.push(...events.map(({ stage }) => stage)), mode: 'blocking' },
      log: { output: { write: (text) => void (lines += text) }, format: 'legacy' },
    });
    await ask(server, 'GET', MAPS);
    expect(sink).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(lines.match(/stage="\w+"/g)).toEqual(['stage="RequestReceived"', 'stage="ResponseComplete"']);
  });
});

describe('the policy', () => {
  const policyText = (level: string): string =>
    `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: ${level}, users: [admin]}]`;

  test('is a file that is reloaded; an invalid one is logged, and the former stays', async () => {
    const error = vi.fn();
    let text = policyText('Metadata');
    let changed = (): void => undefined;
    const levels: string[] = [];
    const { server, clock } = await start(
      {
        policy: { text, read: () => text, onChange: (callback) => ((changed = callback), () => undefined) },
        sink: (events) => void levels.push(...events.slice(-1).map(({ level }) => level)),
      },
      { observability: { logger: { info: () => undefined, error } } },
    );
    const recorded = async (): Promise<string | undefined> => {
      await ask(server, 'GET', MAPS);
      await clock.settle();
      return levels.splice(0).at(-1);
    };
    expect(await recorded()).toBe('Metadata');
    text = policyText('Request');
    changed();
    await clock.settle();
    await vi.waitFor(async () => expect(await recorded()).toBe('Request'));
    text = policyText('Everything');
    changed();
    await vi.waitFor(() => expect(error).toHaveBeenCalledWith('failed to load audit policy', expect.anything()));
    expect(await recorded()).toBe('Request');
    text = policyText('None');
    await clock.advance(60_000);
    await vi.waitFor(async () => expect(await recorded()).toBeUndefined());
  });

  test.each<[string, AuditOptions, string]>([
    ['no backend', { policy: MINE }, 'the option observability.audit needs sink, log or webhook'],
    [
      'an unknown mode',
      { policy: MINE, sink: { write: () => undefined, mode: 'strict' as 'batch' } },
      'audit.sink.mode',
    ],
    [
      'an unknown field',
      { policy: { rules: [{ level: 'None', user: ['x'] } as never] }, sink: () => undefined },
      'unknown field "rules[0].user"',
    ],
    [
      'an unknown level',
      { policy: { rules: [{ level: 'All' as 'None' }] }, sink: () => undefined },
      'rules[0].level: Unsupported value: "All"',
    ],
  ])('and options are checked: %s', async (_, audit, message) => {
    await expect(start(audit!)).rejects.toThrow(message);
  });
});
