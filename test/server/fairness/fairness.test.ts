import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Attributes } from '../../../src/security/authz/index.js';
import { ApiServer, type ApiServerOptions } from '../../../src/entries/index.js';
import type { flowcontrolV1 } from '../../../src/kinds/types/index.js';
import { FlowSchema, PriorityLevelConfiguration } from '../../../src/kinds/builtin/index.js';
import type { ApiRequest, ApiResponse } from '../../../src/server/requests/http.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { ask, jsonOf, requestOf, streamOf, textOf, type Asked } from '../ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const FLOW_SCHEMA = 'x-kubernetes-pf-flowschema-uid';
const PRIORITY_LEVEL = 'x-kubernetes-pf-prioritylevel-uid';
const DUMPS = '/debug/api_priority_and_fairness';

let clock: ManualClock;
let server: ApiServer;
/** Opens the requests that the authorizer holds, by user. */
let gates: Map<string, (() => void)[]>;
let isHolding: boolean;

/** Holds the requests on `held`, so that they occupy their seats. */
const authorizer = async ({ name, path, user }: Attributes): Promise<{ decision: 'Allow'; reason: string }> => {
  if (isHolding && (name === 'held' || path === '/held'))
    await new Promise<void>((resolve) => gates.set(user.username, [...(gates.get(user.username) ?? []), resolve]));
  if (name === 'broken') throw new Error('broken');
  return { decision: 'Allow', reason: '' };
};

function start(options: Partial<ApiServerOptions> = {}): void {
  server = new ApiServer({
    dialect: 'kubernetes',
    clock,
    fairness: true,
    authorization: { authorizer },
    limits: { inFlight: { maxReadOnly: 2, maxMutating: 2 } },
    ...options,
    observability: { logger: { info: () => undefined, error: () => undefined }, ...options.observability },
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        ...['elephant', 'mouse', 'other'].map((username) => ({ token: username, user: { username, groups: ['zoo'] } })),
      ],
      ...options.authentication,
    },
  });
}

beforeEach(() => {
  clock = createManualClock();
  gates = new Map();
  isHolding = true;
});
afterEach(async () => {
  isHolding = false;
  release();
  await server.close();
});

/** Lets the held requests of a user go on; of all users without one. */
function release(username?: string, count = Infinity): void {
  for (const [name, held] of gates)
    if (username === undefined || name === username) for (const open of held.splice(0, count)) open();
}

const QUEUE = { queues: 16, handSize: 4, queueLengthLimit: 2 };

/** A level with nearly all seats of the server. It neither lends nor borrows. */
const level = (limitResponse: flowcontrolV1.LimitResponse, name = 'zoo') => ({
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 100_000, limitResponse, lendablePercent: 0, borrowingLimitPercent: 0 },
  },
});

const schema = (distinguisher: 'ByUser' | 'ByNamespace' | undefined = 'ByUser') => ({
  metadata: { name: 'zoo' },
  spec: {
    priorityLevelConfiguration: { name: 'zoo' },
    matchingPrecedence: 50,
    ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name: 'zoo' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      },
    ],
  },
});

async function configure(
  limitResponse: flowcontrolV1.LimitResponse = { type: 'Queue', queuing: QUEUE },
): Promise<void> {
  await server.client().resource(PriorityLevelConfiguration).create(level(limitResponse));
  await server.client().resource(FlowSchema).create(schema());
}

/** A request whose answer a test looks at without waiting for it. */
interface Sent {
  answer: ApiResponse | undefined;
  readonly done: Promise<ApiResponse>;
}

function send(token: string, target = `${MAPS}/held`, asked: Asked = {}): Sent {
  const done = ask(server, 'GET', target, { token, ...asked });
  const sent: Sent = { answer: undefined, done };
  void done.then((answer) => (sent.answer = answer));
  return sent;
}

const sendMany = (count: number, token: string): Sent[] => Array.from({ length: count }, () => send(token));
const answered = (sent: readonly Sent[]): number => sent.filter(({ answer }) => answer !== undefined).length;

/** The cells of a dump, row by row. */
async function dump(name: string, query = ''): Promise<string[][]> {
  const text = textOf(await ask(server, 'GET', `${DUMPS}/${name}${query}`));
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()));
}

