import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type Client } from 'orch-apiserver/client';
import { Job, Namespace, Secret } from 'orch-apiserver/kinds';
import { listen } from 'orch-apiserver/node';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';
import { Bucket, buckets, type Store } from './bucket.js';
import { ReportSchedule, reportSchedules } from './report-schedule.js';
import { secretCopier } from './secret-copier.js';

/** Runs a test in the process of the server, and with a client over the wire. */
function everywhere(name: string, run: (server: TestServer, client: Client) => Promise<void>): void {
  const start = () =>
    startTestServer({
      dialect: 'kubernetes',
      start: Date.parse('2026-01-01T00:00:00Z'),
      resources: [ReportSchedule, Bucket],
      authentication: { ownerToken: 'operator' },
    });
  test(`${name}, in the process`, async () => {
    await using server = await start();
    await run(server, server.client);
  });
  test(`${name}, over the wire`, async () => {
    await using server = await start();
    await using listener = await listen(server.server);
    await using client = await connect({ url: listener.url, token: 'operator' }, { clock: server.clock });
    await run(server, client);
  });
}

everywhere('a schedule makes one job for each interval', async (server, client) => {
  const running = await server.run(reportSchedules, { client });
  await server.client
    .resource(ReportSchedule)
    .namespace('default')
    .create({ metadata: { name: 'daily' }, spec: { everyMinutes: 10, image: 'report:1' } });
  await server.advance('25m');
  const jobs = await server.client.resource(Job).namespace('default').list();
  assert.equal(jobs.items.length, 3);
  const schedule = await server.client.resource(ReportSchedule).namespace('default').get('daily');
  assert.equal(schedule.status?.lastRun, '2026-01-01T00:20:00.000Z');
  assert.deepEqual(running.errors, []);
  await running.stop();
});

everywhere('secrets are copied to the namespaces that ask for it', async (server, client) => {
  const running = await server.run(secretCopier, { client });
  const namespaces = server.client.resource(Namespace);
  await namespaces.create({ metadata: { name: 'shared' } });
  await namespaces.create({ metadata: { name: 'shop', labels: { copy: 'yes' } } });
  const secrets = server.client.resource(Secret);
  const key = await secrets.namespace('shared').create({ metadata: { name: 'key' }, data: { token: 'YQ==' } });
  await server.settled();
  assert.deepEqual((await secrets.namespace('shop').get('key')).data, { token: 'YQ==' });
  await secrets.namespace('shared').update({ ...key, data: { token: 'Yg==' } });
  await server.settled();
  assert.deepEqual((await secrets.namespace('shop').get('key')).data, { token: 'Yg==' });
  await namespaces.patch('shop', { metadata: { labels: { copy: null } } });
  await server.settled();
  assert.equal((await secrets.namespace('shop').list()).items.length, 0);
  assert.deepEqual(running.errors, []);
  await running.stop();
});

everywhere('a bucket is deleted before its object, however often the store fails', async (server, client) => {
  const made = new Set<string>();
  let failures = 3;
  const store: Store = {
    ensure: (id, region) => Promise.resolve(made.add(id) && `https://${region}.store.example/${id}`),
    remove(id) {
      failures -= 1;
      if (failures >= 0) return Promise.reject(new Error('the store is busy'));
      made.delete(id);
      return Promise.resolve();
    },
  };
  const running = await server.run(buckets(store), { client });
  const all = server.client.resource(Bucket).namespace('default');
  await all.create({ metadata: { name: 'photos' }, spec: { region: 'eu' } });
  await server.settled();
  assert.match((await all.get('photos')).status?.url ?? '', /^https:\/\/eu\.store\.example\//);
  await all.delete('photos');
  await server.runUntil(async () => (await all.list()).items.length === 0, { atMost: '1m' });
  assert.equal(made.size, 0);
  assert.equal(running.errors.length, 3);
  await running.stop();
});
