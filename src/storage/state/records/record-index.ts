import { isSteps, readyPromise, rejected, shareTurn } from '../../../foundation/index.js';
import type {
  StorageIndex,
  StorageMatches,
  StorageQuery,
  StorageTerms,
  TermRequirement,
  TermsOf,
} from '../../storage-index.js';
import type { NeededAccount } from '../../memory-budget.js';
import type { Revision, StorageEvent, StorageRecord } from '../../storage.js';
import type { PastState } from '../history/past-state.js';
import { precedesByCodePoint } from './key-order.js';
import { rangeStart } from './key-range.js';
import { LateTerms } from './late-terms.js';
import { walkRange } from './range-walk.js';
import type { RecordSlots } from './record-slots.js';
import { Side } from './record-tree.js';
import type { RecordTree, TreePosition } from './record-tree.js';
import { intersectMask, type SlotMask } from './slot-set.js';
import { TermPostings } from './term-postings.js';
import { meetsTerms, sameTerms } from './terms.js';
import { NO_SLOT } from './tree-nodes.js';

/** The store that an index reads. */
export interface IndexedStore {
  /** Returns the current records. */
  tree(): RecordTree;
  /** Returns the revision of the newest write. */
  revision(): Revision;
  /** Returns the state of a revision that is not the current one; undefined when it cannot be read. */
  past(revision: Revision): PastState | undefined;
  /** Returns the number of records of a range after a key, at a readable revision. */
  remaining(prefix: string, after: string, revision: Revision): number;
  /**
   * Returns the first of some records with their texts, in the same order: at least one, and as many as one answer of a
   * limited length has. Its promise resolves to undefined when the store no longer has one. Undefined where a record has
   * its text, or reads it by itself.
   *
   * @param reserve called with the bytes of texts before they are read; what it throws refuses the read
   */
  first(
    records: readonly StorageRecord[],
    reserve?: (bytes: number) => void,
  ): Promise<readonly StorageRecord[] | undefined> | undefined;
}

/** The parts that the indexes of a store share. */
export interface IndexShare extends IndexedStore {
  readonly slots: RecordSlots;
  /** Counts memory; a negative number releases it. */
  count(bytes: number): void;
  /** Opens the account of the texts that are read for an index; undefined while nothing counts them. */
  openTexts(): NeededAccount | undefined;
  /** Returns whether the indexes take more memory than they may. */
  isFull(): boolean;
  /** Returns whether the memory of the server is scarce, so that no index should be built. */
  isScarce(): boolean;
  /** Called once, when the index is dropped. */
  dropped(index: RecordIndex): void;
}

/** Number of records that are read for an index between looks at the clock. */
const BUILD_STEPS = 16;
/** Maximum number of records whose texts are read together for an index. */
const BUILD_READ = 1_000;
/** Maximum number of matches that are sorted, rather than found by a walk along the range. */
const MAX_SORTED = 2048;
/** Maximum number of old records that are compared with a question about an old state. */
const MAX_OLD = 512;
/** A walk of this many records costs as much as the sort of one match. */
const WALK_PER_SORTED = 128;
const NO_TEXTS: ReadonlyMap<StorageRecord, StorageRecord> = new Map();
/** Memory of a record in the slots. */
const SLOT_BYTES = 24;

/** An index of the records of a prefix, over sets of slots. */
export class RecordIndex implements StorageIndex {
  readonly prefix: string;
  readonly #share: IndexShare;
  readonly #termsOf: TermsOf;
  readonly #late = new LateTerms((slot, terms) => this.#know(slot, terms));
  #postings = new TermPostings();
  #records = 0;
  #counted = 0;
  /** The records up to this key are in the index. */
  #builtUpTo: string | undefined;
  #building: Promise<void> | undefined;
  #isBuilt = false;
  #isDropped = false;
  /** Number of records at which the index was too large. */
  #tooManyRecords = Infinity;

