import type { UnseenWrites } from '../workloads/shared/unseen-writes.js';

/**
 * Keys that must not be processed before the informers have delivered what the controller, or another client, has
 * written. The event that delivers it enqueues them again.
 */
export class HeldKeys {
  readonly #unseen: UnseenWrites;
  readonly #enqueue: (key: string) => void;
  readonly #held = new Set<string>();

  constructor(unseen: UnseenWrites, enqueue: (key: string) => void) {
    this.#unseen = unseen;
    this.#enqueue = enqueue;
  }

  /** Returns whether a key can be processed; otherwise holds it. */
  isFree(key: string): boolean {
    if (this.#unseen.allSeen(key)) return true;
    this.#held.add(key);
    return false;
  }

  /** Holds a key after a conflict with the write of another client. */
  hold(key: string): void {
    this.#held.add(key);
  }

  /** Enqueues a key that is held; call it for each event of the written objects. */
  delivered(key: string): void {
    if (this.#held.delete(key)) this.#enqueue(key);
  }
}
