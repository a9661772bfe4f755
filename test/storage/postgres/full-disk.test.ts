/** PostgreSQL on a full disk. Only root may mount one; `faults.test.ts` has other reasons why a database takes no writes. */
import { describe, expect, test } from 'vitest';
import type { StorageEvent } from '../../../src/storage/storage.js';
import { sample } from '../../../src/testing/storage-contract/fixture.js';
import { DATA_FOLDER } from '../../support/data-folder.js';
import { canMount, SmallDisk } from '../../support/small-disk.js';
import { PATIENCE } from '../../support/patience.js';
import { ask, jsonOf, textOf } from '../../server/ask.js';
import { apiServer, asked, configMap, MAPS } from '../remote/api-servers.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const NO_SPACE = 'No space left on device';
const LARGE = 'x'.repeat(2000);

/** A PostgreSQL on a disk of its own. Its log is elsewhere: without space for that, it ends. */
async function onSmallDisk(run: (postgres: PostgresProcess, disk: SmallDisk) => Promise<void>): Promise<void> {
  const disk = new SmallDisk();
  const postgres = await PostgresProcess.start(['fsync=off'], { data: disk.path, log: DATA_FOLDER });
  try {
    await run(postgres, disk);
  } finally {
    await postgres.remove();
    disk.remove();
  }
}

if (canMount)
  describe.skipIf(postgresPrograms === undefined)('a PostgreSQL whose disk is full', { timeout: 300_000 }, () => {
    test('rejects writes, serves reads and watches, and takes writes again once there is space', () =>
      onSmallDisk(async (postgres, disk) => {
        const storage = await postgres.open();
        const seen: StorageEvent[] = [];
        const ends: string[] = [];
        storage.watch('/registry/', await storage.currentRevision(), {
          events: (events) => void seen.push(...events),
          progress: () => undefined,
          end: ({ kind }) => void ends.push(kind),
        });
        disk.fill();
        const stored: string[] = [];
        let refusal: unknown;
        for (let count = 0; refusal === undefined; count += 1) {
          const key = `/registry/samples/${count}`;
          await storage.create(key, sample(LARGE)).then(
            () => stored.push(key),
            (error: unknown) => (refusal = error),
          );
        }
        expect(refusal).toMatchObject({ code: 'Unavailable', isDiskFull: true });
        expect(String(refusal)).toMatch(/was not executed and has not taken effect: .*No space left on device/);
        await storage.ping();
        // Not only until the next check: the row of a check may fit where no object does.
        for (let check = 0; check < 3; check += 1)
          await expect(storage.pingWrites?.()).rejects.toMatchObject({ code: 'Unavailable', isDiskFull: true });
        expect((await storage.list('/registry/')).records.map(({ key }) => key).sort()).toEqual([...stored].sort());

        disk.makeRoom();
        await storage.pingWrites?.();
        await storage.create('/registry/samples/again', sample(LARGE));
        expect(seen.map(({ key }) => key)).toEqual([...stored, '/registry/samples/again']);
        expect(ends).toEqual([]);
        // The check leaves nothing behind.
        expect(await postgres.run('SELECT count(*)::integer AS count FROM orch.versions WHERE revision < 1')).toEqual([
          { count: 0 },
        ]);
        await storage.close();
      }));

    test('makes a server not ready, which tells its clients why', () =>
      onSmallDisk(async (postgres, disk) => {
        const server = apiServer(await postgres.open());
        await server.ready();
        // It must have made all that it needs.
        await expect.poll(async () => (await ask(server, 'GET', '/readyz')).status, PATIENCE).toBe(200);
        await asked(server, 'POST', MAPS, 201, configMap('before'));
        disk.fill();
        const body = JSON.stringify(configMap('large', { large: LARGE.repeat(100) }));
        const refused = await ask(server, 'POST', MAPS, { body });
        expect([refused.status, jsonOf(refused)]).toEqual([
          500,
          {
            ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
            ...{ message: expect.stringContaining(NO_SPACE) as string, code: 500 },
          },
        ]);
        const readiness = await ask(server, 'GET', '/readyz/postgres-readiness');
        expect([readiness.status, textOf(readiness)]).toEqual([500, expect.stringContaining(NO_SPACE)]);
        expect((await ask(server, 'GET', '/livez')).status).toBe(200);
        await asked(server, 'GET', `${MAPS}/before`, 200);
        disk.makeRoom();
        await expect.poll(async () => (await ask(server, 'GET', '/readyz')).status, PATIENCE).toBe(200);
        await asked(server, 'POST', MAPS, 201, JSON.parse(body) as object);
        await server.close();
      }));
  });
