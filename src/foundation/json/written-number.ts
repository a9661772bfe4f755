/**
 * Numbers whose text matters: Go does not decode `4.0` into an integer, and `1e3` is the text of a quantity. A double
 * does not preserve the difference, so on request a decoder represents these numbers as marked texts.
 *
 * The leading mark is half of a surrogate pair. No body can contain it: decoders replace it with U+FFFD.
 *
 * @module
 */
import { keysInSteps } from '../collections/keys-in-steps.js';
import { setOwnMember } from '../collections/own-property.js';
import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { isArray, type JsonObject, type JsonValue } from './json.js';

const MARK = '\ud800';
const MARK_CODE = 0xd800;

/** Returns the JSON text of a marked text, which replaces a number before the document is parsed. */
export const writtenNumberJson = (literal: string): string => `"${MARK}${literal}"`;

/** Returns the text of a number as written; undefined for other values. */
export function writtenNumber(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.charCodeAt(0) === MARK_CODE ? value.slice(1) : undefined;
}

/** Returns the value with plain numbers instead of numbers as written; the value itself when it has none. */
export const plainNumbers = (value: JsonValue): JsonValue =>
  typeof value === 'object' ? atOnce(plainNumbersSteps(UNBOUNDED_WORK, value)) : plainScalar(value);

const plainScalar = <Value extends JsonValue>(value: Value): Value | number =>
  typeof value === 'string' && value.charCodeAt(0) === MARK_CODE ? Number(value.slice(1)) : value;

/** Does what {@link plainNumbers} does, in steps. */
export function* plainNumbersSteps(work: Work, value: JsonValue): Steps<JsonValue> {
  if (typeof value !== 'object' || value === null) return plainScalar(value);
  return isArray(value) ? yield* plainList(work, value) : yield* plainObject(work, value);
}

function* plainList(work: Work, list: readonly JsonValue[]): Steps<readonly JsonValue[]> {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    if (work.spend(1)) yield;
    const item = list[index] as JsonValue;
    const plain = typeof item === 'object' ? yield* plainNumbersSteps(work, item) : plainScalar(item);
    if (plain !== item) (copy ??= list.slice())[index] = plain;
  }
  return copy ?? list;
}

function* plainObject(work: Work, object: JsonObject): Steps<JsonObject> {
  let copy: Record<string, JsonValue> | undefined;
  for (const key of yield* keysInSteps(object, work)) {
    if (work.spend(1)) yield;
    const member = object[key];
    if (member === undefined) continue;
    const plain = typeof member === 'object' ? yield* plainNumbersSteps(work, member) : plainScalar(member);
    if (plain === member) continue;
    copy ??= { ...(object as Record<string, JsonValue>) };
    setOwnMember(copy, key, plain);
  }
  return copy ?? object;
}
