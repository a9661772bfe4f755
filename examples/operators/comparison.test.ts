/** One program written twice: what happens to each when two things happen at once, a write fails, a connection ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { connectKubeConfig } from 'orch-apiserver/client-node';
import { Namespace, Secret } from 'orch-apiserver/kinds';
import { startTestServer, type TestServer } from 'orch-apiserver/testing';
import { copySecrets } from './secret-copier-client-node.js';
import { secretCopier } from './secret-copier.js';

/** A server with the namespaces `shared`, and `shop`, which asks for copies. */
async function start(): Promise<TestServer> {
  const server = await startTestServer({ dialect: 'kubernetes' });
  const namespaces = server.client.resource(Namespace);
  await namespaces.create({ metadata: { name: 'shared' } });
  await namespaces.create({ metadata: { name: 'shop', labels: { copy: 'yes' } } });
  return server;
}

const share = ({ client }: TestServer, name: string, token = 'YQ==') =>
  client.resource(Secret).namespace('shared').apply({ metadata: { name }, data: { token } }, { fieldManager: 'ann' });

/** Returns the copies in `shop`: their names and tokens. */
async function copiesIn({ client }: TestServer): Promise<Record<string, string | undefined>> {
  const { items } = await client.resource(Secret).namespace('shop').list();
  return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data?.['token']]));
}

/** Starts the program of client-node, and ends it with the test. */
async function startClientNode(server: TestServer) {
  const errors: unknown[] = [];
  const stop = await copySecrets(connectKubeConfig(new KubeConfig(), server.server), (error) => errors.push(error));
  return { errors, [Symbol.dispose]: stop };
}

/** Waits for something that no test server sees: client-node says of nothing when it is done. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets much time pass: enough for every pause between attempts. */
async function waitLong(server: TestServer): Promise<void> {
  await server.advance('1h');
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('both copy a secret, and its changes', async () => {
  await using ours = await start();
  await ours.run(secretCopier);
  await share(ours, 'key');
  await ours.settled();
  await share(ours, 'key', 'Yg==');
  await ours.settled();
  assert.deepEqual(await copiesIn(ours), { key: 'Yg==' });

  await using theirs = await start();
  using program = await startClientNode(theirs);
  await share(theirs, 'key');
  await until(async () => (await copiesIn(theirs))['key'] === 'YQ==');
  const tokens = ['Yg==', 'Yw=='];
  await share(theirs, 'key', tokens[0]);
  await until(async () => {
    // An informer that has not seen the copy yet lets the program create it again, which fails: only a change helps then.
    if (program.errors.splice(0).length > 0) await share(theirs, 'key', tokens.reverse()[0]);
    return (await copiesIn(theirs))['key'] === tokens[0];
  });
});

test('two secrets at the start: client-node runs one namespace twice at once, and loses a copy', async () => {
  await using ours = await start();
  await Promise.all([share(ours, 'a'), share(ours, 'b')]);
  const running = await ours.run(secretCopier);
  await ours.settled();
  assert.deepEqual(await copiesIn(ours), { a: 'YQ==', b: 'YQ==' });
  assert.deepEqual(running.errors, []);

  await using theirs = await start();
  await Promise.all([share(theirs, 'a'), share(theirs, 'b')]);
  using program = await startClientNode(theirs);
  await until(() => program.errors.length > 0);
  await waitLong(theirs);
  assert.match(String(program.errors[0]), /409|AlreadyExists/);
  assert.deepEqual(await copiesIn(theirs), { a: 'YQ==' });
});

test('a write that fails once: client-node never repeats it', async () => {
  await using ours = await start();
  const running = await ours.run(secretCopier);
  ours.faults.fail({ resource: 'secrets', namespace: 'shop', times: 1 }, { status: 500 });
  await share(ours, 'key');
  await ours.runUntil(async () => (await copiesIn(ours))['key'] !== undefined);
  assert.equal(running.errors.length, 1);

  await using theirs = await start();
  using program = await startClientNode(theirs);
  theirs.faults.fail({ verb: 'create', resource: 'secrets', namespace: 'shop', times: 1 }, { status: 500 });
  await share(theirs, 'key');
  await until(() => program.errors.length > 0);
  await waitLong(theirs);
  assert.deepEqual(await copiesIn(theirs), {});
});

test('a history that expires: both list again', async () => {
  await using ours = await start();
  await ours.run(secretCopier);
  await ours.settled();
  ours.faults.expireHistory();
  await share(ours, 'key');
  await ours.runUntil(async () => (await copiesIn(ours))['key'] !== undefined);

  await using theirs = await start();
  using _program = await startClientNode(theirs);
  theirs.faults.expireHistory();
  await share(theirs, 'key');
  await until(async () => (await copiesIn(theirs))['key'] !== undefined);
});

test('watches that are reset: the informers of client-node end, and see no change any more', async () => {
  await using ours = await start();
  await ours.run(secretCopier);
  await ours.settled();
  ours.faults.dropWatches();
  await share(ours, 'key');
  await ours.runUntil(async () => (await copiesIn(ours))['key'] !== undefined);

  await using theirs = await start();
  using program = await startClientNode(theirs);
  await until(() => {
    // An informer has started before its watch has.
    theirs.faults.dropWatches();
    return program.errors.length >= 3;
  });
  await share(theirs, 'key');
  await waitLong(theirs);
  assert.deepEqual(await copiesIn(theirs), {});
});
