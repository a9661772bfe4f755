import { delay, type Clock } from '../../foundation/index.js';

/** Counts the requests that the server has not answered yet. A watch counts as answered when it begins. */
export class UnansweredRequests {
  #count = 0;
  readonly #idle = new Set<() => void>();

  /** Counts a request that arrives. */
  begin(): void {
    this.#count += 1;
  }

  /** Counts a request that has been answered. */
  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const idle of this.#idle) idle();
    this.#idle.clear();
  }

  /** Resolves when every request has been answered. */
  async answered(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  /**
   * Resolves when every request has been answered, or after a timeout.
   *
   * @param timeoutMs timeout in milliseconds
   */
  async answeredWithin(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    const idle = new AbortController();
    void this.answered().then(() => idle.abort());
    await delay(clock, timeoutMs, idle.signal);
  }
}
