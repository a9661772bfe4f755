import { equalJson, isJsonObject, jsonText, shown, type JsonValue } from '../../foundation/index.js';

/** A difference of two JSON values. */
export interface JsonChange {
  /** JSON Pointer (RFC 6901) of the place: `/spec/replicas`. */
  readonly path: string;
  readonly op: 'add' | 'remove' | 'replace';
  /** The value before; undefined for an addition. */
  readonly from: JsonValue | undefined;
  /** The value after; undefined for a removal. */
  readonly to: JsonValue | undefined;
}

/**
 * Returns the differences of two values, member by member and item by item.
 *
 * @param ignored JSON Pointers whose values are not compared
 */
export function jsonDiff(
  from: JsonValue | undefined,
  to: JsonValue | undefined,
  ignored: ReadonlySet<string> = new Set(),
): JsonChange[] {
  const changes: JsonChange[] = [];
  compare(from, to, '', ignored, changes);
  return changes;
}

function compare(
  from: JsonValue | undefined,
  to: JsonValue | undefined,
  path: string,
  ignored: ReadonlySet<string>,
  changes: JsonChange[],
): void {
  if (ignored.has(path) || equalJson(from, to)) return;
  if (isJsonObject(from) && isJsonObject(to)) {
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)]))
      compare(from[key], to[key], `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, ignored, changes);
    return;
  }
  if (isList(from) && isList(to)) {
    for (let at = 0; at < Math.max(from.length, to.length); at += 1)
      compare(from[at], to[at], `${path}/${at}`, ignored, changes);
    return;
  }
  const op = from === undefined ? 'add' : to === undefined ? 'remove' : 'replace';
  changes.push({ path, op, from, to });
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Maximum length of a value in a line. */
const MAX_VALUE = 80;

/** Returns a difference in one line: `/spec/replicas: 1 → 3`. */
export function changeLine({ path, op, from, to }: JsonChange): string {
  const place = path === '' ? '(all)' : path;
  if (op === 'add') return `+ ${place}: ${valueText(to)}`;
  if (op === 'remove') return `- ${place}: ${valueText(from)}`;
  return `  ${place}: ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: JsonValue | undefined): string {
  const text = jsonText(value) ?? shown(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