async function rowOf(name: string): Promise<Record<string, string>> {
  const [head = [], ...rows] = await dump('dump_priority_levels');
  const row = rows.find(([first]) => first === name) ?? [];
  return Object.fromEntries(head.map((column, index) => [column, row[index] ?? '']));
}

const metric = async (line: string): Promise<string | undefined> => {
  const text = textOf(await ask(server, 'GET', '/metrics'));
  return text
    .split('\n')
    .find((found) => found.startsWith(line))
    ?.slice(line.length)
    .trim();
};

describe('requests beyond the seats of their level', () => {
  test('wait, and the flow that uses less goes first', async () => {
    start();
    await configure();
    const elephants = sendMany(8, 'elephant');
    await clock.advance(0);
    const mouse = send('mouse', `${MAPS}/absent`);
    await clock.advance(10);
    expect(gates.get('elephant')).toHaveLength(4);
    expect(mouse.answer).toBeUndefined();
    expect(await rowOf('zoo')).toMatchObject({ WaitingRequests: '5', ExecutingRequests: '4', IsIdle: 'false' });
    release('elephant', 1);
    await clock.advance(0);
    // One seat has become free: the mouse had it, then the next elephant.
    expect(mouse.answer?.status).toBe(404);
    expect(answered(elephants)).toBe(1);
    expect(gates.get('elephant')).toHaveLength(4);
    for (let round = 0; round < 3; round += 1) {
      release();
      await clock.advance(0);
    }
    expect(answered(elephants)).toBe(8);
    expect(await rowOf('zoo')).toMatchObject({
      ...{ WaitingRequests: '0', ExecutingRequests: '0', IsIdle: 'true' },
      ...{ DispatchedRequests: '9', RejectedRequests: '0' },
    });
  });

  test('are refused when their queues are full, with advice that grows', async () => {
    start();
    await configure({ type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 2 } });
    const sent = sendMany(7, 'elephant');
    await clock.advance(0);
    const refused = sent.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
    expect(refused).toHaveLength(1);
    expect(refused[0]?.status).toBe(429);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(jsonOf(refused[0] as ApiResponse)).toMatchObject({
      ...{ code: 429, reason: 'TooManyRequests', message: 'Too many requests, please try again later.' },
    });
    expect(
      await metric(
        'apiserver_flowcontrol_rejected_requests_total{flow_schema="zoo",priority_level="zoo",reason="queue-full"}',
      ),
    ).toBe('1');
    for (let second = 0; second < 3; second += 1) {
      sendMany(5, 'elephant');
      await clock.advance(1_000);
    }
    const last = await send('elephant').done;
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(1);
  });

  test('are refused at once by a level that rejects', async () => {
    start();
    await configure({ type: 'Reject' });
    const sent = sendMany(6, 'elephant');
    await clock.advance(0);
    expect(sent.filter(({ answer }) => answer?.status === 429)).toHaveLength(2);
    expect(
      await metric(
        'apiserver_flowcontrol_rejected_requests_total{flow_schema="zoo",priority_level="zoo",reason="concurrency-limit"}',
      ),
    ).toBe('2');
  });

  test('leave their queue after a quarter of their time', async () => {
    start();
    await configure();
    sendMany(4, 'elephant');
    await clock.advance(0);
    const [patient, hasty] = [send('mouse'), send('mouse', `${MAPS}/held?timeout=8s`)];
    await clock.advance(1_999);
    expect(hasty.answer).toBeUndefined();
    await clock.advance(1);
    expect(hasty.answer?.status).toBe(429);
    await clock.advance(12_999);
    expect(patient.answer).toBeUndefined();
    await clock.advance(1);
    expect(patient.answer?.status).toBe(429);
    expect(await rowOf('zoo')).toMatchObject({ WaitingRequests: '0', TimedoutRequests: '2', RejectedRequests: '2' });
    expect(
      await metric(
        'apiserver_flowcontrol_rejected_requests_total{flow_schema="zoo",priority_level="zoo",reason="time-out"}',
      ),
    ).toBe('2');
  });

  test('leave their queue when the client goes', async () => {
    start();
    await configure();
    sendMany(4, 'elephant');
    const client = new AbortController();
    send('mouse', `${MAPS}/held`, { signal: client.signal });
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ WaitingRequests: '1' });
    client.abort();
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ WaitingRequests: '0', CancelledRequests: '1' });
  });
});

