import type { StoreConnection } from './connection.js';
import { isFull } from './failure.js';

/** Log sizes in bytes from which a checkpoint runs: when the queue is idle, and in any case. */
const IDLE_CHECKPOINT_BYTES = 1 << 20;
const FORCED_CHECKPOINT_BYTES = 4 << 20;
/** Estimated overhead of a transaction besides its texts, in bytes: the log contains each touched page in full. */
const TRANSACTION_BYTES = 16 << 10;

/** SQLite's write-ahead log. It is kept short: a disk overwrites a short log faster than it extends a file. */
export class WriteAheadLog {
  readonly #connection: Pick<StoreConnection, 'run'>;
  #bytes: number;

  /** @param bytes current size of the log */
  constructor(connection: Pick<StoreConnection, 'run'>, bytes: number) {
    this.#connection = connection;
    this.#bytes = bytes;
  }

  /** Whether a checkpoint should run when the queue is idle. */
  get isCheckpointUseful(): boolean {
    return this.#bytes >= IDLE_CHECKPOINT_BYTES;
  }

  /** Whether a checkpoint should run before the next write. */
  get isCheckpointDue(): boolean {
    return this.#bytes >= FORCED_CHECKPOINT_BYTES;
  }

  /** Counts a transaction. */
  grow(textLength: number): void {
    this.#bytes += textLength + TRANSACTION_BYTES;
  }

  /**
   * Postpones the checkpoint until the log has grown again: on a full disk it would take the space that the next write
   * needs.
   */
  postpone(): void {
    this.#bytes = 0;
  }

  /** Runs a checkpoint. Reads and new writes do not wait for it; pending writes do. @throws SqliteFailure */
  async checkpoint(): Promise<void> {
    this.postpone();
    try {
      await this.#connection.run('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // On a full disk the log keeps growing while it can; the checkpoint runs again later.
      if (!isFull(error)) throw error;
    }
  }
}
