import {
  hexNumber,
  isArray,
  isLongValue,
  jsonText,
  LONG_VALUE,
  writtenNumber,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';

const UNSAFE = /[<>&\u2028\u2029]/g;

const escapeUnit = (unit: string): string => `\\u${hexNumber(unit.charCodeAt(0), 4)}`;

/** Formats a string as Go's JSON encoder does: safe in HTML. */
const stringText = (text: string): string => JSON.stringify(text).replace(UNSAFE, escapeUnit);

/** Most objects and lists that are looked for in the sources: an error does not wait until all of them are seen. */
const MOST_CONTAINERS = 10_000;

/** Returns the first objects and lists in the values. */
function containersOf(values: readonly (JsonValue | undefined)[]): ReadonlySet<object> {
  const found = new Set<object>();
  const pending = [...values];
  while (pending.length > 0 && found.size < MOST_CONTAINERS) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || found.has(next)) continue;
    found.add(next);
    for (const inner of isArray(next) ? next : Object.values(next)) pending.push(inner);
  }
  return found;
}

/**
 * Returns the text of a patched document as Kubernetes shows it in decoding errors: with the keys of objects that the
 * patch processed in alphabetical order. Of a document that is too long for an error only its length.
 *
 * @param patched the document; objects shared with the sources keep the order of their keys
 */
export function patchedText(patched: JsonValue, sources: readonly (JsonValue | undefined)[]): string {
  if (isLongValue(patched)) return LONG_VALUE;
  const untouched = containersOf(sources);
  const text = (value: JsonValue): string => {
    if (typeof value === 'string') return writtenNumber(value) ?? stringText(value);
    if (typeof value !== 'object' || value === null) return jsonText(value);
    if (isArray(value)) return `[${value.map(text).join(',')}]`;
    return `{${membersOf(value, untouched.has(value))
      .map(([key, member]) => `${stringText(key)}:${text(member)}`)
      .join(',')}}`;
  };
  return text(patched);
}

function membersOf(object: JsonObject, keepsOrder: boolean): [string, JsonValue][] {
  const members = Object.entries(object).flatMap(([key, member]): [string, JsonValue][] =>
    member === undefined ? [] : [[key, member]],
  );
  return keepsOrder ? members : members.sort(([a], [b]) => (a < b ? -1 : 1));
}
