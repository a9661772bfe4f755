import {
  equalJson,
  equalSteps,
  isSteps,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type MaybeSteps,
  type Steps,
} from '../../../foundation/index.js';
import type { Walk } from '../fieldpath/walk.js';
import { undeclaredField } from './errors.js';
import { mergeLists, mergeListsInSteps } from './merge-list.js';
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

/** Units of work to merge a member, and to copy one. */
const MEMBER_UNITS = 4;

/** Does the same as {@link merge}, in steps. */
export function mergeInSteps(live: JsonValue, config: JsonValue, type: Type, walk: Walk): MaybeSteps<JsonValue> {
  if (live === config) return live;
  const shape = shapeOf(type, config);
  if (shape === 'scalar') return config;
  return shape === 'map'
    ? mergeMapsInSteps(live, config, type.map as MapType, walk)
    : mergeListsInSteps(live, config, type.list as ListType, mergeInSteps, walk);
}

function* mergeMapsInSteps(live: JsonValue, config: JsonValue, type: MapType, walk: Walk): Steps<JsonValue> {
  const left = asMap(live);
  const right = asMap(config);
  if (walk.lists(left)) yield;
  if (walk.lists(right)) yield;
  if (type.atomic || (walk.isEmptyMap(left) && walk.isEmptyMap(right)))
    return (yield* equalSteps(walk.work, live, config)) ? live : config;
  if (right === undefined) return left ?? null;
  return left === undefined ? right : yield* mergeMembersInSteps(left, right, type, walk);
}

function* mergeMembersInSteps(live: JsonObject, config: JsonObject, type: MapType, walk: Walk): Steps<JsonObject> {
  const changed = new Map<string, JsonValue>();
  for (const name of walk.keysOf(config)) {
    const applied = config[name];
    if (applied === undefined) continue;
    if (walk.spend(MEMBER_UNITS)) yield;
    const before = member(live, name);
    if (before === applied) continue;
    const made = before === undefined ? applied : mergeInSteps(before, applied, memberType(type, name), walk);
    const merged = isSteps(made) ? yield* made : made;
    if (merged !== before) changed.set(name, merged);
  }
  return changed.size === 0 ? live : yield* withMembers(live, changed, walk);
}

/** Returns a copy with some members. */
function* withMembers(live: JsonObject, members: ReadonlyMap<string, JsonValue>, walk: Walk): Steps<JsonObject> {
  const out: { [key: string]: JsonValue | undefined } = {};
  const names = [...walk.keysOf(live)];
  for (const name of members.keys()) if (!Object.hasOwn(live, name)) names.push(name);
  walk.reserve(names.length);
  for (const name of names) {
    if (walk.spend(MEMBER_UNITS)) yield;
    setOwnMember(out, name, members.get(name) ?? (live[name] as JsonValue));
  }
  walk.note(out, names);
  return out;
}
