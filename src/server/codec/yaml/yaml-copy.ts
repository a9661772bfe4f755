import {
  isArray,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';

/** Number of values that are copied in one piece. */
const PIECE = 512;

/** A list or object that is being copied. */
type OpenCopy =
  | { readonly from: readonly JsonValue[]; readonly to: JsonValue[]; readonly keys: undefined; next: number }
  | {
      readonly from: JsonObject;
      readonly to: Record<string, JsonValue>;
      readonly keys: readonly string[];
      next: number;
    };

/** Copies a value, in steps: what an alias stands for. */
export function* copySteps(value: JsonValue, work: Work): Steps<JsonValue> {
  const open: OpenCopy[] = [];
  const begin = (from: JsonValue): JsonValue => {
    if (typeof from !== 'object' || from === null) return from;
    const copy: OpenCopy = isArray(from)
      ? { from, to: [], keys: undefined, next: 0 }
      : { from, to: {}, keys: Object.keys(from), next: 0 };
    open.push(copy);
    return copy.to;
  };
  const result = begin(value);
  for (let count = 1; ; count += 1) {
    const top = open[open.length - 1];
    if (top === undefined) return result;
    if (top.next === (top.keys ?? top.from).length) {
      open.pop();
    } else if (top.keys === undefined) {
      top.to.push(begin(top.from[top.next++] ?? null));
    } else {
      const key = top.keys[top.next++] ?? '';
      setOwnMember(top.to, key, begin(top.from[key] ?? null));
    }
    if (count % PIECE === 0 && work.spend(2 * PIECE)) yield;
  }
}
