import { afterEach, expect, test } from 'vitest';
import { readyValue } from '../../src/foundation/async/when-ready.js';
import { ApiServer } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, requestOf } from './ask.js';

const MAPS = '/api/v1/namespaces/default/configmaps';

let running: ApiServer | undefined;
afterEach(() => running?.close());

/** Starts a server with what the program has on, and one object. */
async function start(): Promise<ApiServer> {
  running = new ApiServer({
    clock: createManualClock(),
    dialect: 'kubernetes',
    fairness: true,
    authentication: {
      tokens: [
        { token: 'admin', user: { username: 'admin', groups: ['system:masters'] } },
        { token: 'alice', user: { username: 'alice', groups: [] } },
      ],
    },
  });
  const rights = {
    metadata: { name: 'alice' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  };
  const bindings = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  expect((await ask(running, 'POST', bindings, { body: JSON.stringify(rights) })).status).toBe(201);
  expect((await ask(running, 'POST', MAPS, { body: '{"metadata":{"name":"a"}}' })).status).toBe(201);
  // The first request of a kind may load code.
  expect((await ask(running, 'GET', `${MAPS}/a`, { token: 'alice' })).status).toBe(200);
  return running;
}

test('a GET of an object in memory waits for nothing, whether its level is exempt or not', async () => {
  const server = await start();
  for (const token of ['admin', 'alice']) {
    const answer = readyValue(server.target.handle(requestOf('GET', `${MAPS}/a`, { token })));
    expect(answer?.status).toBe(200);
  }
});

test('a list of objects in memory waits for nothing, nor does one by label once there is an index', async () => {
  const server = await start();
  const list = (query: string) => server.target.handle(requestOf('GET', `${MAPS}?${query}`, { token: 'alice' }));
  expect((await list('labelSelector=app')).status).toBe(200);
  for (const query of ['', 'limit=1', 'resourceVersion=0', 'labelSelector=app', 'labelSelector=app%3Da&limit=1']) {
    const answering = list(query);
    expect(readyValue(answering)?.status, query).toBe(200);
  }
});

test.each([
  ['continue=x', 400],
  ['resourceVersionMatch=Exact', 422],
  ['resourceVersion=x', 400],
])('a list with %s is refused all the same', async (query, status) => {
  const server = await start();
  expect((await ask(server, 'GET', `${MAPS}?${query}`, { token: 'alice' })).status).toBe(status);
});

test('a GET of an object that does not exist is answered all the same', async () => {
  const server = await start();
  expect((await ask(server, 'GET', `${MAPS}/none`, { token: 'alice' })).status).toBe(404);
  expect((await ask(server, 'GET', `${MAPS}/a?resourceVersion=0`, { token: 'alice' })).status).toBe(200);
});
