/**
 * Positions in a text: expressions count code points, JavaScript counts UTF-16 units.
 *
 * @module
 */
import { codePointCount, type Steps } from '../../../foundation/index.js';
import { CHARACTERS_OF_UNIT, type Meter } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import type { CelResult } from '../types/declarations.js';
import { piecesOf } from './made-text.js';
import { PartSearch } from './part-search.js';

const outOfRange = (index: bigint): CelResult => failure(`index out of range: ${String(index)}`);

/** Returns the number of code points of a text, in steps. */
export function* countCharacters(text: string, meter: Meter): Steps<number> {
  let count = 0;
  for (const piece of piecesOf(text)) {
    count += codePointCount(piece);
    if (meter.step(piece.length / CHARACTERS_OF_UNIT)) yield;
  }
  return count;
}

/** Returns the offset of a character in UTF-16 units; that of the end is valid. Undefined beyond it. */
function* offsetOf(text: string, index: bigint, meter: Meter): Steps<number | undefined> {
  if (index < 0n || index > BigInt(text.length)) return undefined;
  let open = Number(index);
  let offset = 0;
  for (const piece of piecesOf(text)) {
    if (open === 0) break;
    if (meter.step(piece.length / CHARACTERS_OF_UNIT)) yield;
    const count = codePointCount(piece);
    if (count > open) return offset + offsetInPiece(piece, open);
    open -= count;
    offset += piece.length;
  }
  return open === 0 ? offset : undefined;
}

/** Returns the offset of a character that the piece has. */
function offsetInPiece(piece: string, index: number): number {
  let offset = 0;
  for (let open = index; open > 0; open -= 1) offset += (piece.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return offset;
}

/** Returns the index of the character at an offset; -1 for a negative offset. */
function* indexAt(text: string, offset: number, meter: Meter): Steps<bigint> {
  return offset < 0 ? -1n : BigInt(yield* countCharacters(text.slice(0, offset), meter));
}

/** `text.charAt(index)`; the empty text at the end. */
export function* charAt(text: string, index: bigint, meter: Meter): Steps<CelResult> {
  const offset = yield* offsetOf(text, index, meter);
  if (offset === undefined) return outOfRange(index);
  const code = text.codePointAt(offset);
  return code === undefined ? '' : String.fromCodePoint(code);
}

/** `text.substring(start, end)`. */
export function* substring(text: string, start: bigint, end: bigint | undefined, meter: Meter): Steps<CelResult> {
  if (end !== undefined && start > end)
    return failure(`invalid substring range. start: ${String(start)}, end: ${String(end)}`);
  const from = yield* offsetOf(text, start, meter);
  if (from === undefined) return outOfRange(start);
  if (end === undefined) return text.slice(from);
  const to = yield* offsetOf(text, end, meter);
  return to === undefined ? outOfRange(end) : text.slice(from, to);
}

/** `text.indexOf(part)`. */
export function* indexOf(text: string, part: string, meter: Meter): Steps<CelResult> {
  if (part === '') return 0n;
  return yield* indexAt(text, yield* new PartSearch(part, meter).first(text, 0), meter);
}

/** `text.indexOf(part, from)`. */
export function* indexOfFrom(text: string, part: string, from: bigint, meter: Meter): Steps<CelResult> {
  if (part === '') return from;
  const offset = yield* offsetOf(text, from, meter);
  if (offset === undefined || offset === text.length) return outOfRange(from);
  return yield* indexAt(text, yield* new PartSearch(part, meter).first(text, offset), meter);
}

/** `text.lastIndexOf(part)`. */
export function* lastIndexOf(text: string, part: string, meter: Meter): Steps<CelResult> {
  if (part === '') return BigInt(yield* countCharacters(text, meter));
  return yield* indexAt(text, yield* new PartSearch(part, meter).last(text, text.length), meter);
}

/** `text.lastIndexOf(part, from)`. */
export function* lastIndexOfFrom(text: string, part: string, from: bigint, meter: Meter): Steps<CelResult> {
  if (part === '') return from;
  const offset = yield* offsetOf(text, from, meter);
  if (offset === undefined || offset === text.length) return outOfRange(from);
  return yield* indexAt(text, yield* new PartSearch(part, meter).last(text, offset), meter);
}
