import { afterEach, expect, test } from 'vitest';
import { connect } from '../../../src/entries/client.js';
import { ConfigMap, Namespace, Pod } from '../../../src/entries/index.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { listen } from '../../../src/transport/node/index.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('a client sends no request for a name that the URL would resolve to another object', async () => {
  const { server, client: owner, close } = await startTestServer({ dialect: 'kubernetes' });
  closers.push(close);
  const listener = await listen(server, { port: 0 });
  closers.push(() => listener.close({ grace: 0 }));
  const client = await connect({ kubeconfig: server.kubeConfig({ server: listener.url }) });
  closers.push(() => client.close());
  await owner.resource(Namespace).create({ metadata: { name: 'shop' } });
  const maps = client.resource(ConfigMap);
  const pods = client.resource(Pod);
  const message = /^invalid resource name "(\.\.?)": may not be '\1'$/;
  for (const call of [
    () => maps.namespace('shop').delete('..'),
    () => maps.namespace('shop').delete('.'),
    () => maps.namespace('shop').update({ metadata: { name: '..' } }),
    () => maps.namespace('..').list(),
    () => pods.namespace('shop').proxy('..', { method: 'DELETE' }),
    () => pods.namespace('shop').exec('..', ['ls']),
    () => pods.namespace('shop').logs('..').next(),
  ])
    await expect((async () => call())()).rejects.toThrow(message);
  const { status } = await owner.resource(Namespace).get('shop');
  expect(status?.phase).toBe('Active');
});
