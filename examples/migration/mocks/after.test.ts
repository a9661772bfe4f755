/** The same tests on a server: they look at what has become of the deployment, not at the request. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Deployment, Namespace } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';
import { setImage, setImageFirstVersion, type Cluster } from './set-image.js';

const web = { namespace: 'shop', deployment: 'web', container: 'web' };
const ownerToken = 'secret';
let seeded: TestServer;

before(async () => {
  seeded = await startTestServer({ dialect: 'kubernetes', authentication: { ownerToken } });
  await seeded.client.resource(Namespace).create({ metadata: { name: 'shop' } });
  const labels = { app: 'web' };
  const ports = [{ containerPort: 8080 }];
  const containers = [
    { name: 'web', image: 'web:1', ports },
    { name: 'proxy', image: 'proxy:1' },
  ];
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
  await seeded.client
    .resource(Deployment)
    .namespace('shop')
    .create({ metadata: { name: 'web' }, spec });
});
after(() => seeded.close());

/** Runs a test on a fork, over HTTP. Returns the containers afterwards, with their ports. */
async function onFork(run: (cluster: Cluster) => Promise<unknown>): Promise<unknown[]> {
  await using fork = await seeded.fork();
  await using listener = await listen(fork.server);
  await run({ url: listener.url, token: ownerToken });
  const { spec } = await fork.client.resource(Deployment).namespace('shop').get('web');
  return (spec?.template?.spec?.containers ?? []).map(({ image, ports = [] }) => [image, ports.length]);
}

test('sets the image, and nothing else', async () => {
  const containers = await onFork(async (cluster) => assert.equal(await setImage(cluster, web, 'web:2'), 2));
  assert.deepEqual(containers, [
    ['web:2', 1],
    ['proxy:1', 0],
  ]);
});

test('fails if there is no such deployment', async () => {
  await onFork((cluster) => assert.rejects(setImage(cluster, { ...web, deployment: 'shop' }, 'web:2'), /shop: 404/));
});

test('caught: the first version deletes the other container, and the ports of this one', async () => {
  const containers = await onFork((cluster) => setImageFirstVersion(cluster, web, 'web:2'));
  assert.deepEqual(containers, [['web:2', 0]]);
});