  constructor(share: IndexShare, prefix: string, termsOf: TermsOf) {
    this.#share = share;
    this.prefix = prefix;
    this.#termsOf = termsOf;
  }

  find(query: StorageQuery): Promise<StorageMatches | undefined> {
    if (!this.#isBuilt) return this.#findLater(query);
    try {
      const matches = this.#answer(query);
      if (matches === undefined || matches instanceof Promise) return Promise.resolve(matches);
      return readyPromise(matches);
    } catch (error) {
      return rejected(error);
    }
  }

  /** Builds the index first. */
  async #findLater(query: StorageQuery): Promise<StorageMatches | undefined> {
    if (this.#isDropped || !this.#canRead(query.revision) || this.#share.isScarce()) return undefined;
    const tree = this.#share.tree();
    if (tree.rankAfterPrefix(this.prefix) - tree.rank(this.prefix, Side.Before) >= this.#tooManyRecords / 2)
      return undefined;
    await (this.#building ??= this.#build());
    return this.#answer(query);
  }

  #answer(query: StorageQuery): StorageMatches | undefined | Promise<StorageMatches> {
    // It may have been emptied while it was built.
    if (!this.#isBuilt || !this.#canRead(query.revision)) return undefined;
    // Later work of this turn shares it with this work, which cannot wait: its answer is of one state.
    void shareTurn();
    const { revision } = query;
    return revision === undefined || revision === this.#share.revision()
      ? this.#matches(query)
      : this.#pastMatches(query, revision);
  }

  drop(): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.empty();
    this.#share.dropped(this);
  }

  /** Releases the memory of the index. It is built again when it is needed. */
  empty(): void {
    this.#share.count(-this.#counted);
    this.#postings = new TermPostings();
    this.#late.clear();
    this.#counted = this.#records = 0;
    this.#builtUpTo = undefined;
    this.#building = undefined;
    this.#isBuilt = false;
  }

  /**
   * Applies a write of a key with the prefix. The slots already have the new record.
   *
   * @param slot slot of the previous version, if it is in an index
   */
  apply({ type, key, record, previous }: StorageEvent, slot: number): void {
    if (!this.#covers(key)) return;
    const { slots } = this.#share;
    const isLate = this.#late.has(slot);
    const before = isLate || previous === undefined ? undefined : this.#termsAtOnce(previous);
    const after = type === 'delete' ? undefined : this.#termsOf(record, this.#late.work);
    if (type === 'update' && !isLate && !isSteps(after) && sameTerms(before, after)) return;
    if (previous !== undefined) {
      this.#postings.remove(slot, isLate ? this.#late.remove(slot) : before);
      this.#records--;
    }
    if (type !== 'delete') {
      const given = slot === NO_SLOT ? slots.assign(record, this.#share.tree()) : slot;
      this.#add(given, after);
    }
    this.#count();
  }

  #add(slot: number, terms: ReturnType<TermsOf>): void {
    const isLate = isSteps(terms);
    this.#postings.add(slot, isLate ? undefined : terms, this.#share.slots.count);
    if (isLate) this.#late.add(slot, terms);
    this.#records++;
  }

  /** Takes in the terms of a long record. */
  #know(slot: number, terms: StorageTerms | undefined): void {
    if (terms === undefined) return;
    this.#postings.remove(slot, undefined);
    this.#postings.add(slot, terms, this.#share.slots.count);
    this.#count();
  }

  /** Returns the terms of a record; undefined when they are not known, or take long to find. */
  #termsAtOnce(record: StorageRecord): StorageTerms | undefined {
    const terms = this.#termsOf(record, this.#late.work);
    return isSteps(terms) ? undefined : terms;
  }

  #canRead(revision: Revision | undefined): boolean {
    return revision === undefined || revision === this.#share.revision() || this.#share.past(revision) !== undefined;
  }

  /** Returns whether the index shows the writes of a key already. */
  #covers(key: string): boolean {
    if (this.#isBuilt) return true;
    return this.#builtUpTo !== undefined && !this.#share.tree().precedes(this.#builtUpTo, key);
  }

