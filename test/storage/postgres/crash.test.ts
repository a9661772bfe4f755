/** Two servers write to a PostgreSQL whose processes are killed; `npm run test:crashes` does it more often. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { nextTurn } from '../../../src/foundation/index.js';
import type { Storage, StorageEvent, StorageWatchEnd } from '../../../src/storage/storage.js';
import { sample } from '../../../src/testing/storage-contract/fixture.js';
import { openToRead, waysToRead } from './cold-storage.js';
import { PostgresProcess, postgresPrograms } from './postgres-process.js';

const ROUNDS = Number(process.env['POSTGRES_CRASH_ROUNDS'] ?? 3);
const PREFIX = '/registry/samples/';
const PATIENCE = { timeout: 60_000, interval: 20 };

/** Writers of a store, which go on after a failure. */
class Writers {
  readonly acknowledged: string[] = [];
  readonly #writing: Promise<unknown>;
  #isOver = false;

  constructor(stores: readonly Storage[]) {
    this.#writing = Promise.all(
      stores.flatMap((store, index) => [0, 1].map((part) => this.#write(store, index, part))),
    );
  }

  /** Resolves when that many more writes were acknowledged. */
  async more(count: number): Promise<void> {
    const goal = this.acknowledged.length + count;
    await vi.waitFor(() => expect(this.acknowledged.length).toBeGreaterThan(goal), PATIENCE);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async #write(store: Storage, index: number, part: number): Promise<void> {
    for (let step = 0; !this.#isOver; step += 1) {
      const key = `${PREFIX}${index}-${part}-${step}`;
      await store.create(key, sample('x')).then(
        () => void this.acknowledged.push(key),
        () => undefined,
      );
      await nextTurn();
    }
  }
}

describe.skipIf(postgresPrograms === undefined).each(waysToRead)(
  'a PostgreSQL whose processes are killed: $reads',
  (way) => {
    let postgres: PostgresProcess;
    beforeAll(async () => {
      postgres = await PostgresProcess.start();
    });
    afterAll(() => postgres.remove());

    /** Starts the database again. The processes of the former one may still hold its memory. */
    const start = (): Promise<void> => vi.waitFor(() => postgres.start(), PATIENCE);

    const crashes: readonly (() => Promise<void>)[] = [
      async () => {
        await postgres.end('SIGKILL');
        await start();
      },
      // The database ends all other sessions, and recovers.
      async () => {
        const [session] = await postgres.run(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'orch-apiserver' ORDER BY random() LIMIT 1`,
        );
        if (typeof session?.['pid'] === 'number') process.kill(session['pid'], 'SIGKILL');
      },
      async () => {
        await postgres.end('SIGQUIT');
        await start();
      },
    ];

    test(
      `loses and repeats no acknowledged write in ${ROUNDS} rounds`,
      async () => {
        const open = (): Promise<Storage> =>
          openToRead(way, (given) => postgres.open({ requestTimeout: '5s', ...given }));
        const stores = [await open(), await open()];
        const [first] = stores;
        if (first === undefined) throw new Error('no store');
        const from = await first.currentRevision();
        const followed = stores.map((store) => {
          const seen = { events: new Array<StorageEvent>(), ends: new Array<StorageWatchEnd>() };
          store.watch('/registry/', from, {
            events: (events) => void seen.events.push(...events),
            progress: () => undefined,
            end: (end) => void seen.ends.push(end),
          });
          return seen;
        });
        const writers = new Writers(stores);
        for (let round = 0; round < ROUNDS; round += 1) {
          await writers.more(20);
          await crashes[round % crashes.length]?.();
        }
        await writers.more(20);
        await writers.end();
        const newest = await first.currentRevision();
        const revisions = Array.from({ length: newest - from }, (_, index) => from + 1 + index);
        for (const { events, ends } of followed) {
          await vi.waitFor(() => expect(events.at(-1)?.revision).toBe(newest), PATIENCE);
          expect(ends).toEqual([]);
          expect(events.map(({ revision }) => revision)).toEqual(revisions);
        }
        const stored = new Set((await first.list(PREFIX)).records.map(({ key }) => key));
        expect(writers.acknowledged.filter((key) => !stored.has(key))).toEqual([]);
        expect(new Set(writers.acknowledged).size).toBe(writers.acknowledged.length);
        for (const store of stores) await store.close();
        if (ROUNDS > 3)
          console.log(`${ROUNDS} rounds, ${writers.acknowledged.length} acknowledged of ${stored.size} writes`);
      },
      120_000 + ROUNDS * 20_000,
    );
  },
);
