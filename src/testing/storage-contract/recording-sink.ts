import { toError } from '../../foundation/index.js';
import type { Revision, StorageEvent, StorageWatchEnd, StorageWatchSink } from '../../storage/index.js';
import { check, equal } from '../assert.js';

/** Records what a watch delivers, checks the rules of every watch, and lets a case wait for events. */
export class RecordingSink implements StorageWatchSink {
  readonly received: StorageEvent[] = [];
  readonly progressed: Revision[] = [];
  readonly ends: StorageWatchEnd[] = [];
  /** Revision up to which everything was delivered before the watch or was reported as delivered. */
  #finishedUpTo: Revision;
  #newest: Revision;
  /** Keys of the events of the newest revision; keys that expire together may share it. */
  readonly #newestKeys = new Set<string>();
  #violation: Error | undefined;
  #wake: () => void = () => undefined;

  /** @param fromRevision revision from which the watch starts */
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

  /**
   * Resolves when the condition holds; checked after every call of the sink. Rejects when a call broke the contract.
   */
  async until(condition: () => boolean): Promise<void> {
    while (this.#violation === undefined && !condition()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.assertNoViolation();
  }

  /** Resolves when the sink has received this number of events. */
  untilCount(count: number): Promise<void> {
    return this.until(() => this.received.length >= count);
  }

  /** Throws when a call broke the contract. */
  assertNoViolation(): void {
    if (this.#violation !== undefined) throw this.#violation;
  }

  /** A sink must not throw, so the violation is stored for the case. */
  #note(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#violation ??= toError(error);
    }
    this.#wake();
  }
}
