import { isArray, ownMember, type JsonValue } from '../../../../foundation/index.js';

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (isArray(value) && value.length === 0);

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
