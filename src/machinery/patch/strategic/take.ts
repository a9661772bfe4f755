import { isArray, setOwnMember, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import type { Draft } from '../values.js';
import { DIRECTIVE } from './directives.js';

/**
 * Returns a value of a patch that has no counterpart to merge with. Removes maps that contain a `$patch`, and with
 * `dropNulls` null members. Undefined when the value itself is a map with a `$patch`.
 *
 * Returns values without either unchanged.
 */
export function takeValue(value: JsonValue, dropNulls: boolean): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value;
  return isArray(value) ? takeList(value, dropNulls) : takeMap(value, dropNulls);
}

function takeMap(map: JsonObject, dropNulls: boolean): JsonObject | undefined {
  const directive = map[DIRECTIVE];
  if (directive !== undefined && !(directive === null && dropNulls)) return undefined;
  let changed = false;
  const taken: Draft = {};
  for (const key in map) {
    const member = map[key];
    const value = member === undefined || (member === null && dropNulls) ? undefined : takeValue(member, dropNulls);
    if (value !== member) changed = true;
    if (value !== undefined) setOwnMember(taken, key, value);
  }
  return changed ? taken : map;
}

function takeList(list: readonly JsonValue[], dropNulls: boolean): readonly JsonValue[] {
  const taken: JsonValue[] = [];
  let changed = false;
  for (const item of list) {
    const value = takeValue(item, dropNulls);
    if (value !== item) changed = true;
    if (value !== undefined) taken.push(value);
  }
  return changed ? taken : list;
}