describe('seats', () => {
  test('that are free cost no signal and no timer', async () => {
    start();
    await configure();
    isHolding = false;
    await send('other').done;
    let signals = 0;
    const asked = requestOf('GET', `${MAPS}/held`, { token: 'mouse' });
    const counting: ApiRequest = {
      ...asked,
      get signal() {
        signals += 1;
        return asked.signal;
      },
    };
    const timers = clock.pending;
    expect((await server.target.handle(counting)).status).toBe(404);
    expect(signals).toBe(0);
    expect(clock.pending).toBe(timers);
  });

  test('are free again when an endpoint fails, or hangs beyond the deadline', async () => {
    start();
    await configure();
    for (let turn = 0; turn < 6; turn += 1) expect((await send('mouse', `${MAPS}/broken`).done).status).toBe(500);
    const hanging = sendMany(4, 'elephant');
    await clock.advance(0);
    await clock.advance(60_000);
    expect(hanging.map(({ answer }) => answer?.status)).toEqual([504, 504, 504, 504]);
    expect((await send('mouse', `${MAPS}/absent`).done).status).toBe(404);
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '0', IsIdle: 'true' });
  });

  test('are given up while a request waits for its body', async () => {
    start();
    await configure();
    let arrive = (): void => undefined;
    const body = new Promise<Uint8Array>((resolve) => {
      arrive = () => resolve(new TextEncoder().encode('{"metadata":{"name":"late"}}'));
    });
    const { requestOf } = await import('../ask.js');
    const creating = server.target.handle({
      ...requestOf('POST', MAPS, { token: 'mouse', body: '{}' }),
      body: () => body,
    });
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '0' });
    sendMany(4, 'elephant');
    await clock.advance(0);
    arrive();
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '4', WaitingRequests: '1' });
    release('elephant', 1);
    expect((await creating).status).toBe(201);
    expect(await rowOf('zoo')).toMatchObject({ DispatchedRequests: '5' });
  });

  test('of a watch are free when its initial events have been read', async () => {
    start();
    await configure();
    const watch = await ask(server, 'GET', `${MAPS}?watch=true`, { token: 'mouse' });
    expect(watch.headers[FLOW_SCHEMA]).toBeTruthy();
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '1' });
    const stream = streamOf(watch);
    const next = stream.next();
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '0' });
    await stream.return?.();
    await next;
    const unread = new AbortController();
    await ask(server, 'GET', `${MAPS}?watch=true`, { token: 'mouse', signal: unread.signal });
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '1' });
    unread.abort();
    expect(await rowOf('zoo')).toMatchObject({ ExecutingRequests: '0' });
  });
});

describe('classification', () => {
  test('is told by two header fields, also of errors', async () => {
    start();
    await configure();
    const { metadata } = await server.client().resource(FlowSchema).get('zoo');
    const { metadata: ofLevel } = await server.client().resource(PriorityLevelConfiguration).get('zoo');
    for (const target of [`${MAPS}/absent`, '/version', '/nowhere', `${MAPS}/broken`]) {
      const { headers } = await ask(server, 'GET', target, { token: 'mouse' });
      expect([headers[FLOW_SCHEMA], headers[PRIORITY_LEVEL]]).toEqual([metadata.uid, ofLevel.uid]);
    }
  });

  test('exempts system:masters', async () => {
    start();
    await configure();
    const masters = sendMany(20, 'admin');
    await clock.advance(0);
    expect(gates.get('admin')).toHaveLength(20);
    expect(await rowOf('exempt')).toMatchObject({ ExecutingRequests: '21', WaitingRequests: '0' });
    release();
    await clock.advance(0);
    expect(answered(masters)).toBe(20);
  });

  test('is that of an impersonated user', async () => {
    start();
    await configure();
    const headers = { 'impersonate-user': 'mouse', 'impersonate-group': 'zoo' };
    sendMany(4, 'elephant');
    await clock.advance(0);
    const impersonated = send('admin', `${MAPS}/absent`, { headers });
    await clock.advance(0);
    expect(impersonated.answer).toBeUndefined();
    const [columns = [], ...rows] = await dump('dump_requests', '?includeRequestDetails=1');
    const user = columns.indexOf('UserName');
    expect(rows.map((row) => row[user]).sort()).toEqual(['admin', ...Array(4).fill('elephant'), 'mouse'].sort());
  });
});

