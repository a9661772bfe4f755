import { equalJson, isArray, isJsonObject, type JsonValue } from '../json/json.js';
import { inSlices, UNBOUNDED_WORK, type Steps, type Work } from '../work/work.js';
import { keysInSteps } from './keys-in-steps.js';
import { ownMember } from './own-property.js';

/** Units of work to compare two scalars, and to open a container. */
const MEMBER_UNITS = 1;
const CONTAINER_UNITS = 4;

/** Does what `equalJson` does, in steps that can pause between any two members. */
export function* equalSteps(work: Work, a: JsonValue | undefined, b: JsonValue | undefined): Steps<boolean> {
  if (work === UNBOUNDED_WORK) return equalJson(a, b);
  if (a === b) return true;
  if (isArray(a)) return isArray(b) && (yield* equalLists(work, a, b));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  if (work.spend(CONTAINER_UNITS)) yield;
  let more = 0;
  for (const key of yield* keysInSteps(a, work)) {
    const member = a[key];
    if (member === undefined) continue;
    more += 1;
    if (work.spend(MEMBER_UNITS)) yield;
    const other = ownMember(b, key);
    if (typeof member === 'object' && member !== null ? !(yield* equalSteps(work, member, other)) : member !== other)
      return false;
  }
  for (const key of yield* keysInSteps(b, work)) {
    if (work.spend(MEMBER_UNITS)) yield;
    if (b[key] !== undefined) more -= 1;
  }
  return more === 0;
}

function* equalLists(work: Work, a: readonly JsonValue[], b: readonly JsonValue[]): Steps<boolean> {
  if (a.length !== b.length) return false;
  if (work.spend(CONTAINER_UNITS)) yield;
  for (let index = 0; index < a.length; index += 1) {
    const item = a[index] as JsonValue;
    if (work.spend(MEMBER_UNITS)) yield;
    if (typeof item === 'object' && item !== null ? !(yield* equalSteps(work, item, b[index])) : item !== b[index])
      return false;
  }
  return true;
}

/** Does what `equalJson` does; with pauses for a request that is known to be large. */
export function* equalValueSteps(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  work: Work | undefined,
): Steps<boolean> {
  return work?.isLarge === true ? yield* equalSteps(work, a, b) : equalJson(a, b);
}

/** Does what `equalJson` does; in slices for a request that is known to be large. */
export const equalInSlices = (
  work: Work | undefined,
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): boolean | Promise<boolean> => (work?.isLarge === true ? inSlices(work, equalSteps(work, a, b)) : equalJson(a, b));
