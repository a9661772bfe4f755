import { setOwnMember } from '../../encoding/own-property.js';
import { equalJson, type JsonObject, type JsonValue } from '../../meta/json.js';
import { undeclaredField } from './errors.js';
import { mergeLists } from './merge-list.js';
import { shapeOf, type ListType, type MapType, type Type } from './type.js';
import { asMap, isEmptyMap, member } from './value.js';

/**
 * Merges an applied intent into a live value: scalars and atomic parts come from the intent, maps are merged by key,
 * lists by item. Parts that only one side has are shared with the result. So are live parts that the intent does not
 * change: when nothing differs, the result is the live value itself, which makes comparisons fast.
 *
 * @throws TypedError when lists cannot be merged because an item has no valid keys or value
 */
export function merge(live: JsonValue, config: JsonValue, type: Type): JsonValue {
  if (live === config) return live;
  const shape = shapeOf(type, config);
  if (shape === 'scalar') return config;
  return shape === 'map'
    ? mergeMaps(live, config, type.map as MapType)
    : mergeLists(live, config, type.list as ListType, merge);
}

function mergeMaps(live: JsonValue, config: JsonValue, type: MapType): JsonValue {
  const left = asMap(live);
  const right = asMap(config);
  // The intent decides between null and empty.
  if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) return equalJson(live, config) ? live : config;
  if (right === undefined) return left ?? null;
  return left === undefined ? right : mergeMembers(left, right, type);
}

function mergeMembers(live: JsonObject, config: JsonObject, type: MapType): JsonObject {
  let out: { [key: string]: JsonValue | undefined } | undefined;
  for (const name in config) {
    const applied = config[name];
    if (applied === undefined) continue;
    const before = member(live, name);
    if (before === applied) continue;
    const merged = before === undefined ? applied : merge(before, applied, memberType(type, name));
    if (merged === before) continue;
    out ??= { ...live };
    setOwnMember(out, name, merged);
  }
  return out ?? live;
}

function memberType(type: MapType, name: string): Type {
  return type.fields.get(name)?.type ?? type.element ?? undeclaredField(name);
}
