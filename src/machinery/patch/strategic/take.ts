import {
  isArray,
  keysInSteps,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { Draft } from '../values.js';
import { DIRECTIVE } from './directives.js';

/** Units of work to look at a member or an item. */
const VALUE_UNITS = 2;

/**
 * Returns a value of a patch that has no counterpart to merge with, in steps. Removes maps that contain a `$patch`, and
 * with `dropNulls` null members. Undefined when the value itself is a map with a `$patch`.
 *
 * Returns values without either unchanged.
 */
export function* takeValue(work: Work, value: JsonValue, dropNulls: boolean): Steps<JsonValue | undefined> {
  if (typeof value !== 'object' || value === null) return value;
  return isArray(value) ? yield* takeList(work, value, dropNulls) : yield* takeMap(work, value, dropNulls);
}

function* takeMap(work: Work, map: JsonObject, dropNulls: boolean): Steps<JsonObject | undefined> {
  const directive = map[DIRECTIVE];
  if (directive !== undefined && !(directive === null && dropNulls)) return undefined;
  let changed = false;
  const taken: Draft = {};
  for (const key of yield* keysInSteps(map, work)) {
    if (work.spend(VALUE_UNITS)) yield;
    const member = map[key];
    const isDropped = member === undefined || (member === null && dropNulls);
    const value = isDropped
      ? undefined
      : typeof member === 'object'
        ? yield* takeValue(work, member, dropNulls)
        : member;
    if (value !== member) changed = true;
    if (value !== undefined) setOwnMember(taken, key, value);
  }
  return changed ? taken : map;
}

function* takeList(work: Work, list: readonly JsonValue[], dropNulls: boolean): Steps<readonly JsonValue[]> {
  const taken: JsonValue[] = [];
  let changed = false;
  for (const item of list) {
    if (work.spend(VALUE_UNITS)) yield;
    const value = typeof item === 'object' ? yield* takeValue(work, item, dropNulls) : item;
    if (value !== item) changed = true;
    if (value !== undefined) taken.push(value);
  }
  return changed ? taken : list;
}
