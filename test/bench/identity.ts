import { generateKeyPairSync, sign } from 'node:crypto';
import { ApiServer, ConfigMap, ServiceAccount } from 'orch-apiserver';
import { TokenRequest } from 'orch-apiserver/kinds';
import { load, startServer } from './load.js';
import { interleaved, median, type Measure } from './measure.js';
import { benchConfigMap } from './object.mjs';

const REQUESTS = 5_000;
const TOKENS = 200;
const ROUNDS = 9;
const PATH = '/api/v1/namespaces/default/configmaps/object';

/** The cost of identifying the requester, in a whole server. */
export async function identity(): Promise<Measure[]> {
  return [
    ...(await impersonation()),
    ...(await tokenRequests('ES256')),
    ...(await tokenRequests('RS256')),
    ...(await rbacOverHttp()),
  ];
}

const PAIRS_OF_KEYS = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
} as const;

async function impersonation(): Promise<Measure[]> {
  await using server = new ApiServer({
    authentication: { tokens: [{ token: 'bench', user: { username: 'bench', groups: ['system:masters'] } }] },
  });
  await server.client().resource(ConfigMap).namespace('default').create(benchConfigMap('object'));
  const plain = requestOf({ authorization: ['Bearer bench'] });
  const impersonating = requestOf({
    authorization: ['Bearer bench'],
    'impersonate-user': ['carol'],
    'impersonate-group': ['system:masters', 'dev'],
  });
  const handleAll = (request: typeof plain) => async (): Promise<void> => {
    for (let index = 0; index < REQUESTS; index += 1) await server.target.handle(request);
  };
  const costs = await interleaved(ROUNDS, { plain: handleAll(plain), impersonating: handleAll(impersonating) });
  const each = (name: keyof typeof costs): number => costs[name].wallUs / REQUESTS;
  return [
    {
      name: 'impersonation of a user with two groups, added to a request',
      value: each('impersonating') - each('plain'),
      unit: 'µs',
      target: { sense: '<=', value: 10 },
      detail: `${each('impersonating').toFixed(1)} against ${each('plain').toFixed(1)} µs in-process`,
    },
  ];
}

async function tokenRequests(algorithm: keyof typeof PAIRS_OF_KEYS): Promise<Measure[]> {
  const { privateKey } = PAIRS_OF_KEYS[algorithm]();
  await using server = new ApiServer({
    authentication: { serviceAccounts: { signingKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() } },
  });
  const accounts = server.client().resource(ServiceAccount).namespace('default');
  await accounts.create({ metadata: { name: 'robot' } });
  const input = new TextEncoder().encode('x'.repeat(600));
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
  let sink: unknown;
  const costs = await interleaved(ROUNDS, {
    sign: () => {
      for (let index = 0; index < TOKENS; index += 1) sink = sign('sha256', input, key);
    },
    issue: async () => {
      for (let index = 0; index < TOKENS; index += 1)
        sink = await accounts.perform('robot', TokenRequest, { spec: {} });
    },
  });
  if (sink === undefined) throw new Error('nothing was measured');
  const tokenUs = costs.issue.wallUs / TOKENS;
  const signUs = costs.sign.wallUs / TOKENS;
  return [
    {
      name: `TokenRequest in-process over the raw sign (${algorithm})`,
      value: tokenUs / signUs,
      unit: '×',
      target: { sense: '<=', value: 2.5 },
      detail: `${tokenUs.toFixed(1)} against ${signUs.toFixed(1)} µs`,
    },
  ];
}

/** A request as a transport passes it in. */
function requestOf(fields: Readonly<Record<string, readonly string[]>>): Parameters<ApiServer['target']['handle']>[0] {
  const names = Object.keys(fields);
  return {
    method: 'GET',
    path: PATH,
    query: '',
    headers: {
      get: (name) => fields[name]?.join(', '),
      getAll: (name) => fields[name] ?? [],
      names: () => names,
      hasPrefix: (prefix) => names.some((name) => name.startsWith(prefix)),
    },
    body: () => Promise.resolve(new Uint8Array()),
    peer: { address: '127.0.0.1', tls: false },
    signal: new AbortController().signal,
  };
}

const GETS = 8_000;
const CONNECTIONS = 32;
const PAIRS = 7;

/**
 * The same GET by a user who needs no authorization, and by one whose bindings are searched, in a server with many
 * roles.
 */
async function rbacOverHttp(): Promise<Measure[]> {
  const server = await startServer('api.mjs', '100', 'roles');
  const path = '/api/v1/namespaces/default/configmaps/object-000007';
  const run = async (token: string): Promise<number> => {
    const start = performance.now();
    await load(server.port, path, GETS, CONNECTIONS, token);
    return performance.now() - start;
  };
  try {
    const ratios: number[] = [];
    for (let pair = 0; pair <= PAIRS; pair += 1) {
      const without = await run('bench');
      const bound = await run('bound');
      if (pair > 0) ratios.push(without / bound);
    }
    return [
      {
        name: 'HTTP GET of a ConfigMap with RBAC over one without',
        value: median(ratios),
        unit: '×',
        target: { sense: '>=', value: 0.9 },
        detail: 'a user with 5 bindings among 2,000, against one in system:masters',
      },
    ];
  } finally {
    server.stop();
  }
}
