import type { EtcdProcess } from '../../storage/etcd/etcd-process.js';
import type { PostgresProcess } from '../../storage/postgres/postgres-process.js';
import type { StagedConnection } from '../../storage/sqlite/staged-connection.js';
import { turns } from './turns.js';
import { canMount, SmallDisk } from '../../support/small-disk.js';
import { canSlowSyncs, slowSyncs } from '../../support/slow-syncs.js';
import type { Fault, Run } from './run.js';

/** Time that a sync of a slow disk takes longer, in milliseconds. */
const SLOW_MS = 20;
/** Steps of the clients beside a disk that is slow or full. */
const STEPS = 50;

/** A disk that a run makes full; undefined where this process may not mount one. */
export const ownDisk = (): SmallDisk | undefined => (canMount ? new SmallDisk() : undefined);

/** Names the faults of disks that this machine cannot make. */
export const missingFaults = (names: { readonly full?: string; readonly slow?: string }): readonly string[] => [
  ...(names.full === undefined || canMount ? [] : [`${names.full}: it takes the right to mount a disk`]),
  ...(names.slow === undefined || canSlowSyncs ? [] : [`${names.slow}: it takes strace, and the right to trace`]),
];

/** While writes are refused, each server must answer reads. When the disk has room, each must take writes. */
async function refusesOnlyWrites(run: Run): Promise<void> {
  await run.refusal();
  for (const { storage } of run.servers) await storage.list('/registry/a/');
  await run.moreSteps(STEPS);
}

async function recovers(run: Run): Promise<void> {
  for (const server of run.servers) await run.takesWrites(server);
}

/** Resolves when what a database has accepted so far cannot end it any more, or has: it may be committed later. */
async function writesOrEnds(database: EtcdProcess | PostgresProcess): Promise<void> {
  while (database.isRunning) {
    try {
      return await database.write();
    } catch {
      await turns(1);
    }
  }
}

/**
 * The disk of the data is full, until it has refused a write and clients have made some more steps.
 *
 * @param before what makes the next write need more of the disk
 */
export const fullDisk =
  (disk: SmallDisk, before: () => Promise<unknown> = () => Promise.resolve()): Fault =>
  async (run) => {
    await before();
    disk.fill();
    try {
      await refusesOnlyWrites(run);
    } finally {
      disk.makeRoom();
    }
    await recovers(run);
  };

/** A disk on which a database ends when it is full. Then it is started again, with room. */
export const fatallyFullDisk =
  (
    disk: SmallDisk,
    database: EtcdProcess | PostgresProcess,
    use: () => Promise<unknown> = () => Promise.resolve(),
  ): Fault =>
  async (run) => {
    disk.fill();
    try {
      await use();
      // Without it, clients make no steps.
      await Promise.race([database.exit(), run.moreSteps(STEPS)]);
    } finally {
      disk.makeRoom();
    }
    await writesOrEnds(database);
    if (!database.isRunning) await database.start();
    await recovers(run);
  };

/** Each sync of the database takes longer. */
export const slowDisk =
  (database: EtcdProcess | PostgresProcess): Fault =>
  async (run) => {
    const end = await slowSyncs(database.pid, SLOW_MS);
    await run.moreSteps(STEPS);
    await end();
  };

/** The file may not grow: SQLite says that the disk is full. Works without any rights. */
export const fullFile =
  (connection: () => StagedConnection): Fault =>
  async (run) => {
    // It cannot be less than the pages that there are.
    await connection().run('PRAGMA max_page_count = 1');
    await Promise.race([refusesOnlyWrites(run), run.moreSteps(20 * STEPS)]);
    await connection().run('PRAGMA max_page_count = 1000000');
    await recovers(run);
  };

/** Each transaction waits before it begins, and again before its end is told. */
export const slowFile =
  (connection: () => StagedConnection): Fault =>
  async (run) => {
    const slow = connection();
    slow.stage = async (transact) => {
      await turns(SLOW_MS);
      await transact();
      await turns(SLOW_MS);
    };
    await run.moreSteps(STEPS);
    slow.stage = (transact) => transact();
  };

/** etcd refuses writes, as when its file has the size of its quota: the alarm `NOSPACE`, until somebody ends it. */
export const etcdAlarm =
  (etcd: EtcdProcess): Fault =>
  async (run) => {
    await etcd.raiseNoSpace();
    await refusesOnlyWrites(run);
    etcd.ctl(['alarm', 'disarm']);
    await recovers(run);
  };
