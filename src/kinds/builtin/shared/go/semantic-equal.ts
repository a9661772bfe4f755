import {
  isArray,
  keysInSteps,
  ownMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../../foundation/index.js';

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (isArray(value) && value.length === 0);

/** Units of work to compare two values. */
const VALUE_UNITS = 2;

/**
 * Compares two decoded values as Kubernetes compares specs: an absent list, a null and an empty list are equal.
 *
 * @see release 1.31, `equality.Semantic.DeepEqual` of apimachinery
 */
export function semanticallyEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a) || isArray(b)) {
    if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => semanticallyEqual(item, b[index]));
  }
  for (const key in a) if (!semanticallyEqual(a[key], ownMember(b, key))) return false;
  for (const key in b) if (!isEmpty(b[key]) && ownMember(a, key) === undefined) return false;
  return true;
}

/** Does what {@link semanticallyEqual} does; with pauses for a request that is known to be large. */
export function* semanticallyEqualSteps(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  work: Work | undefined,
): Steps<boolean> {
  return work?.isLarge === true ? yield* equalInSteps(a, b, work) : semanticallyEqual(a, b);
}

function* equalInSteps(a: JsonValue | undefined, b: JsonValue | undefined, work: Work): Steps<boolean> {
  if (work.spend(VALUE_UNITS)) yield;
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (!isArray(a) && !isArray(b)) return yield* equalMembers(a, b, work);
  if (!isArray(a) || !isArray(b) || a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (!(yield* equalInSteps(a[index], b[index], work))) return false;
  return true;
}

function* equalMembers(a: JsonObject, b: JsonObject, work: Work): Steps<boolean> {
  for (const key of yield* keysInSteps(a, work))
    if (!(yield* equalInSteps(a[key], ownMember(b, key), work))) return false;
  for (const key of yield* keysInSteps(b, work)) {
    if (work.spend(VALUE_UNITS)) yield;
    if (!isEmpty(b[key]) && ownMember(a, key) === undefined) return false;
  }
  return true;
}
