import { DEFAULT_DEFINITION_LIMITS, LruMap } from '../../../foundation/index.js';
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
  readonly #compiled: LruMap<string, Compiled>;

  /** @param maxInstructions most instructions of all compiled patterns together */
  constructor(library: PatternLibrary, maxInstructions = DEFAULT_DEFINITION_LIMITS.versionPatternInstructions) {
    this.#library = library;
    this.#compiled = new LruMap(maxInstructions, { weigh: ({ pattern }) => pattern.instructions });
  }

  /** Compiles a pattern. @throws PatternError for a pattern that is invalid or too large */
  readonly compile: PatternCompiler = (text) => {
    const known = this.#compiled.get(text);
    if (known !== undefined) return known.matcher;
    const pattern = this.#library.compile(text);
    const matcher: TextMatcher = Object.assign((value: string) => pattern.matches(value), {
      search: (value: string) => pattern.searchAny(value),
    });
    this.#compiled.set(text, { pattern, matcher });
    return matcher;
  };
}
