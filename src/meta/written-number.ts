/**
 * Numbers whose text matters: `4.0` is no integer where Go decodes into one, and `1e3` is the text of a quantity. A double does not
 * keep the difference, so a decoder that is asked to keeps such a number as a text that stands for it.
 *
 * The mark in front is half of a surrogate pair. No body can hold it: decoders put U+FFFD in its place.
 *
 * @module
 */
import { isArray, type JsonValue } from './json.js';

const MARK = '\ud800';
const MARK_CODE = 0xd800;

/** The JSON text that stands for a number, to be put in the number's place before the text is parsed. */
export const writtenNumberJson = (literal: string): string => `"${MARK}${literal}"`;

/** The text of a number that was kept as it was written; undefined for every other value. */
export function writtenNumber(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.charCodeAt(0) === MARK_CODE ? value.slice(1) : undefined;
}

/** The value with plain numbers in place of those that were kept as written; the value itself where it has none. */
export function plainNumbers(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.charCodeAt(0) === MARK_CODE ? Number(value.slice(1)) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) {
    const items = value.map(plainNumbers);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  let copy: Record<string, JsonValue> | undefined;
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const plain = plainNumbers(member);
    if (plain === member) continue;
    copy ??= { ...(value as Record<string, JsonValue>) };
    Object.defineProperty(copy, key, { value: plain, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}
