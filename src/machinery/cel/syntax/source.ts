/**
 * Formats errors with the text of an expression: the three lines of Kubernetes.
 *
 * @module
 */
import { utf8Length } from '../../../foundation/index.js';
import { CelCompileError } from '../evaluate/failures.js';

/** A problem at an offset. */
export interface Issue {
  /** Offset in UTF-16 units; undefined for a problem without a position. */
  readonly offset?: number | undefined;
  readonly message: string;
}

/** Most issues that an error shows: those that were found first. */
export const MAX_SHOWN_ISSUES = 100;
/** Most bytes of a line that an error shows. */
const MAX_SNIPPET_BYTES = 16_384;

/**
 * Returns the error of an expression with issues, sorted by offset. It shows a hundred of them, and no line that is very
 * long, as in Kubernetes:
 *
 * ```
 * ERROR: <input>:1:3: undeclared reference to 'b' (in container '')
 *  | a b
 *  | ..^
 * ```
 */
export function compileError(text: string, issues: readonly Issue[]): CelCompileError {
  const sorted = issues.slice(0, MAX_SHOWN_ISSUES).sort((a, b) => (a.offset ?? -1) - (b.offset ?? -1));
  const source = new Source(text);
  const shown = sorted.map(({ offset, message }) =>
    offset === undefined ? `ERROR: <input>:-1:0: ${message}` : source.display(offset, message),
  );
  if (issues.length > MAX_SHOWN_ISSUES) shown.push(`${issues.length - MAX_SHOWN_ISSUES} more errors were truncated`);
  return new CelCompileError(shown.join('\n'));
}

/** A line in errors, with a dot for each of its characters, as wide as the character. */
interface ShownLine {
  readonly snippet: string;
  readonly dots: string;
  readonly isTooLong: boolean;
}

/** Walks through a text once, and shows places in it. */
class Source {
  readonly #text: string;
  #offset = 0;
  #line = 1;
  #column = 1;
  /** The current line; undefined until it is shown. */
  #shown: ShownLine | undefined;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param offset not before the previous one */
  display(offset: number, message: string): string {
    this.#walkTo(offset);
    const place = `ERROR: <input>:${this.#line}:${this.#column}: ${message}`;
    const { snippet, dots, isTooLong } = (this.#shown ??= this.#currentLine());
    if (isTooLong) return place;
    const mark = dots[this.#column - 1] === WIDE_DOT ? '＾' : '^';
    return `${place}\n | ${snippet}\n | ${dots.slice(0, this.#column - 1)}${mark}`;
  }

  #walkTo(offset: number): void {
    while (this.#offset < offset) {
      const code = this.#text.codePointAt(this.#offset) ?? 0;
      this.#offset += code > 0xffff ? 2 : 1;
      this.#column += 1;
      if (code !== LINE_FEED) continue;
      this.#line += 1;
      this.#column = 1;
      this.#lineStart = this.#offset;
      this.#shown = undefined;
    }
  }

  #currentLine(): ShownLine {
    const end = this.#text.indexOf('\n', this.#lineStart);
    const snippet = this.#text.slice(this.#lineStart, end === -1 ? undefined : end).replaceAll('\t', ' ');
    if (utf8Length(snippet) > MAX_SNIPPET_BYTES) return { snippet: '', dots: '', isTooLong: true };
    return {
      snippet,
      isTooLong: false,
      dots: snippet.replaceAll(/\P{ASCII}/gu, WIDE_DOT).replaceAll(/\p{ASCII}/gu, '.'),
    };
  }
}

const LINE_FEED = 0x0a;
const WIDE_DOT = '．';
