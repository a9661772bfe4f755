import { PostgresProcess, postgresPrograms } from '../../storage/postgres/postgres-process.js';
import { canSlowSyncs } from '../../support/slow-syncs.js';
import { missingFaults, slowDisk } from './disk-faults.js';
import { HISTORY, TIMEOUT, type Engine } from './engines.js';
import type { Fault } from './run.js';

/** A primary, and a standby that has every commit before it is acknowledged. */
class Pair {
  primary: PostgresProcess;
  standby: PostgresProcess;
  #count = 0;

  private constructor(primary: PostgresProcess, standby: PostgresProcess) {
    this.primary = primary;
    this.standby = standby;
  }

  static async start(): Promise<Pair> {
    const primary = await PostgresProcess.start(['fsync=on']);
    const pair = new Pair(primary, await primary.startStandby('standby0'));
    await pair.#follow('standby0');
    return pair;
  }

  /** The primary crashes, the standby takes its place, and another one starts where the primary was. */
  readonly failOver: Fault = async () => {
    const former = this.primary;
    await former.end('SIGQUIT');
    await this.standby.promote();
    this.primary = this.standby;
    await former.remove();
    const name = `standby${(this.#count += 1)}`;
    this.standby = await this.primary.startStandby(name, Number(new URL(former.url).port));
    await this.#follow(name);
  };

  async remove(): Promise<void> {
    await this.standby.remove();
    await this.primary.remove();
  }

  /** Returns when the standby has all commits, and the primary waits for it with each further one. */
  async #follow(name: string): Promise<void> {
    await this.primary.waitFor(name);
    await this.primary.run('CREATE TABLE followed ()');
    await this.primary.run('DROP TABLE followed');
  }
}

/** Two servers that know a primary and its standby; the second one asks without a watch cache. */
export const standby: Engine = {
  name: 'PostgreSQL with a standby',
  isInstalled: postgresPrograms !== undefined,
  async start() {
    const pair = await Pair.start();
    const url = [pair.primary.url, pair.standby.url];
    const options = { url, requestTimeout: TIMEOUT, ...HISTORY };
    const servers = [
      { storage: await pair.primary.open(options) },
      { storage: await pair.primary.open({ ...options, watchCache: false }) },
    ];
    const slowStandby: Fault = (run) => slowDisk(pair.standby)(run);
    return {
      name: this.name,
      servers,
      faults: [pair.failOver, ...(canSlowSyncs ? [slowStandby] : []), pair.failOver],
      missing: missingFaults({ slow: 'a slow disk of the standby' }),
      ttl: 500,
      async close() {
        for (const { storage } of servers) await storage.close();
        await pair.remove();
      },
    };
  },
};
