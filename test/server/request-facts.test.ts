import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Attributes } from '../../src/security/authz/index.js';
import { controllerNames } from '../../src/entries/controllers.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';

/** The authorization attributes of requests, as in the request info of Kubernetes 1.31. */
const ALICE = { username: 'alice', groups: [] };

const asked: Attributes[] = [];
let running: TestServer;
beforeAll(async () => {
  running = await startTestServer({
    controllers: { disable: controllerNames },
    featureGates: { AuthorizeWithSelectors: true },
    authentication: { tokens: [{ token: 'alice', user: ALICE }] },
    authorization: {
      authorizer: (attributes) => {
        if (attributes.user.username === 'alice') asked.push(attributes);
        return { decision: 'Deny', reason: '' };
      },
    },
  });
});
afterAll(() => running.close());
beforeEach(() => (asked.length = 0));

const NS = '/api/v1/namespaces/ns';
const SELECTED = '?fieldSelector=metadata.name%3Dx';

test.each<[method: string, target: string, facts: string]>([
  // A list or watch of one name is a request on that name.
  ['GET', `${NS}/configmaps${SELECTED}`, 'list ns configmaps x F'],
  ['HEAD', `${NS}/configmaps${SELECTED}`, 'list ns configmaps x F'],
  ['GET', `${NS}/configmaps${SELECTED}&watch=1`, 'watch ns configmaps x F'],
  ['GET', `/api/v1/configmaps${SELECTED}`, 'list - configmaps x F'],
  ['GET', `/api/v1/namespaces${SELECTED}`, 'list - namespaces x F'],
  ['GET', `${NS}/configmaps?%66ieldSelector=metadata.name%3Dx`, 'list ns configmaps x F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name%3D%3Dx`, 'list ns configmaps x F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.namespace%3Dns,metadata.name%3Dx`, 'list ns configmaps x F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name%3Dx,metadata.name%3Dy`, 'list ns configmaps x F'],
  ['GET', `${NS}/configmaps${SELECTED}&fieldSelector=metadata.name%3Dy`, 'list ns configmaps x F'],
  ['GET', `${NS}/configmaps${SELECTED}&labelSelector=a`, 'list ns configmaps x FL'],
  // A selector without a single name, or one that cannot be parsed, is a request on the whole collection.
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name!%3Dx`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name%3D`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.namespace%3Dx`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name`, 'list ns configmaps - -'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name%3Da%2Fb`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps?fieldSelector=metadata.name%3D..`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps${SELECTED}&limit=abc`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps${SELECTED}&limit=`, 'list ns configmaps - F'],
  ['GET', `${NS}/configmaps${SELECTED}&timeoutSeconds=abc&watch=1`, 'watch ns configmaps - F'],
  ['GET', `${NS}/configmaps${SELECTED}&labelSelector=!!`, 'list ns configmaps - F'],
  // The name in the path is used, and no other.
  ['GET', `${NS}/configmaps/p${SELECTED}`, 'get ns configmaps p -'],
  ['GET', `${NS}/configmaps/p${SELECTED}&watch=1`, 'watch ns configmaps p F'],
  ['GET', `/api/v1/watch/namespaces/ns/configmaps/p${SELECTED}`, 'watch ns configmaps p -'],
  ['GET', `/api/v1/watch/namespaces/ns/configmaps${SELECTED}`, 'watch ns configmaps - -'],
  ['GET', `/api/v1/watch/configmaps${SELECTED}&labelSelector=a`, 'watch - configmaps - -'],
  ['GET', `/api/v1/watch/namespaces${SELECTED}`, 'watch - namespaces - -'],
  ['GET', `/api/v1/watch/namespaces/p${SELECTED}`, 'watch p namespaces p -'],
  ['POST', `/api/v1/watch/namespaces/ns/configmaps${SELECTED}`, 'watch ns configmaps - -'],
  ['DELETE', `/api/v1/watch/namespaces/ns/configmaps/p${SELECTED}`, 'watch ns configmaps p -'],
  // No other request is narrowed to a name.
  ['DELETE', `${NS}/configmaps${SELECTED}`, 'deletecollection ns configmaps - F'],
  ['DELETE', `${NS}/configmaps/p${SELECTED}`, 'delete ns configmaps p -'],
  ['POST', `${NS}/configmaps${SELECTED}`, 'create ns configmaps - -'],
  ['PUT', `${NS}/configmaps/p${SELECTED}`, 'update ns configmaps p -'],
])('%s %s', async (method, target, facts) => {
  expect((await ask(running.server, method, target, { token: 'alice', body: '{}' })).status).toBe(403);
  const [{ verb, namespace, resource, name, fieldSelector, labelSelector } = {} as Attributes] = asked;
  const selectors = `${fieldSelector === undefined ? '' : 'F'}${labelSelector === undefined ? '' : 'L'}`;
  expect([verb, namespace, resource, name, selectors].map((word) => (word === '' ? '-' : word)).join(' ')).toBe(facts);
  expect(asked).toHaveLength(1);
});

test('a role limited to a name allows no wider watch through a path that contains the verb', async () => {
  await using limited = await startTestServer({
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'alice', user: ALICE }] },
    authorization: {
      authorizer: ({ name }) =>
        name === 'x' ? { decision: 'Allow', reason: '' } : { decision: 'NoOpinion', reason: '' },
    },
  });
  for (const path of [
    '/api/v1/watch/configmaps',
    '/api/v1/watch/namespaces/default/configmaps',
    '/api/v1/watch/namespaces/default/configmaps/y',
  ]) {
    expect((await ask(limited.server, 'GET', `${path}${SELECTED}`, { token: 'alice' })).status, path).toBe(403);
  }
  const gone = new AbortController();
  expect(
    (
      await ask(limited.server, 'GET', `/api/v1/namespaces/default/configmaps${SELECTED}&watch=1`, {
        token: 'alice',
        signal: gone.signal,
      })
    ).status,
  ).toBe(200);
  gone.abort();
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])(
  '%s to the path of a watch is answered with 405 even if the watch is allowed',
  async (method) => {
    await using open = await startTestServer({
      controllers: { disable: controllerNames },
      authentication: { tokens: [{ token: 'alice', user: { ...ALICE, groups: ['system:masters'] } }] },
    });
    for (const path of ['/api/v1/watch/configmaps', '/api/v1/watch/namespaces/default/configmaps/a']) {
      const response = await ask(open.server, method, path, { token: 'alice', body: '{}' });
      expect([response.status, jsonOf(response)['reason']]).toEqual([405, 'MethodNotAllowed']);
    }
  },
);

test('a watch of one name accepts no selector for another', async () => {
  await using open = await startTestServer({
    controllers: { disable: controllerNames },
    authentication: { tokens: [{ token: 'alice', user: { ...ALICE, groups: ['system:masters'] } }] },
  });
  const gone = new AbortController();
  const watch = (target: string) => ask(open.server, 'GET', target, { token: 'alice', signal: gone.signal });
  for (const path of ['/api/v1/watch/namespaces/default/configmaps/x', '/api/v1/namespaces/default/configmaps/x']) {
    expect((await watch(`${path}${SELECTED}&watch=1`)).status).toBe(200);
    for (const selector of ['metadata.name%3Dy', 'metadata.name!%3Dx', 'metadata.namespace%3Ddefault']) {
      const response = await watch(`${path}?watch=1&fieldSelector=${selector}`);
      expect([response.status, jsonOf(response)['message']]).toEqual([
        400,
        "fieldSelector metadata.name doesn't match requested name",
      ]);
    }
  }
  gone.abort();
});
