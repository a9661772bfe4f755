/** Part of what is free that one item may take: long ones do not keep short ones out. */
const SHARE = 1 / 8;
/** Memory of an item besides its text: promises, timers, a request. */
const ITEM_BYTES = 1024;

/**
 * The room for what waits for an answer of another server. Whoever asked may be gone, so the number of requests in flight
 * does not bound it.
 */
export class WaitingRoom {
  readonly #bytes: number;
  #held = 0;

  /** @param bytes the greatest length of all texts that wait, each with a kilobyte more */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /**
   * Takes the room of a text.
   *
   * @returns a function that gives it back, to be called once; undefined when there is too little
   */
  enter(length: number): (() => void) | undefined {
    const bytes = length + ITEM_BYTES;
    if (bytes > (this.#bytes - this.#held) * SHARE) return undefined;
    this.#held += bytes;
    return () => void (this.#held -= bytes);
  }
}
