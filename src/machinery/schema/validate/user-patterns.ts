import { DEFAULT_DEFINITION_LIMITS } from '../../../foundation/index.js';
import type { Pattern, PatternLibrary } from '../../patterns/index.js';
import type { PatternCompiler, TextMatcher } from './validation-run.js';

/** A pattern with its matcher. */
interface Compiled {
  readonly pattern: Pattern;
  readonly matcher: TextMatcher;
}

/** The patterns of one version of a kind. Each is compiled once by its text, when a value first needs it. */
export class UserPatterns {
  readonly #library: PatternLibrary;
  readonly #maxInstructions: number;
  readonly #compiled = new Map<string, Compiled>();
  #instructions = 0;

  /** @param maxInstructions most instructions of all compiled patterns together */
  constructor(library: PatternLibrary, maxInstructions = DEFAULT_DEFINITION_LIMITS.versionPatternInstructions) {
    this.#library = library;
    this.#maxInstructions = maxInstructions;
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
    for (const [oldest, { pattern }] of this.#compiled) {
      if (this.#instructions <= this.#maxInstructions || oldest === text) return;
      this.#compiled.delete(oldest);
      this.#instructions -= pattern.instructions;
    }
  }
}
