import {
  cloneJson,
  inSlices,
  isArray,
  keysInSteps,
  setOwnMember,
  withoutRoom,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/** Units of work to copy a value. */
const VALUE_UNITS = 3;

/** Returns a deep copy without `undefined` members, as `cloneJson` does, in steps. */
export function* cloneSteps(value: JsonValue, work: Work): Steps<MutableJsonValue> {
  if (typeof value !== 'object' || value === null) return cloneJson(value);
  if (isArray(value)) {
    const copy: MutableJsonValue[] = [];
    for (const item of value) {
      if (work.spend(VALUE_UNITS)) yield;
      copy.push(typeof item === 'object' ? yield* cloneSteps(item, work) : cloneJson(item));
    }
    return withoutRoom(copy);
  }
  return yield* cloneObjectSteps(value, work);
}

function* cloneObjectSteps(value: JsonObject, work: Work): Steps<MutableJsonObject> {
  const copy: MutableJsonObject = {};
  for (const key of yield* keysInSteps(value, work)) {
    const member = value[key];
    if (member === undefined) continue;
    if (work.spend(VALUE_UNITS)) yield;
    setOwnMember(copy, key, typeof member === 'object' ? yield* cloneSteps(member, work) : cloneJson(member));
  }
  return copy;
}

/** Returns a deep copy, as `cloneJson` does; in slices for a request that is known to be large. */
export const cloneInSlices = (
  object: JsonObject,
  work: Work | undefined,
): MutableJsonObject | Promise<MutableJsonObject> =>
  work?.isLarge === true ? inSlices(work, cloneObjectSteps(object, work)) : cloneJson(object);
