/** Servers that share a store in etcd, whose secrets an external key service protects. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import { createEncryption, type StoreEncryption } from '../../../src/entries/encrypted.js';
import { ConfigMap, Secret } from '../../../src/entries/kinds.js';
import { silentLogger, systemClock, type JsonValue } from '../../../src/foundation/index.js';
import { stampRevision } from '../../../src/registry/index.js';
import { rewriteStale, type Storage } from '../../../src/storage/index.js';
import { command } from '../../cli/stores.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { ask, jsonOf } from '../../server/ask.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { PATIENCE } from '../../support/patience.js';
import { EtcdProcess, etcdVersion } from '../etcd/etcd-process.js';
import { apiServer, asked } from '../remote/api-servers.js';
import { configuration, entry, KEY_1, provider } from './configurations.js';
import { KmsServer } from './kms-server.js';

const PATH = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const MARKER = 'geheimnis-am-fluss';
/** As Secrets are stored. */
const STORED = Buffer.from(MARKER).toString('base64');

describe.skipIf(etcdVersion === undefined)('encryption with a key service, of servers on one store in etcd', () => {
  let folder = '';
  let etcd: EtcdProcess;
  let kms: KmsServer;
  let closers: (() => unknown)[] = [];
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
  });
  afterAll(() => etcd.remove());
  beforeEach(async () => {
    folder = mkdtempSync(join(DATA_FOLDER, 'shared-etcd-'));
    kms = await new KmsServer(join(folder, 'kms.sock')).start();
    closers = [() => rmSync(folder, { recursive: true }), () => kms.stop()];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  let stores = 0;
  const encryptionOf = async (...providers: readonly JsonValue[]): Promise<StoreEncryption> => {
    const made = await createEncryption({ configuration: configuration(entry(['secrets'], ...providers)) });
    closers.push(() => made.close());
    return made;
  };
  const open = (encryption?: StoreEncryption): Promise<Storage> => etcd.open({ prefix: `/kms-${stores}`, encryption });
  const serve = async (encryption?: StoreEncryption): Promise<ApiServer> => {
    const server = apiServer(await open(encryption), { observability: { logger: silentLogger } });
    closers.push(() => server.close());
    await server.ready();
    return server;
  };
  const create = (server: ApiServer, name: string) =>
    asked(server, 'POST', PATH, 201, { metadata: { name }, stringData: { value: MARKER } });
  const valueOf = async (server: ApiServer, name: string): Promise<unknown> =>
    (await asked(server, 'GET', `${PATH}/${name}`, 200))['data'];
  const stored = (): string => etcd.ctl(['get', '--prefix', `/kms-${stores}`]);
  /** Whether a file of etcd, its log included, has a text. */
  const files = (text: string): boolean =>
    readdirSync(etcd.folder, { recursive: true, withFileTypes: true })
      .filter((found) => found.isFile())
      .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));
  beforeEach(() => {
    stores += 1;
  });

  test('no value, log or file of etcd has the secret, and each server reads what the other writes', async () => {
    const one = await serve(await encryptionOf(kms.provider()));
    const other = await serve(await encryptionOf(kms.provider()));
    const seen: string[] = [];
    const { resourceVersion = '' } = (await other.client().resource(Secret).namespace('default').list()).metadata;
    const watching = (async () => {
      for await (const { object } of other.client().resource(Secret).namespace('default').watch({ resourceVersion })) {
        if ('data' in object) seen.push(object.data?.['value'] ?? '');
        if (seen.length === 2) return;
      }
    })();
    await create(one, 'a');
    await create(other, 'b');
    await watching;
    expect(seen).toEqual([STORED, STORED]);
    expect(await valueOf(other, 'a')).toEqual({ value: STORED });
    expect(await valueOf(one, 'b')).toEqual({ value: STORED });
    for (const text of [MARKER, STORED]) {
      expect(stored()).not.toContain(text);
      expect(files(text)).toBe(false);
    }
    // The search finds what is stored as it is.
    await asked(one, 'POST', MAPS, 201, { metadata: { name: 'a' }, data: { value: 'open-to-all' } });
    expect(files('open-to-all')).toBe(true);
    expect(files('k8s:enc:kms:v2:vault:')).toBe(true);
  });

  test('a backup has no secret and needs no key, and can be restored to a file', async () => {
    const one = await serve(await encryptionOf(kms.provider()));
    await create(one, 'a');
    const at = (store: string): string[] => ['--storage=etcd', `--etcd-servers=${etcd.url}`, `--etcd-prefix=/${store}`];
    const backup = join(folder, 'a.backup');
    expect(await command(['backup', ...at(`kms-${stores}`), `--to=${backup}`])).toMatchObject({ code: 0 });
    const text = readFileSync(backup, 'latin1');
    expect([text.includes(STORED), text.includes(MARKER), text.includes('k8s:enc:kms:v2:vault:')]).toEqual([
      false,
      false,
      true,
    ]);
    expect(await command(['restore', `--data-dir=${folder}`, `--from=${backup}`])).toMatchObject({ code: 0 });
    const encryption = await encryptionOf(kms.provider());
    const restored = await openSqliteStorage({
      ...{ path: join(folder, 'store.db'), clock: systemClock, encryption, stampRevision },
    });
    expect((await restored.get('/registry/secrets/default/a')).record?.text).toContain(STORED);
    await restored.close();
    expect(files(STORED)).toBe(false);
  });

  test('a server without any key of the store does not start, and changes nothing', async () => {
    const one = await serve(await encryptionOf(kms.provider()));
    await create(one, 'a');
    const before = etcd.ctl(['get', '--prefix', `/kms-${stores}/secrets`]);
    for (const encryption of [undefined, await encryptionOf(provider('aesgcm', { other: KEY_1 }))])
      await expect(serve(encryption)).rejects.toThrow('unable to transform key');
    expect(etcd.ctl(['get', '--prefix', `/kms-${stores}/secrets`])).toBe(before);
    expect(await valueOf(one, 'a')).toEqual({ value: STORED });
  });

  test('a server that lacks the key of one value fails to read it as Kubernetes does, and overwrites nothing', async () => {
    const aes = provider('aesgcm', { next: KEY_1 });
    const lacking = await serve(await encryptionOf(kms.provider()));
    // A server of a former build does not tell the others what it writes.
    const silent = { ...(await encryptionOf(aes, kms.provider())) };
    delete silent.keys;
    const one = await serve(silent);
    await asked(one, 'POST', MAPS, 201, { metadata: { name: 'a' } });
    await create(one, 'b');
    const key = `/kms-${stores}/secrets/default/b`;
    const before = etcd.ctl(['get', key]);
    const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', `${PATH}/b`],
      ['GET', PATH],
      ['PUT', `${PATH}/b`, { metadata: { name: 'b' }, stringData: { value: 'mine' } }],
      ['DELETE', `${PATH}/b`],
    ];
    for (const [method, path, body] of requests) {
      const answer = await ask(lacking, method, path, body === undefined ? {} : { body: JSON.stringify(body) });
      expect([method, path, answer.status, jsonOf(answer)]).toMatchObject([
        ...[method, path, 500],
        { reason: 'InternalError', message: expect.stringContaining('unable to transform key') },
      ]);
    }
    expect((await ask(lacking, 'GET', `${MAPS}/a`)).status).toBe(200);
    expect(etcd.ctl(['get', key])).toBe(before);
    expect(await valueOf(one, 'b')).toEqual({ value: STORED });
  });

  test('a value whose key service does not answer fails alone, and is read once it answers', async () => {
    const keys = async (): Promise<StoreEncryption> => {
      const made = await createEncryption({ configuration: configuration(entry(['configmaps'], kms.provider())) });
      closers.push(() => made.close());
      return made;
    };
    const other = await serve(await keys());
    const one = await serve(await keys());
    const secrets = () => other.client().resource(Secret).namespace('default');
    const { resourceVersion = '' } = (await secrets().list()).metadata;
    await kms.stop();
    await asked(one, 'POST', MAPS, 201, { metadata: { name: 'a' } });
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of secrets().watch({ resourceVersion })) {
        seen.push(event.type === 'ADDED' ? `ADDED ${event.object.metadata.name}` : event.type);
        return;
      }
    })();
    await asked(one, 'POST', PATH, 201, { metadata: { name: 'b' } });
    await watching;
    expect(seen).toEqual(['ADDED b']);
    const failed = await ask(other, 'GET', MAPS);
    expect([failed.status, jsonOf(failed)]).toMatchObject([
      500,
      { reason: 'InternalError', message: expect.stringContaining('failed to decrypt DEK, error: ') },
    ]);
    await kms.start();
    await vi.waitFor(async () => expect((await ask(other, 'GET', MAPS)).status).toBe(200), PATIENCE);
    const maps = other.client().resource(ConfigMap).namespace('default');
    await vi.waitFor(async () => {
      for await (const { type, object } of maps.watch({ resourceVersion })) {
        expect([type, object]).toMatchObject(['ADDED', { metadata: { name: 'a' } }]);
        return;
      }
    }, PATIENCE);
  });

  test('a new key is followed by both servers, and then the old one is needed no more', async () => {
    const [first, second] = [await encryptionOf(kms.provider()), await encryptionOf(kms.provider())];
    const [one, other] = [await serve(first), await serve(second)];
    await create(one, 'a');
    expect(stored()).toContain('k8s:enc:kms:v2:vault:');
    const aes = provider('aesgcm', { next: KEY_1 });
    const rotated = configuration(entry(['secrets'], aes, kms.provider()));
    // The new key is known everywhere before it is used anywhere.
    const prepared = configuration(entry(['secrets'], kms.provider(), aes));
    for (const each of [first, second]) await each.reload(prepared);
    await first.reload(rotated);
    await create(one, 'b');
    expect(await valueOf(other, 'b')).toEqual({ value: STORED });
    await second.reload(rotated);
    const storage = await open(second);
    const options = { clock: systemClock, stampRevision };
    expect((await rewriteStale(storage, options)).rewritten).toBeGreaterThan(0);
    expect(await rewriteStale(storage, options)).toMatchObject({ rewritten: 0 });
    await storage.close();
    expect(stored()).not.toContain('k8s:enc:kms:v2:');
    await kms.stop();
    const last = await serve(await encryptionOf(aes));
    for (const name of ['a', 'b']) expect(await valueOf(last, name)).toEqual({ value: STORED });
    for (const server of [one, other])
      await vi.waitFor(async () => expect(await valueOf(server, 'a')).toEqual({ value: STORED }), PATIENCE);
    expect(files(STORED)).toBe(false);
  });
});
