import type { Pattern, PatternLibrary } from '../patterns/index.js';
import type { PatternCompiler, TextMatcher } from './validate-scalars.js';

/** Most instructions of all patterns of a version of a kind. Real definitions have at most 6,076. */
export const MAX_INSTRUCTIONS_OF_VERSION = 100_000;

/** A pattern with its matcher. */
interface Compiled {
  readonly pattern: Pattern;
  readonly matcher: TextMatcher;
}

/** The patterns of one version of a kind. Each is compiled once by its text, when a value first needs it. */
export class UserPatterns {
  readonly #library: PatternLibrary;
  readonly #compiled = new Map<string, Compiled>();
  #instructions = 0;
  #bytes = 0;

  constructor(library: PatternLibrary) {
    this.#library = library;
  }

  /** Memory of the compiled patterns, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Compiles a pattern. @throws PatternError for a pattern that is invalid or too large */
  readonly compile: PatternCompiler = (text) => {
    const known = this.#compiled.get(text);
    if (known !== undefined) return known.matcher;
    const pattern = this.#library.compile(text);
    const matcher: TextMatcher = Object.assign((value: string) => pattern.matches(value), {
      search: (value: string) => pattern.searchAny(value),
    });
    this.#keep(text, { pattern, matcher });
    return matcher;
  };

  /** Keeps a compiled pattern, and gives up the oldest ones beyond the limit. */
  #keep(text: string, compiled: Compiled): void {
    this.#compiled.set(text, compiled);
    this.#instructions += compiled.pattern.instructions;
    this.#bytes += compiled.pattern.bytes;
    for (const [oldest, { pattern }] of this.#compiled) {
      if (this.#instructions <= MAX_INSTRUCTIONS_OF_VERSION || oldest === text) return;
      this.#compiled.delete(oldest);
      this.#instructions -= pattern.instructions;
      this.#bytes -= pattern.bytes;
    }
  }
}
