import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/foundation/index.js';
import {
  CertificateAuthority,
  encodePem,
  encodePrivateKey,
  encodePublicKey,
  ExtendedKeyUsage,
  generateKeyPair,
} from '../../../src/security/pki/index.js';
import { RecordingSink } from '../../../src/testing/storage-contract/recording-sink.js';
import { EtcdProcess, etcdVersion, feedRuns } from './etcd-process.js';

const PREFIX = '/registry/samples/';
const DAY_MS = 24 * 3_600_000;
const text = (revision: number): string => JSON.stringify({ metadata: { resourceVersion: String(revision) } });

const validity = { notBefore: systemClock.now() - DAY_MS, notAfter: systemClock.now() + DAY_MS };

async function issue(authority: CertificateAuthority, commonName: string): Promise<{ cert: string; key: string }> {
  const { publicKey, privateKey } = await generateKeyPair();
  const certificate = await authority.issue({
    subject: { commonName },
    publicKey: await encodePublicKey(publicKey),
    ...validity,
    keyUsages: ['digitalSignature'],
    extendedKeyUsages: [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth],
    alternativeNames: { ipAddresses: ['127.0.0.1'] },
  });
  return { cert: encodePem('CERTIFICATE', certificate), key: await encodePrivateKey(privateKey) };
}

describe.skipIf(etcdVersion === undefined)('the engine over TLS', () => {
  let etcd: EtcdProcess;
  let folder: string;
  let ca: string;
  let served: string;
  let client: { cert: string; key: string };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'etcd-tls-'));
    const authority = await CertificateAuthority.create({ commonName: 'etcd authority', ...validity });
    const server = await issue(authority, 'etcd');
    [ca, served, client] = [authority.certificatePem, server.cert, await issue(authority, 'server')];
    const files = {
      caFile: join(folder, 'ca.pem'),
      certFile: join(folder, 'cert.pem'),
      keyFile: join(folder, 'key.pem'),
    };
    await Promise.all([
      writeFile(files.caFile, ca),
      writeFile(files.certFile, server.cert),
      writeFile(files.keyFile, server.key),
    ]);
    etcd = await EtcdProcess.start({ tls: files });
  });
  afterAll(async () => {
    await etcd.remove();
    await rm(folder, { recursive: true });
  });

  test('trusts the certificate of the member itself', async () => {
    const storage = await etcd.open({ ca: served, ...client });
    expect((await storage.list(`${PREFIX}none/`)).records).toEqual([]);
    await storage.close();
  });

  test('authenticates with a client certificate, which it reads again for each connection', async () => {
    let asked = 0;
    const storage = await etcd.open({
      ca,
      cert: client.cert,
      key: () => {
        asked += 1;
        return client.key;
      },
    });
    await storage.create(`${PREFIX}a`, text);
    await etcd.end('SIGKILL');
    await etcd.start();
    expect((await storage.list(PREFIX)).records).toHaveLength(1);
    expect(asked).toBeGreaterThanOrEqual(2);
    await storage.close();
  });

  test.each([
    ['without a certificate', () => ({ ca }), /the member may require a client certificate/],
    [
      'with a certificate of an authority unknown to etcd',
      async () => ({
        ca,
        ...(await issue(await CertificateAuthority.create({ commonName: 'other', ...validity }), 'server')),
      }),
      /the member may require a client certificate/,
    ],
    ['without knowing the authority of etcd', () => ({ ...client }), /certificate/],
  ])('cannot connect %s', async (_, options, message) => {
    await expect(etcd.open({ ...(await options()), openTimeout: 100, requestTimeout: 100 })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringMatching(message) as string,
    });
  });

  test.each([
    ['cert without key', { cert: 'x' }, 'cert and key'],
    ['a user without a password', { username: 'x' }, 'username and password'],
    ['an invalid prefix', { prefix: 'registry' }, 'prefix'],
    ['certificates for plain connections', { endpoints: ['http://127.0.0.1:1'], ca: 'x' }, 'https://'],
    ['no endpoint', { endpoints: [] }, 'endpoints'],
  ])('%s is rejected', async (_, options, message) => {
    await expect(etcd.open(options)).rejects.toThrow(message);
    await expect(etcd.open(options)).rejects.toBeInstanceOf(TypeError);
  });
});

describe.skipIf(etcdVersion === undefined)('etcd with users', () => {
  let etcd: EtcdProcess;
  const user = { username: 'server', password: 'not told' };
  beforeAll(async () => {
    etcd = await EtcdProcess.start();
    const unguarded = await etcd.open(user);
    await unguarded.create(`${PREFIX}before`, text);
    await unguarded.close();
    etcd.ctl(['user', 'add', 'root:root']);
    etcd.ctl(['user', 'grant-role', 'root', 'root']);
    etcd.ctl(['role', 'add', 'store']);
    etcd.ctl(['role', 'grant-permission', 'store', 'readwrite', '/registry', '--prefix=true']);
    etcd.ctl(['user', 'add', `${user.username}:${user.password}`]);
    etcd.ctl(['user', 'grant-role', user.username, 'store']);
    etcd.ctl(['auth', 'enable']);
  });
  afterAll(() => etcd.remove());

  test('needs to grant access to the prefix only', async () => {
    const errors: unknown[] = [];
    const storage = await etcd.open({ ...user, compactionInterval: 20, onError: (error) => errors.push(error) });
    const other = await etcd.open(user);
    await feedRuns(storage, other);
    const created = await storage.create(`${PREFIX}a`, text, { ttl: 60_000 });
    const updated = await storage.update(`${PREFIX}a`, text, created.modRevision);
    expect([...(await storage.expiries())]).toEqual([]);
    await storage.delete(`${PREFIX}a`, text, updated.modRevision);
    expect((await storage.list('')).records.map(({ key }) => key)).toContain(`${PREFIX}before`);
    await storage.ping();
    // The key of the compactions is not below it.
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(errors[0]).toMatchObject({ message: expect.stringContaining('permission denied') as string });
    await storage.close();
    await other.close();
  });

  test('accepts a new token once it has forgotten the old one, for calls and for the watch', async () => {
    const storage = await etcd.open(user);
    const from = await storage.currentRevision();
    const sink = new RecordingSink(from);
    storage.watch(PREFIX, from, sink);
    for (let round = 0; round < 2; round += 1) {
      await storage.create(`${PREFIX}token-${round}`, text);
      await sink.untilCount(round + 1);
      await etcd.end('SIGKILL');
      await etcd.start();
    }
    await storage.create(`${PREFIX}token-last`, text);
    await sink.untilCount(3);
    expect(sink.received.map(({ key }) => key)).toEqual(['0', '1', 'last'].map((name) => `${PREFIX}token-${name}`));
    await storage.close();
  });

  test.each([
    ['a wrong password', { ...user, password: 'wrong' }, 'etcd refuses the user "server"'],
    ['an unknown user', { username: 'nobody', password: 'x' }, 'etcd refuses the user "nobody"'],
    ['no user', {}, 'etcd requires authentication'],
    ["another's prefix", { ...user, prefix: '/elsewhere' }, 'permission denied'],
  ])('rejects %s at once', async (_, options, message) => {
    const opening = etcd.open({ ...options, openTimeout: 60_000 });
    await expect(opening).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining(message) as string,
    });
    await expect(opening).rejects.toMatchObject({ message: expect.not.stringContaining('did not report') as string });
  });
});
