import { addMember } from '../../../foundation/index.js';
import { defaultHistoryBytes, type MemoryAccount, type MemoryBudget } from '../../memory-budget.js';
import type { StorageIndex, TermsOf } from '../../storage-index.js';
import type { StorageEvent } from '../../storage.js';
import { RecordIndex, type IndexedStore, type IndexShare } from './record-index.js';
import { RecordSlots } from './record-slots.js';

/** Share of the history and the caches that the indexes of a store may take. */
const BUDGET_SHARE = 1 / 10;

/** The indexes of a store. A write costs only the indexes of its key. */
export class RecordIndexes {
  readonly #byPrefix = new Map<string, Set<RecordIndex>>();
  readonly #slots = new RecordSlots();
  readonly #share: IndexShare;
  #budget: MemoryBudget | undefined;
  #account: MemoryAccount | undefined;
  #bytes = 0;
  /** Maximum memory, in bytes; undefined until it is needed. */
  #maxBytes: number | undefined;
  #closed = false;

  /** @param store the records that are indexed */
  constructor(store: IndexedStore) {
    this.#share = {
      tree: () => store.tree(),
      revision: () => store.revision(),
      past: (revision) => store.past(revision),
      remaining: (prefix, after, revision) => store.remaining(prefix, after, revision),
      first: (records, reserve) => store.first(records, reserve),
      openTexts: () => this.#budget?.open('bodies'),
      slots: this.#slots,
      count: (bytes) => this.#count(bytes),
      isFull: () => this.#bytes > (this.#maxBytes ??= defaultHistoryBytes() * BUDGET_SHARE),
      isScarce: () => this.#budget?.isScarce === true,
      dropped: (index) => this.#remove(index),
    };
  }

  /** Opens an index of a prefix that ends in `/`. */
  open(prefix: string, termsOf: TermsOf): StorageIndex {
    if (!prefix.endsWith('/')) throw new RangeError(`the prefix of an index ends in a slash: ${prefix}`);
    const index = new RecordIndex(this.#share, prefix, termsOf);
    if (this.#closed) {
      index.drop();
      return index;
    }
    addMember(this.#byPrefix, prefix, index);
    return index;
  }

  /**
   * Applies a write that the store has just made.
   *
   * @param treeSlot slot of the key in the tree; of a deleted key, the slot that it had
   */
  apply(event: StorageEvent, treeSlot: number): void {
    const { type, key, record } = event;
    const slot = this.#slots.own(key, treeSlot);
    if (type === 'update') this.#slots.replace(slot, record);
    if (this.#byPrefix.size > 0) {
      for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) {
        const indexes = this.#byPrefix.get(key.slice(0, slash + 1));
        if (indexes !== undefined) for (const index of indexes) index.apply(event, slot);
      }
    }
    if (type === 'delete') this.#slots.free(slot);
  }

  /** Counts the indexes against a budget. */
  countAgainst(budget: MemoryBudget): void {
    this.#account?.close();
    this.#budget = budget;
    this.#account = budget.openCache('indexes', (bytes) => this.#giveUp(bytes));
    this.#maxBytes = budget.historyBytes * BUDGET_SHARE;
    this.#account.hold(this.#bytes);
  }

  /** Drops all indexes. */
  close(): void {
    this.#closed = true;
    for (const indexes of [...this.#byPrefix.values()]) for (const index of [...indexes]) index.drop();
    this.#slots.clear();
    this.#account?.close();
    this.#account = this.#budget = undefined;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#account?.hold(bytes);
  }

  /** Empties indexes until so much memory is released. They are built again when they are needed and there is room. */
  #giveUp(bytes: number): void {
    const target = this.#bytes - bytes;
    for (const indexes of this.#byPrefix.values()) {
      for (const index of indexes) {
        if (this.#bytes <= target) return;
        index.empty();
      }
    }
  }

  #remove(index: RecordIndex): void {
    const indexes = this.#byPrefix.get(index.prefix);
    if (indexes?.delete(index) === true && indexes.size === 0) this.#byPrefix.delete(index.prefix);
  }
}
