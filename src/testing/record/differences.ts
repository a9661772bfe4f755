import { equalJson, isArray, isJsonObject, shown, type JsonValue } from '../../foundation/index.js';

/** Returns a value without the members at some paths, such as `spec.items.*.time`. */
export function withoutPaths(value: JsonValue, paths: readonly string[]): JsonValue {
  return paths.reduce((rest, path) => without(rest, path.split('.')), value);
}

function without(value: JsonValue, [name, ...rest]: readonly string[]): JsonValue {
  if (name === undefined) return value;
  if (isArray(value))
    return value.flatMap((item, index) => {
      if (name !== '*' && name !== String(index)) return [item];
      return rest.length === 0 ? [] : [without(item, rest)];
    });
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, member]): [string, JsonValue][] => {
    if (member === undefined) return [];
    if (name !== '*' && name !== key) return [[key, member]];
    return rest.length === 0 ? [] : [[key, without(member, rest)]];
  });
  return Object.fromEntries(members);
}

/** Describes the first difference of two values: `spec.replicas was 2, is 3`. */
export function firstDifference(before: JsonValue | undefined, now: JsonValue | undefined, path: string): string {
  const at = (name: string | number): string => (path === '' ? String(name) : `${path}.${name}`);
  if (isJsonObject(before) && isJsonObject(now)) {
    const names = new Set([...Object.keys(before), ...Object.keys(now)]);
    for (const name of names)
      if (!same(before[name], now[name])) return firstDifference(before[name], now[name], at(name));
  }
  if (isArray(before) && isArray(now)) {
    const length = Math.max(before.length, now.length);
    for (let index = 0; index < length; index += 1)
      if (!same(before[index], now[index])) return firstDifference(before[index], now[index], at(index));
  }
  return `${path === '' ? 'the body' : path} was ${textOf(before)}, is ${textOf(now)}`;
}

const same = (a: JsonValue | undefined, b: JsonValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalJson(a, b);

const textOf = (value: JsonValue | undefined): string => (value === undefined ? 'absent' : shown(value));
