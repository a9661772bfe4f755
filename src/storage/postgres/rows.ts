/**
 * Reads the columns of rows.
 *
 * @module
 */
import type { Revision } from '../storage.js';

/** The columns of a row. */
export type Row = readonly unknown[];

/** A version as it is stored. */
export interface VersionRow {
  readonly key: string;
  readonly revision: Revision;
  readonly createRevision: Revision;
  /** Position of the placeholder of the revision in the value, in UTF-16 code units; undefined when it has none. */
  readonly stamp: number | undefined;
  /** Undefined for a delete. */
  readonly value: string | undefined;
}

/** Returns a column that is a number. */
export function numberAt(row: Row, index: number): number {
  const value = row[index];
  if (typeof value !== 'number') throw new TypeError(`column ${index} of PostgreSQL's answer is not a number`);
  return value;
}

/** Returns a column that is a number or null. */
export function numberOrNothingAt(row: Row, index: number): number | undefined {
  return row[index] === null ? undefined : numberAt(row, index);
}

/** Returns a column that is a string or null. */
export function textAt(row: Row, index: number): string | undefined {
  const value = row[index];
  if (value === null) return undefined;
  if (typeof value !== 'string') throw new TypeError(`column ${index} of PostgreSQL's answer is not a string`);
  return value;
}

/** Returns the version in the five columns that start at an index; undefined when they are null. */
export function versionAt(row: Row, index: number): VersionRow | undefined {
  const key = textAt(row, index);
  if (key === undefined) return undefined;
  return {
    key,
    revision: numberAt(row, index + 1),
    createRevision: numberAt(row, index + 2),
    stamp: numberOrNothingAt(row, index + 3),
    value: textAt(row, index + 4),
  };
}

/** Returns the bytes of the value of a version whose columns start at an index: those of a value that was left out, too. */
export const bytesAt = (row: Row, index: number): number => numberOrNothingAt(row, index + VERSION_COLUMNS) ?? 0;

/** Number of columns of a version. */
export const VERSION_COLUMNS = 5;
