import type { StorageRecord, ValueEncoder } from '../../../src/storage/storage.js';
import { BAD_VALUE, UNSHOWN, type Shown } from '../history.js';

/** Each so many values, one is large: it does not fit in a page of a database, nor in what is left of a full disk. */
const LARGE_EACH = 40;
const PADDING = 'x'.repeat(32 << 10);

const paddingOf = (value: number): string | undefined => (value > 0 && value % LARGE_EACH === 0 ? PADDING : undefined);

/** Encodes the number of a value in the form of stored objects, for engines that insert the revision when they read. */
export const encoding =
  (value: number): ValueEncoder =>
  (revision) =>
    JSON.stringify({ metadata: { resourceVersion: String(revision) }, value, padding: paddingOf(value) });

/** Returns a text with another revision. */
export const stampRevision = (text: string, revision: number): string => text.replace(/"\d+"/, `"${revision}"`);

const TEXT = /^\{"metadata":\{"resourceVersion":"(\d+)"\},"value":(\d+)(?:,"padding":"(x+)")?\}$/;

/** Returns a record as histories keep it. */
export function shownOf({ key, text, modRevision, createRevision }: StorageRecord): Shown {
  const [, revision, value, padding] = TEXT.exec(text) ?? [];
  if (modRevision === UNSHOWN)
    return { key, value: value === undefined ? UNSHOWN : Number(value), revision: modRevision, createRevision };
  const isRight = revision === String(modRevision) && value !== undefined && padding === paddingOf(Number(value));
  return { key, value: isRight ? Number(value) : BAD_VALUE, revision: modRevision, createRevision };
}