describe('the dumps', () => {
  test('show the time of the processor of levels, queues and requests', async () => {
    start();
    await configure();
    sendMany(4, 'elephant');
    await clock.advance(0);
    const cpuOf = async (name: string): Promise<readonly (readonly [string, number])[]> => {
      const [columns = [], ...rows] = await dump(name);
      expect(columns.at(-1)).toBe('CPUSeconds');
      return rows.map((row) => [row[0] ?? '', Number.parseFloat(row.at(-1) ?? '')]);
    };
    const used = (rows: readonly (readonly [string, number])[]): number =>
      rows.filter(([name]) => name === 'zoo').reduce((sum, [, seconds]) => sum + seconds, 0);
    expect(used(await cpuOf('dump_priority_levels'))).toBe(0);
    expect(used(await cpuOf('dump_requests'))).toBeGreaterThan(0);
    release();
    await clock.advance(0);
    expect(used(await cpuOf('dump_requests'))).toBe(0);
    expect(used(await cpuOf('dump_queues'))).toBeGreaterThan(0);
    expect(used(await cpuOf('dump_priority_levels'))).toBeCloseTo(used(await cpuOf('dump_queues')), 5);
    const [, row = []] = await dump('dump_requests', '?includeRequestDetails=1');
    expect(row.at(-1)).toMatch(/^\d+\.\d{6}s$/);
  });
});

describe('a change of the configuration', () => {
  test('gives seats to requests that wait', async () => {
    start();
    await configure();
    sendMany(12, 'elephant');
    await clock.advance(0);
    expect(gates.get('elephant')).toHaveLength(4);
    await server
      .client()
      .resource(PriorityLevelConfiguration)
      .update({ ...level({ type: 'Reject' }) });
    await clock.advance(0);
    // Requests that wait are still dispatched from their queues; new ones are refused.
    expect((await send('mouse').done).status).toBe(429);
    expect(await rowOf('zoo')).toMatchObject({ WaitingRequests: '8', ExecutingRequests: '4' });
    release('elephant', 4);
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ WaitingRequests: '4', ExecutingRequests: '4' });
  });

  test('lets the requests of a removed level end', async () => {
    start();
    await configure();
    const sent = sendMany(6, 'elephant');
    await clock.advance(0);
    await server.client().resource(PriorityLevelConfiguration).delete('zoo');
    await clock.advance(0);
    expect(await rowOf('zoo')).toMatchObject({ IsQuiescing: 'true', WaitingRequests: '2' });
    for (let round = 0; round < 3; round += 1) {
      release('elephant');
      await clock.advance(0);
    }
    expect(answered(sent)).toBe(6);
    expect(await rowOf('zoo')).toMatchObject({ IsQuiescing: '' });
  });
});

test('a server whose limits cannot be divided is refused', () => {
  start();
  expect(() => new ApiServer({ fairness: true, limits: { inFlight: { maxReadOnly: 0 } } })).toThrow(
    'ApiServer: fairness divides limits.inFlight.maxReadOnly and maxMutating',
  );
});

test('the limits of waiting requests and bodies stay in force', async () => {
  start({ limits: { inFlight: { maxReadOnly: 2, maxMutating: 2, maxWaiting: 1, userShare: 1 } } });
  await configure();
  const { requestOf } = await import('../ask.js');
  const never = new Promise<never>(() => undefined);
  void server.target.handle({ ...requestOf('POST', MAPS, { token: 'mouse', body: '{}' }), body: () => never });
  await clock.advance(0);
  const refused = await server.target.handle({
    ...requestOf('POST', MAPS, { token: 'mouse', body: '{}' }),
    body: () => never,
  });
  expect(refused.status).toBe(429);
  // The server waits for the other one until its deadline.
  await clock.advance(60_000);
});
