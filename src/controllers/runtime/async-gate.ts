/** Holds any number of waiting callers and releases all of them together. */
export class AsyncGate {
  #waiting: (() => void)[] = [];

  /** Resolves at the next {@link AsyncGate.open}. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Releases all callers that wait now. */
  open(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
