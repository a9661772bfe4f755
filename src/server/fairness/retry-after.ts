/** Maximum advice, in seconds. */
const MAX_SECONDS = 32;

/**
 * The seconds after which refused clients of one level should try again. The advice doubles while many requests are
 * refused, and falls by one second at a time when few are.
 *
 * Source: the tracker of dropped requests in the flow control of Kubernetes 1.31.
 */
export class RetryAdvice {
  /** The current advice, in seconds; at least 1. */
  seconds = 1;
  /** Refused requests of the latest seconds before the current one, oldest first. */
  #history: { readonly second: number; readonly refused: number }[] = [];
  #second = -1;
  #refused = 0;
  #raisedAt = 0;

  /** Counts a refused request. */
  refused(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second === this.#second) {
      this.#refused += 1;
      return;
    }
    if (this.#second >= 0) this.#history.push({ second: this.#second, refused: this.#refused });
    this.#second = second;
    this.#refused = 1;
    const kept = Math.min(2 * this.seconds, MAX_SECONDS);
    this.#history = this.#history.filter((entry) => second - entry.second <= kept);
    this.#adapt(second);
  }

  #adapt(second: number): void {
    const recent = this.#history
      .filter((entry) => second - entry.second <= this.seconds)
      .reduce((sum, { refused }) => sum + refused, 0);
    if (second - this.#raisedAt >= this.seconds && recent >= 3 * this.seconds) {
      this.seconds = Math.min(2 * this.seconds, MAX_SECONDS);
      this.#raisedAt = second;
    } else if (recent < this.seconds && this.seconds > 1) this.seconds -= 1;
  }
}
