import { toError } from '../../meta/error-message.js';
import type { Revision, StorageEvent, StorageWatchEnd, StorageWatchSink } from '../../storage/storage.js';
import { check, equal } from './assert.js';

/** Keeps what a watch delivers, checks what holds for every watch, and lets a case wait for more. */
export class RecordingSink implements StorageWatchSink {
  readonly received: StorageEvent[] = [];
  readonly progressed: Revision[] = [];
  readonly ends: StorageWatchEnd[] = [];
  /** Everything up to here was delivered before the watch, or is said to have been delivered. */
  #finishedUpTo: Revision;
  #newest: Revision;
  /** Keys of the events of the newest revision: those that vanished together may share it. */
  readonly #newestKeys = new Set<string>();
  #fault: Error | undefined;
  #wake: () => void = () => undefined;

  /** @param fromRevision revision that the watch starts from */
  constructor(fromRevision: Revision) {
    this.#finishedUpTo = this.#newest = fromRevision;
  }

  events(events: readonly StorageEvent[]): void {
    this.#note(() => {
      equal(this.ends.length, 0, 'events after the end of the watch');
      for (const event of events) {
        const inOrder =
          event.revision > this.#newest ||
          (event.revision === this.#newest && event.type === 'delete' && !this.#newestKeys.has(event.key));
        check(
          inOrder && event.revision > this.#finishedUpTo,
          `event of revision ${event.revision} after ${Math.max(this.#newest, this.#finishedUpTo)} was delivered`,
        );
        if (event.revision > this.#newest) this.#newestKeys.clear();
        this.#newest = event.revision;
        this.#newestKeys.add(event.key);
        this.received.push(event);
      }
    });
  }

  progress(revision: Revision): void {
    this.#note(() => {
      equal(this.ends.length, 0, 'progress after the end of the watch');
      this.progressed.push(revision);
      this.#finishedUpTo = Math.max(this.#finishedUpTo, revision);
    });
  }

  end(reason: StorageWatchEnd): void {
    this.#note(() => {
      this.ends.push(reason);
      equal(this.ends.length, 1, 'number of ends of the watch');
    });
  }

  /** Resolves when the condition holds; it is looked at after every call of the sink. Rejects when a call broke the contract. */
  async until(condition: () => boolean): Promise<void> {
    while (this.#fault === undefined && !condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.assertSound();
  }

  /** Resolves when so many events have come. */
  untilCount(count: number): Promise<void> {
    return this.until(() => this.received.length >= count);
  }

  /** Throws when a call so far broke the contract. */
  assertSound(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** A sink must not throw, so a fault is kept for the case to find. */
  #note(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#fault ??= toError(error);
    }
    this.#wake();
  }
}
