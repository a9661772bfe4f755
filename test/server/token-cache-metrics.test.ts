/** Metrics of the cache of tokens by the names and labels of Kubernetes. */
import { afterEach, expect, test } from 'vitest';
import { ApiServer, kubernetes } from '../../src/entries/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const PATH = '/api/v1/namespaces/default/configmaps';
const REVIEW = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  status: { authenticated: true, user: { username: 'remote', groups: ['system:masters'] } },
};

/** A server with a webhook for tokens that answers when the test says so. */
function start() {
  const clock = createManualClock();
  const posted: ((status: number) => void)[] = [];
  const server = new ApiServer({
    dialect: kubernetes,
    clock,
    authentication: {
      tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }],
      tokenWebhook: {
        version: 'v1',
        retry: { steps: 1 },
        post: () =>
          new Promise((resolve) => {
            const body = new TextEncoder().encode(JSON.stringify(REVIEW));
            posted.push((status) => resolve({ status, header: () => undefined, body }));
          }),
      },
    },
  });
  servers.push(server);
  return { server, clock, posted };
}

/** The series of the cache, without those of buckets. */
async function series(server: ApiServer): Promise<string[]> {
  const all = textOf(await ask(server, 'GET', '/metrics')).split('\n');
  return all.filter((line) => line.startsWith('authentication_token_cache_') && !line.includes('_bucket'));
}

/** Waits until a webhook was called that often. */
async function calls(posted: readonly unknown[], count: number): Promise<void> {
  while (posted.length < count) await new Promise(setImmediate);
}

test('requests that share a lookup, one from the cache, and a lookup that fails', async () => {
  const { server, clock, posted } = start();
  const first = ask(server, 'GET', PATH, { token: 'remote' });
  const second = ask(server, 'GET', PATH, { token: 'remote' });
  await calls(posted, 1);
  // The token of the reader is known without the webhook.
  expect(await series(server)).toEqual([
    'authentication_token_cache_active_fetch_count{status="blocked"} 2',
    'authentication_token_cache_active_fetch_count{status="in_flight"} 1',
  ]);
  await clock.advance(2000);
  posted[0]?.(200);
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect((await ask(server, 'GET', PATH, { token: 'remote' })).status).toBe(200);
  const third = ask(server, 'GET', PATH, { token: 'other' });
  await calls(posted, 2);
  posted[1]?.(500);
  expect((await third).status).toBe(401);
  expect(await series(server)).toEqual([
    'authentication_token_cache_active_fetch_count{status="blocked"} 0',
    'authentication_token_cache_active_fetch_count{status="in_flight"} 0',
    'authentication_token_cache_fetch_total{status="ok"} 1',
    'authentication_token_cache_fetch_total{status="error"} 1',
    'authentication_token_cache_request_duration_seconds_sum{status="miss"} 4',
    'authentication_token_cache_request_duration_seconds_count{status="miss"} 3',
    'authentication_token_cache_request_duration_seconds_sum{status="hit"} 0',
    'authentication_token_cache_request_duration_seconds_count{status="hit"} 1',
    'authentication_token_cache_request_total{status="miss"} 3',
    'authentication_token_cache_request_total{status="hit"} 1',
  ]);
});

test('a server without a webhook for tokens has no such metrics', async () => {
  const user = { username: 'admin', groups: ['system:masters'] };
  const server = new ApiServer({ dialect: kubernetes, authentication: { tokens: [{ token: 'admin', user }] } });
  servers.push(server);
  const text = textOf(await ask(server, 'GET', '/metrics'));
  expect(text).toContain('authentication_attempts');
  expect(text).not.toContain('token_cache');
});
