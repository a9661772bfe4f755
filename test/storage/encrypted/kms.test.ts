/** Encryption with an external key service: its failures, its rotation, and what is at rest. */
import { createDecipheriv, createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.js';
import { createEncryption, type StoreEncryption } from '../../../src/entries/encrypted.js';
import type { JsonValue } from '../../../src/foundation/index.js';
import { stampRevision } from '../../../src/registry/index.js';
import { readEncrypted, rewriteStale, type Storage } from '../../../src/storage/index.js';
import { openPostgresStorage } from '../../../src/storage/postgres/index.js';
import { openSqliteSnapshot, openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { createManualClock } from '../../../src/testing/time/manual-clock.js';
import { ask, jsonOf } from '../../server/ask.js';
import { PglitePool } from '../postgres/pglite-pool.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { configuration, entry, KEY_1, provider } from './configurations.js';
import { KmsServer } from './kms-server.js';

const KEY = '/registry/secrets/default/a';
const MARKER = 'geheimnis-am-fluss';
const PATH = '/api/v1/namespaces/default/secrets';
const MINUTE = 60_000;
const text =
  (value = MARKER) =>
  (revision: number): string =>
    JSON.stringify({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'a', resourceVersion: String(revision) },
      data: { value },
    });
const secret = (value = MARKER) => ({ metadata: { name: 'a' }, stringData: { value } });

let folder = '';
let kms: KmsServer;
let clock = createManualClock();
let closers: (() => unknown)[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(DATA_FOLDER, 'kms-'));
  clock = createManualClock();
  kms = await new KmsServer(join(folder, 'kms.sock')).start();
  closers = [() => rmSync(folder, { recursive: true }), () => kms.stop()];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

async function encryptionOf(...providers: readonly JsonValue[]): Promise<StoreEncryption> {
  const found = await createEncryption({
    configuration: configuration(entry(['secrets'], ...providers)),
    clock,
  });
  closers.push(() => found.close());
  return found;
}
const path = (): string => join(folder, 'store.db');
const openFile = (encryption: StoreEncryption, file = path()): Promise<Storage> =>
  openSqliteStorage({ path: file, clock, encryption, stampRevision });
const holds = (value: string): boolean =>
  readdirSync(folder)
    .filter((name) => name.startsWith('store.db'))
    .some((name) => readFileSync(join(folder, name)).includes(value));
const serverOn = (storage: Storage): ApiServer =>
  new ApiServer({
    storage,
    clock,
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
/** Checks the key service after a failure, when its result is no longer kept. */
async function checkAgain({ healthChecks = [] }: StoreEncryption): Promise<string> {
  await clock.advance(20_001);
  return healthChecks[0]?.check().then(
    () => 'ok',
    (error: unknown) => (error as Error).message,
  ) as Promise<string>;
}

describe('at rest', () => {
  it('stores no secret, reads it after a restart with one call a seed, and keeps it in backups', async () => {
    const first = await openFile(await encryptionOf(kms.provider(), provider('identity')));
    const { modRevision } = await first.create(KEY, text('first'));
    const { modRevision: newest } = await first.update(KEY, text(), modRevision);
    await first.create('/registry/secrets/default/b', text());
    await first.close();
    expect(holds(MARKER)).toBe(false);
    expect(holds('k8s:enc:kms:v2:vault:')).toBe(true);
    expect(kms.count('Encrypt')).toBe(1);
    const second = await openFile(await encryptionOf(kms.provider()));
    expect(kms.count('Decrypt')).toBe(1);
    expect((await second.get(KEY)).record?.text).toBe(text()(newest));
    await second.close();
    // A backup needs no key service.
    await kms.stop();
    const backup = await openSqliteSnapshot({ path: path() });
    const texts: string[] = [];
    for await (const batch of backup.batches()) for (const record of batch) texts.push(record.text);
    await backup.close();
    expect(texts.join()).toContain('k8s:enc:kms:v2:vault:');
    expect(texts.join()).not.toContain(MARKER);
  });

  it('has the form of Kubernetes: another program with the seed reads it', async () => {
    const encryption = await encryptionOf(kms.provider());
    const { stored } = encryption.encode(KEY, text()(0));
    const value = readEncrypted(stored);
    expect(value?.prefix).toBe('k8s:enc:kms:v2:vault:');
    const fields = protobufOf(value?.data ?? Buffer.alloc(0));
    expect([...fields.keys()]).toEqual([1, 2, 3, 4, 5]);
    expect(fields.get(2)?.toString()).toBe('key-1');
    expect(fields.get(5)).toEqual(Buffer.from([1]));
    const seed = kms.decrypted(fields.get(3) ?? Buffer.alloc(0), 'key-1');
    const data = fields.get(1) ?? Buffer.alloc(0);
    const [info, nonce, tagAt] = [data.subarray(0, 32), data.subarray(32, 44), data.length - 16];
    const dataKey = createHmac('sha256', seed)
      .update(info)
      .update(Buffer.from([1]))
      .digest();
    const decipher = createDecipheriv('aes-256-gcm', dataKey, nonce).setAAD(Buffer.from(KEY));
    decipher.setAuthTag(data.subarray(tagAt));
    const plain = Buffer.concat([decipher.update(data.subarray(44, tagAt)), decipher.final()]);
    expect(plain.toString()).toBe(text()(0));
    expect(() => encryption.decode('/registry/secrets/default/moved', stored)).toThrow('unable to transform key');
  });
});

describe('rotation', () => {
  it('follows the key id of the status, and then rewrites what the old key protects', async () => {
    const encryption = await encryptionOf(kms.provider());
    const storage = await openFile(encryption);
    const record = await storage.create(KEY, text());
    expect(storage.isStale?.(record)).toBe(false);
    kms.keyId = 'key-2';
    expect(storage.isStale?.(record)).toBe(false);
    expect(await checkAgain(encryption)).toBe('ok');
    expect(storage.isStale?.(record)).toBe(true);
    expect(kms.count('Encrypt')).toBe(2);
    expect(await rewriteStale(storage, { clock, stampRevision })).toEqual({ records: 1, rewritten: 1 });
    expect(await rewriteStale(storage, { clock, stampRevision })).toEqual({ records: 1, rewritten: 0 });
    await storage.close();
  });

  it('asks for the status each minute', async () => {
    await encryptionOf(kms.provider());
    expect(kms.count('Status')).toBe(1);
    kms.keyId = 'key-2';
    const answered = kms.next('Encrypt');
    await clock.advance(MINUTE);
    await answered;
    expect(kms.count('Status')).toBe(2);
  });

  it('keeps the old seed while Status and Encrypt name different keys', async () => {
    const encryption = await encryptionOf(kms.provider());
    kms.keyId = 'key-2';
    kms.encryptKeyId = 'key-1';
    expect(await checkAgain(encryption)).toMatch(
      /^kmsv2 Provider vault is not healthy, error: failed to rotate DEK uid=.*, useSeed=true, errState=<nil>, errGen=<nil>, statusKeyIDHash="sha256:/,
    );
    expect(() => encryption.encode(KEY, text()(0))).not.toThrow();
  });
});

describe('a key service that attacks', () => {
  const MIB = 1024 * 1024;
  const frame = (length: number, rest = Buffer.alloc(0)): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(length, 1);
    return Buffer.concat([head, rest]);
  };

  it('with an answer of a gigabyte is refused by the length that it announces', async () => {
    const encryption = await encryptionOf(kms.provider());
    let sent = 0;
    kms.attacks.set('Status', (stream) => {
      stream.write(frame(1024 * MIB));
      stream.on('drain', () => {
        sent += MIB;
        if (sent < 64 * MIB) stream.write(Buffer.alloc(MIB));
      });
      stream.write(Buffer.alloc(MIB));
    });
    expect(await checkAgain(encryption)).toContain(
      'rpc error: code = ResourceExhausted desc = grpc: received message larger than max (1073741824 vs. 4194304)',
    );
    expect(sent).toBeLessThan(16 * MIB);
  });

  it('with answers without an end is refused after the first', async () => {
    const encryption = await encryptionOf(kms.provider());
    const closed = new Promise<void>((resolve) => {
      kms.attacks.set('Status', (stream) => {
        stream.on('close', () => resolve());
        const more = (): void => {
          if (!stream.destroyed) stream.write(Buffer.concat([frame(3, Buffer.from([10, 1, 65])), frame(0)]), more);
        };
        more();
      });
    });
    expect(await checkAgain(encryption)).toContain('rpc error: code = Unavailable');
    await closed;
  });
});

describe('a key service that fails', () => {
  it('writes go on for three minutes, then fail with 500, and nothing is lost', async () => {
    const encryption = await encryptionOf(kms.provider());
    await using server = serverOn(await openFile(encryption));
    expect((await ask(server, 'POST', PATH, { body: JSON.stringify(secret()) })).status).toBe(201);
    await kms.stop();
    await clock.advance(2 * MINUTE);
    expect((await ask(server, 'PUT', `${PATH}/a`, { body: JSON.stringify(secret('two')) })).status).toBe(200);
    await clock.advance(MINUTE + 1000);
    const refused = await ask(server, 'PUT', `${PATH}/a`, { body: JSON.stringify(secret('three')) });
    expect(refused.status).toBe(500);
    expect(jsonOf(refused)).toMatchObject({
      reason: 'InternalError',
      message: expect.stringMatching(
        /encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at .* \(current time is /,
      ),
    });
    // Reads go on, and so do writes of other kinds.
    const read = await ask(server, 'GET', `${PATH}/a`);
    expect(jsonOf(read)).toMatchObject({ data: { value: Buffer.from('two').toString('base64') } });
    const map = JSON.stringify({ metadata: { name: 'a' } });
    expect((await ask(server, 'POST', PATH.replace('secrets', 'configmaps'), { body: map })).status).toBe(201);
    await kms.start();
    expect(await checkAgain(encryption)).toBe('ok');
    expect((await ask(server, 'PUT', `${PATH}/a`, { body: JSON.stringify(secret('three')) })).status).toBe(200);
  });

  it(
    'a read that needs it fails with 500 in the words of Kubernetes, and succeeds later',
    { timeout: 300_000 },
    async () => {
      const pool = new PglitePool();
      closers.push(() => pool.close());
      const open = (encryption: StoreEncryption): Promise<Storage> =>
        openPostgresStorage({ pool, clock, encryption, watchCache: false, compactionInterval: 0 });
      const first = await open(await encryptionOf(kms.provider()));
      await first.create(KEY, text());
      await first.close();
      const storage = await open(await encryptionOf(kms.provider()));
      kms.faults.set('Decrypt', { code: 13, message: 'the vault is sealed' });
      const message = `unable to transform key "${KEY}": failed to decrypt DEK, error: rpc error: code = Internal desc = the vault is sealed`;
      await expect(storage.get(KEY)).rejects.toThrow(message);
      await expect(storage.list('/registry/secrets/')).rejects.toThrow(message);
      kms.faults.clear();
      expect((await storage.get(KEY)).record?.text).toBe(text()(1));
      await storage.close();
    },
  );

  it('a call that is not answered ends after its timeout', async () => {
    kms.faults.set('Status', 'hang');
    const asked = kms.next('Status');
    const made = createEncryption({
      configuration: configuration(entry(['secrets'], kms.provider('vault', '1s'))),
      clock,
    });
    await asked;
    await clock.advance(1000);
    const encryption = await made;
    closers.push(() => encryption.close());
    expect(() => encryption.encode(KEY, text()(0))).toThrow('got unexpected nil transformer');
    await expect(encryption.healthChecks?.[0]?.check()).rejects.toThrow(
      'failed to perform status section of the healthz check for KMS Provider vault, error: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    );
  });

  it('a file whose seeds cannot be fetched now is not opened, and not changed', async () => {
    const storage = await openFile(await encryptionOf(kms.provider()));
    const { modRevision } = await storage.create(KEY, text());
    await storage.close();
    await kms.stop();
    const offline = await encryptionOf(kms.provider());
    await expect(openFile(offline)).rejects.toThrow(/cannot be read: unable to transform key .* nothing was changed/);
    await kms.start();
    const again = await openFile(await encryptionOf(kms.provider()));
    expect((await again.get(KEY)).record?.text).toBe(text()(modRevision));
    await again.close();
  });

  it.each<[string, (server: KmsServer) => void, string]>([
    ['health', (server) => (server.healthz = 'sealed'), 'got unexpected healthz status: sealed'],
    ['version', (server) => (server.version = 'v1'), 'expected KMSv2 API version v2, got v1'],
    ['empty key id', (server) => (server.keyId = ''), 'got invalid KMSv2 KeyID hash "": keyID is empty'],
    [
      'long key id',
      (server) => (server.keyId = 'x'.repeat(1025)),
      'keyID is 1025 bytes, which exceeds the max size of 1024',
    ],
    ['annotation', (server) => (server.annotation = ['plain', '']), 'failed to validate annotations'],
  ])('an invalid status or seed is not used: %s', async (_, change, problem) => {
    change(kms);
    const encryption = await encryptionOf(kms.provider());
    await expect(encryption.healthChecks?.[0]?.check()).rejects.toThrow(problem);
  });
});

describe('health and metrics', () => {
  it('shows each service, or all of them when the file is reloaded', async () => {
    const encryption = await encryptionOf(kms.provider());
    await using server = serverOn(await openFile(encryption));
    expect((await ask(server, 'GET', '/healthz/kms-provider-0')).status).toBe(200);
    expect((await ask(server, 'GET', '/readyz/kms-provider-0')).status).toBe(200);
    expect((await ask(server, 'GET', '/livez/kms-provider-0')).status).toBe(404);
    kms.healthz = 'sealed';
    await clock.advance(20_001);
    expect((await ask(server, 'GET', '/healthz/kms-provider-0')).status).toBe(500);
    expect((await ask(server, 'GET', '/livez')).status).toBe(200);
    const reloading = await createEncryption({
      configuration: configuration(entry(['secrets'], provider('identity'))),
      clock,
      automaticReload: true,
    });
    closers.push(() => reloading.close());
    expect(reloading.healthChecks?.map(({ name }) => name)).toEqual(['kms-providers']);
    const next = configuration(entry(['secrets'], kms.provider('other')));
    await expect(reloading.reload(next)).rejects.toThrow('kmsv2 Provider other is not healthy');
    expect(reloading.protectionOf(KEY)).toBeUndefined();
    kms.healthz = 'ok';
    await reloading.reload(next);
    expect(reloading.protectionOf(KEY)).toContain('k8s:enc:kms:v2:other:');
    expect(() => reloading.reload({})).toThrow();
    await using reloaded = serverOn(await openFile(reloading, join(folder, 'other.db')));
    const metrics = String((await ask(reloaded, 'GET', '/metrics')).body);
    const name = 'apiserver_encryption_config_controller_automatic_reload';
    expect(metrics).toContain(`${name}s_total{apiserver_id_hash="",status="success"} 1\n`);
    expect(metrics).toContain(`${name}s_total{apiserver_id_hash="",status="failure"} 2\n`);
    expect(metrics).toMatch(
      /_automatic_reload_last_timestamp_seconds\{apiserver_id_hash="",status="success"\} 1\.70\d+e\+09\n/,
    );
  });

  it('counts by the names of Kubernetes', async () => {
    const encryption = await encryptionOf(kms.provider(), provider('aesgcm', { old: KEY_1 }));
    await using server = serverOn(await openFile(encryption));
    await ask(server, 'POST', PATH, { body: JSON.stringify(secret()) });
    const { stored } = encryption.encode(KEY, text()(0));
    encryption.decode(KEY, stored);
    const metrics = String((await ask(server, 'GET', '/metrics')).body);
    for (const line of [
      /^apiserver_storage_transformation_operations_total\{status="OK",transformation_type="to_storage",transformer_prefix="k8s:enc:kms:v2:vault:"\} \d/m,
      /^apiserver_storage_transformation_operations_total\{status="OK",transformation_type="from_storage",transformer_prefix="k8s:enc:kms:v2:vault:"\} 1$/m,
      /^apiserver_storage_transformation_duration_seconds_count\{transformation_type="to_storage",/m,
      /^apiserver_storage_data_key_generation_duration_seconds_count 1$/m,
      /^apiserver_envelope_encryption_kms_operations_latency_seconds_count\{grpc_status_code="OK",method_name="\/v2.KeyManagementService\/Encrypt",provider_name="vault"\} 1$/m,
      /^apiserver_envelope_encryption_key_id_hash_total\{apiserver_id_hash="",key_id_hash="sha256:[0-9a-f]{64}",provider_name="vault",transformation_type="from_storage"\} 1$/m,
      /^apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds\{/m,
      /^apiserver_envelope_encryption_dek_source_cache_size\{provider_name="vault"\} 1$/m,
    ])
      expect(metrics).toMatch(line);
  });
});

/** Returns the last value of each field of a message. */
function protobufOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = message[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    if (tag % 8 === 0) fields.set(tag >> 3, Buffer.from([value]));
    else {
      fields.set(tag >> 3, message.subarray(at, at + value));
      at += value;
    }
  }
  return fields;
}
