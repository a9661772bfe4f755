/**
 * The optional index of an engine: finds records by terms that their reader derives from them. The engine knows nothing
 * of the meaning of a term.
 *
 * @module
 */
import type { MaybeSteps, Work } from '../foundation/index.js';
import type { Revision, StorageRecord } from './storage.js';

/** The terms of a record: at most one value for each attribute. */
export type StorageTerms = Readonly<Record<string, string>>;

/**
 * Returns the terms of a record; undefined when they are not known, so that the record may match anything. Steps find
 * the terms of a long record: until they have, the record may match anything, too. The answer, and whether it takes
 * steps, must depend on the key and the text alone. Called once a version or more often; it must not throw.
 */
export type TermsOf = (record: StorageRecord, work: Work) => MaybeSteps<StorageTerms | undefined>;

/** A requirement on the terms of a record. */
export interface TermRequirement {
  readonly attribute: string;
  /** The record must have one of these values; absent: any value. */
  readonly values?: readonly string[] | undefined;
  /** Selects the records that the requirement would not select otherwise, also those without the attribute. */
  readonly negated?: boolean | undefined;
}

/** A question to an index. */
export interface StorageQuery {
  /** Range within the prefix of the index. */
  readonly prefix: string;
  /** Requirements that must all hold; at least one. */
  readonly requirements: readonly TermRequirement[];
  /** The answer starts after this key, which need not exist. */
  readonly after?: string | undefined;
  /** Maximum number of records; absent or 0 means no limit. */
  readonly limit?: number | undefined;
  /** The revision whose state the answer shows; absent: the current one, whatever it is. */
  readonly revision?: Revision | undefined;
  /** Without `revision`: the answer may show any state of this revision or a later one; see {@link StorageReadOptions}. */
  readonly notOlderThan?: Revision | undefined;
  /** Reserves memory for the texts of the answer; see {@link StorageListOptions}. */
  readonly reserve?: ((bytes: number) => void) | undefined;
}

/** The answer of an index: matching records of one state, in key order. */
export interface StorageMatches {
  readonly records: readonly StorageRecord[];
  /** The revision whose state the answer shows. */
  readonly revision: Revision;
  /** Exact number of records of the range after the answer, whether they match or not; 0 when it reaches the end. */
  readonly remaining: number;
  /** False when records are included whose terms are not known. The reader has to check all of them. */
  readonly exact: boolean;
}

/** An index of the records of a prefix. It is built by the first question, and is exact from then on. */
export interface StorageIndex {
  /**
   * Returns the matching records in the state after every write that was acknowledged before the call. The cost grows
   * with the matches of the most selective requirement, or with the range when that is cheaper.
   *
   * @returns undefined when the index cannot answer: it would take too much memory, it was dropped, or it does not know
   *   enough about the revision. The reader then reads the range
   */
  find(query: StorageQuery): Promise<StorageMatches | undefined>;
  /** Releases the index. */
  drop(): void;
}
