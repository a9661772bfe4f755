/** A response that refers to the texts of objects as they were. */
interface Snapshot {
  /** Bytes of texts that had been dropped when it was opened. */
  readonly since: number;
  /** Bytes of the texts that it refers to. */
  readonly bytes: number;
  readonly giveUp: () => void;
}

/**
 * Counts the texts that nothing but unfinished responses holds: a list that its client does not read keeps the objects as
 * they were, whatever is written meanwhile. Such a text was dropped by the store and the history after the oldest open
 * response began, so all of them together hold at most what was dropped since then, however many they are.
 */
export class Snapshots {
  readonly #count: (bytes: number) => void;
  /** In the order in which they were opened. */
  readonly #open = new Set<Snapshot>();
  #openBytes = 0;
  /** Bytes of the texts that were dropped while responses were open. */
  #dropped = 0;
  #held = 0;

  /** @param count counts bytes; a negative number releases them */
  constructor(count: (bytes: number) => void) {
    this.#count = count;
  }

  /** Opens the snapshot of a response; see {@link MemoryBudget.openSnapshot}. */
  open(bytes: number, giveUp: () => void): () => void {
    const snapshot = { since: this.#dropped, bytes, giveUp };
    this.#open.add(snapshot);
    this.#openBytes += bytes;
    return () => this.#close(snapshot);
  }

  /** Notes that the store and the history have dropped a text. */
  dropped(bytes: number): void {
    if (this.#open.size === 0) return;
    this.#dropped += bytes;
    this.#recount();
  }

  /** Gives up the oldest responses until enough bytes are released, as far as they hold any. */
  giveUp(bytes: number): void {
    const target = this.#held - bytes;
    for (const snapshot of this.#open) {
      if (this.#held <= Math.max(0, target)) return;
      this.#close(snapshot);
      snapshot.giveUp();
    }
  }

  #close(snapshot: Snapshot): void {
    if (!this.#open.delete(snapshot)) return;
    this.#openBytes -= snapshot.bytes;
    if (this.#held > 0) this.#recount();
  }

  #recount(): void {
    const [oldest] = this.#open;
    const held = oldest === undefined ? 0 : Math.min(this.#dropped - oldest.since, this.#openBytes);
    if (held === this.#held) return;
    const more = held - this.#held;
    this.#held = held;
    this.#count(more);
  }
}
