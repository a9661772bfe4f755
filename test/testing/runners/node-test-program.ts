/** A file of tests for `node --test`, which `node-test.test.ts` runs. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { ConfigMap } from 'orch-apiserver';
import { Event } from 'orch-apiserver/kinds';
import { fakeTimersClock, startTestServer, useTestServer, type TestServer } from 'orch-apiserver/testing';

const maps = (of: TestServer) => of.client.resource(ConfigMap).namespace('default');
const names = async (of: TestServer) => (await maps(of).list()).items.map(({ metadata }) => metadata.name);

const server = useTestServer(
  { prepare: async (seeded) => void (await maps(seeded).create({ metadata: { name: 'seed' } })) },
  { before, beforeEach, afterEach, after },
);
let first: TestServer | undefined;

void test('a test has a server', async () => {
  first = server();
  await maps(first).delete('seed');
  assert.deepEqual(await names(first), []);
});

void test('the next test has another one', async () => {
  assert.notEqual(server(), first);
  assert.deepEqual(await names(server()), ['seed']);
  assert.ok(first !== undefined);
  await assert.rejects(maps(first).list(), { code: 503, message: 'the server is closed' });
});

void describe('the fake timers of node:test', () => {
  void test('are the clock of a server, and of the code under test', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 0 });
    const running = await startTestServer({ clock: fakeTimersClock(mock.timers) });
    try {
      const events = running.client.resource(Event).namespace('default');
      await events.create({ metadata: { name: 'e' }, involvedObject: {} });
      let writes = 0;
      const interval = setInterval(
        () => void maps(running).create({ metadata: { name: `m${(writes += 1)}` } }),
        60_000,
      );
      await running.advance('59m30s');
      assert.equal((await events.list()).items.length, 1);
      assert.equal((await names(running)).length, 59);
      await running.runUntil(async () => (await events.list()).items.length === 0);
      assert.ok(Date.now() >= 3_600_000 && Date.now() < 3_700_000, String(Date.now()));
      clearInterval(interval);
    } finally {
      await running.close();
      mock.timers.reset();
    }
    assert.throws(() => fakeTimersClock(mock.timers), /setTimeout is not fake/);
  });
});
