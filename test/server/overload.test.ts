/** Users that take everything they can get, over sockets, while the other users are served. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServer } from '../../src/entries/index.js';
import { listen, type Listener } from '../../src/transport/node/index.js';
import { RawClient } from '../transport/support/raw-client.js';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const MAPS = '/api/v1/namespaces/default/configmaps';

let server: ApiServer;
let listener: Listener;
let clients: RawClient[];

beforeEach(async () => {
  clients = [];
  server = new ApiServer({
    dialect: 'kubernetes',
    authentication: {
      tokens: [
        { token: 'mallory', user: { username: 'mallory', groups: [] } },
        { token: 'alice', user: { username: 'alice', groups: ['writers'] } },
      ],
    },
    limits: { requestTimeout: 120_000, revisionWait: 120_000, watches: { maxPerUser: 20 } },
  });
  const { ClusterRole, ClusterRoleBinding } = await import('../../src/kinds/builtin/index.js');
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
  await server
    .client()
    .resource(ClusterRole)
    .create({ metadata: { name: 'writer' }, rules });
  await server
    .client()
    .resource(ClusterRoleBinding)
    .create({
      metadata: { name: 'writers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'writers' }],
    });
  const readers = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] }];
  await server
    .client()
    .resource(ClusterRole)
    .create({ metadata: { name: 'reader' }, rules: readers });
  await server
    .client()
    .resource(ClusterRoleBinding)
    .create({
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'mallory' }],
    });
  listener = await listen(server, { timeouts: { request: 120_000 } });
});

afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await listener.close({ grace: 0 });
  await server.close();
});

/** Starts many requests of one user, whatever their outcome. */
async function attack(count: number, head: string): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    const client = new RawClient(listener.address.port);
    client.write(
      `${head} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mallory\r\nContent-Type: application/json\r\n`,
    );
    client.write(head.startsWith('POST') ? 'Content-Length: 10\r\n\r\n{' : '\r\n');
    clients.push(client);
  }
  await expect.poll(() => listener.connections, { timeout: 60_000 }).toBe(count);
}

const asAlice = (method: string, path: string, body?: string): Promise<Response> =>
  fetch(listener.url + path, {
    method,
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { body }),
  });

/** Another user reads and writes before any request of the others ends. */
async function othersAreServed(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    expect((await asAlice('GET', MAPS)).status).toBe(200);
    expect((await asAlice('POST', MAPS, JSON.stringify({ metadata: { generateName: 'a-' } }))).status).toBe(201);
  }
  expect(clients.filter(({ received }) => /^HTTP\/1\.1 (408|504)/.test(received))).toEqual([]);
}

test('250 requests whose bodies never arrive block no other request', async () => {
  await attack(250, `POST ${REVIEWS}`);
  await othersAreServed();
  // Even the user that sends them still has free slots.
  const own = await fetch(listener.url + REVIEWS, {
    method: 'POST',
    headers: { authorization: 'Bearer mallory', 'content-type': 'application/json' },
    body: '{"spec":{"nonResourceAttributes":{"verb":"get","path":"/"}}}',
  });
  expect(own.status).toBe(201);
}, 300_000);

test('450 reads of a future version block no other request', async () => {
  await attack(450, 'GET /api/v1/namespaces?resourceVersion=1000000');
  await othersAreServed();
}, 300_000);

test('2,000 waiting bodies are rejected beyond the limit, and block no other request', async () => {
  await attack(2_000, `POST ${REVIEWS}`);
  await othersAreServed();
  const refused = (): number => clients.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length;
  // The others do not wait for all of them.
  await expect.poll(refused, { timeout: 60_000 }).toBe(1_250);
  expect(clients.find(({ received }) => received.startsWith('HTTP/1.1 429'))?.received).toMatch(
    /\r\nretry-after: 1\r\n/i,
  );
}, 300_000);

test("watches beyond a user's limit are rejected, over HTTP and WebSocket, and block no other request", async () => {
  await attack(15, 'GET /api/v1/namespaces?watch=1');
  await attackBySocket(15);
  await othersAreServed();
  const answers = clients.map(({ received }) => received.slice(9, 12));
  expect(['200', '101', '429'].map((status) => answers.filter((answer) => answer === status).length)).toEqual([
    15, 5, 10,
  ]);
  for (const { socket } of clients.splice(0, 15)) socket.destroy();
  await expect
    .poll(
      async () =>
        (
          await fetch(`${listener.url}/api/v1/namespaces?watch=1&timeoutSeconds=1`, {
            headers: { authorization: 'Bearer mallory' },
          })
        ).status,
    )
    .toBe(200);
}, 300_000);

async function attackBySocket(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    const client = new RawClient(listener.address.port);
    client.write(
      'GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer mallory\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    clients.push(client);
    await client.until('HTTP/1.1');
  }
}
