/**
 * The text of an expression, and how an error shows the place in it: production's three lines.
 *
 * @module
 */
import { codePointsOf } from './code-points.js';
import { CelCompileError } from './failures.js';

/** Something wrong at a place. */
export interface Issue {
  /** UTF-16 units from the start; undefined when no place is to blame. */
  readonly offset?: number;
  readonly message: string;
}

/**
 * The error of an expression with issues, in order of their places:
 *
 * ```
 * ERROR: <input>:1:3: undeclared reference to 'b' (in container '')
 *  | a b
 *  | ..^
 * ```
 */
export function compileError(text: string, issues: readonly Issue[]): CelCompileError {
  const sorted = [...issues].sort((a, b) => (a.offset ?? -1) - (b.offset ?? -1));
  return new CelCompileError(sorted.map((issue) => display(text, issue)).join('\n'));
}

function display(text: string, { offset, message }: Issue): string {
  if (offset === undefined) return `ERROR: <input>:-1:0: ${message}`;
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const lineEnd = text.indexOf('\n', lineStart);
  const snippet = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd).replaceAll('\t', ' ');
  const prefix = codePointsOf(text.slice(lineStart, offset));
  const under = codePointsOf(snippet);
  const dots = prefix.map((character) => (isWide(character) ? '．' : '.')).join('');
  const mark = isWide(under[prefix.length] ?? '') ? '＾' : '^';
  return `ERROR: <input>:${line}:${prefix.length + 1}: ${message}\n | ${snippet}\n | ${dots}${mark}`;
}

const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) > 0x7f;
