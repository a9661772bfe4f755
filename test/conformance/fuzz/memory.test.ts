/** Whatever requests do, and wherever their clients leave, nothing stays reserved in the memory budget afterwards. */
import '../../kinds/builtin/loaded-kinds.js';
import { connect, type ClientHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { ApiServer, ConfigMap } from '../../../src/entries/index.js';
import { systemClock } from '../../../src/foundation/index.js';
import { kubernetes } from '../../../src/foundation/index.js';
import { ResourceInfo } from '../../../src/registry/definition/resource-info.js';
import { builtinResources } from '../../../src/kinds/builtin/index.js';
import type { MemoryBudget } from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createServingCertificate, listen } from '../../../src/transport/node/index.js';
import { Chance } from './chance.js';
import { byHttp1, byHttp2, sendAndLeave, type SentRequest } from './leaving-client.js';
import { RequestMaker } from './requests.js';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
/** A socket costs far more than a request in the process. */
const REQUESTS = Math.ceil(Number(process.env['FUZZ_REQUESTS'] ?? 20_000) / 25);
const AT_ONCE = 24;
const MIB = 1024 * 1024;
const MAPS = '/api/v1/namespaces/default/configmaps';
const TOKEN = 'owner-of-the-fuzzing-test';

/** A server with a small budget, its address, and the budget itself. */
async function start(): Promise<{ server: ApiServer; budget: MemoryBudget }> {
  const storage = createMemoryStorage({ clock: systemClock });
  const budgets: MemoryBudget[] = [];
  const share = storage.shareBudget?.bind(storage);
  storage.shareBudget = (budget) => {
    budgets.push(budget);
    share?.(budget);
  };
  const server = new ApiServer({
    storage,
    dialect: 'kubernetes',
    observability: { logger: { info: () => undefined, error: () => undefined } },
    limits: { memoryBytes: 40 * MIB, requestTimeout: 5_000, minWatch: 300 },
    authentication: {
      tokens: [
        { token: TOKEN, user: { username: 'owner', groups: ['system:masters'] } },
        { token: 'other', user: { username: 'other', groups: [] } },
      ],
    },
  });
  const maps = server.client().resource(ConfigMap).namespace('default');
  for (let index = 0; index < 150; index += 1)
    await maps.create({ metadata: { name: `map-${index}` }, data: { text: 'a b\n'.repeat(3_000) } });
  const [budget] = budgets;
  if (budget === undefined) throw new Error('the storage was given no budget');
  return { server, budget };
}

/** Requests that need much memory: large bodies, and large answers in every form. */
const LARGE: readonly ((
  chance: Chance,
) => Omit<SentRequest, 'headers'> & { readonly headers?: SentRequest['headers'] })[] = [
  ...['', '?pretty=1', '?limit=20', '?watch=1&timeoutSeconds=1'].map((query) => () => ({
    ...{ method: 'GET', target: MAPS + query, body: undefined },
  })),
  ...['application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json;as=Table;v=v1;g=meta.k8s.io'].map(
    (accept) => () => ({ method: 'GET', target: MAPS, body: undefined, headers: { accept } }),
  ),
  () => ({ method: 'GET', target: MAPS, body: undefined, headers: { 'accept-encoding': 'gzip' } }),
  (chance) => ({
    ...{ method: 'POST', target: MAPS },
    body: `{"metadata":{"generateName":"g-"},"data":{"text":"${'x'.repeat(chance.below(1_500_000))}"}}`,
  }),
  (chance) => ({ method: 'POST', target: MAPS, body: `{"x":[${'{},'.repeat(chance.below(150_000))}` }),
  (chance) => ({
    ...{ method: 'PATCH', target: `${MAPS}/map-${chance.below(150)}` },
    body: `data: {text: "${'y '.repeat(chance.below(200_000))}"}`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  }),
  (chance) => ({
    ...{ method: 'PATCH', target: `${MAPS}/map-${chance.below(150)}` },
    body: `{"data":{"text":"${'z'.repeat(chance.below(50_000))}"}}`,
    headers: { 'content-type': 'application/merge-patch+json' },
  }),
];

/** Makes requests, some of them large, with the tokens of two users. */
class SentMaker {
  readonly #maker: RequestMaker;

  constructor(readonly chance: Chance) {
    const infos = builtinResources.map((definition) => new ResourceInfo(definition, kubernetes));
    this.#maker = new RequestMaker(infos, chance);
  }

  make(): SentRequest {
    const { chance } = this;
    const authorization = `Bearer ${chance.happens(0.9) ? TOKEN : 'other'}`;
    if (chance.happens(0.4)) {
      const made = chance.pick(LARGE)(chance);
      return { ...made, headers: { 'content-type': 'application/json', ...made.headers, authorization } };
    }
    const { method, path, query, headers, body } = this.#maker.make();
    const parameters = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    const printable = Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value));
    return {
      method,
      target: `${path}?${parameters.join('&')}`,
      headers: { ...Object.fromEntries(printable), authorization },
      body: body === undefined ? undefined : 'text' in body ? body.text : JSON.stringify(body.json),
    };
  }
}

test(
  `after ${REQUESTS} requests of the seed ${SEED}, of which many clients leave, no memory is reserved`,
  { timeout: 120_000 + REQUESTS * 50 },
  async () => {
    const { server, budget } = await start();
    const plain = await listen(server);
    const { keyPem, certPem } = await createServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'] });
    const secure = await listen(server, { tls: { key: keyPem, cert: certPem } });
    const chance = new Chance(SEED);
    const maker = new SentMaker(chance);
    const statuses = new Map<number, number>();
    let most = 0;
    let next = 0;
    const client = async (index: number): Promise<void> => {
      let session: ClientHttp2Session | undefined;
      while (next++ < REQUESTS) {
        const request = maker.make();
        if (index % 2 === 0 && (session === undefined || session.destroyed || session.closed))
          session = connected(secure.url);
        const exchange = session === undefined ? byHttp1(plain.url, request) : byHttp2(session, request);
        const status = await sendAndLeave(exchange, request.body, chance);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        most = Math.max(most, budget.usedFor('bodies'));
      }
      session?.destroy();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => client(index)));
    // Requests whose clients have left end in later turns.
    await expect.poll(() => budget.usedFor('bodies'), { timeout: 60_000 }).toBe(0);
    await expect.poll(() => budget.usedFor('watchBuffers'), { timeout: 60_000 }).toBe(0);
    // Nothing would be tested if nothing were reserved, or all were refused.
    expect(most).toBeGreaterThan(MIB);
    expect([statuses.get(0), statuses.get(200), statuses.get(400)].map((count = 0) => count > REQUESTS / 100)).toEqual([
      true,
      true,
      true,
    ]);
    await Promise.all([plain.close(), secure.close()]);
    await server.close();
    expect(budget.usedFor('bodies')).toBe(0);
  },
);

function connected(url: string): ClientHttp2Session {
  const session = connect(url, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  return session;
}
