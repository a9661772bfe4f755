/**
 * The value of a long JSON text that this program has written, in steps: such as a stored object.
 *
 * @module
 */
import type { Steps, Work } from '../work/work.js';
import { JsonCuts, PIECE_LENGTH } from './json-cuts.js';
import { parseSteps } from './json-parse.js';
import { addBigIntegers, afterString, hasLongDigits, jsonValue } from './json-text.js';
import type { JsonValue } from './json.js';

/** Characters that are scanned between two looks at the work, and those that take 50 ns. */
const SCAN_LENGTH = 4096;
const SCANNED_PER_UNIT = 8;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NO_NUMBERS: readonly number[] = Object.freeze([]);

/**
 * Does what `jsonValue` does, in steps that can pause between two pieces of the text. Duplicate keys are not looked for.
 *
 * @throws SyntaxError
 */
export function* jsonValueSteps(work: Work, text: string): Steps<JsonValue> {
  if (text.length <= PIECE_LENGTH) return jsonValue(text);
  const cuts = new JsonCuts(text);
  if (!(yield* scan(work, text, cuts))) return jsonValue(text);
  const integers = hasLongDigits(text) ? yield* bigIntegers(work, text) : NO_NUMBERS;
  return yield* parseSteps(work, { text, cuts, integers, numbers: NO_NUMBERS, keepsSurrogates: true });
}

/** Characters that a unit of work passes in the search for integers, some of which have as many digits. */
const SEARCHED_PER_UNIT = 4;

/** Returns the positions of the integers that the value holds as bigints. */
function* bigIntegers(work: Work, text: string): Steps<readonly number[]> {
  const found: number[] = [];
  for (let at = 0; at < text.length;) {
    at = addBigIntegers(text, at, at + SCAN_LENGTH, found);
    if (work.spend(SCAN_LENGTH / SEARCHED_PER_UNIT)) yield;
  }
  return found;
}

/** Finds where a text can be cut. @returns false for a text whose brackets do not match: it is not JSON */
function* scan(work: Work, text: string, cuts: JsonCuts): Steps<boolean> {
  let depth = 0;
  let look = SCAN_LENGTH;
  for (let at = 0; at < text.length; at += 1) {
    if (at >= look) {
      look = at + SCAN_LENGTH;
      if (work.spend(SCAN_LENGTH / SCANNED_PER_UNIT)) yield;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at + 1) - 1;
    else if (code === COMMA) cuts.comma(depth, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) cuts.open((depth += 1), at);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === 0) return false;
      cuts.close(depth, at);
      depth -= 1;
    }
  }
  return depth === 0 && !cuts.isBroken;
}
