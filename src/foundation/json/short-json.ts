/**
 * JSON of a single reader that is parsed in one step: a review of a token, a set of keys. A real one has some
 * dozens of values, so a text with many is refused before it is parsed.
 *
 * @module
 */
import { jsonValue } from './json-text.js';
import type { JsonValue } from './json.js';

/** Maximum number of objects, lists, and values in them. */
const MAX_VALUES = 20_000;

const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/** A JSON text that has too many values to be parsed in one step. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';

  constructor() {
    super(`it has more than ${MAX_VALUES} values`);
  }
}

/**
 * Parses a short JSON text.
 *
 * @throws SyntaxError for invalid JSON; TooManyValues
 */
export function parseShortJson(text: string): JsonValue {
  if (text.length > MAX_VALUES && hasMore(text, MAX_VALUES)) throw new TooManyValues();
  return jsonValue(text);
}

/** Returns whether a text has more brackets and commas than a limit, those in strings included. */
function hasMore(text: string, limit: number): boolean {
  let left = limit;
  for (let at = 0; at < text.length && left >= 0; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) left -= 1;
  }
  return left < 0;
}