  async #build(): Promise<void> {
    const memory = this.#share.openTexts();
    try {
      await this.#addAll(memory);
    } finally {
      memory?.close();
    }
  }

  /** Adds the current records in key order. A write meanwhile counts when its key has already been reached. */
  async #addAll(memory: NeededAccount | undefined): Promise<void> {
    const { slots } = this.#share;
    const postings = this.#postings;
    /** The records of the next texts; undefined where a record has its own. */
    let texts = this.#share.first([]) === undefined ? undefined : NO_TEXTS;
    for (;;) {
      await shareTurn();
      // Dropped meanwhile, or too large.
      if (postings !== this.#postings) return;
      const tree = this.#share.tree();
      const position = this.#nextToBuild();
      for (let step = 0; step < BUILD_STEPS; step++) {
        const record = position?.next();
        if (record === undefined || !record.key.startsWith(this.prefix)) {
          this.#isBuilt = true;
          this.#count();
          return;
        }
        const whole = texts === undefined ? record : texts.get(record);
        if (whole === undefined) {
          texts = await this.#nextTexts(memory);
          break;
        }
        this.#builtUpTo = record.key;
        this.#add(slots.assign(record, tree), this.#termsOf(whole, this.#late.work));
      }
      this.#count();
    }
  }

  /**
   * Reads the texts of the next records, in place of those before. A failure, and memory that is refused, empties the
   * index: the reader reads the range, and gets the error.
   */
  async #nextTexts(memory: NeededAccount | undefined): Promise<ReadonlyMap<StorageRecord, StorageRecord>> {
    const records: StorageRecord[] = [];
    const position = this.#nextToBuild();
    while (records.length < BUILD_READ) {
      const record = position?.next();
      if (record === undefined || !record.key.startsWith(this.prefix)) break;
      records.push(record);
    }
    try {
      // A version that is gone has a successor, which arrives with the watch.
      const wholes = (await this.#share.first(records, memory && heldBy(memory))) ?? [];
      return new Map(wholes.map((whole, index) => [records[index] ?? whole, whole]));
    } catch {
      this.empty();
      return NO_TEXTS;
    }
  }

  /** Returns the position of the next record of the prefix that is not in the index. */
  #nextToBuild(): TreePosition | undefined {
    const start = rangeStart(this.prefix, this.#builtUpTo);
    return start && this.#share.tree().position(start.from, start.side);
  }

  #count(): void {
    const bytes = this.#postings.bytes + this.#records * SLOT_BYTES;
    this.#share.count(bytes - this.#counted);
    this.#counted = bytes;
    if (!this.#share.isFull()) return;
    this.#tooManyRecords = this.#records;
    this.empty();
  }

  #matches({ prefix, requirements, after, limit = 0 }: StorageQuery): StorageMatches | Promise<StorageMatches> {
    const tree = this.#share.tree();
    const revision = this.#share.revision();
    const exact = this.#postings.unknown.size === 0;
    const start = prefix.startsWith(this.prefix) ? rangeStart(prefix, after) : undefined;
    if (start === undefined) return { records: [], revision, remaining: 0, exact };
    const position = tree.position(start.from, start.side);
    const total = tree.rankAfterPrefix(prefix) - position.rank;
    const most = limit > 0 ? limit : Infinity;
    const driver = this.#driver(requirements);
    if (driver === undefined || driver.count > Math.min(MAX_SORTED, total / WALK_PER_SORTED))
      return walkRange(position, total, this.#mask(requirements), { most, revision, exact });
    const isInRange = ({ key }: StorageRecord): boolean =>
      key.startsWith(prefix) && (start.side === Side.Before || tree.precedes(start.from, key));
    const found = this.#collect(driver.requirement, requirements, isInRange);
    const records = found.sort((a, b) => (tree.precedes(a.key, b.key) ? -1 : 1)).slice(0, most);
    return { records, revision, remaining: this.#remaining(records, most, prefix, revision), exact };
  }

  /** Returns the matches in an old state: the current ones without the keys written since, and their old records. */
  #pastMatches(
    { prefix, requirements, after, limit = 0 }: StorageQuery,
    revision: Revision,
  ): StorageMatches | undefined {
    const past = this.#share.past(revision);
    const start = prefix.startsWith(this.prefix) ? rangeStart(prefix, after) : undefined;
    const driver = this.#driver(requirements);
    if (past === undefined || start === undefined || driver === undefined || driver.count > MAX_SORTED)
      return undefined;
    const old = past.oldRecords.position(start.from, start.side);
    const oldCount = past.oldRecords.rankAfterPrefix(prefix) - old.rank;
    if (oldCount > MAX_OLD) return undefined;
    const isUnchanged = ({ key }: StorageRecord): boolean =>
      !past.touched.has(key) &&
      key.startsWith(prefix) &&
      (start.side === Side.Before || precedesByCodePoint(start.from, key));
    const found = this.#collect(driver.requirement, requirements, isUnchanged);
    let exact = this.#postings.unknown.size === 0;
    for (const record of old.take(oldCount)) {
      const terms = this.#termsAtOnce(record);
      if (terms === undefined) exact = false;
      if (terms === undefined || requirements.every((requirement) => meetsTerms(terms, requirement)))
        found.push(record);
    }
    const most = limit > 0 ? limit : Infinity;
    const records = found.sort((a, b) => (precedesByCodePoint(a.key, b.key) ? -1 : 1)).slice(0, most);
    return { records, revision, remaining: this.#remaining(records, most, prefix, revision), exact };
  }

  /** Returns the number of records of a range after a page. */
  #remaining(page: readonly StorageRecord[], most: number, prefix: string, revision: Revision): number {
    const last = page.length === most ? page.at(-1) : undefined;
    return last === undefined ? 0 : this.#share.remaining(prefix, last.key, revision);
  }

  /** Returns the requirement with the fewest matches, and the number of records to look at with it. */
  #driver(requirements: readonly TermRequirement[]): { requirement: TermRequirement; count: number } | undefined {
    let driver: { requirement: TermRequirement; count: number } | undefined;
    for (const requirement of requirements) {
      const count = this.#postings.count(requirement);
      if (count !== undefined && (driver === undefined || count < driver.count)) driver = { requirement, count };
    }
    return driver && { ...driver, count: driver.count + this.#postings.unknown.size };
  }

  #collect(
    driver: TermRequirement,
    requirements: readonly TermRequirement[],
    isInRange: (record: StorageRecord) => boolean,
  ): StorageRecord[] {
    const records: StorageRecord[] = [];
    const others = requirements.filter((requirement) => requirement !== driver);
    const add = (slot: number): void => {
      const record = this.#share.slots.record(slot);
      if (record !== undefined && isInRange(record)) records.push(record);
    };
    for (const slot of this.#postings.slots(driver)) {
      if (others.every((requirement) => this.#postings.meets(slot, requirement))) add(slot);
    }
    this.#postings.unknown.forEach(add);
    return records;
  }

  #mask(requirements: readonly TermRequirement[]): SlotMask {
    const slots = this.#share.slots.count;
    const [first, ...others] = requirements.map((requirement) => this.#postings.mask(requirement, slots));
    const mask = first ?? this.#postings.mask({ attribute: '', negated: true, values: [] }, slots);
    for (const other of others) intersectMask(mask, other);
    this.#postings.unknown.addTo(mask);
    return mask;
  }
}

/** Returns what takes memory for texts, once it has released that of the texts before. @throws Error when it is refused */
function heldBy(memory: NeededAccount): (bytes: number) => void {
  memory.hold(-memory.usedBytes);
  return (bytes) => {
    if (!memory.tryHold(bytes)) throw new Error('the memory of the server has no room for the texts of an index');
  };
}
