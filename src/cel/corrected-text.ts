/**
 * Literals and names that the parsing library does not support: the number `.5`, raw bytes `br'…'`, and the name `.name`,
 * which is a variable. Spaces replace their first characters before the library reads the text; their offsets record
 * the literals.
 *
 * @module
 */
import { encodeUtf8 } from '../encoding/utf8.js';
import { blankOut, endsOperand, tokensOf } from './tokens.js';
import type { CelValue } from './values.js';

/** The text for the library, and the literals whose first character was removed. */
export interface CorrectedText {
  readonly text: string;
  /** Offsets of the second characters: the first digits of numbers, and the `r` of raw bytes. */
  readonly literals: ReadonlySet<number>;
}

const NONE: ReadonlySet<number> = new Set();
const FRACTION = /\d+(?:[eE][-+]?\d+)?(?!\w)/y;
const NAME = /\s*[A-Za-z_]/y;

/** Corrects a text. */
export function correctText(text: string): CorrectedText {
  // A point that follows an operand directly is never a leading one.
  if (!/(?:^|[^\w)\]}'"])\.|[bB][rR]['"]/.test(text)) return { text, literals: NONE };
  const removed: number[] = [];
  const literals = new Set<number>();
  for (const { text: token, start, before } of tokensOf(text)) {
    const isRawBytes = /^[bB][rR]['"]/.test(token);
    const isPoint = token === '.' && before !== '.' && !endsOperand(before);
    if (!isRawBytes && !isPoint) continue;
    FRACTION.lastIndex = NAME.lastIndex = start + 1;
    if (isRawBytes || FRACTION.test(text)) literals.add(start + 1);
    else if (!NAME.test(text)) continue;
    removed.push(start);
  }
  return { text: blankOut(text, removed), literals };
}

/** Returns the value of a literal whose first character was removed. */
export const correctedLiteral = (value: unknown, source: string): CelValue =>
  typeof value === 'string' ? encodeUtf8(value) : Number(`.${source}`);
