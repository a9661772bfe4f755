/** The process of `shapes.test.ts`: sends each kind of request many times, by HTTP records and by the client. */
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import type { ApiRequest } from '../../src/server/requests/http.js';

const TIMES = Number(process.argv[2]);
const PATH = '/api/v1/namespaces/default/configmaps';

const server = new ApiServer({
  authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
});
const maps = server.client().resource(ConfigMap).namespace('default');
const { signal } = new AbortController();

function request(method: string, target: string, contentType?: string, body?: object): ApiRequest {
  const [path = '', query = ''] = target.split('?');
  const fields = new Map([['authorization', 'Bearer admin']]);
  if (contentType !== undefined) fields.set('content-type', contentType);
  return {
    method,
    path,
    query,
    headers: {
      get: (name) => fields.get(name),
      getAll: (name) => (fields.has(name) ? [fields.get(name) ?? ''] : []),
      names: () => fields.keys(),
      hasPrefix: () => false,
    },
    peer: { address: undefined, tls: false },
    signal,
    body: () => Promise.resolve(new TextEncoder().encode(body === undefined ? '' : JSON.stringify(body))),
  };
}

const map = (name: string, value: number): { metadata: { name: string }; data: Record<string, string> } => ({
  metadata: { name },
  data: { value: String(value) },
});
const object = (name: string, value: number): object => ({ apiVersion: 'v1', kind: 'ConfigMap', ...map(name, value) });
const review = {
  apiVersion: 'authorization.orch.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: 'default' } },
};

/** The requests of one round; `prefix` begins the names of its objects. */
const requestsOf = (prefix: string): readonly ((index: number) => ApiRequest)[] => [
  (index) => request('POST', PATH, 'application/json', object(`${prefix}-${index}`, index)),
  (index) => request('GET', `${PATH}/${prefix}-${index}`),
  (index) => request('PUT', `${PATH}/${prefix}-0`, 'application/json', object(`${prefix}-0`, index)),
  (index) =>
    request('PATCH', `${PATH}/${prefix}-0`, 'application/merge-patch+json', { data: { value: `merged-${index}` } }),
  (index) =>
    request('PATCH', `${PATH}/${prefix}-0`, 'application/json-patch+json', [
      { op: 'add', path: '/data/value', value: `added-${index}` },
    ]),
  (index) =>
    request(
      'PATCH',
      `${PATH}/applied?fieldManager=test&force=true`,
      'application/apply-patch+yaml',
      object('applied', index),
    ),
  () => request('GET', `${PATH}?limit=2`),
  () => request('GET', `${PATH}?labelSelector=a%3Db`),
  () => request('POST', '/apis/authorization.orch.io/v1/selfsubjectaccessreviews', 'application/json', review),
  (index) => request('DELETE', `${PATH}/${prefix}-${index}`),
];

async function sendRequests(prefix: string, times: number): Promise<void> {
  for (const make of requestsOf(prefix)) {
    for (let index = 0; index < times; index += 1) {
      const { status, body } = await server.target.handle(make(index));
      if (status >= 300) throw new Error(`${status} ${String(body)}`);
    }
  }
}

async function useClient(prefix: string, times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    const name = `${prefix}-${index}`;
    await maps.create(map(name, index));
    await maps.get(name);
    await maps.update(map(name, index + 1));
    await maps.patch(name, { data: { value: 'patched' } });
    await maps.apply(map('by-client', index), { fieldManager: 'test', force: true });
    await maps.delete(name);
  }
}

// The first requests load the code.
await sendRequests('first', 3);
await useClient('first', 3);
/** The test reads the log of the process from the line on that names this member. */
const marker: Record<string, boolean> = {};
marker['requestsBegin'] = true;
await sendRequests('second', TIMES);
await useClient('third', TIMES);
await server.close();
