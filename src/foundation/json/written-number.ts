/**
 * Numbers whose text matters: Go does not decode `4.0` into an integer, and `1e3` is the text of a quantity. A double
 * does not preserve the difference, so on request a decoder represents these numbers as marked texts.
 *
 * The leading mark is half of a surrogate pair. No body can contain it: decoders replace it with U+FFFD.
 *
 * @module
 */
import { setOwnMember } from '../collections/own-property.js';
import { isArray, type JsonValue } from './json.js';

const MARK = '\ud800';
const MARK_CODE = 0xd800;

/** Returns the JSON text of a marked text, which replaces a number before the document is parsed. */
export const writtenNumberJson = (literal: string): string => `"${MARK}${literal}"`;

/** Returns the text of a number as written; undefined for other values. */
export function writtenNumber(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.charCodeAt(0) === MARK_CODE ? value.slice(1) : undefined;
}

/** Returns the value with plain numbers instead of numbers as written; the value itself when it has none. */
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
    setOwnMember(copy, key, plain);
  }
  return copy ?? value;
}
