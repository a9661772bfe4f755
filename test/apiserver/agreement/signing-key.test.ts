import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ApiServer,
  type ApiServerOptions,
  type Logger,
  type SigningKeyRotationOptions,
} from '../../../src/entries/index.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { decorateStorage, type Storage, type StorageWatchSink } from '../../../src/entries/storage.js';
import { StoredSigningKeys } from '../../../src/security/authorities/stored-signing-keys.js';
import { exportSigningKey, generateSigningKey } from '../../../src/security/tokens/index.js';
import { AGREEMENT_KEY, readAgreement } from '../../../src/apiserver/agreement/agreement-record.js';
import { rotateStoredKey } from '../../../src/apiserver/agreement/rotate-key.js';
import { SIGNING_KEY, type StaticToken } from '../../../src/security/index.js';
import { STORE_MARK_KEY } from '../../../src/storage/index.js';
import { ask, jsonOf } from '../../server/ask.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';

const HOUR = 3_600_000;
let clock: ManualClock;
let storage: Storage;
const open: ApiServer[] = [];
/** Messages that the servers log, with their reasons. */
const logged: string[] = [];
const log = (message: string, { reason }: Readonly<Record<string, unknown>> = {}): void =>
  void logged.push(typeof reason === 'string' ? `${message}: ${reason}` : message);
