import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifyClusterInfo } from '../../src/client/cluster-info.js';
import { ResourceClient } from '../../src/entries/client.js';
import { formatTime } from '../../src/foundation/time/time.js';
import { kubernetes, orch } from '../../src/foundation/index.js';
import { ConfigMap, Secret } from '../../src/kinds/builtin/index.js';
import { harness, orAbsent, type Harness } from './harness.js';

const KUBECONFIG = 'apiVersion: v1\nkind: Config\n';
const TOKENS = { aaaaaa: 'aaaaaa.0123456789abcdef', bbbbbb: 'bbbbbb.fedcba9876543210' } as const;
type Id = keyof typeof TOKENS;

const start = (dialect = kubernetes) => harness({ enabled: ['bootstrapsigner'], dialect }, { dialect });

/** The tokens and the ConfigMap of a server. */
function kit({ client, server: { dialect }, clock }: Harness) {
  const maps = client.resource(ConfigMap).namespace(dialect.namespaces.public);
  const secrets = client.resource(Secret).namespace(dialect.namespaces.system);
  const manifest = (id: Id, changes: Readonly<Record<string, string>> = {}) => ({
    metadata: { name: `bootstrap-token-${id}` },
    type: dialect.secretTypes.bootstrapToken,
    stringData: { 'token-id': id, 'token-secret': TOKENS[id].slice(7), 'usage-bootstrap-signing': 'true', ...changes },
  });
  return {
    maps,
    secrets,
    manifest,
    inMs: (ms: number) => formatTime(clock.now() + ms),
    add: (id: Id, changes = {}) => secrets.create(manifest(id, changes)),
    publish: (data: Readonly<Record<string, string>> = { kubeconfig: KUBECONFIG }) =>
      maps.create({ metadata: { name: 'cluster-info' }, data }),
    read: () => maps.get('cluster-info'),
    async ids() {
      const { data = {} } = await maps.get('cluster-info');
      return Object.keys(data)
        .filter((key) => key.startsWith('jws-'))
        .map((key) => key.replace('jws-kubeconfig-', ''))
        .sort();
    },
  };
}

async function advance(h: Harness, ms: number): Promise<void> {
  await h.settled();
  h.clock.advance(ms);
  await h.settled();
}

