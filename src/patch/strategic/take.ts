import { setOwnMember } from '../../encoding/own-property.js';
import { isArray, type JsonObject, type JsonValue } from '../../meta/json.js';
import type { Draft } from '../values.js';
import { DIRECTIVE } from './directives.js';

/**
 * Returns a patch's value that has no counterpart to merge with: without maps that contain a `$patch`, and with
 * `dropNulls` without null members. Undefined when the value itself is a map with a `$patch`.
 *
 * Values without either are returned unchanged.
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
    const kept = member === undefined || (member === null && dropNulls) ? undefined : takeValue(member, dropNulls);
    if (kept !== member) changed = true;
    if (kept !== undefined) setOwnMember(taken, key, kept);
  }
  return changed ? taken : map;
}

function takeList(list: readonly JsonValue[], dropNulls: boolean): readonly JsonValue[] {
  const taken: JsonValue[] = [];
  let changed = false;
  for (const item of list) {
    const kept = takeValue(item, dropNulls);
    if (kept !== item) changed = true;
    if (kept !== undefined) taken.push(kept);
  }
  return changed ? taken : list;
}
