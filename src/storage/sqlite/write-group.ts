import type { Deadline } from '../state/store-state.js';
import type { Revision, StorageEvent } from '../storage.js';

/** A write that is checked and has its revision, but is not durable yet. */
export interface PendingWrite {
  readonly event: StorageEvent;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  readonly deadline: Deadline | undefined;
}

/** Writes that become durable together, or fail together. */
export class WriteGroup {
  readonly writes: PendingWrite[] = [];
  /** Resolves when the writes are durable and can be read; rejects when they are not. */
  readonly durable: Promise<void>;
  /** The history is to be forgotten up to here along with the writes; 0 when not. */
  compactTo: Revision = 0;
  /** Text of the writes, in UTF-16 code units. */
  textLength = 0;
  /** How many of the writes are on their way to the disk before the group is complete. */
  private sent = 0;
  private settle: { resolve(): void; reject(error: Error): void } = {
    resolve: () => undefined,
    reject: () => undefined,
  };

  constructor() {
    this.durable = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    // Whoever waits hears of a failure; that nobody does is no failure of its own.
    this.durable.catch(() => undefined);
  }

  get isEmpty(): boolean {
    return this.writes.length === 0 && this.compactTo === 0;
  }

  add(write: PendingWrite): void {
    this.writes.push(write);
    this.textLength += write.event.record.text.length;
  }

  /** The writes that are not on their way yet, which they are from now on. */
  takeUnsent(): readonly PendingWrite[] {
    const unsent = this.writes.slice(this.sent);
    this.sent = this.writes.length;
    return unsent;
  }

  /** Number of writes that are not on their way yet. */
  get unsent(): number {
    return this.writes.length - this.sent;
  }

  succeed(): void {
    this.settle.resolve();
  }

  fail(error: Error): void {
    this.settle.reject(error);
  }
}
