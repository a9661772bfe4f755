import type { Deadline } from '../state/store-state.js';
import type { Revision, StorageEvent } from '../storage.js';
import type { SqlStep } from './thread-program.js';

/** A checked write with its revision that is not durable yet. */
export interface PendingWrite {
  readonly event: StorageEvent;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly deadline: Deadline | undefined;
  /** The text of the version as the file will contain it. */
  readonly stored: string;
}

/** Writes that become durable together or fail together. */
export class WriteGroup {
  readonly writes: PendingWrite[] = [];
  /** Resolves when the writes are durable and readable; rejects when they fail. */
  readonly durable: Promise<void>;
  /** Revision up to which the history is compacted along with the writes; 0 for none. */
  compactTo: Revision = 0;
  /** Total length of the texts, in UTF-16 code units. */
  textLength = 0;
  /** A statement that runs with the writes and changes nothing that is read. */
  probe: SqlStep | undefined;
  #settle: { resolve(): void; reject(error: Error): void } = {
    resolve: () => undefined,
    reject: () => undefined,
  };

  constructor() {
    this.durable = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Prevents an unhandled rejection when no caller waits.
    this.durable.catch(() => undefined);
  }

  get isEmpty(): boolean {
    return this.writes.length === 0 && this.compactTo === 0 && this.probe === undefined;
  }

  add(write: PendingWrite): void {
    this.writes.push(write);
    this.textLength += write.event.record.text.length;
  }

  succeed(): void {
    this.#settle.resolve();
  }

  fail(error: Error): void {
    this.#settle.reject(error);
  }
}
