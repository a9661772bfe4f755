/** The tests with canned answers, as nock and msw give them: here with the mocks of node:test. */
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { setImage, setImageFirstVersion } from './set-image.js';

const cluster = { url: 'https://cluster.example', token: 'secret' };
const web = { namespace: 'shop', deployment: 'web', container: 'web' };
const PATH = '/apis/apps/v1/namespaces/shop/deployments/web';

/** Answers one request as the test expects it. */
function reply(method: string, path: string, code: number, body: object) {
  return mock.method(globalThis, 'fetch', async (url: string, init: RequestInit = {}) => {
    assert.deepEqual([init.method, url], [method, cluster.url + path]);
    return new Response(JSON.stringify(body), { status: code, headers: { 'content-type': 'application/json' } });
  });
}

afterEach(() => mock.restoreAll());

// Both versions pass: the mock answers what the test says, whatever the request means.
for (const set of [setImage, setImageFirstVersion]) {
  test(`${set.name}: sends the image and returns the generation`, async () => {
    const sent = reply('PATCH', PATH, 200, { metadata: { name: 'web', generation: 7 } });
    assert.equal(await set(cluster, web, 'web:2'), 7);
    const [, init] = sent.mock.calls[0]?.arguments ?? [];
    assert.deepEqual(JSON.parse(String(init?.body)), {
      spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } },
    });
    assert.equal(new Headers(init?.headers).get('authorization'), 'Bearer secret');
  });

  test(`${set.name}: fails if there is no such deployment`, async () => {
    reply('PATCH', PATH, 404, { kind: 'Status', code: 404 });
    await assert.rejects(set(cluster, web, 'web:2'), /web: 404/);
  });
}
