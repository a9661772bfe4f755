/**
 * Regular expressions in linear time: RE2, as in the production system, never the host's backtracking engine.
 *
 * @module
 */
import { failure, type CelFailure } from './failures.js';

type Library = typeof import('re2js');
type Pattern = import('re2js').RE2JS;

const MAX_PATTERNS = 256;
const MAX_PATTERN_LENGTH = 10_000;

/** A pattern, compiled. */
export interface RegularExpression {
  /** Whether it matches anywhere in the text. */
  matches(text: string): boolean;
  /** The matches in order, at most `limit` of them; a negative limit is none. */
  findAll(text: string, limit: number): string[];
}

/** Compiles patterns. */
export interface RegularExpressionCompiler {
  /** The pattern, or production's error for what is none. */
  compile(pattern: string): RegularExpression | CelFailure;
}

/** Compiles patterns, and keeps the last of them. */
export class RegularExpressions implements RegularExpressionCompiler {
  readonly #library: Library;
  readonly #kept = new Map<string, RegularExpression | CelFailure>();

  constructor(library: Library) {
    this.#library = library;
  }

  compile(pattern: string): RegularExpression | CelFailure {
    const known = this.#kept.get(pattern);
    if (known !== undefined) return known;
    const compiled = this.#compile(pattern);
    if (this.#kept.size >= MAX_PATTERNS) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(pattern, compiled);
    return compiled;
  }

  #compile(pattern: string): RegularExpression | CelFailure {
    if (pattern.length > MAX_PATTERN_LENGTH)
      return failure(`pattern has ${pattern.length} characters, limit ${MAX_PATTERN_LENGTH}`);
    try {
      const compiled = this.#library.RE2JS.compile(pattern);
      return {
        matches: (text) => compiled.matcher(text).find(),
        findAll: (text, limit) => findAll(compiled, text, limit),
      };
    } catch (error) {
      if (!(error instanceof this.#library.RE2JSException)) throw error;
      return failure(error.message);
    }
  }
}

/** An empty match right behind another match is none. */
function findAll(pattern: Pattern, text: string, limit: number): string[] {
  const found: string[] = [];
  const matcher = pattern.matcher(text);
  let previousEnd = -1;
  while (found.length !== limit && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start !== end || start !== previousEnd) found.push(text.slice(start, end));
    previousEnd = end;
  }
  return found;
}
