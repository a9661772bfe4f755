/** The rules that a history must keep; docs/internals/history.md explains each. */
export type Rule =
  // The writes.
  | 'revision'
  | 'order'
  | 'precondition'
  | 'invented'
  | 'undone'
  | 'refusal'
  // The reads.
  | 'stale'
  | 'state'
  | 'compaction'
  | 'future'
  // The watches.
  | 'ordered'
  | 'unique'
  | 'reliable'
  | 'atomic'
  | 'resumable'
  | 'bookmarkable'
  | 'event'
  // The check that does not trust revisions.
  | 'linearizable'
  | 'undecided';

/** A rule that a history breaks, and where. */
export interface Violation {
  readonly rule: Rule;
  readonly message: string;
  /** The key, as a number of the history. */
  readonly key?: number | undefined;
  /** The operation. */
  readonly row?: number | undefined;
  readonly watch?: number | undefined;
  /** Time of the history at which it shows. */
  readonly at: number;
}
