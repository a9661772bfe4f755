import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UnusableStoreError } from '../../../src/entries/storage.js';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import { ask } from '../../server/ask.js';
import { apiServer, asked, configMap, MAPS } from '../remote/api-servers.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';

/** The layout of a Secret in Kubernetes. */
const BINARY = 'k8s\0\n\x0c\n\x02v1\x12\x06Secret\x12\x10\n\x0e\n\x01a\x12\x00\x1a\x07default';
const CUSTOM =
  '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"a","uid":"1"}}\n';

describe.skipIf(etcdVersion === undefined)('a foreign value', () => {
  let etcd: EtcdProcess;
  let prefixes = 0;
  let prefix: string;
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(() => {
    prefix = `/layout-${(prefixes += 1)}`;
  });

  const revision = (): number =>
    (JSON.parse(etcd.ctl(['get', 'none', '-w', 'json'])) as { header: { revision: number } }).header.revision;

  test.each([
    ['in its binary form', [['secrets/default/a', BINARY]], 'secrets/default/a'],
    [
      'in its binary form, behind texts',
      [
        ['a/a', '{}'],
        ['secrets/default/a', BINARY],
      ],
      'secrets/default/a',
    ],
    [
      'as texts of another form',
      [['apiextensions.k8s.io/customresourcedefinitions/a', CUSTOM]],
      'apiextensions.k8s.io/customresourcedefinitions/a',
    ],
    ['encrypted', [['secrets/default/a', 'k8s:enc:aescbc:v1:key1:xxxx']], 'secrets/default/a'],
  ])('is rejected %s, and left unchanged', async (_, values, named) => {
    for (const [key = '', value = ''] of values) etcd.ctl(['put', `${prefix}/${key}`], value);
    const [before, dump] = [revision(), etcd.ctl(['get', '--prefix', prefix, '-w', 'json'])];
    const opening = etcd.open({ prefix });
    await expect(opening).rejects.toBeInstanceOf(UnusableStoreError);
    await expect(opening).rejects.toThrow(
      `the value of /registry/${named} in etcd does not have the form of a stored object: another program wrote it; it is left unchanged; give this server another prefix`,
    );
    expect(revision()).toBe(before);
    expect(etcd.ctl(['get', '--prefix', prefix, '-w', 'json'])).toBe(dump);
  });

  test('below another prefix has no effect', async () => {
    etcd.ctl(['put', `${prefix}x/secrets/default/a`], BINARY);
    etcd.ctl(['put', `/other`], BINARY);
    const storage = await etcd.open({ prefix });
    expect((await storage.list('')).records).toEqual([]);
    await storage.close();
  });

  test('a store with a later layout, or of another dialect, is rejected by the server and left unchanged', async () => {
    const mark = (fields: object): string =>
      JSON.stringify({
        kind: 'Store',
        apiVersion: 'internal/v1',
        metadata: { resourceVersion: '0' },
        layout: 1,
        dialect: 'kubernetes',
        continueKey: 'aa',
        incomplete: false,
        ...fields,
      });
    for (const [fields, message] of [
      [{ layout: 1000 }, 'layout 1000'],
      [{ dialect: 'orch' }, 'dialect orch'],
    ] as const) {
      etcd.ctl(['put', `${prefix}/!/internal/store`], mark(fields));
      const before = revision();
      const server = apiServer(await etcd.open({ prefix }));
      await expect(server.ready()).rejects.toThrow(message);
      await server.close();
      expect(revision()).toBe(before);
    }
  });

  test('written into a running store is reported, hides no other value, and is forgotten once it is removed', async () => {
    const errors: unknown[] = [];
    const storage = await etcd.open({ prefix, onError: (error) => errors.push(error) });
    await using server = apiServer(storage);
    await asked(server, 'POST', MAPS, 201, configMap('a'));
    const sink = new RecordingSink(0);
    storage.watch('/registry/', await storage.currentRevision(), sink);
    etcd.ctl(['put', `${prefix}/configmaps/default/foreign`], BINARY);
    await sink.until(() => sink.ends.length > 0);
    expect(sink.ends[0]).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('/registry/configmaps/default/foreign') as string },
    });
    expect(errors).toHaveLength(1);
    expect((await ask(server, 'GET', `${MAPS}/foreign`)).status).toBe(500);
    expect((await ask(server, 'GET', MAPS)).status).toBe(500);
    expect((await ask(server, 'PUT', `${MAPS}/foreign`, { body: JSON.stringify(configMap('foreign')) })).status).toBe(
      500,
    );
    expect((await ask(server, 'DELETE', `${MAPS}/foreign`)).status).toBe(500);
    await asked(server, 'GET', `${MAPS}/a`, 200);
    await asked(server, 'GET', '/api/v1/namespaces', 200);
    expect(etcd.ctl(['get', '--print-value-only', `${prefix}/configmaps/default/foreign`])).toBe(`${BINARY}\n`);
    etcd.ctl(['del', `${prefix}/configmaps/default/foreign`]);
    expect(((await asked(server, 'GET', MAPS, 200))['items'] as object[]).length).toBeGreaterThan(0);
    const again = new RecordingSink(0);
    // The delete is one of the events that cannot be decoded; later ones can.
    storage.watch('/registry/configmaps/', await storage.currentRevision(), again);
    await asked(server, 'POST', MAPS, 201, configMap('b'));
    await again.until(() => again.received.length > 0 || again.ends.length > 0);
    expect([again.received.at(-1)?.key ?? again.ends[0]?.kind]).toEqual(['/registry/configmaps/default/b']);
  });

  test('is not overwritten either', async () => {
    const storage = await etcd.open({ prefix });
    for (const value of ['text', '[]', '', '{"apiVersion":"v1","metadata":{}}'])
      await expect(storage.create('/registry/a', () => value)).rejects.toThrow(TypeError);
    expect((await storage.list('')).records).toEqual([]);
    await storage.close();
  });
});
