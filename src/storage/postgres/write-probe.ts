import { StorageError } from '../storage.js';
import { SqlFailure } from './failure.js';
import type { Reads } from './reads.js';
import type { Statements } from './statements.js';

/** SQLSTATE with which {@link Statements.roomProbe} ends when there was space: it is undone in any case. */
const DIVISION_BY_ZERO = '22012';
const MAX_PROBE_LENGTH = 64 << 10;
/** Length of a piece of the text that {@link Statements.roomProbe} writes. */
const PIECE = 32;

/**
 * Knows whether the database takes writes. On a full disk it still changes rows in pages that have room, so after a write
 * for which there was none, only another one as large tells that there is space again.
 */
export class WriteProbe {
  readonly #reads: Reads;
  readonly #statements: Statements;
  /** Length of the texts that were refused for want of space, since which no write succeeded; undefined when there are none. */
  #refusedLength: number | undefined;

  constructor(reads: Reads, statements: Statements) {
    this.#reads = reads;
    this.#statements = statements;
  }

  /** Notes that a group of writes took effect. */
  succeeded(): void {
    this.#refusedLength = undefined;
  }

  /** Notes why a group of writes was refused. @param length of its texts, in UTF-16 code units */
  refused(failure: SqlFailure, length: number): void {
    if (failure.isDiskFull) this.#refusedLength = length;
  }

  /** Resolves when writes are not refused. @throws StorageError `Unavailable` */
  async run(): Promise<void> {
    await this.#reads.query(this.#statements.probe, []);
    const refused = this.#refusedLength;
    if (refused === undefined) return;
    const pieces = Math.ceil(Math.min(refused, MAX_PROBE_LENGTH) / PIECE);
    try {
      await this.#reads.query(this.#statements.roomProbe, [pieces]);
    } catch (error) {
      if (!wasUndone(error)) throw error;
    }
    this.#refusedLength = undefined;
  }
}

/** Whether the probe found room: it ended where it divides by zero, after it had written. */
function wasUndone(error: unknown): boolean {
  return error instanceof StorageError && error.cause instanceof SqlFailure && error.cause.state === DIVISION_BY_ZERO;
}
