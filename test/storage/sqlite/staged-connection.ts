import { SqliteConnection } from '../../../src/storage/sqlite/connection.js';
import type { SqlRow, StoreConnection } from '../../../src/storage/sqlite/connection.js';
import { defaultDriver, readStorage, settingsFor } from '../../../src/storage/sqlite/open.js';
import type { SqliteStorageOptions } from '../../../src/storage/sqlite/index.js';
import { migrate } from '../../../src/storage/sqlite/schema.js';
import type { SqlStep } from '../../../src/storage/sqlite/thread-program.js';
import type { Storage } from '../../../src/storage/storage.js';

/** A connection to a real file, on which a test can delay or fail transactions. */
export class StagedConnection implements StoreConnection {
  /** The requested transactions. */
  transactions = 0;
  /** The number of requested checkpoints of the log. */
  checkpoints = 0;
  reopened = 0;
  /** Replaces the execution of a transaction; receives the function that executes it. */
  stage: (transact: () => Promise<void>) => Promise<void> = (transact) => transact();
  /** Replaces the reopening. */
  onReopen: () => void = () => undefined;

  private constructor(private readonly real: SqliteConnection) {}

  static async open(options: SqliteStorageOptions): Promise<{ connection: StagedConnection; storage: Storage }> {
    const { path } = options;
    const connection = new StagedConnection(
      await SqliteConnection.open({
        driver: defaultDriver(),
        file: path,
        lockFile: `${path}-lock`,
        settings: settingsFor('full'),
      }),
    );
    await migrate(connection.real, path);
    return { connection, storage: await readStorage(connection, options) };
  }

  run(...step: SqlStep): Promise<readonly SqlRow[]> {
    if (step[0].includes('wal_checkpoint')) this.checkpoints += 1;
    return this.real.run(...step);
  }

  transact(steps: readonly SqlStep[]): Promise<void> {
    this.transactions += 1;
    return this.stage(() => this.real.transact(steps));
  }

  async reopen(): Promise<void> {
    this.reopened += 1;
    this.onReopen();
    await this.real.reopen();
  }

  close(): Promise<void> {
    return this.real.close();
  }
}
