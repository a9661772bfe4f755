import type { StorageRecord, ValueEncoder } from '../../../src/storage/storage.js';
import { BAD_VALUE, UNSHOWN, type Shown } from '../history.js';

/** Encodes the number of a value in the form of stored objects, for engines that insert the revision when they read. */
export const encoding =
  (value: number): ValueEncoder =>
  (revision) =>
    JSON.stringify({ metadata: { resourceVersion: String(revision) }, value });

/** Returns a text with another revision. */
export const stampRevision = (text: string, revision: number): string => text.replace(/"\d+"/, `"${revision}"`);

const TEXT = /^\{"metadata":\{"resourceVersion":"(\d+)"\},"value":(\d+)\}$/;

/** Returns a record as histories keep it. */
export function shownOf({ key, text, modRevision, createRevision }: StorageRecord): Shown {
  const [, revision, value] = TEXT.exec(text) ?? [];
  if (modRevision === UNSHOWN)
    return { key, value: value === undefined ? UNSHOWN : Number(value), revision: modRevision, createRevision };
  const isRight = revision === String(modRevision) && value !== undefined;
  return { key, value: isRight ? Number(value) : BAD_VALUE, revision: modRevision, createRevision };
}