const logger: Logger = { info: log, error: log };
beforeEach(() => {
  logged.length = 0;
  clock = createManualClock();
  storage = decorateStorage(keptOpenStorage(clock), { isShared: true });
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const admins: readonly StaticToken[] = [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }];

async function started(on = storage, options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = new ApiServer({
    authentication: { tokens: admins },
    ...options,
    ...{ clock, storage: on, controllers: { leaderElection: false } },
    observability: { logger },
  });
  open.push(server);
  await server.settled();
  return server;
}

/** Requests a token of the default account, valid for a day. */
async function tokenOf(server: ApiServer): Promise<string> {
  const body = JSON.stringify({ spec: { expirationSeconds: 86_400 } });
  const answer = await ask(server, 'POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { body });
  expect(answer.status).toBe(201);
  return (jsonOf(answer) as { status: { token: string } }).status.token;
}

const keyOf = (token: string): string => {
  const [header = ''] = token.split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid;
};

/** The status of a request with the token: 403 when the account is known, which may do nothing. */
const statusFor = async (server: ApiServer, token: string): Promise<number> =>
  (await ask(server, 'GET', '/api/v1/namespaces/default/configmaps', { token })).status;

const publishedBy = async (server: ApiServer): Promise<string[]> =>
  (jsonOf(await ask(server, 'GET', '/openid/v1/jwks')) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);

const AT_ONCE: SigningKeyRotationOptions = { signAfter: 0, overlap: '2h' };

test('all servers accept a new key before it signs, sign with it from its time on, and publish both', async () => {
  const [one, two] = [await started(), await started()];
  const before = await tokenOf(one);
  const { keyId, formerKeyId, signsFrom, formerUntil } = await one.rotateSigningKey();
  expect(formerKeyId).toBe(keyOf(before));
  expect(signsFrom.getTime()).toBe(clock.now() + HOUR);
  expect(formerUntil.getTime()).toBe(clock.now() + HOUR + 366 * 24 * HOUR);
  for (const server of [one, two]) {
    // The other server hears of it by its watch.
    await server.settled();
    expect(await publishedBy(server)).toEqual([formerKeyId, keyId]);
    expect(keyOf(await tokenOf(server))).toBe(formerKeyId);
  }
  await clock.advance(HOUR);
  for (const [signing, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const token = await tokenOf(signing);
    expect(keyOf(token)).toBe(keyId);
    expect(await statusFor(other, token)).toBe(403);
    expect(await statusFor(other, before)).toBe(403);
    expect(await publishedBy(other)).toEqual([keyId, formerKeyId]);
  }
});

test('tokens of the former key end with the overlap', async () => {
  const [one, two] = [await started(), await started()];
  const before = await tokenOf(one);
  await one.rotateSigningKey(AT_ONCE);
  for (const server of [one, two]) expect(await statusFor(server, before)).toBe(403);
  await clock.advance(2 * HOUR - 1);
  for (const server of [one, two]) expect(await statusFor(server, before)).toBe(403);
  await clock.advance(1);
  for (const server of [one, two]) expect(await statusFor(server, before)).toBe(401);
  expect(await publishedBy(two)).toHaveLength(1);
});

test('a key can be exchanged again once it signs, and the keys before it stay for their time', async () => {
  const [one, two] = [await started(), await started()];
  const tokens = [await tokenOf(one)];
  for (let round = 0; round < 2; round += 1) {
    await two.rotateSigningKey({ signAfter: '10m', overlap: '5h' });
    await expect(one.rotateSigningKey()).rejects.toThrow('the signing key is being exchanged');
    await clock.advance('10m');
    tokens.push(await tokenOf(one));
  }
  expect(new Set(tokens.map(keyOf)).size).toBe(3);
  for (const token of tokens) expect(await statusFor(two, token)).toBe(403);
  // The private part of a key that signs no more is not kept.
  const { record } = await storage.get('/internal/service-account-signing-key');
  const text = record?.text ?? '';
  expect(text.match(/BEGIN PUBLIC KEY/g)).toHaveLength(1);
  expect(text.match(/BEGIN PRIVATE KEY/g)).toHaveLength(2);
});

test('a restart, and a server that starts later, go on with the exchanged keys', async () => {
  const one = await started();
  const before = await tokenOf(one);
  const { keyId } = await one.rotateSigningKey(AT_ONCE);
  await one.close();
  const two = await started();
  expect(keyOf(await tokenOf(two))).toBe(keyId);
  expect(await statusFor(two, before)).toBe(403);
});

test('a token that is signed by a key of which no event has come is accepted', async () => {
  const sinks: StorageWatchSink[] = [];
  // The watch of the keys stands still, as behind a slow connection.
  const slow = decorateStorage(storage, {
    isShared: true,
    watch(prefix, from, sink) {
      if (prefix !== '/internal/service-account-signing-key') return storage.watch(prefix, from, sink);
      sinks.push(sink);
      return { stop: () => undefined, requestProgress: () => undefined };
    },
  });
  const [one, two] = [await started(), await started(slow)];
  const { keyId } = await one.rotateSigningKey(AT_ONCE);
  const token = await tokenOf(one);
  expect(keyOf(token)).toBe(keyId);
  expect(await statusFor(two, token)).toBe(403);
  expect(sinks).toHaveLength(1);
  // The same when the watch has ended, and nothing else has asked for the keys.
  await one.rotateSigningKey(AT_ONCE);
  sinks[0]?.end({ kind: 'failed', error: new Error('the connection is lost') });
  expect(await statusFor(two, await tokenOf(one))).toBe(403);
  expect(sinks).toHaveLength(2);
});

test('keys that have not changed are not parsed again, whatever keys tokens name', async () => {
  let parsed = 0;
  const counted = decorateStorage(storage, {
    get: async (key, options) => {
      const { record, revision } = await storage.get(key, options);
      if (record === undefined) return { record, revision };
      const { text } = record;
      return {
        revision,
        record: {
          ...record,
          get text() {
            parsed += 1;
            return text;
          },
        },
      };
    },
  });
  const keys = new StoredSigningKeys({ storage: counted, clock });
  const { signer } = await keys.reread();
  parsed = 0;
  for (let count = 0; count < 3; count += 1) expect((await keys.reread()).signer).toBe(signer);
  expect(parsed).toBe(0);
  await keys.rotate({ signAfterMs: 0, overlapMs: HOUR });
  expect((await keys.reread()).signer).not.toBe(signer);
  keys.close();
});

test('servers stay in agreement, and new ones join', async () => {
  const [one, two] = [await started(), await started()];
  await one.rotateSigningKey(AT_ONCE);
  // Both state their keys again, one after the other.
  await clock.advance(60_000);
  for (const server of [one, two, await started()])
    expect((await ask(server, 'GET', '/readyz/agreement')).status).toBe(200);
});

test('a server of one process exchanges its key, too', async () => {
  const single = await started(keptOpenStorage(clock));
  const before = await tokenOf(single);
  const { keyId } = await single.rotateSigningKey(AT_ONCE);
  const after = await tokenOf(single);
  expect(keyOf(after)).toBe(keyId);
  for (const token of [before, after]) expect(await statusFor(single, token)).toBe(403);
  await clock.advance(2 * HOUR);
  expect(await statusFor(single, before)).toBe(401);
  await expect(single.rotateSigningKey({ overlap: '1x' as never })).rejects.toThrow('overlap');
});

describe('a key with a lifetime', () => {
  const limited: ApiServerOptions = {
    authentication: { tokens: admins, serviceAccounts: { signingKeyLifetime: '240h' } },
  };
  const exchanges = (): number => logged.filter((line) => line.endsWith('is being exchanged')).length;

  test('is exchanged by the servers, of which each follows', async () => {
    const other = await started();
    const before = await tokenOf(other);
    // As an earlier version has made it, without its age.
    const { record } = await storage.get(SIGNING_KEY);
    const { pem } = JSON.parse(record?.text ?? '') as { pem: string };
    const text = JSON.stringify({ kind: 'SigningKey', apiVersion: 'internal/v1', metadata: {}, pem });
    await storage.update(SIGNING_KEY, () => text, record?.modRevision ?? 0);
    const servers = [await started(storage, limited), await started(storage, limited)];
    expect(exchanges()).toBe(1);
    const keys = await publishedBy(other);
    expect(keys).toEqual([keyOf(before), expect.any(String)]);
    await clock.advance(HOUR);
    for (const server of servers) {
      expect(keyOf(await tokenOf(server))).toBe(keys[1]);
      expect(await statusFor(server, before)).toBe(403);
    }
  });

  test('waits for servers of an earlier build, and says so', async () => {
    const older = await started(storage, { version: { packageVersion: '0.1.5' } });
    const { record } = await storage.get('/internal/agreement');
    const agreement = JSON.parse(record?.text ?? '') as { members: Record<string, Record<string, unknown>> };
    for (const member of Object.values(agreement.members)) delete member['storeLayouts'];
    await storage.update('/internal/agreement', () => JSON.stringify(agreement), record?.modRevision ?? 0);
    const stored = await storage.get(SIGNING_KEY);
    await storage.update(
      SIGNING_KEY,
      () =>
        (stored.record?.text ?? '').replace(
          /"creationTimestamp":"[^"]*"/,
          '"creationTimestamp":"2020-01-01T00:00:00Z"',
        ),
      stored.record?.modRevision ?? 0,
    );
    await started(storage, limited);
    expect(exchanges()).toBe(0);
    expect(logged.at(-1)).toMatch(
      /^this server could not check the age of the signing key, or exchange it, and will try again: layout 2 of the store .*first replace all servers by version 0\.2\.0 or later$/,
    );
    await older.close();
    await clock.advance(10 * 60_000);
    await vi.waitFor(() => expect(exchanges()).toBe(1), { timeout: 60_000 });
  });

  test.each([
    ['23h', {}, 'must be at least a day'],
    ['240h', { signingKey: 'a key' }, 'is for a key that the server generates'],
  ] as const)('of %s with %j is refused', (signingKeyLifetime, others, problem) => {
    const serviceAccounts = { signingKeyLifetime, ...others };
    expect(() => new ApiServer({ authentication: { serviceAccounts } })).toThrow(
      `ApiServer: the option authentication.serviceAccounts.signingKeyLifetime ${problem}`,
    );
  });
});

describe('a key is not exchanged', () => {
  const layout = async (): Promise<unknown> =>
    (JSON.parse((await storage.get(STORE_MARK_KEY)).record?.text ?? '{}') as { layout: number }).layout;

  test('while a server of an earlier build runs, which could not read the keys', async () => {
    const one = await started(storage, { version: { packageVersion: '0.2.0' } });
    // As an earlier build writes it, which states no layouts.
    const { record } = await storage.get('/internal/agreement');
    const agreement = JSON.parse(record?.text ?? '') as { members: Record<string, Record<string, unknown>> };
    for (const member of Object.values(agreement.members)) delete member['storeLayouts'];
    await storage.update('/internal/agreement', () => JSON.stringify(agreement), record?.modRevision ?? 0);
    await expect(one.rotateSigningKey()).rejects.toThrow(
      /^layout 2 of the store cannot be used while a server runs that does not read it: [-0-9a-f]+ \(version 0\.2\.0\) reads layouts up to 1: first replace all servers by version 0\.2\.0 or later$/,
    );
    expect(await layout()).toBe(1);
  });

  test('while a server has a key of its own', async () => {
    const one = await started();
    const { record } = await storage.get('/internal/service-account-signing-key');
    const { pem } = JSON.parse(record?.text ?? '') as { pem: string };
    // It accepts the key in the store only as it is today.
    const signingKey = pem;
    const two = await started(storage, { authentication: { serviceAccounts: { signingKey } } });
    await expect(one.rotateSigningKey()).rejects.toThrow(
      'the signing key in the store cannot be exchanged while servers run that do not follow it',
    );
    await expect(two.rotateSigningKey()).rejects.toThrow(
      'the option authentication.serviceAccounts.signingKey contains the key of this server: replace it there',
    );
    expect(await layout()).toBe(1);
    await two.close();
    await one.rotateSigningKey();
    expect(await layout()).toBe(2);
  });

  test.each([
    ['before the new key is stated', AGREEMENT_KEY],
    ['before it is written', SIGNING_KEY],
  ])('and of a server with the key of its own that starts %s, one of the two gives way', async (_when, written) => {
    const first = await started();
    const { record } = await storage.get(SIGNING_KEY);
    const { pem: signingKey } = JSON.parse(record?.text ?? '') as { pem: string };
    // The layout is raised already, which else writes the record of the agreement, too.
    await first.rotateSigningKey(AT_ONCE);
    await clock.advance(30_000);
    const current = JSON.parse((await storage.get(SIGNING_KEY)).record?.text ?? '') as { next: { pem: string } };
    const own = { signingKey: current.next.pem, verificationKeys: [signingKey] };
    let joining: Promise<unknown> | undefined;
    const shared = decorateStorage(storage, {
      update: async (key, ...rest) => {
        if (key === written && joining === undefined) {
          const join = started(storage, { authentication: { serviceAccounts: own } });
          joining = join.then(
            () => 'joined',
            (error: unknown) => String(error),
          );
          await joining;
        }
        return storage.update(key, ...rest);
      },
    });
    const one = new StoredSigningKeys({ storage: shared, clock });
    const exchange = await rotateStoredKey(shared, one, {}).then(
      () => 'exchanged',
      (error: unknown) => String(error),
    );
    one.close();
    const [isFirst, joined] = [written === AGREEMENT_KEY, await joining];
    expect(joined).toEqual(isFirst ? 'joined' : expect.stringContaining('this server does not accept'));
    expect(exchange).toEqual(isFirst ? expect.stringContaining('that do not follow it') : 'exchanged');
    // The statement about the key that was not made is taken back.
    const agreed = readAgreement((await storage.get(AGREEMENT_KEY)).record ?? { text: '' });
    const uses = [...agreed.members.values()].flatMap((trust) => trust.get('serviceAccountKeys')?.uses ?? []);
    const known = JSON.parse((await storage.get(SIGNING_KEY)).record?.text ?? '') as object;
    expect(new Set(uses).size).toBe(isFirst ? 1 : 2);
    expect(known).toHaveProperty('next');
  });

  test('and a server with the key of its own does not join before the new one signs', async () => {
    const one = await started();
    const { record } = await storage.get('/internal/service-account-signing-key');
    const { pem: signingKey } = JSON.parse(record?.text ?? '') as { pem: string };
    await one.rotateSigningKey();
    // It states the new key.
    await clock.advance(30_000);
    await expect(started(storage, { authentication: { serviceAccounts: { signingKey } } })).rejects.toThrow(
      'this server does not accept service account tokens signed with the key',
    );
  });

  test('and a server with a key of its own does not join afterwards', async () => {
    const one = await started();
    await one.rotateSigningKey(AT_ONCE);
    await clock.advance(30_000);
    const signingKey = exportSigningKey(await generateSigningKey());
    await expect(started(storage, { authentication: { serviceAccounts: { signingKey } } })).rejects.toThrow(
      'this server does not accept service account tokens signed with the key',
    );
  });
});