describe('the bootstrap signer', () => {
  test.each([kubernetes, orch])(
    'signs for every token with the signing usage, verifiably for its bearer, in the dialect $name',
    async (dialect) => {
      await using h = start(dialect);
      const { add, publish, read, ids } = kit(h);
      await add('aaaaaa');
      await publish({ kubeconfig: KUBECONFIG, other: 'kept' });
      await add('bbbbbb');
      await h.settled();
      expect(await ids()).toEqual(['aaaaaa', 'bbbbbb']);
      const map = await read();
      for (const token of Object.values(TOKENS)) expect(await verifyClusterInfo(map, token)).toBe(KUBECONFIG);
      await expect(verifyClusterInfo(map, 'aaaaaa.fedcba9876543210')).rejects.toThrow('does not match this content');
      expect(map.data?.['other']).toBe('kept');
      expect(map.metadata.managedFields?.map(({ manager }) => manager)).toContain(dialect.controllerManagerName);
      expect(h.errors).toEqual([]);
    },
  );

  test('signs changes again, and repairs what other clients write', async () => {
    await using h = start();
    const { add, publish, read, maps } = kit(h);
    await add('aaaaaa');
    await publish();
    await h.settled();
    const map = await read();
    await maps.update({ ...map, data: { ...map.data, kubeconfig: 'changed', 'jws-kubeconfig-zzzzzz': 'junk' } });
    await h.settled();
    expect(await verifyClusterInfo(await read(), TOKENS.aaaaaa)).toBe('changed');
    expect(Object.keys((await read()).data ?? {}).sort()).toEqual(['jws-kubeconfig-aaaaaa', 'kubeconfig']);
  });

  test('signs with the new secret of a token', async () => {
    await using h = start();
    const { add, publish, read, secrets, manifest } = kit(h);
    await add('aaaaaa');
    await publish();
    await h.settled();
    await secrets.update(manifest('aaaaaa', { 'token-secret': 'fedcba9876543210' }));
    await h.settled();
    expect(await verifyClusterInfo(await read(), 'aaaaaa.fedcba9876543210')).toBe(KUBECONFIG);
    const map = await read();
    await expect(verifyClusterInfo(map, TOKENS.aaaaaa)).rejects.toThrow('does not match this content');
  });

  test('removes signatures with their tokens, and with the usage', async () => {
    await using h = start();
    const { add, publish, ids, secrets, manifest } = kit(h);
    await add('aaaaaa');
    await add('bbbbbb');
    await publish();
    await h.settled();
    await secrets.delete('bootstrap-token-aaaaaa');
    await h.settled();
    expect(await ids()).toEqual(['bbbbbb']);
    await secrets.update(manifest('bbbbbb', { 'usage-bootstrap-signing': 'false' }));
    await h.settled();
    expect(await ids()).toEqual([]);
  });

  test('removes a signature when its token expires, to the millisecond', async () => {
    await using h = start();
    const { add, publish, ids, inMs } = kit(h);
    await h.settled();
    const waiting = h.clock.pending;
    await add('aaaaaa', { expiration: inMs(60_000) });
    await add('bbbbbb', { expiration: inMs(90_000) });
    await publish();
    await advance(h, 59_999);
    expect(await ids()).toEqual(['aaaaaa', 'bbbbbb']);
    await advance(h, 1);
    expect(await ids()).toEqual(['bbbbbb']);
    await advance(h, 30_000);
    expect(await ids()).toEqual([]);
    expect(h.clock.pending).toBe(waiting);
  });

  test('does not write a ConfigMap that is correct', async () => {
    await using h = start();
    const { add, publish, read } = kit(h);
    await publish();
    await h.settled();
    const untouched = (await read()).metadata.resourceVersion;
    await add('aaaaaa', { 'usage-bootstrap-signing': 'false' });
    await h.settled();
    expect((await read()).metadata.resourceVersion).toBe(untouched);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['without a kubeconfig', { 'jws-kubeconfig-aaaaaa': 'left' }],
    ['without data', {}],
  ])('ignores a ConfigMap %s', async (_case, data) => {
    await using h = start();
    const { add, publish, read } = kit(h);
    await add('aaaaaa');
    const { metadata } = await publish(data);
    await h.settled();
    expect((await read()).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('yields to a concurrent writer, and signs the new content', async () => {
    await using h = start();
    const { add, publish, read, maps } = kit(h);
    await publish();
    await h.settled();
    const update = ResourceClient.prototype.update;
    const spy = vi.spyOn(ResourceClient.prototype, 'update').mockImplementationOnce(async function (
      this: ResourceClient<unknown, unknown>,
      ...args
    ) {
      await maps.patch('cluster-info', { data: { kubeconfig: 'changed', mine: 'kept' } });
      return update.apply(this, args);
    });
    onTestFinished(() => spy.mockRestore());
    await add('aaaaaa');
    await h.settled();
    const map = await read();
    expect([await verifyClusterInfo(map, TOKENS.aaaaaa), map.data?.['mine']]).toEqual(['changed', 'kept']);
    expect(h.errors).toEqual([]);
  });

  test('creates no ConfigMap, and signs a recreated one', async () => {
    await using h = start();
    const { add, publish, read, maps, ids } = kit(h);
    await add('aaaaaa');
    await h.settled();
    expect(await orAbsent(read())).toBeUndefined();
    await publish();
    await h.settled();
    await maps.delete('cluster-info');
    await publish();
    await h.settled();
    expect(await ids()).toEqual(['aaaaaa']);
  });

  test('signs no other object in the namespace, and none of that name elsewhere', async () => {
    await using h = start();
    const { add, maps } = kit(h);
    await add('aaaaaa');
    await maps.create({ metadata: { name: 'other' }, data: { kubeconfig: KUBECONFIG } });
    const elsewhere = h.client.resource(ConfigMap).namespace('default');
    await elsewhere.create({ metadata: { name: 'cluster-info' }, data: { kubeconfig: KUBECONFIG } });
    await h.settled();
    expect([(await maps.get('other')).data, (await elsewhere.get('cluster-info')).data]).toEqual([
      { kubeconfig: KUBECONFIG },
      { kubeconfig: KUBECONFIG },
    ]);
  });

  test('does not run by default', async () => {
    await using h = harness();
    const { add, publish, ids } = kit(h);
    await add('aaaaaa');
    await publish();
    await h.settled();
    expect(await ids()).toEqual([]);
  });
});
