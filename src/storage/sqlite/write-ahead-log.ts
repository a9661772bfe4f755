import type { StoreConnection } from './connection.js';
import { isFull } from './failure.js';

/** Bytes after which the log is brought into the file: when nobody waits, and in any case. */
const WORTH_IT = 1 << 20;
const LONG = 4 << 20;
/** What a transaction costs beside its texts: the pages that it touches are logged whole. */
const TRANSACTION_BYTES = 16 << 10;

/** SQLite's log of what was written lately. It is kept short: a short log is written over and over, which a disk does faster than it makes a file longer. */
export class WriteAheadLog {
  private readonly connection: Pick<StoreConnection, 'run'>;
  private bytes: number;

  /** @param bytes how long the log is already */
  constructor(connection: Pick<StoreConnection, 'run'>, bytes: number) {
    this.connection = connection;
    this.bytes = bytes;
  }

  /** Whether it should be brought into the file when there is nothing else to do. */
  get isWorthIt(): boolean {
    return this.bytes >= WORTH_IT;
  }

  /** Whether it should be brought into the file whatever else there is to do. */
  get isLong(): boolean {
    return this.bytes >= LONG;
  }

  /** Takes note of a transaction. */
  grow(textLength: number): void {
    this.bytes += textLength + TRANSACTION_BYTES;
  }

  /** Leaves the log as it is until it has grown again: on a full disk it would take the room that the next write needs. */
  leave(): void {
    this.bytes = 0;
  }

  /** Brings the log into the file. Reads and new writes do not wait for it, those that are on their way do. @throws SqliteFailure */
  async bringIn(): Promise<void> {
    this.leave();
    try {
      await this.connection.run('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // On a full disk the log goes on while it can, and this is tried again when it has grown.
      if (!isFull(error)) throw error;
    }
  }
}
