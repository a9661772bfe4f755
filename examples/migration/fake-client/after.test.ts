/** The same tests on a server, and one that the fake client made impossible. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { connectKubeConfig } from 'orch-apiserver/client-node';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';
import { claimTask, claimTaskFirstVersion, TASK, WORKER } from './queue.js';

const namespace = 'default';
let seeded: TestServer;

const apiOf = ({ server }: TestServer): CoreV1Api =>
  connectKubeConfig(new KubeConfig(), server).makeApiClient(CoreV1Api);

before(async () => {
  seeded = await startTestServer({ dialect: 'kubernetes' });
  const api = apiOf(seeded);
  for (const name of ['one', 'two'])
    await api.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { [TASK]: '' } } } });
  await api.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'settings' } } });
});
after(() => seeded.close());

test('a worker claims a task', async () => {
  await using fork = await seeded.fork();
  const api = apiOf(fork);
  assert.equal(await claimTask(api, namespace, 'alice'), 'one');
  const { metadata } = await api.readNamespacedConfigMap({ name: 'one', namespace });
  assert.equal(metadata?.annotations?.[WORKER], 'alice');
});

test('each task is claimed once, also by workers at the same time', async () => {
  await using fork = await seeded.fork();
  const api = apiOf(fork);
  const claimed = await Promise.all(['alice', 'bob', 'carol'].map((worker) => claimTask(api, namespace, worker)));
  assert.deepEqual(claimed.sort(), ['one', 'two', undefined]);
});

test('caught: with the first version, every worker claims the same task', async () => {
  await using fork = await seeded.fork();
  const api = apiOf(fork);
  const workers = ['alice', 'bob', 'carol'];
  const claimed = await Promise.all(workers.map((worker) => claimTaskFirstVersion(api, namespace, worker)));
  assert.deepEqual(claimed, ['one', 'one', 'one']);
});
