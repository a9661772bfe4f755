import { atOnce, inSlices, UNBOUNDED_WORK, type Steps, type Work, type WorkArea } from '../work/work.js';
import { isArray, type JsonValue } from './json.js';

/** Number of values from which work on a value is done in slices: about a millisecond of work. */
const MANY = 1_000;
/** Characters of a text that count as one value, as a power of two: a value of few values has 64 Ki characters at most. */
export const TEXT_SHIFT = 6;

/**
 * Returns whether a value has so many values in it, or such long texts, that work on it should pause. Small ones, as
 * most are, do without slices, which cost more than the work.
 *
 * @param withOwnership whether the records of field ownership count. Default false: of an object whose records the server
 *   has made, they have as many values as the object, at most
 */
export function isLargeValue(value: JsonValue | undefined, withOwnership = false): boolean {
  return roomAfter(value, MANY, withOwnership) < 0;
}

/** Length of a JSON text whose value is taken for large: looking for its values would take too long. */
export const LONG_TEXT = 64 * 1024;

/** Remembers with a request that the text of one of its values is long. */
export function noteLength(work: Work | undefined, length: number): void {
  if (length >= LONG_TEXT && work !== undefined && work !== UNBOUNDED_WORK) work.isLarge = true;
}

/**
 * Returns whether the work of a request should pause: whether this value is large, or another one of the request was. It
 * is remembered with the request.
 */
export function isLargeWork(work: Work, value: JsonValue | undefined, withOwnership = false): boolean {
  if (work.isLarge === true) return true;
  // Between two steps of a request, an object gets the fields that the server sets, which are few.
  if (!withOwnership && work.small !== undefined && work.small === value) return false;
  const isLarge = isLargeValue(value, withOwnership);
  if (work === UNBOUNDED_WORK) return isLarge;
  if (isLarge) work.isLarge = true;
  else if (typeof value === 'object' && value !== null) work.small = value;
  return isLarge;
}

/** Subtracts the number of values, and of long texts, from the room; negative when it does not suffice. */
function roomAfter(value: JsonValue | undefined, room: number, withOwnership: boolean): number {
  let left = room - 1;
  if (typeof value === 'string') return left - (value.length >> TEXT_SHIFT);
  if (typeof value !== 'object' || value === null) return left;
  if (isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1)
      left = roomAfter(value[index], left, withOwnership);
    return left;
  }
  for (const key in value) {
    if (left < 0) break;
    if (!withOwnership && key === 'managedFields') continue;
    const member = value[key];
    left -= key.length >> TEXT_SHIFT;
    // Most members are texts; a call for each costs more than the look.
    if (typeof member === 'string') left -= 1 + (member.length >> TEXT_SHIFT);
    else left = roomAfter(member, left, withOwnership);
  }
  return left;
}

/** Runs steps in slices, or at once when the work has no limit. @throws what the steps throw */
export function runSteps<Result>(work: Work, steps: Steps<Result>, area?: WorkArea): Result | Promise<Result> {
  return work === UNBOUNDED_WORK ? atOnce(steps) : inSlices(work, steps, area);
}
