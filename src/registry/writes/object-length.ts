import {
  errors,
  isArray,
  isLargeWork,
  keysInSteps,
  MAX_MEMBERS,
  runSteps,
  whenReady,
  type ApiObject,
  type JsonObject,
  type JsonValue,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';

/**
 * Most characters of an object that grows: what a body of 3 MiB makes of itself fits, with its defaults and the records of
 * its field ownership. Patch by patch an object would grow to the size of the store, and its text is made in one piece.
 */
export const MAX_OBJECT_CHARACTERS = 16 * 1024 * 1024;

/** Units of work to look at a value. */
const VALUE_UNITS = 2;

/**
 * Refuses a change that lets an object grow beyond {@link MAX_OBJECT_CHARACTERS}, or the members of an object in it beyond
 * {@link MAX_MEMBERS}. Looks at a large object in the slices of the request.
 *
 * @returns undefined when nothing has to wait
 * @throws ApiError 413; a promise rejects with it
 */
export function refuseLongObject(object: ApiObject, old: StoredObject, work: Work): void | Promise<void> {
  const value = object as JsonObject;
  // A small value has no long texts either.
  if (!isLargeWork(work, value)) return undefined;
  return whenReady(runSteps(work, growth(value, old, work), 'validation'), (refused): void => {
    if (refused !== undefined) throw errors.requestEntityTooLarge(refused);
  });
}

/** Returns why a change is refused. */
function* growth(object: JsonObject, old: JsonObject, work: Work): Steps<string | undefined> {
  const now = { members: 0 };
  const length = yield* lengthIn(object, now, work);
  if (length <= MAX_OBJECT_CHARACTERS && now.members <= MAX_MEMBERS) return undefined;
  const before = { members: 0 };
  if (length > Math.max(MAX_OBJECT_CHARACTERS, yield* lengthIn(old, before, work)))
    return `limit is ${MAX_OBJECT_CHARACTERS}`;
  return now.members > Math.max(MAX_MEMBERS, before.members)
    ? `an object in it has more than ${MAX_MEMBERS} members`
    : undefined;
}

/** Returns the least number of characters of the JSON of a value. @param most gets the most members of an object in it */
function* lengthIn(value: JsonValue, most: { members: number }, work: Work): Steps<number> {
  let length = 2;
  if (isArray(value)) {
    for (const item of value) {
      if (work.spend(VALUE_UNITS)) yield;
      length +=
        1 + (typeof item === 'object' && item !== null ? yield* lengthIn(item, most, work) : scalarLength(item));
    }
  } else {
    const keys = yield* keysInSteps(value as JsonObject, work);
    most.members = Math.max(most.members, keys.length);
    for (const key of keys) {
      const member = (value as JsonObject)[key];
      if (member === undefined) continue;
      if (work.spend(VALUE_UNITS)) yield;
      const isContainer = typeof member === 'object' && member !== null;
      length += key.length + 4 + (isContainer ? yield* lengthIn(member, most, work) : scalarLength(member));
    }
  }
  return length;
}

const scalarLength = (value: JsonValue): number => (typeof value === 'string' ? value.length + 2 : 1);
