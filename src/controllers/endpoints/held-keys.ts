import type { UnseenWrites } from '../runtime/unseen-writes.js';

/**
 * Keys that must not be processed before the informers have delivered what the controller, or another client, has
 * written. The event that delivers it runs them again.
 */
export class HeldKeys {
  readonly #unseen: UnseenWrites;
  readonly #held = new Set<string>();

  constructor(unseen: UnseenWrites) {
    this.#unseen = unseen;
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

  /** Returns the key when it is held, and frees it; call it for each event of the written objects. */
  delivered(key: string): readonly string[] {
    return this.#held.delete(key) ? [key] : [];
  }
}
