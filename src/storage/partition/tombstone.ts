import type { StorageRecord } from '../storage.js';

/** Text of a key that a store has in place of a deleted record of its base. */
export const TOMBSTONE = '{"removed":true}';

/** Returns whether a record stands for a deleted one of the base. */
export const isTombstone = ({ text }: StorageRecord): boolean => text === TOMBSTONE;
