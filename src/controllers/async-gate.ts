/** A place where several wait until somebody lets all of them on. */
export class AsyncGate {
  #waiting: (() => void)[] = [];

  /** Resolves at the next {@link AsyncGate.open}. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets everybody on who waits now. */
  open(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
