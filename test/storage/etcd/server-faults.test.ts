import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, test, vi } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import { ConfigMap } from '../../../src/kinds/builtin/index.js';
import { ask, jsonOf, textOf } from '../../server/ask.js';
import { apiServer, asked, configMap, MAPS } from '../remote/api-servers.js';
import { EtcdProcess, etcdVersion } from './etcd-process.js';
import { TcpProxy } from '../remote/tcp-proxy.js';
import { PATIENCE } from '../../support/patience.js';

describe.skipIf(etcdVersion === undefined)('a server whose etcd', () => {
  let etcd: EtcdProcess;
  let proxy: TcpProxy;
  let server: ApiServer;
  let prefixes = 0;
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(async () => {
    proxy = await TcpProxy.start(etcd.port);
    server = apiServer(
      await etcd.open({ endpoints: [proxy.url], prefix: `/server-${(prefixes += 1)}`, requestTimeout: 500 }),
    );
    await server.ready();
  });
  afterEach(async () => {
    await server.close();
    await proxy.close();
  });

  const maps = () => server.client().resource(ConfigMap).namespace('default');

  test('is unreachable answers 500 with Retry-After, is not ready, and recovers without intervention', async () => {
    await asked(server, 'POST', MAPS, 201, configMap('a', { value: '1' }));
    await proxy.refuse();
    for (const [method, path, body] of [
      ['GET', `${MAPS}/a`],
      ['GET', MAPS],
      ['POST', MAPS, configMap('b')],
      ['PUT', `${MAPS}/a`, configMap('a')],
      ['DELETE', `${MAPS}/a`],
      ['GET', `${MAPS}?watch=1`],
    ] as const) {
      const response = await ask(server, method, path, body === undefined ? {} : { body: JSON.stringify(body) });
      expect([method, path, response.status, jsonOf(response)['reason']]).toEqual([method, path, 500, 'ServerTimeout']);
    }
    const readiness = await ask(server, 'GET', '/readyz');
    expect(readiness.status).toBe(500);
    expect(textOf(readiness)).toMatch(/\[-\]etcd failed[\s\S]*\[-\]etcd-readiness failed/);
    await proxy.listen();
    await vi.waitFor(async () => expect((await ask(server, 'GET', '/readyz')).status).toBe(200), PATIENCE);
    expect((await maps().list()).items.map(({ metadata }) => metadata.name)).toContain('a');
    await asked(server, 'POST', MAPS, 201, configMap('b'));
  });

  test('was unreachable at the start starts with the first request that can be answered', async () => {
    await proxy.refuse();
    await expect(etcd.open({ endpoints: [proxy.url], openTimeout: 100, requestTimeout: 100 })).rejects.toMatchObject({
      code: 'Unavailable',
    });
    const opening = etcd.open({ endpoints: [proxy.url], prefix: `/server-${prefixes}-late`, requestTimeout: 100 });
    await proxy.listen();
    await using late = apiServer(await opening);
    await proxy.refuse();
    expect((await ask(late, 'GET', MAPS)).status).toBe(500);
    await proxy.listen();
    await vi.waitFor(async () => expect((await ask(late, 'GET', MAPS)).status).toBe(200), PATIENCE);
  });

  test('is restarted keeps its watches, which miss no event', { timeout: 300_000 }, async () => {
    const { resourceVersion = '' } = (await maps().list()).metadata;
    const seen: string[] = [];
    let more: () => void = () => undefined;
    const watching = (async () => {
      for await (const { type, object } of maps().watch({ resourceVersion })) {
        if (type === 'BOOKMARK' || type === 'ERROR') continue;
        seen.push(`${type} ${object.metadata.name}@${object.metadata.resourceVersion}`);
        more();
        if (object.metadata.name === 'last') return;
      }
    })();
    const expected: string[] = [];
    const create = async (name: string): Promise<void> => {
      for (;;) {
        try {
          const { metadata } = await maps().create({ metadata: { name } });
          expected.push(`ADDED ${name}@${metadata.resourceVersion}`);
          return;
        } catch (error) {
          const known = await vi.waitFor(
            () =>
              maps()
                .get(name)
                .catch((missing: { code?: number }) =>
                  missing.code === 404 ? undefined : Promise.reject(missing as Error),
                ),
            { timeout: 20_000 },
          );
          expect(error).toMatchObject({ code: 500 });
          if (known !== undefined) return void expected.push(`ADDED ${name}@${known.metadata.resourceVersion}`);
        }
      }
    };
    for (const [round, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
      for (let count = 0; count < 5; count += 1) await create(`r${round}-${count}`);
      const restarting = etcd.end(signal).then(() => etcd.start());
      await create(`r${round}-meanwhile`);
      await restarting;
    }
    await create('last');
    await watching;
    expect(seen).toEqual(expected);
  });

  test('has compacted the events of a watch reports that, and the next watch is served', async () => {
    const { resourceVersion = '' } = (await maps().list()).metadata;
    const watching = maps().watch({ resourceVersion });
    const first = watching.next();
    await maps().create({ metadata: { name: 'a' } });
    expect((await first).value).toMatchObject({ type: 'ADDED' });
    const next = watching.next();
    const direct = await etcd.open({ prefix: `/server-${prefixes}` });
    await proxy.refuse();
    for (const name of ['b', 'c'])
      await direct.create(`/registry/configmaps/default/${name}`, (revision) =>
        JSON.stringify({
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: {
            name,
            namespace: 'default',
            uid: name,
            resourceVersion: String(revision),
            creationTimestamp: '2024-01-01T00:00:00Z',
          },
        }),
      );
    await direct.compact(await direct.currentRevision());
    await direct.close();
    await proxy.listen();
    expect((await next).value).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    const { metadata, items } = await maps().list();
    expect(items.map((item) => item.metadata.name)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    const again = maps().watch({ resourceVersion: metadata.resourceVersion ?? '' });
    const found = again.next();
    await maps().create({ metadata: { name: 'd' } });
    expect((await found).value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'd' } } });
    await again.return();
  });
});
