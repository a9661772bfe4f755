import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigMap } from '../../../src/kinds/builtin/index.js';
import { apiServer, asked, configMap, MAPS } from '../remote/api-servers.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';

describe.skipIf(etcdVersion === undefined)('keys in etcd', () => {
  let etcd: EtcdProcess;
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());

  test('objects have the keys that etcdctl expects', async () => {
    const prefix = '/keys';
    await using one = apiServer(await etcd.open({ prefix }));
    const created = await one
      .client()
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' }, data: { a: 'значение' } });
    await asked(one, 'POST', '/api/v1/nodes', 201, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
    const keys = etcd.ctl(['get', '--prefix', '--keys-only', `${prefix}/`]).split('\n');
    for (const key of ['configmaps/default/a', 'minions/n', 'namespaces/default'])
      expect(keys).toContain(`${prefix}/${key}`);
    const [stored] = (
      JSON.parse(etcd.ctl(['get', `${prefix}/configmaps/default/a`, '-w', 'json'])) as {
        kvs: { mod_revision: number; value: string }[];
      }
    ).kvs;
    expect(String(stored?.mod_revision)).toBe(created.metadata.resourceVersion);
    expect(JSON.parse(Buffer.from(stored?.value ?? '', 'base64').toString())).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default' },
      data: { a: 'значение' },
    });
  });

  test('names under the default prefix are those of Kubernetes', async () => {
    await using server = apiServer(await etcd.open());
    await asked(server, 'POST', MAPS, 201, configMap('a'));
    expect(etcd.ctl(['get', '--prefix', '--keys-only', '/registry/configmaps/']).trim().split('\n')).toContain(
      '/registry/configmaps/default/a',
    );
  });
});
