import type { HistoryBudget } from '../history-budget.js';
import type { Revision, StorageEvent, StorageRecord } from '../storage.js';
import type { EventHistory } from './event-history.js';
import { RecordTree } from './record-tree.js';
import type { TreePosition } from './record-tree.js';

/**
 * The state of an old revision, told as the difference to the present one: the keys written since, as they were then, and
 * those of them that exist now. With both in counting trees, the past is `present − now + then`, for records and for
 * numbers of records alike. It grows with the writes since, never with the store.
 */
export class PastState {
  /** The revision whose state this is. */
  readonly revision: Revision;
  /** Keys written since, whether or not they existed then or exist now. */
  readonly touched = new Set<string>();
  /** Touched keys that existed then, as they were. */
  readonly then = new RecordTree();
  /** Touched keys that exist now. The versions of the records are of no meaning. */
  readonly now = new RecordTree();
  private upTo: Revision;

  constructor(revision: Revision) {
    this.revision = revision;
    this.upTo = revision;
  }

  /** Takes in the writes since it was last looked at. */
  catchUp(history: EventHistory, current: Revision): void {
    if (this.upTo === current) return;
    history.forEachAfter(this.upTo, (event) => this.apply(event));
    this.upTo = current;
  }

  /**
   * The next `count` records of this state.
   *
   * @param present where to start in the present state
   * @param presentCount how many records of the present state the range has from there
   * @param then the same place in {@link PastState.then}
   */
  take(present: TreePosition, presentCount: number, then: TreePosition, count: number): StorageRecord[] {
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
    let changed = then.next();
    while (taken.length < count) {
      if (unchanged !== undefined && (changed === undefined || this.then.precedes(unchanged.key, changed.key))) {
        taken.push(unchanged);
        unchanged = nextPresent();
      } else if (changed !== undefined) {
        taken.push(changed);
        changed = then.next();
      } else break;
    }
    return taken;
  }

  private apply(event: StorageEvent): void {
    if (!this.touched.has(event.key)) {
      this.touched.add(event.key);
      if (event.previous !== undefined) this.then.insert(event.previous);
      if (event.type !== 'delete') this.now.insert(event.record);
    } else if (event.type === 'create') this.now.insert(event.record);
    else if (event.type === 'delete') this.now.remove(event.key);
  }
}

/** Most old revisions that are kept at hand. */
const MAX_STATES = 16;
/** Most touched keys in all of them together. */
const MAX_TOUCHED = 500_000;
/** Bytes of a touched key: its places in the set and in both trees. The versions are the history's. */
const TOUCHED_BYTES = 128;
/** Part of a budget that old states may take. */
const BUDGET_SHARE = 1 / 8;

/** The old states that are being read, so that the next page of each costs only the writes since the last. */
export class PastStates {
  /** In order of their last use. */
  private readonly states = new Map<Revision, PastState>();
  private budget: HistoryBudget | undefined;
  private counted = 0;

  /** Counts the states against a budget, from now on. */
  countAgainst(budget: HistoryBudget | undefined): void {
    this.budget?.holdBytes(-this.counted);
    this.counted = 0;
    this.budget = budget;
    this.count();
  }

  /** The state of a revision that is not compacted, brought up to the present. */
  at(revision: Revision, history: EventHistory, current: Revision): PastState {
    const state = this.states.get(revision) ?? new PastState(revision);
    this.states.delete(revision);
    state.catchUp(history, current);
    this.states.set(revision, state);
    this.evict(state);
    return state;
  }

  /** Forgets the states before a revision. */
  dropBefore(revision: Revision): void {
    if (this.states.size === 0) return;
    for (const kept of this.states.keys()) {
      if (kept < revision) this.states.delete(kept);
    }
    this.count();
  }

  private evict(used: PastState): void {
    const most = Math.min(
      MAX_TOUCHED,
      this.budget === undefined ? Infinity : (this.budget.limitBytes * BUDGET_SHARE) / TOUCHED_BYTES,
    );
    let touched = this.touched();
    for (const [revision, state] of this.states) {
      if (state === used || (this.states.size <= MAX_STATES && touched <= most)) break;
      this.states.delete(revision);
      touched -= state.touched.size;
    }
    this.count();
  }

  private touched(): number {
    let touched = 0;
    for (const state of this.states.values()) touched += state.touched.size;
    return touched;
  }

  private count(): void {
    const bytes = this.touched() * TOUCHED_BYTES;
    this.budget?.holdBytes(bytes - this.counted);
    this.counted = bytes;
  }
}
