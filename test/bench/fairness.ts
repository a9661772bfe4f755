import { ApiServer, ConfigMap } from 'orch-apiserver';
import { FlowSchema, PriorityLevelConfiguration } from 'orch-apiserver/kinds';
import { benchConfigMap } from './object.mjs';
import { interleaved, median, type Measure } from './measure.js';

type ApiRequest = Parameters<ApiServer['target']['handle']>[0];
type ApiResponse = Awaited<ReturnType<ApiServer['target']['handle']>>;

const PATH = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 1_000;
const IN_FLIGHT = 200;
const SEATS = 2;
const ROUNDS = 5;
const MICE = 200;
/** Without fairness every request waits for all 200 lists. */
const DELAYED_MICE = 20;
const GETS = 4_000;

/**
 * The cost of fairness for a GET that nobody competes with, and how much longer the lists of one user take while another user
 * keeps 200 of the same in flight.
 */
export async function fairness(): Promise<Measure[]> {
  const [fair, plain] = [await startServer(true), await startServer(false)];
  const get = request('mouse', `${PATH}/object-7`);
  const gets = async (server: ApiServer): Promise<void> => {
    for (let index = 0; index < GETS; index += 1) await server.target.handle(get);
  };
  const costs = await interleaved(2 * ROUNDS + 1, { fair: () => gets(fair), plain: () => gets(plain) });
  const [withFairness, withLimits] = [await floods(fair, MICE), await floods(plain, DELAYED_MICE)];
  await Promise.all([fair.close(), plain.close()]);
  const text = ({ quiet, flooded }: Flood): string => `${flooded.toFixed(0)} µs against ${quiet.toFixed(0)} µs`;
  return [
    {
      name: 'fairness of a GET without competition',
      value: (costs.fair.cpuUs - costs.plain.cpuUs) / GETS,
      unit: 'µs CPU',
      target: { sense: '<=', value: 3 },
      detail: `${(costs.fair.cpuUs / GETS).toFixed(1)} µs against ${(costs.plain.cpuUs / GETS).toFixed(1)} µs`,
    },
    {
      name: `p99 of a list beside a flood of ${IN_FLIGHT} in flight, over a quiet one`,
      value: withFairness.flooded / withFairness.quiet,
      unit: '×',
      target: { sense: '<=', value: 5 },
      detail: `${SEATS} seats, ${OBJECTS} objects; ${text(withFairness)}; with the limits of requests in flight ${text(withLimits)}`,
    },
  ];
}

interface Flood {
  readonly quiet: number;
  readonly flooded: number;
}

/** Alternates quiet and flooded rounds, and returns the median of each. */
async function floods(server: ApiServer, mice: number): Promise<Flood> {
  const [quiet, flooded]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const alone = await p99(server, mice);
    const stop = flood(server);
    const beside = await p99(server, mice);
    await stop();
    // The first round warms up.
    if (round === 0) continue;
    quiet.push(alone);
    flooded.push(beside);
  }
  return { quiet: median(quiet), flooded: median(flooded) };
}

/** Keeps lists in flight, each of which follows the one before in another turn of the event loop, as over a connection. */
function flood(server: ApiServer): () => Promise<void> {
  const list = request('elephant', PATH);
  let goesOn = true;
  const connection = async (): Promise<void> => {
    while (goesOn) {
      await turn();
      sent(await server.target.handle(list));
    }
  };
  const connections = Array.from({ length: IN_FLIGHT }, connection);
  return async () => {
    goesOn = false;
    await Promise.all(connections);
  };
}

/**
 * Returns the 99th percentile of lists, one at a time, in microseconds of CPU time that the process spends until the
 * answer: what else the machine does is not the server's.
 */
async function p99(server: ApiServer, mice: number): Promise<number> {
  const list = request('mouse', PATH);
  const durations: number[] = [];
  for (let index = 0; index < mice; index += 1) {
    await turn();
    const before = process.cpuUsage();
    // The request arrives while the server works on others.
    await turn();
    sent(await server.target.handle(list));
    const { user, system } = process.cpuUsage(before);
    durations.push(user + system);
  }
  durations.sort((a, b) => a - b);
  return durations[Math.floor(mice * 0.99)] ?? NaN;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Writes an answer as a transport would. @throws Error for another answer than 200 */
function sent({ status, body }: ApiResponse): void {
  if (status !== 200) throw new Error(`unexpected answer: ${status}`);
  if (typeof body === 'object' && 'parts' in body) Buffer.from(body.parts.join(','), 'latin1');
}

function request(token: string, path: string): ApiRequest {
  const fields = new Map([['authorization', `Bearer ${token}`]]);
  return {
    ...{ method: 'GET', path, query: '', signal: new AbortController().signal },
    headers: {
      get: (name) => fields.get(name),
      getAll: (name) => [fields.get(name) ?? []].flat(),
      names: () => fields.keys(),
      hasPrefix: () => false,
    },
    peer: { address: '127.0.0.1', tls: false },
    body: () => Promise.resolve(new Uint8Array()),
  };
}

async function startServer(isFair: boolean): Promise<ApiServer> {
  const server = new ApiServer({
    dialect: 'kubernetes',
    fairness: isFair,
    authorization: { modes: ['AlwaysAllow'] },
    authentication: {
      tokens: ['elephant', 'mouse'].map((username) => ({ token: username, user: { username, groups: ['bench'] } })),
    },
    limits: { inFlight: isFair ? { maxReadOnly: SEATS - 1, maxMutating: 1 } : { userShare: 1 } },
  });
  const maps = server.client().resource(ConfigMap).namespace('default');
  for (let index = 0; index < OBJECTS; index += 1) await maps.create(benchConfigMap(`object-${index}`));
  const queuing = { queues: 64, handSize: 6, queueLengthLimit: 50 };
  // Its shares leave the other levels with almost nothing.
  const limited = { nominalConcurrencyShares: 1_000_000, limitResponse: { type: 'Queue', queuing } };
  await server
    .client()
    .resource(PriorityLevelConfiguration)
    .create({ metadata: { name: 'bench' }, spec: { type: 'Limited', limited } });
  const all = ['*'];
  const rule = { verbs: all, apiGroups: all, resources: all, clusterScope: true, namespaces: all };
  await server
    .client()
    .resource(FlowSchema)
    .create({
      metadata: { name: 'bench' },
      spec: {
        priorityLevelConfiguration: { name: 'bench' },
        matchingPrecedence: 100,
        distinguisherMethod: { type: 'ByUser' },
        rules: [{ subjects: [{ kind: 'Group', group: { name: 'bench' } }], resourceRules: [rule] }],
      },
    });
  return server;
}
