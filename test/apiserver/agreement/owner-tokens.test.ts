import { afterEach, beforeEach, expect, test } from 'vitest';
import { OwnerTokens } from '../../../src/apiserver/agreement/owner-tokens.js';
import { ApiServer, type ApiServerOptions } from '../../../src/entries/index.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { decorateStorage, StorageError, type Storage } from '../../../src/entries/storage.js';
import { ask } from '../../server/ask.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';

let clock: ManualClock;
let storage: Storage;
const open: ApiServer[] = [];
beforeEach(() => {
  clock = createManualClock();
  storage = decorateStorage(keptOpenStorage(clock), { isShared: true });
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** Starts a server on the store, or on one that is given. */
async function started(ownerToken: string, on = storage, options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = new ApiServer({
    ...options,
    ...{ clock, storage: on, authentication: { ownerToken } },
    controllers: { leaderElection: false },
    observability: { logger: { info: () => undefined, error: () => undefined } },
  });
  open.push(server);
  await server.ready();
  return server;
}

/** Returns the status of a request that only an owner may make. */
async function statusFor(server: ApiServer, token: string): Promise<number> {
  const { status } = await ask(server, 'GET', '/api/v1/namespaces/default/secrets', {
    token,
  });
  return status;
}

const hashes = async (): Promise<string[]> =>
  (await storage.list('/internal/owner-tokens/')).records.map(({ key, text }) => `${key} ${text}`);

test('each server of a store accepts the owners of the others, also of those that start later', async () => {
  const first = await started('token-of-first');
  const second = await started('token-of-second');
  expect(await statusFor(second, 'token-of-first')).toBe(200);
  expect(await statusFor(first, 'token-of-second')).toBe(200);
  expect(await statusFor(first, 'token-of-third')).toBe(401);
});

test('the store holds hashes, not tokens', async () => {
  await started('token-of-first');
  const stored = await hashes();
  expect(stored).toHaveLength(1);
  expect(stored[0]).not.toContain('token-of-first');
});

test('the token of a server that has ended stays valid for a restart, and then no longer', async () => {
  const first = await started('token-of-first');
  const second = await started('token-of-second');
  await first.close();
  await clock.advance('50m');
  expect(await statusFor(second, 'token-of-first')).toBe(200);
  await clock.advance('11m');
  expect(await statusFor(second, 'token-of-first')).toBe(401);
});

test('the token of a running server stays valid', async () => {
  await started('token-of-first');
  const second = await started('token-of-second');
  await clock.advance('3h');
  expect(await statusFor(second, 'token-of-first')).toBe(200);
  expect(await hashes()).toHaveLength(2);
});

test('servers with one token share its hash, and the end of one leaves it', async () => {
  const first = await started('one-token');
  const second = await started('one-token');
  const third = await started('another-token');
  expect(await hashes()).toHaveLength(2);
  await first.close();
  await clock.advance('3h');
  expect(await statusFor(third, 'one-token')).toBe(200);
  expect(await statusFor(second, 'one-token')).toBe(200);
});

/** Returns a storage whose watch of the tokens ends, and which fails to list them, when the caller wants it. */
function interrupted() {
  const state = { fails: false, endWatch: (): void => undefined };
  const decorated = decorateStorage(storage, {
    isShared: true,
    list: async (prefix, options) => {
      if (state.fails && prefix.startsWith('/internal/owner-tokens/')) throw new StorageError('Unavailable');
      return storage.list(prefix, options);
    },
    watch(prefix, from, sink) {
      const watch = storage.watch(prefix, from, sink);
      if (prefix === '/internal/owner-tokens/')
        state.endWatch = () => {
          watch.stop();
          sink.end({ kind: 'failed', error: new Error('the connection is lost') });
        };
      return watch;
    },
  });
  return { state, decorated };
}

test('a server whose watch has ended learns that its own token was revoked as soon as it can ask', async () => {
  const { state, decorated } = interrupted();
  const first = await started('token-of-first', decorated);
  const second = await started('token-of-second');
  state.endWatch();
  await second.revokeOwnerToken('token-of-first');
  state.fails = true;
  expect(await statusFor(first, 'token-of-first')).toBe(200);
  state.fails = false;
  expect(await statusFor(first, 'token-of-first')).toBe(401);
});

test('a server whose watch has ended reads the tokens again, and refuses while it cannot', async () => {
  const { state, decorated } = interrupted();
  const first = await started('token-of-first', decorated);
  state.endWatch();
  await started('token-of-second');
  state.fails = true;
  expect(await statusFor(first, 'token-of-second')).toBe(401);
  // Its own owner needs no other server.
  expect(await statusFor(first, 'token-of-first')).toBe(200);
  state.fails = false;
  expect(await statusFor(first, 'token-of-second')).toBe(200);
});

test('a token that is revoked is refused by all servers at once, and for ever', async () => {
  const first = await started('token-of-first');
  const second = await started('token-of-second');
  expect(await statusFor(second, 'token-of-first')).toBe(200);
  await second.revokeOwnerToken('token-of-first');
  for (const server of [first, second]) expect(await statusFor(server, 'token-of-first')).toBe(401);
  // Its server does not renew it, and goes on without one.
  await clock.advance('61m');
  for (const server of [first, second]) expect(await statusFor(server, 'token-of-first')).toBe(401);
  expect(await statusFor(first, 'token-of-second')).toBe(200);
  await first.close();
  await expect(started('token-of-first')).rejects.toThrow('has been revoked in the store: use another one');
  expect((await storage.list('/internal/servers/')).records).toHaveLength(1);
  expect(await statusFor(await started('token-of-third'), 'token-of-first')).toBe(401);
});

test('a server revokes its own token, and one that no server has any more', async () => {
  const first = await started('token-of-first');
  const second = await started('token-of-second');
  await first.revokeOwnerToken('token-of-first');
  expect(await statusFor(first, 'token-of-first')).toBe(401);
  expect(await statusFor(second, 'token-of-first')).toBe(401);
  await second.close();
  await first.revokeOwnerToken('token-of-second');
  expect(await statusFor(first, 'token-of-second')).toBe(401);
});

test('a token is revoked while its server renews it without having seen that', async () => {
  // The watch of the first server stands still.
  const slow = decorateStorage(storage, {
    isShared: true,
    watch: (prefix, from, sink) =>
      prefix === '/internal/owner-tokens/'
        ? { stop: () => undefined, requestProgress: () => undefined }
        : storage.watch(prefix, from, sink),
  });
  const first = await started('token-of-first', slow);
  const second = await started('token-of-second');
  await second.revokeOwnerToken('token-of-first');
  await clock.advance('21m');
  for (const server of [first, second]) expect(await statusFor(server, 'token-of-first')).toBe(401);
});

test('a server that shares its store with no other has another way', async () => {
  await expect(new ApiServer({ clock }).revokeOwnerToken('token')).rejects.toThrow(
    'no other server uses the store: create the server with another authentication.ownerToken',
  );
});

test('a store that no other process uses holds no hashes', async () => {
  const unshared = keptOpenStorage(clock);
  await started('token', unshared);
  expect((await unshared.list('/internal/owner-tokens/')).records).toEqual([]);
});

test('a server that ends while it reads the tokens follows them no longer', async () => {
  let goOn = (): void => undefined;
  const opened = new Promise<void>((resolve) => (goOn = resolve));
  let watches = 0;
  const held = decorateStorage(storage, {
    list: (...given) => opened.then(() => storage.list(...given)),
    watch: (...given) => {
      watches += 1;
      return storage.watch(...given);
    },
  });
  const owner = { token: 'token-of-first', user: { username: 'owner', groups: [] } };
  const logger = { info: () => undefined, error: () => undefined };
  const tokens = new OwnerTokens({ storage: held, clock, logger, owner });
  const starting = tokens.start();
  tokens.end();
  goOn();
  await starting;
  expect(watches).toBe(0);
});
