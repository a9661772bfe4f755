import type { MemoryAccount, MemoryBudget } from '../../memory-budget.js';

/** Estimated memory of a text besides its characters: the string, its entry in the ring, and the reference to it. */
const HELD_TEXT_BYTES = 72;

/** A text in memory. */
export interface RingText {
  readonly text: string;
  /**
   * Whether it was read again since the ring last looked at it for eviction. So a list that reads each text once does not
   * evict the texts in use.
   */
  isUsed: boolean;
}

/**
 * Texts in memory, up to a limit. Beyond it, texts that were not read since the last look at them are evicted (CLOCK: the
 * texts form a circle, and a hand goes round).
 */
export class TextRing<Held extends RingText> {
  readonly #maxBytes: number;
  readonly #evicted: (held: Held) => void;
  readonly #held: Held[] = [];
  #hand = 0;
  #bytes = 0;
  #account: MemoryAccount | undefined;

  /**
   * @param maxBytes maximum bytes of the texts, including the overhead of each
   * @param evicted called with each text that leaves the memory
   */
  constructor(maxBytes: number, evicted: (held: Held) => void) {
    this.#maxBytes = maxBytes;
    this.#evicted = evicted;
  }

  /** Bytes of the texts in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a text after others have made room; one that is longer than the limit leaves the memory at once. */
  add(held: Held): void {
    const bytes = bytesOf(held);
    if (bytes > this.#maxBytes) return this.#evicted(held);
    this.#evictTo(this.#maxBytes - bytes);
    this.#held.push(held);
    this.#count(bytes);
  }

  /** Counts the texts against a budget, which may ask for their memory. */
  countAgainst(budget: MemoryBudget): void {
    this.#account?.close();
    this.#account = budget.openCache('objectTexts', (bytes) => this.#evictTo(this.#bytes - bytes));
    this.#account.hold(this.#bytes);
  }

  /** Evicts all texts. */
  clear(): void {
    this.#evictTo(0);
    this.#account?.close();
    this.#account = undefined;
  }

  #evictTo(targetBytes: number): void {
    while (this.#bytes > targetBytes && this.#held.length > 0) {
      if (this.#hand >= this.#held.length) this.#hand = 0;
      const held = this.#held[this.#hand] as Held;
      if (held.isUsed) {
        held.isUsed = false;
        this.#hand += 1;
      } else this.#remove(held);
    }
  }

  /** Removes the text at the hand. The newest text takes its place, to which the hand comes last. */
  #remove(held: Held): void {
    this.#evicted(held);
    this.#count(-bytesOf(held));
    const last = this.#held.pop();
    if (last === undefined || last === held) {
      this.#hand = 0;
      return;
    }
    this.#held[this.#hand] = last;
    this.#hand += 1;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#account?.hold(bytes);
  }
}

const bytesOf = ({ text }: RingText): number => text.length + HELD_TEXT_BYTES;
