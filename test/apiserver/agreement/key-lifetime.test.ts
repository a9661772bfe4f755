/** The age of the signing key, watched by several servers: their parts alone, since days of whole servers take long. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeyLifetime } from '../../../src/apiserver/authentication/key-lifetime.js';
import { rotateStoredKey } from '../../../src/apiserver/agreement/rotate-key.js';
import { claimStore, decorateStorage, type Storage } from '../../../src/storage/index.js';
import { createManualClock, type ManualClock } from '../../../src/entries/testing.js';
import { StoredSigningKeys } from '../../../src/security/index.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIFETIME = 10 * DAY;

let clock: ManualClock;
let storage: Storage;
let exchanges: number;
const failures: unknown[] = [];
const open: { close(): void }[] = [];
beforeEach(async () => {
  clock = createManualClock();
  storage = decorateStorage(keptOpenStorage(clock), { isShared: true });
  await claimStore(storage, { dialect: 'orch', continueKey: '00' });
  exchanges = 0;
  failures.length = 0;
});
afterEach(() => open.splice(0).forEach((each) => each.close()));

/** Starts what a server has of it. */
async function server(): Promise<StoredSigningKeys> {
  const keys = new StoredSigningKeys({ storage, clock });
  const logger = {
    info: () => void (exchanges += 1),
    error: (message: string, fields?: Readonly<Record<string, unknown>>) => void failures.push([message, fields]),
  };
  const lifetime = new KeyLifetime({ storage, clock, logger, keys, lifetimeMs: LIFETIME });
  open.push(lifetime, keys);
  await lifetime.start();
  return keys;
}

const signing = async (keys: StoredSigningKeys): Promise<string> => (await keys.current()).signer.keyId;
const accepted = async (keys: StoredSigningKeys): Promise<string[]> =>
  (await keys.current()).verifiers.map(({ keyId }) => keyId);

/** Waits for the servers, which make keys on other threads and then wait for the next time. */
const exchanged = (count: number): Promise<void> =>
  vi.waitFor(
    () => {
      expect(exchanges).toBe(count);
      expect(clock.due.filter((at) => at > clock.now() + DAY)).toHaveLength(open.length / 2);
    },
    { timeout: 60_000 },
  );

test('one of the servers makes the next key an hour before the first has signed for its time, and all follow', async () => {
  const servers = [await server(), await server()];
  const [one, two] = servers as [StoredSigningKeys, StoredSigningKeys];
  const first = await signing(one);
  await clock.advance(LIFETIME - HOUR - 1);
  expect(await accepted(two)).toEqual([first]);
  // Both find it due in the same moment.
  await clock.advance(1);
  await exchanged(1);
  const [, second] = await accepted(one);
  for (const keys of servers) expect(await accepted(keys)).toEqual([first, second]);
  await clock.advance(HOUR - 1);
  expect(await signing(two)).toBe(first);
  await clock.advance(1);
  for (const keys of servers) {
    expect(await signing(keys)).toBe(second);
    expect(await accepted(keys)).toEqual([second, first]);
  }
  await clock.advance(LIFETIME - HOUR);
  await exchanged(2);
  expect(await accepted(two)).toEqual([second, expect.any(String), first]);
  expect(failures).toEqual([]);
});

test('the age goes on without a server, and what became due then is done at the start', async () => {
  const first = await signing(await server());
  open.splice(0).forEach((each) => each.close());
  await clock.advance(LIFETIME + DAY);
  const keys = await server();
  expect(exchanges).toBe(1);
  expect(await accepted(keys)).toEqual([first, expect.any(String)]);
});

test('an exchange by other means begins the age again', async () => {
  const keys = await server();
  await clock.advance(9 * DAY);
  await rotateStoredKey(storage, keys, { signAfter: 0 });
  await clock.advance(LIFETIME - HOUR - 1);
  expect(exchanges).toBe(0);
  await clock.advance(1);
  await exchanged(1);
});

test('a failure is tried again', async () => {
  const keys = await server();
  const get = vi.spyOn(storage, 'get').mockRejectedValue(new Error('the database is away'));
  await clock.advance(LIFETIME - HOUR);
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  expect(failures).toEqual([
    [
      'this server could not check the age of the signing key, or exchange it, and will try again',
      { reason: 'the database is away' },
    ],
  ]);
  get.mockRestore();
  await clock.advance('10m');
  await exchanged(1);
  expect(await accepted(keys)).toHaveLength(2);
});
