import { PatternLibrary, type Pattern } from '../../../machinery/index.js';

/** Says whether a text matches a pattern; undefined where only the server can say it. */
export type Matches = (text: string, pattern: string) => boolean | undefined;

/** The most work of one comparison, in instructions of the pattern times characters: a few milliseconds. */
const MOST_WORK = 50_000;

/**
 * Compares texts with patterns of schemas as the server does: by RE2, in linear time. The expressions of JavaScript mean
 * something else in places, and a pattern such as `^(a+)+$` could hang the tab.
 */
export class Patterns {
  readonly #loaded: () => void;
  readonly #compiled = new Map<string, Pattern | undefined>();
  #library: PatternLibrary | undefined;
  #loading = false;

  /** @param loaded called once the library has been loaded, which the first pattern causes */
  constructor(loaded: () => void) {
    this.#loaded = loaded;
  }

  readonly matches: Matches = (text, pattern) => {
    if (this.#library === undefined) return void this.#load();
    const compiled = this.#patternOf(pattern, this.#library);
    if (compiled === undefined || compiled.instructions * (text.length + 1) > MOST_WORK) return undefined;
    return compiled.matches(text);
  };

  #load(): void {
    if (this.#loading) return;
    this.#loading = true;
    import('re2js').then(
      (library) => {
        this.#library = new PatternLibrary(library);
        this.#loaded();
      },
      // Without it, the server alone compares.
      () => undefined,
    );
  }

  #patternOf(pattern: string, library: PatternLibrary): Pattern | undefined {
    if (!this.#compiled.has(pattern))
      this.#compiled.set(pattern, library.problemOf(pattern) === undefined ? library.compile(pattern) : undefined);
    return this.#compiled.get(pattern);
  }
}
