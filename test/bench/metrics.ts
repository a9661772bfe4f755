import type { Decision } from '../../src/security/authz/authorizer.js';
import { systemClock } from '../../src/foundation/host/system-runtime.js';
import { authenticationMeter, authorizationMeter } from '../../src/server/metrics/access-metrics.js';
import type { ApiRequest } from '../../src/server/requests/http.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { parseRequestInfo } from '../../src/server/requests/request-info.js';
import { RequestMetrics } from '../../src/server/metrics/request-metrics.js';
import { tracked } from '../../src/server/filters/tracked.js';
import { compose, RequestScope, type Endpoint, type Filter } from '../../src/server/requests/request-scope.js';
import { kubernetes } from '../../src/foundation/index.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { storeMeters } from '../../src/server/metrics/storage-metrics.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/storage/storage.js';
import { interleaved, type Measure } from './measure.js';

const ROUNDS = 15;
const REQUESTS = 200_000;
const KEY = '/registry/configmaps/default/subject';
const PATH = '/api/v1/namespaces/default/configmaps/subject';

/** The cost of the metrics of a GET: its authentication, its authorization, and the request itself. */
export async function metrics(): Promise<Measure[]> {
  const all = new Metrics();
  const requests = new RequestMetrics({ metrics: all, now: () => systemClock.now(), serves: () => true });
  const user = { username: 'bench', groups: [] };
  const [authenticated, authorized] = [authenticationMeter(all, kubernetes), authorizationMeter(all)];
  const now = (): number => systemClock.now();
  const authenticate = (): { user: typeof user } => ({ user });
  const authorize = (): Decision => ({ decision: 'Allow', reason: '' });
  const scope = scopeOf(PATH);
  const answered = Promise.resolve({ status: 200, headers: {}, body: undefined });
  const endpoint: Endpoint = () => answered;
  const passing: Filter = (next) => (passed) => next(passed);
  const names = ['authentication', 'impersonation', 'authorization'];
  const plainFilters = compose(
    names.map(() => passing),
    endpoint,
  );
  const trackedFilters = compose(
    names.map((name) => tracked(name, passing, all)),
    endpoint,
  );
  let sink = 0;
  const use = (value: unknown): void => void (sink += value === undefined ? 0 : 1);
  const costs = await interleaved(ROUNDS, {
    plain: () => {
      for (let index = 0; index < REQUESTS; index += 1) {
        use(authenticate());
        use(authorize());
        use(plainFilters(scope));
      }
    },
    measured: () => {
      for (let index = 0; index < REQUESTS; index += 1) {
        scope.receivedMs = scope.momentMs = now();
        const identity = authenticate();
        authenticated(identity, now() - scope.receivedMs);
        use(identity);
        const decision = authorize();
        authorized(decision, now() - scope.receivedMs);
        use(decision);
        use(trackedFilters(scope));
        requests.answered(scope, 200, 'x');
      }
    },
  });
  if (sink === 0) throw new Error('nothing was decided');
  return [
    ...(await storageCosts()),
    {
      name: 'metrics of a GET',
      value: (costs.measured.cpuUs - costs.plain.cpuUs) / REQUESTS,
      unit: 'µs CPU',
      target: { sense: '<=', value: 1 },
      detail: 'its authentication, its authorization, its filters, and the request',
    },
  ];
}

/** The cost that the metrics of the storage add to a read and to a write in memory. */
async function storageCosts(): Promise<Measure[]> {
  const meter = storeMeters(new Metrics(), systemClock)(new ResourceInfo(ConfigMap, kubernetes));
  const plain = createMemoryStorage({ clock: systemClock });
  const engine = createMemoryStorage({ clock: systemClock });
  const measured = meter.measured(engine);
  for (const storage of [plain, engine]) await storage.create(KEY, () => '{}');
  const reads = (storage: Storage) => async () => {
    for (let index = 0; index < REQUESTS / 2; index += 1) await storage.get(KEY);
  };
  const writes = (storage: Storage) => async () => {
    let { modRevision } = (await storage.get(KEY)).record ?? { modRevision: 0 };
    for (let index = 0; index < REQUESTS / 4; index += 1)
      ({ modRevision } = await storage.update(KEY, () => '{}', modRevision));
  };
  const costs = await interleaved(ROUNDS, {
    plainReads: reads(plain),
    measuredReads: reads(measured),
    plainWrites: writes(plain),
    measuredWrites: writes(measured),
  });
  const { plainReads, measuredReads, plainWrites, measuredWrites } = costs;
  const target = { sense: '<=', value: 0.5 } as const;
  return [
    {
      ...{ name: 'metrics of a read of the storage', unit: 'µs CPU', target },
      value: (measuredReads.cpuUs - plainReads.cpuUs) / (REQUESTS / 2),
    },
    {
      ...{ name: 'metrics of a write of the storage', unit: 'µs CPU', target },
      value: (measuredWrites.cpuUs - plainWrites.cpuUs) / (REQUESTS / 4),
    },
  ];
}

function scopeOf(path: string): RequestScope {
  const info = parseRequestInfo('GET', path, '');
  if (info instanceof Error) throw info;
  const request: ApiRequest = {
    ...{ method: 'GET', path, query: '', signal: new AbortController().signal },
    headers: { get: () => undefined, getAll: () => [], names: () => [], hasPrefix: () => false },
    peer: { address: undefined, tls: false },
    body: () => Promise.resolve(new Uint8Array()),
  };
  return new RequestScope(request, info, systemClock);
}
