import type { AgingHistory } from '../../storage/index.js';

/** The times at which a log got its events, in their order, and the bytes of those events. */
export class EventAges implements AgingHistory {
  readonly historyMs: number;
  readonly #times: number[] = [];
  /** Position of the oldest event's time. */
  #offset = 0;
  #bytes = 0;

  /** @param historyMs maximum age of the events, in milliseconds */
  constructor(historyMs: number) {
    this.historyMs = historyMs;
  }

  get size(): number {
    return this.#times.length - this.#offset;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get oldestTime(): number | undefined {
    return this.#times[this.#offset];
  }

  /** Adds an event. */
  add(time: number, bytes: number): void {
    this.#times.push(time);
    this.#bytes += bytes;
  }

  /** Removes the oldest event. */
  removeOldest(bytes: number): void {
    this.#bytes -= bytes;
    this.#offset += 1;
    if (this.#offset > 1024 && this.#offset * 2 > this.#times.length) {
      this.#times.splice(0, this.#offset);
      this.#offset = 0;
    }
  }
}
