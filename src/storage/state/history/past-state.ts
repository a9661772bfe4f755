import { shareTurn } from '../../../foundation/index.js';
import type { MemoryBudget } from '../../memory-budget.js';
import type { Revision, StorageEvent, StorageRecord } from '../../storage.js';
import { RecordTree } from '../records/record-tree.js';
import type { TreePosition } from '../records/record-tree.js';
import type { EventHistory } from './event-history.js';

/**
 * The state of an old revision, stored as its difference from the current one: the keys written since, in their old and
 * current versions. With counting trees of both, the old state is `present − presentRecords + oldRecords`, for records
 * and for their numbers. Its size grows with the later writes, not with the store.
 */
export class PastState {
  /** The revision of this state. */
  readonly revision: Revision;
  /** Keys written since, whether or not they existed then or exist now. */
  readonly touched = new Set<string>();
  /** The old records of touched keys. */
  readonly oldRecords = new RecordTree();
  /** The current records of touched keys; only their keys are used. */
  readonly presentRecords = new RecordTree();
  #upTo: Revision;

  constructor(revision: Revision) {
    this.revision = revision;
    this.#upTo = revision;
  }

  /** Applies some of the writes since the last call. Returns whether there may be more. */
  catchUpSome(history: EventHistory): boolean {
    const events = history.after(this.#upTo, CATCH_UP);
    for (const event of events) this.#apply(event);
    this.#upTo = events.at(-1)?.revision ?? this.#upTo;
    return events.length >= CATCH_UP;
  }

  /** Applies the writes since the last call. */
  catchUp(history: EventHistory, current: Revision): void {
    if (this.#upTo === current) return;
    history.forEachAfter(this.#upTo, (event) => this.#apply(event));
    this.#upTo = current;
  }

  /**
   * Returns the next `count` records of this state.
   *
   * @param present start position in the current state
   * @param presentCount number of current records in the range from there
   * @param old the same position in {@link PastState.oldRecords}
   * @param count maximum number of records
   */
  take(present: TreePosition, presentCount: number, old: TreePosition, count: number): StorageRecord[] {
    const taken: StorageRecord[] = [];
    let left = presentCount;
    const nextPresent = (): StorageRecord | undefined => {
      while (left > 0) {
        left--;
        const record = present.next();
        if (record !== undefined && !this.touched.has(record.key)) return record;
      }
      return undefined;
    };
    let unchanged = nextPresent();
    let changed = old.next();
    while (taken.length < count) {
      if (unchanged !== undefined && (changed === undefined || this.oldRecords.precedes(unchanged.key, changed.key))) {
        taken.push(unchanged);
        unchanged = nextPresent();
      } else if (changed !== undefined) {
        taken.push(changed);
        changed = old.next();
      } else break;
    }
    return taken;
  }

  #apply(event: StorageEvent): void {
    if (!this.touched.has(event.key)) {
      this.touched.add(event.key);
      if (event.previous !== undefined) this.oldRecords.insert(event.previous);
      if (event.type !== 'delete') this.presentRecords.insert(event.record);
    } else if (event.type === 'create') this.presentRecords.insert(event.record);
    else if (event.type === 'delete') this.presentRecords.remove(event.key);
  }
}

/** Number of writes that are applied between two looks at the time. */
const CATCH_UP = 500;
/** Maximum number of old states kept. */
const MAX_STATES = 16;
/** Maximum number of touched keys in all of them. */
const MAX_TOUCHED = 500_000;
/** Estimated bytes of a touched key: its entries in the set and in both trees. The history holds the versions. */
const TOUCHED_BYTES = 128;
/** Share of the budget that old states may take. */
const BUDGET_SHARE = 1 / 8;

/** The old states that clients are reading, kept so that the next page costs only the writes since the last one. */
export class PastStates {
  /** In order of last use. */
  readonly #states = new Map<Revision, PastState>();
  #budget: MemoryBudget | undefined;
  #countedBytes = 0;

  /** Counts the states against a budget. */
  countAgainst(budget: MemoryBudget | undefined): void {
    this.#budget?.holdBytes(-this.#countedBytes);
    this.#countedBytes = 0;
    this.#budget = budget;
    this.#updateBudget();
  }

  /**
   * Brings the state of a revision up to date with nearly all later writes, in the shares of several turns. Undefined
   * when they are few.
   */
  catchUp(revision: Revision, history: EventHistory): Promise<void> | undefined {
    const state = this.#states.get(revision) ?? new PastState(revision);
    this.#states.set(revision, state);
    return state.catchUpSome(history) ? this.#catchUpInTurns(state, history) : undefined;
  }

  async #catchUpInTurns(state: PastState, history: EventHistory): Promise<void> {
    const { revision } = state;
    for (let more = true; more && revision >= history.compactedRevision; more = state.catchUpSome(history)) {
      this.#states.delete(revision);
      this.#states.set(revision, state);
      this.#evict(state);
      const turn = shareTurn();
      if (turn !== undefined) await turn;
    }
  }

  /** Returns the state of a revision that is not compacted, up to date with the current one. */
  at(revision: Revision, history: EventHistory, current: Revision): PastState {
    const state = this.#states.get(revision) ?? new PastState(revision);
    this.#states.delete(revision);
    state.catchUp(history, current);
    this.#states.set(revision, state);
    this.#evict(state);
    return state;
  }

  /** Drops the states before a revision. */
  dropBefore(revision: Revision): void {
    if (this.#states.size === 0) return;
    for (const revisionKept of this.#states.keys()) {
      if (revisionKept < revision) this.#states.delete(revisionKept);
    }
    this.#updateBudget();
  }

  #evict(used: PastState): void {
    const maxTouched = Math.min(
      MAX_TOUCHED,
      this.#budget === undefined ? Infinity : (this.#budget.historyBytes * BUDGET_SHARE) / TOUCHED_BYTES,
    );
    let touched = this.#touched();
    for (const [revision, state] of this.#states) {
      if (state === used || (this.#states.size <= MAX_STATES && touched <= maxTouched)) break;
      this.#states.delete(revision);
      touched -= state.touched.size;
    }
    this.#updateBudget();
  }

  #touched(): number {
    let touched = 0;
    for (const state of this.#states.values()) touched += state.touched.size;
    return touched;
  }

  #updateBudget(): void {
    const bytes = this.#touched() * TOUCHED_BYTES;
    this.#budget?.holdBytes(bytes - this.#countedBytes);
    this.#countedBytes = bytes;
  }
}
