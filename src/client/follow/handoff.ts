/** Passes values from a producer to a consumer one by one: the producer waits until the consumer asks for the next. */
export class Handoff<Value> {
  #value: { readonly value: Value } | undefined;
  #ended = false;
  #released = false;
  /** Lets the consumer look again. */
  #wake: (() => void) | undefined;
  /** Lets the producer continue. */
  #proceed: (() => void) | undefined;

  /** Offers a value. Resolves when the consumer has handled it, and asks for the next. */
  put(value: Value): Promise<void> {
    if (this.#released) return Promise.resolve();
    this.#value = { value };
    this.#wake?.();
    return new Promise((resolve) => (this.#proceed = resolve));
  }

  /** Lets the consumer end. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** Lets a waiting producer continue, because nobody consumes any more. */
  release(): void {
    this.#released = true;
    this.#proceed?.();
  }

  /** Yields the values until {@link end}. */
  async *values(): AsyncGenerator<Value, void, undefined> {
    for (;;) {
      const next = this.#value;
      if (next !== undefined) {
        this.#value = undefined;
        yield next.value;
        this.#proceed?.();
      } else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
