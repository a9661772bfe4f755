/**
 * Formats errors with the text of an expression: the three lines of Kubernetes.
 *
 * @module
 */
import { codePointsOf } from '../encoding/code-points.js';
import { CelCompileError } from './failures.js';

/** A problem at an offset. */
export interface Issue {
  /** Offset in UTF-16 units; undefined for a problem without a position. */
  readonly offset?: number | undefined;
  readonly message: string;
}

/**
 * Returns the error of an expression with issues, sorted by offset:
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
