import type { JsonObject, MaybeSteps, Work } from '../../foundation/index.js';
import { lengthOfText, unitsToRead, type StorageRecord } from '../../storage/index.js';
import type { KeptForm } from '../kept/index.js';

/** A list that is encoded item by item. */
export interface ItemList {
  readonly records: readonly StorageRecord[];
  readonly kept: KeptForm;
  readonly work: Work;
  /** Whether the items depend on nothing but their records. */
  readonly timeless: boolean;
  /** Time of the list, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Returns the item of a record, or steps to it for a long one. @throws ApiError 500 when it cannot be read */
  itemOf(record: StorageRecord): MaybeSteps<JsonObject>;
}

/** Length of a text beyond which it is encoded in slices, and its object is not kept, in characters. */
export const LONG_TEXT = 32 * 1024;
/** Characters of a text that are decoded and encoded in a unit of work. */
const CHARACTERS_PER_UNIT = 4;

/** Memory of a reference to a record. */
export const REFERENCE_BYTES = 8;

/** Units of work of an item that is kept. */
export const KEPT_UNITS = 2;

/** Returns whether an object is encoded in slices. */
export const isLong = (record: StorageRecord): boolean => lengthOfText(record) > LONG_TEXT;

/** Returns the units of work to decode and encode an object. */
export const unitsOf = (record: StorageRecord): number =>
  KEPT_UNITS + unitsToRead(record) + lengthOfText(record) / CHARACTERS_PER_UNIT;
