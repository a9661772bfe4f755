import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApiServer, ConfigMap } from '../../../src/entries/index.js';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import { openSqliteStorage } from '../../../src/storage/sqlite/index.js';
import { defaultDriver, readStorage, settingsFor } from '../../../src/storage/sqlite/open.js';
import { migrate } from '../../../src/storage/sqlite/schema.js';
import { StorageError } from '../../../src/storage/storage.js';
import type { Storage } from '../../../src/storage/storage.js';
import { canMount, SmallDisk } from '../../support/small-disk.js';
import { ask, textOf } from '../../server/ask.js';
import { ManualClock } from '../manual-clock.js';
import { storeDirectory } from './store-directory.js';

const text = (revision: number): string => `at ${revision} ${'.'.repeat(2000)}`;

async function isRefused(writes: Promise<unknown>): Promise<boolean> {
  try {
    await writes;
    return false;
  } catch (error) {
    if (
      error instanceof StorageError &&
      error.code === 'Unavailable' &&
      error.message === 'nothing was written: database or disk is full'
    )
      return true;
    throw error;
  }
}

/** Large enough that most of a group is inserted before it is complete. */
const GROUP = 20;

/** Writes, in groups and then one by one, until the store rejects both; returns the number of writes. */
async function fill(storage: Storage, name: string): Promise<number> {
  let count = 0;
  const next = (): Promise<unknown> => storage.create(`/${name}/${count++}`, text);
  while (!(await isRefused(Promise.all(Array.from({ length: GROUP }, next)))));
  count -= GROUP;
  while (!(await isRefused(next())));
  return count - 1;
}

/** Expectations for a full disk, and after space is available again. */
async function refuseReadAndRecover(storage: Storage, makeRoom: () => Promise<void>): Promise<number> {
  const count = await fill(storage, 'first');
  expect(count).toBeGreaterThan(20);
  const { records, revision } = await storage.list('');
  expect([records.length, revision]).toEqual([count, count + 1]);
  // Larger than the rejected write, for which alone there may be no space.
  await expect(storage.create('/again', (at) => text(at).repeat(2))).rejects.toMatchObject({ code: 'Unavailable' });
  await storage.ping();
  // Not only until the next check: a check must not be the only write that fits.
  for (let check = 0; check < 3; check += 1)
    await expect(storage.pingWrites?.()).rejects.toThrow('nothing was written: database or disk is full');
  expect((await storage.get('/first/3')).record?.text).toBe(text(5));
  await makeRoom();
  await storage.pingWrites?.();
  expect((await storage.create('/again', text)).modRevision).toBe(revision + 1);
  return revision + 1;
}

describe('sqlite storage: a full disk', () => {
  it('rejects writes, serves reads, and recovers by itself once there is space (the size of the file is limited)', async () => {
    const path = join(storeDirectory(), 'store.db');
    const connection = await SqliteConnection.open({
      driver: defaultDriver(),
      file: path,
      lockFile: `${path}-lock`,
      settings: settingsFor('full'),
    });
    await migrate(connection, path);
    await connection.run('PRAGMA max_page_count = 100');
    const storage = await readStorage(connection, { path, clock: new ManualClock() });
    const revision = await refuseReadAndRecover(
      storage,
      async () => void (await connection.run('PRAGMA max_page_count = 100000')),
    );
    expect(await connection.run('SELECT name FROM facts')).toEqual([['compacted']]);
    await storage.close();
    const again = await openSqliteStorage({ path, clock: new ManualClock() });
    expect((await again.list('')).revision).toBe(revision);
    await again.close();
  });

  it('fails the readiness of a server meanwhile, and nothing else', async () => {
    const path = join(storeDirectory(), 'store.db');
    const settings = settingsFor('full');
    const connection = await SqliteConnection.open({
      ...{ driver: defaultDriver(), file: path, lockFile: `${path}-lock`, settings },
    });
    await migrate(connection, path);
    const server = new ApiServer({
      authentication: { ownerToken: 'owner' },
      storage: await readStorage(connection, { path, clock: new ManualClock() }),
    });
    await server.ready();
    const health = async (target: string): Promise<unknown> => {
      const response = await ask(server, 'GET', target, { token: 'owner' });
      return [response.status, textOf(response)];
    };
    const checks = '[+]sqlite ok\n[+]storage ok\n[-]sqlite-readiness failed: reason withheld';
    expect(await health('/readyz')).toEqual([200, 'ok']);
    await connection.run('PRAGMA max_page_count = 1');
    const configMaps = server.client().resource(ConfigMap).namespace('default');
    const large = { metadata: { name: 'a' }, data: { a: 'x'.repeat(100_000) } };
    await expect(configMaps.create(large)).rejects.toMatchObject({
      ...{ code: 500, reason: undefined },
      message: 'nothing was written: database or disk is full',
    });
    expect(await health('/readyz')).toEqual([500, expect.stringContaining(checks) as string]);
    expect(await health('/readyz/sqlite-readiness')).toEqual([
      500,
      'internal server error: nothing was written: database or disk is full\n',
    ]);
    expect([await health('/livez'), await health('/healthz')]).toEqual([
      [200, 'ok'],
      [200, 'ok'],
    ]);
    await connection.run('PRAGMA max_page_count = 100000');
    expect(await health('/readyz')).toEqual([200, 'ok']);
    await configMaps.create(large);
    await server.close();
  });

  // Only root may mount a disk; other users have the size-limited file above.
  if (canMount) {
    it('rejects writes, serves reads, and recovers by itself once there is space (a real disk)', async () => {
      const small = new SmallDisk(3 << 20);
      onTestFinished(() => small.remove());
      const disk = small.path;
      const path = join(disk, 'store.db');
      writeFileSync(join(disk, 'ballast'), Buffer.alloc(1 << 20));
      const storage = await openSqliteStorage({ path, clock: new ManualClock() });
      const revision = await refuseReadAndRecover(storage, async () => rmSync(join(disk, 'ballast')));
      expect(await fill(storage, 'second')).toBeGreaterThan(20);
      const full = await storage.currentRevision();
      expect(full).toBeGreaterThan(revision);
      expect(statfsSync(disk).bavail).toBeLessThan(20);
      await storage.close();
      // On a full disk the store can also be opened and read.
      const again = await openSqliteStorage({ path, clock: new ManualClock() });
      expect((await again.list('')).revision).toBe(full);
      await again.close();
    });
  }
});
