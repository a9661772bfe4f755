/**
 * The texts of records that may have to be read from the store ({@link StorageRecord.textLength}).
 *
 * @module
 */
import type { StorageEvent, StorageRecord } from './storage.js';

/** Units of work to read a text from a file: about 20 microseconds. */
const READ_UNITS = 400;

/** Returns the approximate length of the text of a record, without reading it from the store. */
export const lengthOfText = (record: StorageRecord): number => record.textLength ?? record.text.length;

/** Returns the units of work that it costs to get the text of a record: 0 if the text is always in memory. */
export const unitsToRead = (record: StorageRecord): number => (record.textLength === undefined ? 0 : READ_UNITS);

/** Returns why an event cannot be delivered: its record, or the one before it, cannot be read. Undefined when both can. */
export const unreadableIn = ({ record, previous }: Pick<StorageEvent, 'record' | 'previous'>): Error | undefined =>
  record.unreadable?.() ?? previous?.unreadable?.();

/** Returns the first error of {@link unreadableIn} among events; undefined when all can be read. */
export function firstUnreadable(events: readonly StorageEvent[]): Error | undefined {
  for (const event of events) {
    const error = unreadableIn(event);
    if (error !== undefined) return error;
  }
  return undefined;
}
