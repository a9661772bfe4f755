/**
 * Regular expressions in linear time: RE2, as in Kubernetes, never the host's backtracking engine.
 *
 * @module
 */
import { failure, type CelFailure } from './failures.js';

type Library = typeof import('re2js');
type Pattern = import('re2js').RE2JS;

const MAX_PATTERNS = 256;
const MAX_PATTERN_LENGTH = 10_000;

/** A compiled pattern. */
export interface RegularExpression {
  /** Returns true when the pattern matches anywhere in the text. */
  matches(text: string): boolean;
  /** Returns at most `limit` matches in order; all matches for a negative limit. */
  findAll(text: string, limit: number): string[];
}

/** Compiles patterns. */
export interface RegularExpressionCompiler {
  /** Returns the compiled pattern, or the error of Kubernetes for an invalid pattern. */
  compile(pattern: string): RegularExpression | CelFailure;
}

/** Compiles patterns and caches the last ones. */
export class RegularExpressions implements RegularExpressionCompiler {
  readonly #library: Library;
  readonly #cache = new Map<string, RegularExpression | CelFailure>();

  constructor(library: Library) {
    this.#library = library;
  }

  compile(pattern: string): RegularExpression | CelFailure {
    const known = this.#cache.get(pattern);
    if (known !== undefined) return known;
    const compiled = this.#compile(pattern);
    if (this.#cache.size >= MAX_PATTERNS) this.#cache.delete(this.#cache.keys().next().value ?? '');
    this.#cache.set(pattern, compiled);
    return compiled;
  }

  #compile(pattern: string): RegularExpression | CelFailure {
    if (pattern.length > MAX_PATTERN_LENGTH)
      return failure(`pattern has ${pattern.length} characters, the maximum is ${MAX_PATTERN_LENGTH}`);
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

/** Ignores an empty match directly after another match. */
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
