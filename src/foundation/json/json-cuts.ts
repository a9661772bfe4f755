/**
 * The positions where a long JSON text can be cut, so that no piece that is parsed in one step is long.
 *
 * @module
 */

/** Length from which a text is cut, and of the pieces as far as possible, in characters. */
export const PIECE_LENGTH = 64 * 1024;

const OPEN_OBJECT = 0x7b;

/** The items of a list, or the members of an object, that follow each other in the text; without the commas around them. */
export interface JsonSegment {
  readonly start: number;
  readonly end: number;
  /** The long object or list in it: then it has nothing but that. */
  readonly inner: LongContainer | undefined;
}

/** An object or list that is longer than a piece. */
export interface LongContainer {
  /** Positions of its brackets in the text; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly isObject: boolean;
  readonly segments: readonly JsonSegment[];
}

/** An open object or list. */
interface Level {
  start: number;
  /** Start of the items that are not in a segment yet. */
  rest: number;
  /** Position of the bracket or comma before the current item. */
  before: number;
  segments: JsonSegment[] | undefined;
  /** The long object or list in the current item. */
  inner: LongContainer | undefined;
}

/** Collects the structure of a text, as a scan finds its brackets and commas. */
export class JsonCuts {
  readonly #text: string;
  readonly #pieceLength: number;
  readonly #levels: Level[] = [newLevel()];
  #isBroken = false;

  constructor(text: string, pieceLength = PIECE_LENGTH) {
    this.#text = text;
    this.#pieceLength = pieceLength;
  }

  /** The long object or list that is the whole text; undefined without one. */
  get root(): LongContainer | undefined {
    return this.#levels[0]?.inner;
  }

  /** Whether the brackets already tell that the text is not valid. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** @param depth nesting of the object or list */
  open(depth: number, at: number): void {
    const level = (this.#levels[depth] ??= newLevel());
    level.start = at;
    level.rest = at + 1;
    level.before = at;
    level.segments = undefined;
    level.inner = undefined;
  }

  /** @param depth nesting of the object or list that the comma is in; 0 for none */
  comma(depth: number, at: number): void {
    if (depth > 0) this.#itemEnds(this.#levels[depth] as Level, at);
  }

  /** @param depth nesting of the object or list; 0 when none is open */
  close(depth: number, at: number): void {
    if (depth === 0) {
      this.#isBroken = true;
      return;
    }
    const level = this.#levels[depth] as Level;
    const { start } = level;
    if (at - start <= this.#pieceLength) return;
    this.#itemEnds(level, at);
    const segments = (level.segments ??= []);
    if (level.rest <= at) segments.push({ start: level.rest, end: at, inner: undefined });
    const outer = this.#levels[depth - 1] as Level;
    // Two values without a comma between them, or brackets of two kinds.
    if (outer.inner !== undefined || this.#text.charCodeAt(at) !== this.#text.charCodeAt(start) + 2)
      this.#isBroken = true;
    outer.inner = { start, end: at + 1, isObject: this.#text.charCodeAt(start) === OPEN_OBJECT, segments };
    level.segments = undefined;
    level.inner = undefined;
  }

  /** Makes segments when the items that are not in one are longer than a piece. */
  #itemEnds(level: Level, at: number): void {
    if (at - level.rest > this.#pieceLength) {
      const segments = (level.segments ??= []);
      if (level.before >= level.rest) {
        segments.push({ start: level.rest, end: level.before, inner: undefined });
        level.rest = level.before + 1;
      }
      if (at - level.rest > this.#pieceLength) {
        segments.push({ start: level.rest, end: at, inner: level.inner });
        level.rest = at + 1;
      }
    }
    level.inner = undefined;
    level.before = at;
  }
}

const newLevel = (): Level => ({ start: 0, rest: 0, before: 0, segments: undefined, inner: undefined });
