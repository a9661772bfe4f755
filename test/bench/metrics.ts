import { alwaysAllow } from '../../src/authz/authorizer.js';
import { systemClock } from '../../src/meta/system-runtime.js';
import { countedAuthenticator, countedAuthorizer } from '../../src/server/access-metrics.js';
import type { ApiRequest } from '../../src/server/http.js';
import { Metrics } from '../../src/server/metrics.js';
import { parseRequestInfo } from '../../src/server/request-info.js';
import { RequestMetrics } from '../../src/server/request-metrics.js';
import { RequestScope } from '../../src/server/request-scope.js';
import { interleaved, type Measure } from './measure.js';

const ROUNDS = 15;
const REQUESTS = 200_000;
const PATH = '/api/v1/namespaces/default/configmaps/subject';

/** What the metrics of a GET cost: its authentication, its authorization, and the request itself. */
export async function metrics(): Promise<Measure[]> {
  const all = new Metrics();
  const requests = new RequestMetrics({ metrics: all, now: () => systemClock.now(), serves: () => true });
  const user = { username: 'bench', groups: [] };
  const [authenticate, counted] = [() => ({ user }), countedAuthenticator(() => ({ user }), all)];
  const [authorize, measured] = [() => alwaysAllow(attributes), countedAuthorizer(alwaysAllow, all, systemClock)];
  const scope = scopeOf(PATH);
  const attributes = {
    ...{ user, verb: 'get', isResource: true, namespace: 'default', apiGroup: '', apiVersion: 'v1' },
    ...{ resource: 'configmaps', subresource: '', name: 'subject', path: PATH },
  };
  let sink = 0;
  const use = (value: unknown): void => void (sink += value === undefined ? 0 : 1);
  const costs = await interleaved(ROUNDS, {
    plain: () => {
      for (let index = 0; index < REQUESTS; index += 1) {
        use(authenticate());
        use(authorize());
      }
    },
    measured: () => {
      for (let index = 0; index < REQUESTS; index += 1) {
        const beganMs = requests.begin();
        use(counted(scope));
        use(measured(attributes));
        requests.answered(scope, 200, 'x', beganMs);
      }
    },
  });
  if (sink === 0) throw new Error('nothing was decided');
  return [
    {
      name: 'metrics of a GET',
      value: (costs.measured.cpuUs - costs.plain.cpuUs) / REQUESTS,
      unit: 'µs CPU',
      target: { sense: '<=', value: 1 },
      detail: 'its authentication, its authorization, and the request',
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
  return new RequestScope(request, info);
}
