import { delay, type Clock } from '../meta/clock.js';

/** Counts the requests that the server has not answered yet. A watch is answered when it begins. */
export class UnansweredRequests {
  #count = 0;
  readonly #idle = new Set<() => void>();

  /** A request has come in. */
  begin(): void {
    this.#count += 1;
  }

  /** It has its answer. */
  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const idle of this.#idle) idle();
    this.#idle.clear();
  }

  /** Resolves when every request has its answer. */
  async answered(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  /**
   * Resolves when every request has its answer, or when the time is over.
   *
   * @param timeoutMs time from now, in milliseconds
   */
  async answeredWithin(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    const idle = new AbortController();
    void this.answered().then(() => idle.abort());
    await delay(clock, timeoutMs, idle.signal);
  }
}
