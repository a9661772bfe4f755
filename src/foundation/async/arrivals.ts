/**
 * Connections that arrive. Node accepts one in a turn of the event loop, so whatever a turn does besides delays each one
 * that waits behind it.
 *
 * @module
 */

/** Time for which work waits while further connections are accepted, in milliseconds. */
const WAIT_MS = 8;

/** Number of connections that this process has accepted. */
let accepted = 0;

/** Counts a connection that was accepted in this turn. */
export function connectionAccepted(): void {
  accepted += 1;
}

/**
 * Work that waits while connections arrive in every turn, for a bounded time: a client would wait for the work of others
 * once for each connection before its own.
 */
export class ArrivalWait {
  #seen = accepted;
  /** When it began to wait, in milliseconds; undefined while it does not. */
  #sinceMs: number | undefined;

  /** Returns whether the work should wait for a further turn. To be called once in each turn that would do work. */
  mustWait(): boolean {
    const arrives = accepted !== this.#seen;
    this.#seen = accepted;
    const nowMs = arrives ? performance.now() : 0;
    const sinceMs = this.#sinceMs ?? nowMs;
    const waits = arrives && nowMs - sinceMs < WAIT_MS;
    this.#sinceMs = waits ? sinceMs : undefined;
    return waits;
  }
}
