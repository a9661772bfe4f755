import {
  equalJson,
  isArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../foundation/index.js';
import type { JsonPatchOperation } from './json-patch-decode.js';
import { checkDepth } from './values.js';

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
 * Returns the differences of two values, member by member and item by item, in an order in which they can be made: the
 * last items of a list that becomes shorter go first.
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
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      compare(ownMember(from, key), ownMember(to, key), place, ignored, changes);
    }
    return;
  }
  if (isArray(from) && isArray(to)) {
    for (let at = 0; at < to.length; at += 1) compare(from[at], to[at], `${path}/${at}`, ignored, changes);
    for (let at = from.length - 1; at >= to.length; at -= 1)
      compare(from[at], undefined, `${path}/${at}`, ignored, changes);
    return;
  }
  const op = from === undefined ? 'add' : to === undefined ? 'remove' : 'replace';
  changes.push({ path, op, from, to });
}

/**
 * Returns the JSON Patch (RFC 6902) that changes `from` to `to`. Shares values with `to`.
 *
 * @throws PatchError 400 when an argument is nested too deeply
 */
export function createJsonPatch(from: JsonObject, to: JsonObject): JsonPatchOperation[] {
  checkDepth(from);
  checkDepth(to);
  return jsonDiff(from, to).map(({ op, path, to: value }) => (op === 'remove' ? { op, path } : { op, path, value }));
}
